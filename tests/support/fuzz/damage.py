"""Samples with values exchanged, records repeated, removed or out of order, and now and then a
byte.
"""

from __future__ import annotations

import json
import math
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from collector.json_values import RowValues
from collector.storage.connection import LARGEST
from support.fuzz.choices import Choices

ODD: list[Any] = [
    None,
    True,
    0,
    -1,
    10**30,
    -(10**30),
    2**53 - 1,
    2**63,
    1e308,
    1.5,
    float("nan"),
    float("inf"),
    "",
    "x",
    "\ud800",
    "\udcff",
    "\x00",
    "..",
    "/" * 3000,
    "9" * 400,
    "\u202e\u200b",
    "-",
    "0",
    "e9",
    "\n",
    "x" * 5000,
    "2026-13-99T99:99:99Z",
    "9999-12-31T23:59:59+23:59",
    [],
    [[]],
    [None],
    {},
    {"": {}},
    [{"type": "text"}],
    "{",
    "[",
    "*** Begin Patch",
    "1-9999999999",
    [[1, 10**12]],
    "@@ -1 +1 @@\n-a\n+b",
    "\\",
    "file:///%ff",
    "C:\\x",
]
Way = RowValues
_GONE = object()


def places(value: Any, way: Way = ()) -> list[Way]:
    """The way to every value inside JSON."""
    inner = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    return [way, *(place for key, one in inner for place in places(one, (*way, key)))]


def put(value: Any, way: Way, new: Any) -> Any:
    """The value with another one at the end of the way."""
    if not way:
        return None if new is _GONE else new
    copy = dict(value) if isinstance(value, dict) else list(value)
    if new is _GONE and len(way) == 1:
        del copy[way[0]]
    else:
        copy[way[0]] = put(copy[way[0]], way[1:], new)
    return copy


def at(value: Any, way: Way) -> Any:
    for step in way:
        value = value[step]
    return value


def dumped(value: Any, escaped: bool = True) -> bytes:
    return json.dumps(value, ensure_ascii=escaped).encode("utf-8", "surrogatepass")


class Sample:
    """JSON records of ours."""

    def __init__(self, records: list[Any]) -> None:
        self._records = records
        self._lines = [dumped(record) for record in records]
        self._ways = [places(record) for record in records]

    @classmethod
    def of_file(cls, path: Path) -> Sample:
        text = path.read_text("utf-8")
        return cls(
            [json.loads(line) for line in text.splitlines()]
            if path.suffix == ".jsonl"
            else [json.loads(text)]
        )

    def damaged(self, choices: Choices) -> bytes:
        lines = list(self._lines)
        changed = dict[int, Any]()
        for _ in range(choices.number(1, 4)):
            number = choices.number(0, len(lines) - 1)
            way = choices.one_of(self._ways[number])
            try:
                changed[number] = put(
                    changed.get(number, self._records[number]), way, self._value(choices)
                )
            except (LookupError, TypeError, ValueError):  # an earlier change took the place away
                continue
            lines[number] = dumped(changed[number], choices.yes())
        lines = _reordered(lines, choices)
        return flipped(b"\n".join(lines), choices)

    def _value(self, choices: Choices) -> Any:
        """An odd value, nothing, or one that stands elsewhere in the sample."""
        kind = choices.number(0, 7)
        if kind == 0:
            return _GONE
        if kind == 1:
            number = choices.number(0, len(self._records) - 1)
            return at(self._records[number], choices.one_of(self._ways[number]))
        return choices.one_of(ODD)


def _reordered(lines: list[bytes], choices: Choices) -> list[bytes]:
    shape = choices.number(0, 7)
    where = choices.number(0, len(lines))
    if shape == 1:
        return lines + lines[:where]
    if shape == 2:
        return lines[where:] + lines[:where]
    if shape == 3:
        return lines[::-1]
    if shape == 4:
        return lines[:where]
    return lines


def flipped(data: bytes, choices: Choices) -> bytes:
    """With at most two other bytes, and perhaps without its end."""
    for _ in range(max(0, choices.number(0, 5) - 3)):
        if data:
            where = choices.number(0, len(data) - 1)
            data = data[:where] + bytes([choices.number(0, 255)]) + data[where + 1 :]
    return data[: choices.number(0, len(data))] if choices.yes(8) else data


def check(value: Any, where: str) -> None:
    """Numbers are finite and have at most 63 bits; text is cleaned where it is stored."""
    if isinstance(value, Enum) or value is None or isinstance(value, str | bytes | bool):
        return
    if isinstance(value, int | float):
        assert math.isfinite(value) and abs(value) <= LARGEST, where
    elif is_dataclass(value):
        for field in fields(value):
            check(getattr(value, field.name), f"{where}.{field.name}")
    elif isinstance(value, dict):
        for key, inner in value.items():
            check(inner, f"{where}[{key!r}]")
    else:
        for inner in value:
            check(inner, f"{where}[]")
