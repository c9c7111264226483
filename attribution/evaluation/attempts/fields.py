"""Values out of strangers' JSON: numbers, texts, times, and what must not be stored. Pure."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from collector.json_values import LARGEST, JsonObject, get, time_of
from collector.storage.store import iso
from collector.text import printable, timestamp

_SECRET = re.compile(r"(?i)(api_?key|token$|secret|password|credential|authorization|^env$|_env$)")
_MOST_TEXT = 2_000
_MOST_JSON = 20_000
DEEPEST = 8


def text(value: object, most: int = _MOST_TEXT) -> str:
    """A name or message; empty for anything that is none."""
    if isinstance(value, str):
        return printable(value[:most]).strip()
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < LARGEST:
        return str(value)
    return ""


def name(value: object) -> str | None:
    """A text that is not empty."""
    return text(value) or None


def number(value: object) -> float | None:
    """A finite number; booleans count."""
    if isinstance(value, bool | int | float) and abs(value) < LARGEST:  # NaN compares with nothing
        return float(value)
    return None


def integer(value: object) -> int | None:
    parsed = None if isinstance(value, bool) else number(value)
    return int(parsed) if parsed is not None and parsed == int(parsed) else None


def boolean(value: object) -> int | None:
    return int(value) if isinstance(value, bool) or value in (0, 1) else None


def names(value: object) -> list[str]:
    """Ids of a list, each once."""
    if isinstance(value, list):
        return list(dict.fromkeys(name for item in value if (name := text(item, 500))))
    return []


def moment(value: object) -> str | None:
    """A time as `2026-02-18T00:07:22.729Z`; ISO text without a zone is UTC; numbers are seconds
    or milliseconds since 1970.
    """
    is_relative = isinstance(value, int | float) and value < 1e8
    return None if is_relative else iso(time_of(value))


def seconds_between(start: str | None, end: str | None) -> float | None:
    """Between two times as `moment` writes them; None when one is missing or they run backwards."""
    began = timestamp(start)
    ended = timestamp(end)
    if began is None or ended is None or ended < began:
        return None
    return round(ended - began, 3)


Columns = Mapping[str, tuple[Callable[[Any], Any], tuple[str, ...]]]
"""Column -> how its value is read, and where it may stand: names, with a dot into an object."""


def read_columns(record: object, columns: Columns) -> tuple[JsonObject, set[str]]:
    """(columns with a value, the paths that gave them)."""
    values = {}
    paths = set()
    for column, (read, candidates) in columns.items():
        for path in candidates:
            value = read(get(record, *path.split(".")))
            if value is not None:
                values[column] = value
                paths.add(path)
                break
    return values, paths


def storable(value: object, depth: int = 0) -> Any:
    """A copy that can be stored and shown: texts cut, deep parts dropped, and nothing whose name
    says that it is a secret.
    """
    if isinstance(value, str):
        return text(value)
    if isinstance(value, dict | list) and depth >= DEEPEST:
        return "…"
    if isinstance(value, dict):
        return {
            text(str(k), 200): storable(v, depth + 1)
            for k, v in value.items()
            if not _SECRET.search(str(k))
        }
    if isinstance(value, list):
        return [storable(item, depth + 1) for item in value[:200]]
    if value is None or isinstance(value, bool):
        return value
    return number(value) if isinstance(value, float) else integer(value)


def limit_size(values: JsonObject) -> JsonObject:
    """`storable`, with the largest entries replaced by their size until the whole is small
    enough.
    """
    entries: JsonObject = storable(dict(values))
    sizes = {key: len(json.dumps(value, default=str)) for key, value in entries.items()}
    for key in sorted(sizes, key=lambda k: -sizes[k]):
        if sum(sizes.values()) <= _MOST_JSON:
            break
        entries[key] = f"… {sizes[key]} characters"
        sizes[key] = len(entries[key])
    return entries
