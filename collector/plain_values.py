"""Rows of the library as names and plain values, as `--json`, `--csv` and data frames show them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from typing import Any


def plain(value: Any) -> dict[str, Any]:
    """What a value's `data()` says, else its fields: of a mapping, a dataclass or a named tuple."""
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "data"):
        data: dict[str, Any] = value.data()
        return data
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    fields: dict[str, Any] = value._asdict()
    return fields
