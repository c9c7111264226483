"""Lines of a file that somebody asks for. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class LineRange(NamedTuple):
    """Lines of a file from `first` (from 1) to `last`; None: to its end."""

    first: int
    last: int | None

    def within(self, count: int) -> Sequence[int]:
        """The numbers of those that a file of `count` lines has; where the range begins behind its end, the first one asked for."""
        end = count if self.last is None else min(self.last, count)
        return range(self.first, end + 1) or (self.first,)
