"""The commands about commits of a range: log, stats."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from attribution.commands.common import at, here, print_one, print_rows
from collector.console.tables import print_table
from collector.console.terminal import data_options, database_option, out
from collector.storage.places import clone_around


def _range_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The range, the clone and the dates, which both commands take."""
    wanted = click.argument("wanted", required=False, default="", metavar="[A..B]")
    path = click.argument("path", required=False)
    since = click.option(
        "--since", type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"]), help="Only commits authored on or after this date (UTC)."
    )
    return wanted(path(since(command)))


@click.command()
@_range_options
@click.option("-n", "--max-count", "most", type=click.IntRange(1), metavar="N", help="Show only the newest N commits.")
@database_option
@data_options
def log(wanted: str, path: str | None, since: datetime | None, most: int | None, db: Path, output_format: str) -> None:
    """List commits with the authors of their lines.

    A..B are the commits that B has and A does not; one name stands for all that it has; without any, the attributed branch is
    listed. Newest first.
    """
    from attribution.queries.commit_range import log as log_table

    wanted, path = _range_and_clone(wanted, path)
    with at(path, db) as where:
        table = log_table(where, wanted, _iso(since), most)
    table.notes.append("lines: non-blank lines added to source and test files")
    print_table(output_format, table, ("commit_sha", "author_at=authored", "lines", "classes=written by", "git_author", "subject"))


@click.command()
@_range_options
@database_option
@data_options
def stats(wanted: str, path: str | None, since: datetime | None, db: Path, output_format: str) -> None:
    """Add up who wrote the lines of a range of commits.

    A..B are the commits that B has and A does not, for example main..HEAD for a branch; one name stands for all that it has.
    """
    from attribution.queries.commit_range import stats as stats_of

    wanted, path = _range_and_clone(wanted, path)
    with at(path, db) as where:
        found = stats_of(where, wanted, _iso(since))
    if output_format == "csv":
        print_rows(output_format, found.rows(), None)
    else:
        print_one(output_format, found, lambda terminal: terminal.commit_range.stats_view(out(), found))


def _range_and_clone(wanted: str, path: str | None) -> tuple[str, str]:
    """A clone that stands alone is no range: `log PATH` means all of it."""
    if path is None and wanted and ".." not in wanted.replace("../", "") and clone_around(wanted) == Path(wanted).resolve():
        return "", wanted
    return wanted, path or here()


def _iso(since: datetime | None) -> str:
    from collector.storage.store import iso

    return iso(since.replace(tzinfo=UTC).timestamp()) or "" if since else ""


COMMANDS = (log, stats)
