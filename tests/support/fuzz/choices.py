"""Choices made by bytes: the same bytes are the same choices, and at their end the first
possibility is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

Item = TypeVar("Item")


class Choices:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def number(self, low: int, high: int) -> int:
        """From `low` to `high`, both included."""
        size = high - low
        width = 1 if size < 256 else 2 if size < 65536 else 4
        taken = self._data[self._at : self._at + width]
        self._at += width
        return low + int.from_bytes(taken, "big") % (size + 1)

    def one_of(self, items: Sequence[Item]) -> Item:
        return items[self.number(0, len(items) - 1)]

    def yes(self, one_in: int = 2) -> bool:
        return self.number(0, one_in - 1) == one_in - 1

    def rest(self) -> bytes:
        return self._data[self._at :]
