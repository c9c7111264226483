"""Which of a person's lines the records of a history show to have come between two looks, whatever
any program makes of them.

A look is a text of a transcript (what a tool returned, what an agent wrote or quoted, a notice) in
which lines of the file stand beside each other. A line is shown if one look has its surroundings
without it, and a later one has it in them. What was pasted from the talk is not: the record holds
it as an agent's text.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

# lines with a letter or a digit above and below a person's lines, by which their place is known
AROUND = 2
SPARE = 3  # lines that may have stood in the place of those that were changed
# what the person did between two tasks of agents; what was pasted then is an agent's text
BETWEEN = ("between", "over")
_NUMBER = re.compile(r"\s*L?\d+(?:→|\t|[.:|] ?|  ?)")
_ISO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)")
_ROW = re.compile(r"INSERT INTO \"?\w+\"? VALUES\((.*)\);$")
_JSON = re.compile(r"'(\{.*\})'")
_MILLISECONDS = re.compile(r"\b(\d{13})\b")
Row = dict[str, Any]
TextOf = Callable[[str, str], Sequence[str]]  # the lines of a file by commit and path


class Look(NamedTuple):
    moment: float
    lines: tuple[str, ...]  # without the spaces around them


def looks(home: Path) -> list[Look]:
    """Every text of two or more lines in the transcripts below a home, oldest first."""
    found: dict[tuple[float, tuple[str, ...]], None] = {}
    for path in sorted(
        path
        for path in home.rglob("*")
        if path.is_file() and "shop" not in path.relative_to(home).parts[:1]
    ):
        for moment, record in _records(path):
            for text in _texts(record):
                for lines in _readings(text):
                    found.setdefault((moment, lines))
    return sorted(Look(moment, lines) for moment, lines in found)


def _records(path: Path) -> Iterator[tuple[float, Any]]:
    """Records with their times; one without a time has that of the one before."""
    moment = 0.0
    for line in path.read_text("utf-8", "surrogateescape").split("\n"):
        record: Any = None
        if path.suffix == ".sql":
            if row := _ROW.match(line):
                times = [
                    int(number) / 1000
                    for number in _MILLISECONDS.findall(row[1].partition("'{")[0])
                ]
                moment = max(times, default=moment)
                record = [_loaded(match[1].replace("''", "'")) for match in _JSON.finditer(row[1])]
        else:
            record = _loaded(line)
            if isinstance(record, dict) and _ISO.fullmatch(str(record.get("timestamp"))):
                moment = datetime.fromisoformat(record["timestamp"]).timestamp()
        if record is not None:
            yield moment, record


def _loaded(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        if value and all(isinstance(item, str) for item in value):
            yield "\n".join(value)  # a patch, line by line
        for item in value:
            yield from _texts(item)
    elif isinstance(value, str) and "\n" in value:
        inner = _loaded(value) if value[0] in "{[" else None
        yield from _texts(inner) if inner is not None else (value,)


def _readings(text: str) -> Iterator[tuple[str, ...]]:
    """The lines that are not blank, as they are, without numbers before them, and of a diff
    those before and after.
    """
    lines = [line for line in text.replace("\r\n", "\n").split("\n") if line.strip()]
    yield tuple(line.strip() for line in lines)
    if sum(bool(_NUMBER.match(line)) for line in lines) * 2 > len(lines):
        unnumbered = (_NUMBER.sub("", line, count=1).strip() for line in lines)
        yield tuple(filter(None, unnumbered))
    if sum(line[:1] in "+- @*" for line in lines) * 2 > len(lines):
        for gone in "-+":
            yield tuple(
                filter(None, (line[1:].strip() for line in lines if not line.startswith(gone)))
            )


class Place(NamedTuple):
    """A person's lines of a commit that stand beside each other, with what is around them: less
    at the ends of a file.
    """

    above: tuple[str, ...]
    lines: tuple[str, ...]
    below: tuple[str, ...]

    def shown_without(self, lines: Sequence[str]) -> bool:
        """The surroundings stand there, with nothing or other lines between them."""
        return any(not set(self.lines) & set(between) for between in self._between(lines))

    def shown_with(self, number: int, lines: Sequence[str]) -> bool:
        """The line with that number, from 0, stands between the surroundings, or in its place
        behind or before one of them.
        """
        start, end = (*self.above, *self.lines[: number + 1]), (*self.lines[number:], *self.below)
        beside = (self.above and _ends(start, lines)) or (self.below and _ends(end, lines))
        return bool(beside) or any(
            self.lines[number] in between for between in self._between(lines)
        )

    def _between(self, lines: Sequence[str]) -> Iterator[Sequence[str]]:
        """What stands between the surroundings, where they are close enough."""
        starts = _ends(self.above, lines)
        stops = (
            [stop - len(self.below) for stop in _ends(self.below, lines)]
            if self.below
            else [len(lines)]
        )
        for start in starts:
            for stop in stops[bisect_left(stops, start) :]:
                if stop - start <= len(self.lines) + SPARE:
                    yield lines[start:stop]


def _ends(part: Sequence[str], lines: Sequence[str]) -> list[int]:
    """Behind which lines the part ends; an empty one is before the first."""
    size = len(part)
    if not size:
        return [0]
    return [
        place + size
        for place in range(len(lines) - size + 1)
        if tuple(lines[place : place + size]) == tuple(part)
    ]


def shown_lines(
    rows: Sequence[Row], text_of: TextOf, seen: Sequence[Look]
) -> set[tuple[str, str, int]]:
    """Commit, path and number of each of a person's lines that two looks show; `rows` are those
    of a history's truth.
    """
    numbers: dict[tuple[str, str], list[int]] = defaultdict(list)
    for row in rows:
        if row["author"] == "person" and row["how"] in BETWEEN:
            numbers[row["commit"], row["path"]] += range(row["start"], row["end"] + 1)
    shown = set()
    for (commit, path), of_person in numbers.items():
        lines = [
            (number, line.strip())
            for number, line in enumerate(text_of(commit, path), 1)
            if line.strip()
        ]
        places = [place for place, (number, _) in enumerate(lines) if number in set(of_person)]
        texts = [text for _, text in lines]
        for first, last in _runs(places):
            place = Place(
                _nearest(texts[:first][::-1])[::-1],
                tuple(texts[first : last + 1]),
                _nearest(texts[last + 1 :]),
            )
            if not (place.above or place.below):
                continue  # a whole file
            without = min(
                (look.moment for look in seen if place.shown_without(look.lines)), default=None
            )
            later = [look.lines for look in seen if without is not None and look.moment > without]
            found = (
                step
                for step in range(last + 1 - first)
                if any(place.shown_with(step, look) for look in later)
            )
            shown |= {(commit, path, lines[first + step][0]) for step in found}
    return shown


def _nearest(lines: Sequence[str]) -> tuple[str, ...]:
    """The first lines up to the AROUND-th with a letter or a digit."""
    strong = [place for place, line in enumerate(lines) if any(sign.isalnum() for sign in line)]
    return tuple(lines[: strong[AROUND - 1] + 1] if len(strong) >= AROUND else lines)


def _runs(numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    """First and last of numbers that follow each other."""
    ordered = sorted(numbers)
    first = 0
    for place in range(1, len(ordered) + 1):
        if place == len(ordered) or ordered[place] != ordered[place - 1] + 1:
            yield ordered[first], ordered[place - 1]
            first = place


def with_shown(rows: Sequence[Row], text_of: TextOf, home: Path) -> list[Row]:
    """The rows of a truth, each line that is shown marked so; runs are divided where they are
    shown in part.
    """
    shown = shown_lines(rows, text_of, looks(home))
    marked: list[Row] = []
    for row in rows:
        plain = {name: value for name, value in row.items() if name != "shown"}
        for number in range(row["start"], row["end"] + 1):
            fact = {"shown": True} if (row["commit"], row["path"], number) in shown else {}
            last = marked[-1] if marked and number > row["start"] else {}
            if last and last.get("shown", False) == bool(fact):
                last["end"] = number
            else:
                marked.append({**plain, "start": number, "end": number, **fact})
    return marked
