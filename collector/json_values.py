"""Typed access to JSON that other programs wrote: a value of the wrong type counts as absent.

And our own rows as plain values, as `--json`, `--csv` and data frames show them. Pure.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from collector.limits import JSON_DEPTH
from collector.text import timestamp

Row = dict[str, Any]
"""A row of our own: column -> value."""
JsonObject = dict[str, Any]
"""An object of JSON: key -> value."""
RowValues = tuple[Any, ...]
"""The values of a row, in the order of columns that a statement names."""
Numbers = dict[str, int]
"""Name -> how many, or the number of its row."""
Texts = dict[str, str]
"""Name -> text."""
Moment = float | None
"""Seconds since 1970 (UTC); None where nothing tells the time."""
LARGEST = 2**53  # beyond it a float no longer holds every integer
CUT = 20_000  # characters of JSON text that is kept for people
_NUMBERS = (int, float)  # a tuple is tested faster than a union


def get(value: object, *path: str) -> object:
    """The value at a path of keys; None when anything on the way is not an object or lacks the
    key.
    """
    for key in path:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def has(value: object, **kinds: type) -> bool:
    """Whether an object has values of these types under these keys."""
    return all(isinstance(get(value, key), kind) for key, kind in kinds.items())


def get_str(value: object, key: str, *path: str) -> str:
    """The text at a path of keys, or ""."""
    inner = value.get(key) if isinstance(value, dict) else None
    if path:
        inner = get(inner, *path)
    if isinstance(inner, str):
        return inner
    return ""


def first_text(value: object, *names: str) -> str:
    """The first text that is not empty under one of these keys, or ""."""
    for name in names:
        if text := get_str(value, name):
            return text
    return ""


def get_int(value: object, *path: str) -> int:
    """The number at a path of keys, cut to an integer, or 0."""
    inner = get(value, *path)
    if isinstance(inner, _NUMBERS) and not isinstance(inner, bool) and abs(inner) < LARGEST:
        return int(inner)
    return 0


def identifier(value: object) -> int | None:
    """A server's number of something, which is positive and has at most 62 bits; None for
    anything else.
    """
    if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 1 << 62:
        return value
    return None


def get_dict(value: object, *path: str) -> Row:
    """The object at a path of keys, or {}."""
    inner = get(value, *path)
    if isinstance(inner, dict):
        return inner
    return {}


def get_list(value: object, *path: str) -> list[Any]:
    """The list at a path of keys, or []."""
    inner = get(value, *path)
    if isinstance(inner, list):
        return inner
    return []


def first_of(value: object, *names: str) -> Any:
    """The first of these keys of an object that has a value; None when none has."""
    if isinstance(value, dict):
        for name in names:
            if value.get(name) is not None:
                return value[name]
    return None


def objects(value: object) -> list[Row]:
    """The objects in a list; [] for anything else."""
    if isinstance(value, list):
        return [item for item in value if isinstance(item, dict)]
    return []


# and texts, in which they do not count
_BRACKETS = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[\]{}]', re.S)


def is_too_deep(text: str) -> bool:
    """Whether values are inside each other more than `JSON_DEPTH` times: for each the decoder
    needs a part of the stack.
    """
    if text.count("[") + text.count("{") <= JSON_DEPTH:
        return False
    depth = 0
    for match in _BRACKETS.finditer(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(match[0], 0)
        if depth > JSON_DEPTH:
            return True
    return False


def load_json(text: str | bytes) -> Any:
    """As `json.loads`. Raises ValueError also where values are nested too deep."""
    if not isinstance(text, str):
        text = text.decode(json.detect_encoding(text), "surrogatepass")
    if is_too_deep(text):
        raise ValueError(f"values inside each other more than {JSON_DEPTH:,} times")
    return json.loads(text)


def parse_json(text: object) -> object | None:
    """The value of JSON text; None for anything else."""
    try:
        value = load_json(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return None
    return value


def to_json(value: object, limit: int = CUT) -> str:
    """JSON text for people, cut at `limit` characters."""
    try:
        return json.dumps(value, ensure_ascii=False)[:limit]
    except (ValueError, TypeError, RecursionError):
        return ""


def time_of(value: object) -> Moment:
    """RFC 3339 text, seconds or milliseconds since 1970 -> seconds."""
    if isinstance(value, _NUMBERS) and not isinstance(value, bool) and 0 < value < 1e14:
        if value > 1e11:
            return float(value) / 1000
        return float(value)
    return timestamp(value)


def get_time(value: object, *path: str) -> Moment:
    """The time at a path of keys."""
    return time_of(get(value, *path))


def json_bytes(value: object) -> bytes:
    """JSON on one line."""
    return json.dumps(value).encode()


def jsonable(value: Any) -> Any:
    """A value for JSON: tables as their rows, dataclasses and named tuples by their fields, at
    every depth.
    """
    if isinstance(value, Mapping):
        return {name: jsonable(inner) for name, inner in value.items()}
    if hasattr(value, "columns") and hasattr(value, "rows"):
        return jsonable(value.rows)
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: jsonable(getattr(value, field.name)) for field in fields(value)}
    if hasattr(value, "_asdict"):
        return jsonable(value._asdict())
    if isinstance(value, list | tuple | set):
        return [jsonable(inner) for inner in value]
    return value


def plain(value: Any) -> Row:
    """The result of a value's `data()`, or else the fields of a mapping, dataclass or named
    tuple.
    """
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "data"):
        data: Row = value.data()
        return data
    if is_dataclass(value) and not isinstance(value, type):
        plain_fields: Row = jsonable(value)
        return plain_fields
    fields: Row = value._asdict()
    return fields
