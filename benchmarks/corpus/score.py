"""Scores answers about lines against the truth of a corpus. Knows nothing of the program that
answers; needs nothing but Python.

    python score.py CORPUS ANSWERS.jsonl... [--json]

CORPUS is a directory of histories, each with `history.json` (the values of its axes) and
`truth.jsonl`. Each row of the truth is a run of lines that a commit adds:

    history, commit, path, start, end   which lines, in the commit's version
    author     agent, person or tool: who made the line what it is
    also       whose line it was before this author changed it, or whose text was pasted
    by         of a tool: who ran it
    agent, call, how                    which agent, the agent's id of the call, in which way
    lost       the session that shows it is not in the home
    seen       of a person's: a session in the home read the file without the line, or had it from a
               commit, and then with it
    shown      of a person's: two looks on record, without the line and then with it, show it
               (shown.py)
    weak       no line of it has a letter or a digit
    unclear    nobody is asked: git shows as added what stood there (shifted), or two authors wrote
               the same (ambiguous)

Each row of ANSWERS is about one line or a run of them: commit, path, line (or start and end), class
(agent, person, tool, unknown), and if known call, detail, a finer class, and edited_by: person,
where a person is said to have changed another's line. A line without an answer counts as unknown.

Two readings: by the *hand*, a line is its author's; by the *source*, it may also be theirs whose
line was changed, whose text was pasted, or who ran the tool. Intervals are of 95 %, by drawing
histories with replacement.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

CLASSES = ("agent", "person", "tool", "unknown")
AXES = ("commits", "git", "writes", "person", "lost")
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


def rows_of(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def read_truth(
    corpus: Path, names: Collection[str] | None = None
) -> tuple[list[Truth], dict[str, dict[str, str]]]:
    """Lines that are asked about, and the axes of each history; of the histories with these
    names alone, if there are any.
    """
    lines: list[Truth] = []
    axes: dict[str, dict[str, str]] = {}
    for about in sorted(corpus.glob("*/history.json")):
        row = json.loads(about.read_text("utf-8"))
        name = about.parent.name
        if names is not None and name not in names:
            continue
        axes[name] = {axis: row[axis] for axis in (*AXES, "agent")}
        for facts in rows_of(about.parent / "truth.jsonl"):
            if not facts.get("unclear"):
                numbers = range(facts["start"], facts["end"] + 1)
                lines += [
                    Truth((facts["commit"], facts["path"], number), name, facts)
                    for number in numbers
                ]
    return lines, axes


def answers_of(rows: Iterable[Mapping[str, Any]]) -> dict[Key, Answer]:
    answers = {}
    for row in rows:
        if row["class"] not in CLASSES:
            raise ValueError(f"{row['class']} is none of {', '.join(CLASSES)}")
        answer = Answer(
            row["class"], row.get("detail") or "", row.get("call") or "", row.get("edited_by") or ""
        )
        first = row["start"] if "start" in row else row["line"]
        for number in range(first, row.get("end", first) + 1):
            answers[row["commit"], row["path"], number] = answer
    return answers


def score(
    truth: Iterable[Truth], answers: Mapping[Key, Answer], *, weak: bool = False
) -> list[Scored]:
    """Each line with what was said of it; lines without a letter or a digit only if `weak`."""
    return [
        Scored(line, answers.get(line.key, Answer()))
        for line in truth
        if weak or not line.facts.get("weak")
    ]


def rate(lines: Sequence[Scored], counts: Callable[[Scored], bool]) -> dict[str, Any]:
    """The share of the lines that count, and its interval over histories; None without lines."""
    pairs: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for line in lines:
        pair = pairs[line.truth.history]
        pair[0] += counts(line)
        pair[1] += 1
    part, whole = (sum(pair[place] for pair in pairs.values()) for place in (0, 1))
    return {
        "part": part,
        "of": whole,
        "rate": part / whole if whole else None,
        "interval": interval(list(pairs.values())),
    }


def interval(pairs: Sequence[Sequence[int]]) -> tuple[float, float] | None:
    """The middle 95 % of the rate when histories are drawn with replacement; None with fewer than
    two.

    Where no line counts, or every one, drawing says nothing: then it is what so many histories
    without an exception allow.
    """
    if len(pairs) < 2:
        return None
    part, total = (sum(pair[place] for pair in pairs) for place in (0, 1))
    allowed = 1 - 0.025 ** (1 / len(pairs))
    if part in (0, total):
        return (0.0, allowed) if part == 0 else (1 - allowed, 1.0)
    rng = Random(1)
    rates = []
    for _ in range(DRAWS):
        drawn = rng.choices(pairs, k=len(pairs))
        whole = sum(pair[1] for pair in drawn)
        rates.append(sum(pair[0] for pair in drawn) / whole if whole else 0.0)
    rates.sort()
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


def summary(lines: Sequence[Scored]) -> dict[str, Any]:
    """The numbers of one group of histories."""
    of_agents = [line for line in lines if line.truth.facts["author"] == "agent"]
    of_people = [line for line in lines if line.truth.facts["author"] == "person"]
    recorded = [line for line in lines if line.truth.group == "agent"]
    people = [line for line in lines if line.truth.group in ("person", "person, seen")]
    seen = [line for line in people if line.truth.group == "person, seen"]
    shown = [line for line in people if line.truth.facts.get("shown")]
    called = [line for line in lines if line.answer.said == "agent"]
    named = [line for line in lines if line.answer.names_person]
    with_call = [
        line
        for line in recorded
        if line.answer.said == "agent" and line.answer.call and line.truth.facts.get("call")
    ]
    return {
        "lines": len(lines),
        "agent_found": rate(recorded, lambda line: line.answer.said == "agent"),
        "agent_precision": rate(called, lambda line: line.by_source),
        "agent_called_person": rate(
            of_agents, lambda line: line.answer.said == "person" and line.wrong
        ),
        "person_found": rate(people, lambda line: line.answer.said == "person"),
        "person_seen_found": rate(seen, lambda line: line.answer.said == "person"),
        "person_shown_found": rate(shown, lambda line: line.answer.names_person),
        "person_precision": rate(
            named,
            lambda line: "person" in (line.truth.facts["author"], line.truth.facts.get("also")),
        ),
        "person_called_agent": rate(
            of_people, lambda line: line.answer.said == "agent" and line.wrong
        ),
        "call_right": rate(with_call, lambda line: line.answer.call == line.truth.facts["call"]),
    }


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


def wrong_kinds(lines: Iterable[Scored]) -> Table:
    """Kinds of wrong answers and of recorded lines without one, the most frequent first, each
    with where to look.
    """
    kinds: dict[tuple[str, ...], list[Scored]] = defaultdict(list)
    for line in lines:
        missed = line.truth.group == "agent" and line.answer.said == "unknown"
        if line.wrong or missed:
            facts, answer = line.truth.facts, line.answer
            kinds[
                facts["author"],
                facts.get("how", ""),
                facts.get("agent", ""),
                answer.said,
                answer.detail,
            ].append(line)
    names = ("author", "how", "agent", "said", "detail")
    return [
        {
            **dict(zip(names, kind, strict=True)),
            "lines": len(rows),
            "histories": dict(Counter(line.truth.history for line in rows).most_common(5)),
            "example": [rows[0].truth.history, *rows[0].truth.key],
        }
        for kind, rows in sorted(kinds.items(), key=lambda item: -len(item[1]))
    ]


def scores(
    corpus: Path, answers: Iterable[Path], names: Collection[str] | None = None
) -> dict[str, Any]:
    truth, axes = read_truth(corpus, names)
    said = answers_of(row for path in answers for row in rows_of(path))
    lines = score(truth, said)
    return {
        "histories": len(axes),
        "lines": len(truth),
        "scored": len(lines),
        "all": summary(lines),
        "with_weak": summary(score(truth, said, weak=True)),
        "recall": table_of_recall(lines),
        "precision": table_of_precision(lines),
        "axes": table_of_axes(lines, axes),
        "wrong": wrong_kinds(lines),
    }


def percent(value: Mapping[str, Any]) -> str:
    if value["rate"] is None:
        return "-"
    limits = value["interval"]
    return f"{100 * value['rate']:.1f}" + (
        f" ({100 * limits[0]:.1f} to {100 * limits[1]:.1f})" if limits else ""
    )


def print_scores(result: Mapping[str, Any], *, kinds: bool = True) -> None:
    """`kinds`: also the kinds of wrong answers, with where they are."""
    print(
        f"{result['histories']} histories, {result['lines']} lines, of them {result['scored']} with"
        " a letter or a digit"
    )
    for name in ("recall", "precision", "axes"):
        print()
        for number, row in enumerate(result[name]):
            if number == 0:
                print(" | ".join(key for key in row if key != "said" or name == "precision"))
            cells = [
                percent(value) if isinstance(value, dict) and "rate" in value else str(value)
                for value in row.values()
            ]
            print(" | ".join(cells))
    for row in result["wrong"] if kinds else []:
        print(row)


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Scores answers about lines against the truth of a corpus."
    )
    parser.add_argument("corpus", type=Path)
    parser.add_argument("answers", type=Path, nargs="+")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    result = scores(options.corpus, options.answers)
    if options.json:
        print(json.dumps(result, indent=1))
    else:
        print_scores(result)
    return 0


if __name__ == "__main__":
    sys.exit(main())
