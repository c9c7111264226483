"""Values that SQLite can hold. Pure.

Text of other programs may hold half a surrogate pair or bytes that are no UTF-8, and their numbers may have any size.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from collector.text import printable

LONGEST = 100_000_000  # characters or bytes; SQLite ends at 10**9 bytes
LARGEST = 2**63 - 1  # an SQLite INTEGER


def storable(value: Any) -> Any:
    """Text with what is not text made visible, and cut at `LONGEST`; integers cut to 64 bits; everything else as it is."""
    if isinstance(value, str):
        return printable(value)[:LONGEST]
    if isinstance(value, bytes):
        return value[:LONGEST]
    if isinstance(value, int):
        return max(-LARGEST, min(LARGEST, value))
    return value


def storable_parameters(parameters: Any) -> Any:
    """The parameters of a statement, by position or by name, each made storable."""
    if isinstance(parameters, Mapping):
        return {name: storable(value) for name, value in parameters.items()}
    return tuple(map(storable, parameters)) if isinstance(parameters, Iterable) else parameters
