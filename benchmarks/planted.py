"""Does `whowrote report compare` find an effect that was planted? Histories of git in which agents'
lines are repaired and removed so many times as often as others', and what the command says of them.

    python benchmarks/planted.py [HISTORIES]

Agents write ever more of the commits, prefer new files, bring tests with them and are mostly one
author's. New files and that author's lines are repaired and removed more often whoever wrote them,
and commits differ by chance: a rate alone is wrong. Prints how often an interval holds the planted
ratio, and how often the controls show nothing; docs/culprit.md has the table.
"""

from __future__ import annotations

import json
import math
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from click.testing import CliRunner

from attribution.cli import cli
from collector.git.program import import_repository

EFFECTS = (1.0, 1.5, 3.0)
OUTCOMES = ("repairs", "survival")
_WRITING = 160  # commits that write, in eight months
_DAY = 86_400
_START = 1_740_787_200  # 1 March 2025
_DECLARED = "\n\nCo-Authored-By: Claude <noreply@anthropic.com>"
_SPECIAL = "Ann"  # works most with agents, and more is wrong with her lines


class _Change(NamedTuple):
    """What a commit does to a file."""

    at: float  # days
    author: str
    message: str
    path: str
    removed: frozenset[str]
    added: tuple[str, ...]
    tests: int = 0  # lines in a file of its own


def history(seed: int, effect: float) -> bytes:
    """A stream for `git fast-import`."""
    chance = random.Random(seed)
    files: dict[str, list[str]] = {}
    stream = []
    changes = sorted(_changes(chance, effect), key=lambda change: change.at)
    last = _Change(400, "Ben", "end", "end.py", frozenset(), ("end",))
    for number, change in enumerate([*changes, last]):
        before = files.get(change.path, [])
        lines = [line for line in before if line not in change.removed]
        if change.removed and len(lines) == len(before):
            continue
        files[change.path] = [*lines, *change.added]
        written = {change.path: files[change.path]}
        if change.tests:
            written[f"tests/test_{number}.py"] = _lines(f"test_{number}", change.tests)
        stream.append(_commit(change, written))
    return "".join(stream).encode()


def _commit(change: _Change, written: dict[str, list[str]]) -> str:
    moment = f"<{change.author}@example.org> {_START + round(change.at * _DAY)} +0000"
    head = [
        "commit refs/heads/main",
        f"author {change.author} {moment}",
        f"committer {change.author} {moment}",
        f"data {len(change.message)}\n{change.message}",
    ]
    for path, lines in written.items():
        text = "".join(f"{line}\n" for line in lines)
        head.append(f"M 100644 inline {path}\ndata {len(text)}\n{text}")
    return "\n".join([*head, ""])


def _lines(name: str, count: int) -> list[str]:
    return [f"{name}_{n} = compute({n})" for n in range(count)]


def _changes(chance: random.Random, effect: float) -> Iterator[_Change]:
    """Each block of lines, the fixes of it within days, and what removes a part of it soon."""
    paths = ["src/first.py", "lib/first.py"]
    for number in range(_WRITING):
        at = 240 * (number + chance.random()) / _WRITING
        author = chance.choice((_SPECIAL, "Ben"))
        ours = chance.random() < (0.15 + at / 600) * (1.5 if author == _SPECIAL else 0.7)
        is_new = chance.random() < (0.6 if ours else 0.3)
        if is_new:
            paths.append(f"{chance.choice(('src', 'lib'))}/file_{number}.py")
        path = paths[-1] if is_new else chance.choice(paths)
        lines = _lines(f"name_{number}", chance.randint(12, 90))
        tests = chance.randint(5, 60) if chance.random() < (0.5 if ours else 0.2) else 0
        declared = _DECLARED if ours else ""
        yield _Change(at, author, f"add {number}{declared}", path, frozenset(), tuple(lines), tests)
        risk = (effect if ours else 1) * (2 if is_new else 1) * chance.uniform(0.4, 1.6)
        risk *= 1.4 if author == _SPECIAL else 1
        for count in range(_poisson(chance, 0.004 * risk * len(lines))):
            text = (f"fixed_{number}_{count} = other({count})",)
            yield _Change(
                at + chance.uniform(1.5, 4),
                chance.choice((_SPECIAL, "Ben")),
                f"fix: wrong value {number}{_DECLARED if chance.random() < 0.3 else ''}",
                path,
                frozenset({lines[chance.randrange(len(lines))]}),
                text,
            )
        gone = frozenset(_removed(chance, lines, risk))
        if gone:
            when = at + chance.uniform(5, 25)
            yield _Change(when, "Ben", f"simplify {number}", path, gone, ())


def _removed(chance: random.Random, lines: list[str], risk: float) -> Iterable[str]:
    """All of the lines, or each by itself: 4 % of them for a risk of 1."""
    if chance.random() < 0.02 * risk:
        return lines
    alone = 0.02 * risk / (1 - 0.02 * risk)
    return (line for line in lines if chance.random() < alone)


def _poisson(chance: random.Random, mean: float) -> int:
    count = 0
    left = chance.random()
    while left > math.exp(-mean):
        left *= chance.random()
        count += 1
    return count


def ratios(place: Path, stream: bytes) -> dict[tuple[str, str], dict[str, Any]]:
    """What the command says: outcome and what is compared with -> ratio and controls."""
    clone = place / "planted"
    import_repository(clone, stream)
    run = ("repo", clone, "-q"), ("survival", clone, "-q"), ("culprit", clone, "--all")
    for command in run:
        _answer(*command, "--db", place / "planted.db")
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for outcome in OUTCOMES:
        told = _answer("report", "compare", outcome, clone, "--json", "--db", place / "planted.db")
        (matched,) = (table["rows"] for table in json.loads(told) if table["name"] == "matched")
        found |= {(outcome, row["against"]): row for row in matched}
    return found


def _answer(*command: object) -> str:
    done = CliRunner().invoke(cli, list(map(str, command)), catch_exceptions=False)
    if done.exit_code:
        raise SystemExit(done.output)
    return done.stdout


def main(histories: int = 201) -> None:
    counts = Counter[str]()
    for seed in range(1000, 1000 + histories):
        effect = EFFECTS[seed % len(EFFECTS)]
        with tempfile.TemporaryDirectory() as place:
            for name, row in ratios(Path(place), history(seed, effect)).items():
                if not row["refused"]:
                    about = f"{name}, planted {effect}"
                    counts[f"{about}: told"] += 1
                    counts[f"{about}: held"] += row["low"] <= effect <= row["high"]
                    counts[f"{about}: shuffles that hold 1, of 100"] += row["shuffles_that_hold_1"]
                    counts[f"{about}: chance shows nothing"] += _holds_one(row)
    print(*(f"{count:6} {about}" for about, count in sorted(counts.items())), sep="\n")


def _holds_one(row: dict[str, Any]) -> bool:
    return bool(row["by_chance_low"] <= 1 <= row["by_chance_high"])


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
