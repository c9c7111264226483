"""Rows of the library as names and plain values, as `--json`, `--csv` and data frames show them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any


def jsonable(value: Any) -> Any:
    """A value for JSON: tables as their rows, dataclasses and named tuples by their fields, at every depth."""
    if isinstance(value, Mapping):
        return {name: jsonable(inner) for name, inner in value.items()}
    if hasattr(value, "columns") and hasattr(value, "rows"):
        return jsonable(value.rows)
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: jsonable(getattr(value, field.name)) for field in fields(value)}
    if hasattr(value, "_asdict"):
        return jsonable(value._asdict())
    return [jsonable(inner) for inner in value] if isinstance(value, list | tuple | set) else value


def plain(value: Any) -> dict[str, Any]:
    """The result of a value's `data()`, or else the fields of a mapping, dataclass or named tuple."""
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "data"):
        data: dict[str, Any] = value.data()
        return data
    if is_dataclass(value) and not isinstance(value, type):
        plain_fields: dict[str, Any] = jsonable(value)
        return plain_fields
    fields: dict[str, Any] = value._asdict()
    return fields
