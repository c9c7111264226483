"""Scores answers about lines against the truth of a corpus.

Each row of the truth is a run of lines that a commit adds:

    history, commit, path, start, end   which lines, in the commit's version
    author     agent, person or tool: who made the line what it is
    also       whose line it was before this author changed it, or whose text was pasted
    by         of a tool: who ran it
    agent, call, how                    which agent, the agent's id of the call, in which way
    lost       the session that shows it is not in the home
    seen       of a person's: a session in the home read the file without the line, or had it from a
               commit, and then with it
    shown      of a person's: two looks on record, without the line and then with it, show it
    weak       no line of it has a letter or a digit
    unclear    nobody is asked: git shows as added what stood there (shifted), or two authors wrote
               the same (ambiguous)

answers.schema.json describes the rows of an answer. A line without an answer counts as unknown.

Two readings: by the *hand*, a line is its author's; by the *source*, it may also be theirs whose
line was changed, whose text was pasted, or who ran the tool. Intervals are of 95 %, by drawing
histories with replacement.
"""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from . import VERSION
from .histories import about, checked, histories, rows_of

AXES = ("commits", "git", "writes", "person", "lost", "event")
DRAWS = 400
Key = tuple[str, str, int]
Table = list[dict[str, Any]]


@dataclass(frozen=True)
class Truth:
    """One line; `facts` is its row."""

    key: Key
    history: str
    facts: Mapping[str, Any]

    @property
    def group(self) -> str:
        author, facts = str(self.facts["author"]), self.facts
        if author == "person":
            if facts.get("how") == "base":
                return "person, before any session"
            return "person, seen" if facts.get("seen") else "person"
        return f"{author}, session lost" if facts.get("lost") else author


@dataclass(frozen=True)
class Answer:
    said: str = "unknown"
    detail: str = ""
    call: str = ""
    edited_by: str = ""

    @property
    def names_person(self) -> bool:
        """As the line's author, or as whoever changed it."""
        return "person" in (self.said, self.edited_by)


@dataclass(frozen=True)
class Scored:
    truth: Truth
    answer: Answer

    @property
    def by_hand(self) -> bool:
        return bool(self.answer.said == self.truth.facts["author"])

    @property
    def by_source(self) -> bool:
        return self.by_hand or self.answer.said in (
            self.truth.facts.get("also"),
            self.truth.facts.get("by"),
        )

    @property
    def wrong(self) -> bool:
        """By either reading."""
        return self.answer.said != "unknown" and not self.by_source


def read_truth(
    corpus: Path, names: Collection[str] | None = None
) -> tuple[list[Truth], dict[str, dict[str, str]]]:
    """Lines that are asked about, and the axes of each history; of the histories with these
    names alone, if there are any.
    """
    lines: list[Truth] = []
    axes: dict[str, dict[str, str]] = {}
    for history in histories(corpus):
        name, row = history.name, about(history)
        if names is not None and name not in names:
            continue
        # histories made before an axis was there have nothing of it
        axes[name] = {axis: row.get(axis, "nothing") for axis in (*AXES, "agent")}
        for facts in rows_of(history / "truth.jsonl"):
            if not facts.get("unclear"):
                numbers = range(facts["start"], facts["end"] + 1)
                lines += [
                    Truth((facts["commit"], facts["path"], number), name, facts)
                    for number in numbers
                ]
    return lines, axes


