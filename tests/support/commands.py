"""Running the commands in tests: a fixture as a clone, a command with its result, its CSV as
rows.
"""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any, NamedTuple

import click
from click.testing import CliRunner, Result

from attribution.cli import cli as attribute
from collector.cli import cli as collect_cli
from collector.json_values import Texts
from support.builder import import_stream
from support.truth import REPOS


class Analysed(NamedTuple):
    """A clone, and the database that has its lines."""

    clone: Path
    db: Path


def clone(case: str, directory: Path, bare: bool = True) -> Path:
    return import_stream((REPOS / case / "history.fi").read_bytes(), directory / case, bare)


def run(
    *arguments: object,
    db: Path | str | None = None,
    program: click.Group = attribute,
    code: int | None = 0,
    stdin: str = "",
) -> Result:
    """What a command printed. It must end with `code`; None: with any."""
    words = [str(a) for a in arguments]
    if db is not None:
        words += ["--db", str(db)]
    result = CliRunner(env={"COLUMNS": "100"}).invoke(
        program, words, input=stdin, catch_exceptions=False
    )
    assert code in (None, result.exit_code), result.output
    return result


def analyse(repo: object, db: Path | str, *options: object) -> None:
    """`whowrote repo` into a database."""
    run("repo", repo, "-q", *options, db=db)


def analyse_case(case: str, directory: Path, *options: object) -> Analysed:
    """A case as a bare clone, and its database."""
    found = Analysed(clone(case, directory), directory / "e.db")
    analyse(*found, *options)
    return found


def follow_cases(db: Path, *cases: str) -> Path:
    """The database of cases whose lines are followed; their clones stand beside it."""
    for case in cases:
        run("survival", clone(case, db.parent), "--no-curves", db=db)
    return db


def check(db: Path) -> None:
    """Every invariant of a database holds."""
    run("data", "check", db=db)


def collect(*arguments: object, **options: Any) -> Result:
    """The same of `whowrote collect`."""
    return run(*arguments, program=collect_cli, **options)


def run_json(*arguments: object, db: Path | str | None = None) -> Any:
    """What a command answers as JSON."""
    return json.loads(run(*arguments, "--json", db=db).stdout)


def rows(result: Result) -> list[Texts]:
    return list(csv.DictReader(io.StringIO(result.stdout)))


def run_rows(
    *arguments: object, db: Path | str | None = None, program: click.Group = attribute
) -> list[Texts]:
    """What a command answers as CSV."""
    return rows(run(*arguments, "--csv", db=db, program=program))
