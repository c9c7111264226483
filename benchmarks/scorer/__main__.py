"""The commands of the scorer; README.md explains them."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from . import VERSION
from .histories import apart_from, ask, histories, open_corpus
from .scoring import NUMBERS, between, differences, percent, scores

TABLES = {
    "recall": "By what is true",
    "precision": "By what is said",
    "axes": "By axis",
    "misses": "Lines that were not found, by what happened in their histories",
    "failures": "Every wrong or missing answer, with the histories that have most of them",
}


def print_table(headers: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    cells = [tuple(headers), *(tuple(map(str, row)) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        padded = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print("  ".join(padded).rstrip())


def print_rows(rows: Sequence[Mapping[str, Any]]) -> None:
    """A table with a column for each key."""
    cells = ([_cell(value) for value in row.values()] for row in rows)
    print_table([key.replace("_", " ") for row in rows[:1] for key in row], cells)


def _cell(value: object) -> object:
    if isinstance(value, dict):
        if "rate" in value:
            return percent(value)
        return ", ".join(f"{name} {count}" for name, count in value.items())
    return ":".join(map(str, value)) if isinstance(value, list) else value


def print_scores(result: Mapping[str, Any], tables: Iterable[str] = TABLES) -> None:
    print(
        f"{result['histories']} histories, {result['lines']} lines, {result['scored']} of them with"
        f" a letter or a digit, of which {result['answered']} have an answer; scorer"
        f" {result['scorer']}"
    )
    if result["not_asked"]:
        print(f"{result['not_asked']} lines were answered that nobody asks about")
    if missing := result["without_answers"]:
        print(f"{len(missing)} histories have no answers, so their lines are unknown:")
        print(" ".join(missing))
    if spent := result["cpu_seconds"]:
        print(f"CPU seconds for a history: median {spent['median']:.1f}, most {spent['most']:.1f}")
    print("\nShares in percent, with intervals of 95 % over histories:\n")
    columns = {"share": "all"}
    if result["before_commit"]["lines"]:
        columns["asked before the commit"] = "before_commit"
    print_table(
        ("lines of", "", "of", *columns),
        (
            (
                number.about,
                number.words,
                result["all"][number.name]["of"],
                *(percent(result[column][number.name]) for column in columns.values()),
            )
            for number in NUMBERS
        ),
    )
    for name in tables:
        print(f"\n{TABLES[name]}:\n")
        print_rows(result[name])


def score(options: argparse.Namespace) -> int:
    with open_corpus(options.corpus) as corpus:
        result = scores(corpus, options.answers)
    if options.json:
        print(json.dumps(result, indent=1))
    else:
        print_scores(result, [name for name in TABLES if options.axes or name != "axes"])
    return 0


def compare(options: argparse.Namespace) -> int:
    with open_corpus(options.corpus) as corpus:
        rows = [
            (number.about, number.words, *map(percent, rates), between(limits).strip())
            for number, rates, limits in differences(corpus, options.first, options.second)
        ]
    headers = ("lines of", "", "first", "second", "second - first lies between")
    print_table(headers, rows)
    return 0


def run(options: argparse.Namespace) -> int:
    """Writes the answers of a command about each history; 1 if it failed on one."""
    failed = 0
    with open_corpus(options.corpus) as corpus, options.answers.open("w", encoding="utf-8") as out:
        if not apart_from(corpus):
            print("This machine cannot hide truth and network from the command.", file=sys.stderr)
        for history in histories(corpus)[: options.first]:
            try:
                rows = ask(history, options.command, options.seconds)
            except (RuntimeError, OSError, ValueError, subprocess.CalledProcessError) as error:
                failed += 1
                print(f"{history.name}: {error}", file=sys.stderr)
                continue
            out.writelines(json.dumps(row) + "\n" for row in rows)
            print(f"{history.name}: {len(rows) - 1} answers", file=sys.stderr)
    return 1 if failed else 0


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="whowrote-score",
        description="Scores programs that say who wrote the lines of a git repository.",
    )
    parser.add_argument("--version", action="version", version=VERSION)
    actions = parser.add_subparsers(required=True)

    def add(action: Any, words: str) -> argparse.ArgumentParser:
        one = actions.add_parser(action.__name__, help=words, description=words)
        one.set_defaults(action=action)
        one.add_argument("corpus", type=Path, help="a directory of histories, or the tar")
        return one

    scored = add(score, "Score answers against the truth.")
    scored.add_argument("answers", type=Path, nargs="+", help="files of JSON lines")
    scored.add_argument("--axes", action="store_true", help="print the wide table by axis, too")
    scored.add_argument("--json", action="store_true", help="print everything as JSON")
    compared = add(compare, "Compare two files of answers, number by number.")
    compared.add_argument("first", type=Path)
    compared.add_argument("second", type=Path)
    started = add(run, "Start a command in the clone of each history and collect its answers.")
    started.add_argument("answers", type=Path, help="the file to write")
    started.add_argument("command", nargs="+", help="after --; absolute paths, it starts elsewhere")
    started.add_argument("--first", type=int, metavar="N", help="only the first N histories")
    started.add_argument(
        "--seconds", type=float, default=600, help="for a history [default: %(default)s]"
    )
    options = parser.parse_args()
    try:
        status: int = options.action(options)
    except BrokenPipeError:  # whoever reads has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (OSError, ValueError) as error:
        parser.exit(2, f"{parser.prog}: {error}\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