def read_answers(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a file of answers. ValueError where one is no answer."""
    return map(checked, rows_of(path))


def answers_of(rows: Iterable[Mapping[str, Any]], *, early: bool = False) -> dict[Key, Answer]:
    """The answers by line; those that were given before the commit, if `early`, else after it."""
    answers = {}
    for row in rows:
        if "class" not in row or row.get("before_commit", False) != early:
            continue
        answer = Answer(
            row["class"], row.get("detail") or "", row.get("call") or "", row.get("edited_by") or ""
        )
        first = row["start"] if "start" in row else row["line"]
        for number in range(first, row.get("end", first) + 1):
            answers[row["commit"], row["path"], number] = answer
    return answers


def score(truth: Iterable[Truth], answers: Mapping[Key, Answer]) -> list[Scored]:
    """Each line that has a letter or a digit, with what was said of it."""
    return [
        Scored(line, answers.get(line.key, Answer()))
        for line in truth
        if not line.facts.get("weak")
    ]


def rate(lines: Sequence[Scored], counts: Callable[[Scored], bool]) -> dict[str, Any]:
    """The share of the lines that count, and its interval over histories; None without lines."""
    pairs = list(_pairs(lines, counts).values())
    return {
        "part": sum(pair[0] for pair in pairs),
        "of": len(lines),
        "rate": _share(pairs),
        "interval": interval(pairs),
    }


def _pairs(lines: Iterable[Scored], counts: Callable[[Scored], bool]) -> dict[str, list[int]]:
    """For each history how many lines count, and of how many."""
    pairs: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for line in lines:
        pair = pairs[line.truth.history]
        pair[0] += counts(line)
        pair[1] += 1
    return pairs


def _share(pairs: Sequence[Sequence[int]]) -> float | None:
    whole = sum(pair[1] for pair in pairs)
    return sum(pair[0] for pair in pairs) / whole if whole else None


def interval(pairs: Sequence[Sequence[int]]) -> tuple[float, float] | None:
    """The middle 95 % of the rate when histories are drawn with replacement; None with fewer than
    two.

    Where no line counts, or every one, drawing says nothing: then it is what so many histories
    without an exception allow.
    """
    if len(pairs) < 2:
        return None
    allowed = 1 - 0.025 ** (1 / len(pairs))
    whole = _share(pairs)
    if whole in (0, 1):
        return (0.0, allowed) if whole == 0 else (1 - allowed, 1.0)
    rng = Random(1)
    rates = sorted(_share(rng.choices(pairs, k=len(pairs))) or 0.0 for _ in range(DRAWS))
    return rates[int(DRAWS * 0.025)], rates[int(DRAWS * 0.975) - 1]


def table_of_recall(lines: Sequence[Scored]) -> Table:
    """A row for each kind of truth: of how many lines the author was named, wrongly named, not
    named.
    """
    groups: dict[str, list[Scored]] = defaultdict(list)
    for line in lines:
        groups[line.truth.group].append(line)
    return [
        {
            "truth": group,
            "lines": len(rows),
            "histories": len({line.truth.history for line in rows}),
            "right_by_hand": rate(rows, lambda line: line.by_hand),
            "right_by_source": rate(rows, lambda line: line.by_source),
            "wrong": rate(rows, lambda line: line.wrong),
            "abstained": rate(rows, lambda line: line.answer.said == "unknown"),
            "said": dict(Counter(line.answer.said for line in rows)),
        }
        for group, rows in sorted(groups.items())
    ]


def table_of_precision(lines: Sequence[Scored]) -> Table:
    """A row for each class that was answered, and for each finer one: how many of its lines are
    right.
    """
    groups: dict[str, list[Scored]] = defaultdict(list)
    for line in lines:
        if line.answer.said != "unknown":
            groups[line.answer.said].append(line)
            if line.answer.detail:
                groups[f"{line.answer.said}, {line.answer.detail}"].append(line)
    return [
        {
            "said": group,
            "lines": len(rows),
            "right_by_hand": rate(rows, lambda line: line.by_hand),
            "right_by_source": rate(rows, lambda line: line.by_source),
        }
        for group, rows in sorted(groups.items())
    ]


class Number(NamedTuple):
    """A share of lines that every table of numbers has."""

    name: str
    about: str  # whose lines
    words: str
    asked: Callable[[Scored], bool]  # the lines that it is a share of
    counts: Callable[[Scored], bool]


def _is_recorded(line: Scored) -> bool:
    return line.truth.group == "agent"


def _is_agents(line: Scored) -> bool:
    return bool(line.truth.facts["author"] == "agent")


def _is_persons(line: Scored) -> bool:
    return bool(line.truth.facts["author"] == "person")


def _is_typed(line: Scored) -> bool:
    """By a person while agents worked."""
    return line.truth.group in ("person", "person, seen")


def _is_called_agents(line: Scored) -> bool:
    return line.answer.said == "agent"


def _is_called_persons(line: Scored) -> bool:
    return line.answer.said == "person"


def _is_unanswered(line: Scored) -> bool:
    return line.answer.said == "unknown"


def _has_person(line: Scored) -> bool:
    return "person" in (line.truth.facts["author"], line.truth.facts.get("also"))


NUMBERS = (
    Number("agent_found", "agents", "found", _is_recorded, _is_called_agents),
    Number(
        "agent_precision",
        "agents",
        "right, of the lines called an agent's",
        _is_called_agents,
        lambda line: line.by_source,
    ),
    Number(
        "agent_called_person",
        "agents",
        "agent's lines called a person's",
        _is_agents,
        lambda line: _is_called_persons(line) and line.wrong,
    ),
    Number(
        "call_right",
        "agents",
        "right call, of those named",
        lambda line: bool(
            _is_recorded(line)
            and _is_called_agents(line)
            and line.answer.call
            and line.truth.facts.get("call")
        ),
        lambda line: bool(line.answer.call == line.truth.facts["call"]),
    ),
    Number("unanswered", "agents", "without an answer", _is_recorded, _is_unanswered),
    Number("person_found", "people", "found", _is_typed, _is_called_persons),
    Number(
        "person_seen_found",
        "people",
        "found where a session saw them appear",
        lambda line: line.truth.group == "person, seen",
        _is_called_persons,
    ),
    Number(
        "person_shown_found",
        "people",
        "found where two looks on record show them",
        lambda line: bool(_is_typed(line) and line.truth.facts.get("shown")),
        lambda line: line.answer.names_person,
    ),
    Number(
        "person_precision",
        "people",
        "right, of the lines that name a person",
        lambda line: line.answer.names_person,
        _has_person,
    ),
    Number(
        "person_called_agent",
        "people",
        "people's lines called an agent's",
        _is_persons,
        lambda line: _is_called_agents(line) and line.wrong,
    ),
)


MISSED = ("agent_found", "person_shown_found")  # are told by event and cause


def summary(lines: Sequence[Scored]) -> dict[str, Any]:
    """The numbers of one group of histories."""
    numbers = {
        number.name: rate([line for line in lines if number.asked(line)], number.counts)
        for number in NUMBERS
    }
    return {"lines": len(lines), **numbers}


def table_of_axes(lines: Sequence[Scored], axes: Mapping[str, Mapping[str, str]]) -> Table:
    table = []
    for axis in (*AXES, "agent"):
        groups: dict[str, list[Scored]] = defaultdict(list)
        for line in lines:
            groups[axes[line.truth.history][axis]].append(line)
        table += [
            {"axis": axis, "value": value, **summary(rows)}
            for value, rows in sorted(groups.items())
        ]
    return table


def table_of_misses(lines: Sequence[Scored], axes: Mapping[str, Mapping[str, str]]) -> Table:
    """For the numbers of MISSED a row for each event in whose histories a line was not found, those
    with most such lines first: of how many lines, and what was said of those, in how many
    histories.
    """
    table: Table = []
    for number in (number for number in NUMBERS if number.name in MISSED):
        groups: dict[str, list[Scored]] = defaultdict(list)
        for line in filter(number.asked, lines):
            groups[axes[line.truth.history]["event"]].append(line)
        rows = []
        for event, asked in groups.items():
            missed = [line for line in asked if not number.counts(line)]
            causes = Counter(f"{line.answer.said}, {_what_was_said(line)}" for line in missed)
            rows.append(
                {
                    "number": number.name,
                    "event": event,
                    "lines": len(asked),
                    "missed": len(missed),
                    "histories": len({line.truth.history for line in missed}),
                    "causes": dict(causes.most_common()),
                }
            )
        table += sorted(rows, key=lambda row: -row["missed"])
    return [row for row in table if row["missed"]]


class Failure(NamedTuple):
    """A way to fail a line, and what such lines are told apart by."""

    words: str
    fails: Callable[[Scored], bool]
    cause: Callable[[Scored], str]


def _what_was_said(line: Scored) -> str:
    return line.answer.detail or "without a detail"


def _how_it_came(line: Scored) -> str:
    said = filter(None, (line.truth.facts.get("how"), line.answer.detail))
    return ", ".join(said) or "without a detail"


FAILURES = (
    Failure(
        "agent's line called a person's",
        lambda line: line.wrong and _is_agents(line) and _is_called_persons(line),
        _what_was_said,
    ),
    Failure(
        "person's line called an agent's",
        lambda line: line.wrong and _is_persons(line) and _is_called_agents(line),
        _how_it_came,
    ),
    Failure("other wrong answer", lambda line: line.wrong, _how_it_came),
    Failure(
        "wrongly said to be changed by a person",
        lambda line: line.answer.edited_by == "person" and not _has_person(line),
        _what_was_said,
    ),
    Failure(
        "no answer: agent's line on record",
        lambda line: _is_recorded(line) and _is_unanswered(line),
        _what_was_said,
    ),
    Failure("no answer: other line", _is_unanswered, _what_was_said),
)


def table_of_failures(lines: Iterable[Scored]) -> Table:
    """Every wrong or missing answer by failure, whose line it is and cause, each with where to
    look; a failure that did not occur has a row without lines.
    """
    kinds: dict[tuple[str, str, str], list[Scored]] = defaultdict(list)
    for line in lines:
        failure = next((failure for failure in FAILURES if failure.fails(line)), None)
        if failure:
            name = line.truth.facts.get("agent", "agent")
            whose = line.truth.group.replace("agent", name)
            kinds[failure.words, whose, failure.cause(line)].append(line)
    table: Table = []
    for failure in FAILURES:
        rows = [(kind, found) for kind, found in kinds.items() if kind[0] == failure.words]
        rows.sort(key=lambda row: -len(row[1]))
        table += [_failure_row(*row) for row in rows or [((failure.words, "", ""), [])]]
    return table


def _failure_row(kind: tuple[str, str, str], lines: Sequence[Scored]) -> dict[str, Any]:
    counts = Counter(line.truth.history for line in lines)
    return {
        **dict(zip(("failure", "whose", "cause"), kind, strict=True)),
        "lines": len(lines),
        "histories": len(counts),
        "most": dict(counts.most_common(5)),
        "example": [lines[0].truth.history, *lines[0].truth.key] if lines else [],
    }


def seconds_of(rows: Iterable[Mapping[str, Any]]) -> dict[str, float] | None:
    """What histories took of the processors; None where no answer says so."""
    late = (row for row in rows if not row.get("before_commit"))
    spent = sorted(row["cpu_seconds"] for row in late if "cpu_seconds" in row)
    if not spent:
        return None
    return {"histories": len(spent), "median": statistics.median(spent), "most": spent[-1]}


def scores(
    corpus: Path, answers: Iterable[Path], names: Collection[str] | None = None
) -> dict[str, Any]:
    truth, axes = read_truth(corpus, names)
    rows = [row for path in answers for row in read_answers(path)]
    said, early = answers_of(rows), answers_of(rows, early=True)
    lines = score(truth, said)
    answered = {row["history"] for row in rows if "cpu_seconds" in row}
    return {
        "scorer": VERSION,
        "histories": len(axes),
        "without_answers": sorted(axes.keys() - answered) if answered or not rows else None,
        "lines": len(truth),
        "scored": len(lines),
        "answered": sum(line.answer.said != "unknown" for line in lines),
        "not_asked": len(said.keys() - {line.key for line in truth}),
        "all": summary(lines),
        "before_commit": summary(score((line for line in truth if line.key in early), early)),
        "cpu_seconds": seconds_of(rows),
        "recall": table_of_recall(lines),
        "precision": table_of_precision(lines),
        "axes": table_of_axes(lines, axes),
        "misses": table_of_misses(lines, axes),
        "failures": table_of_failures(lines),
    }


def differences(
    corpus: Path, first: Path, second: Path
) -> Iterator[tuple[Number, list[dict[str, Any]], tuple[float, float] | None]]:
    """Each number with the shares of two files of answers, and the interval of the second minus
    the first when histories are drawn with replacement; None with fewer than two.

    Where neither has an exception, drawing says nothing: then it is what the two intervals allow.
    """
    truth, axes = read_truth(corpus)
    both = [score(truth, answers_of(read_answers(path))) for path in (first, second)]
    for number in NUMBERS:
        asked = [[line for line in lines if number.asked(line)] for lines in both]
        rates = [rate(lines, number.counts) for lines in asked]
        pairs = [_pairs(lines, number.counts) for lines in asked]
        yield number, rates, _interval_between(pairs[0], pairs[1], sorted(axes))


def _interval_between(
    first: Mapping[str, Sequence[int]], second: Mapping[str, Sequence[int]], names: Sequence[str]
) -> tuple[float, float] | None:
    sides = [[*side.values()] for side in (first, second)]
    if all(_share(side) in (0, 1) for side in sides):
        old, new = map(interval, sides)
        return (new[0] - old[1], new[1] - old[0]) if old and new else None
    rng = Random(1)
    found = []
    for _ in range(DRAWS if len(names) > 1 else 0):
        drawn = rng.choices(names, k=len(names))
        before = _share([first.get(name, (0, 0)) for name in drawn])
        after = _share([second.get(name, (0, 0)) for name in drawn])
        if before is not None and after is not None:
            found.append(after - before)
    found.sort()
    return (found[int(len(found) * 0.025)], found[int(len(found) * 0.975) - 1]) if found else None


def percent(value: Mapping[str, Any]) -> str:
    if value["rate"] is None:
        return "-"
    return f"{100 * value['rate']:.1f}" + between(value["interval"])


def between(limits: Sequence[float] | None) -> str:
    return f" ({100 * limits[0]:.1f} to {100 * limits[1]:.1f})" if limits else ""
