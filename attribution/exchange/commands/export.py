"""The commands that give our results to others, and check what others claim: export, claims."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from attribution.commands.common import PATH, database, follow_clone, here
from collector.console.options import ListingCommand, PluginName
from collector.console.tables import print_table, print_tables
from collector.console.terminal import (
    ANY_PATH,
    DIRECTORY,
    EXISTING_FILE,
    Reporter,
    data_options,
    database_option,
    notice,
    one_line,
)
from collector.errors import EXIT_CHECK_FAILED, WhoWroteError

if TYPE_CHECKING:
    from attribution.exchange.exports import ExportResult
    from collector.storage.store import Store


_BY = ("producer", "status", "version", "agreement", "added")


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH...]")
@click.option(
    "--by",
    type=click.Choice(_BY),
    multiple=True,
    help="Table to print (repeatable).  [default: all but version]",
)
@click.option(
    "--branch",
    default="",
    metavar="NAME",
    help="Branch to check against.  [default: the attributed branch, or HEAD]",
)
@database_option
@data_options
def claims(
    paths: tuple[str, ...], by: tuple[str, ...], branch: str, db: Path, output_format: str
) -> None:
    """Check what other tools claim about who wrote lines.

    Given the PATH of a clone, its claims are read and checked first: notes of git-ai, Agent Trace
    records, and trailers. The clone does not have to be attributed. Without PATH, reports on all
    repositories in the database whose claims have been read. Claims never change the attribution.
    """
    from attribution.exchange.claims.report import (
        checked_repositories,
        claims_tables,
        unattributed_note,
    )
    from attribution.exchange.claims.stage import check_clone
    from collector.git.repository import GitRepo
    from collector.storage.store import Store

    for path in paths:
        GitRepo(path)  # no database is created for a path that is not a clone
    with Store(db, create=bool(paths)) as store:
        repos = []
        for path in paths:
            with Reporter(path) as progress:
                repos.append(check_clone(store, path, branch, progress))
        repos = repos or checked_repositories(store)
        tables = claims_tables(store, repos, by or [name for name in _BY if name != "version"])
        note = unattributed_note(store, repos)
    if output_format and len(by) == 1:
        print_table(output_format, tables[0])
    else:
        print_tables(output_format, [table for table in tables if table.rows])
    if not any(table.rows for table in tables):
        notice("no claims found")
    if note:
        notice(note)


def _formats() -> list[tuple[str, str]]:
    from attribution.exchange.exports import exports

    return [(each.NAME, f"{each.LABEL}: {each.GIVES}") for each in exports()]


@click.command(cls=ListingCommand, listing=_formats, title="Formats")
@click.argument("format_", metavar="FORMAT", type=PluginName(_formats))
@PATH
@click.option(
    "-o",
    "--out",
    type=ANY_PATH,
    metavar="OUT",
    help="File or directory to write.",
)
@click.option("--force", is_flag=True, help="Overwrite existing files.")
@click.option(
    "--table",
    "tables",
    multiple=True,
    metavar="NAME",
    help="Export only this table or view (repeatable).",
)
@click.option(
    "--into",
    type=DIRECTORY,
    metavar="REPOSITORY",
    help="Write the notes into this repository.",
)
@click.option(
    "--ref", default="", metavar="REF", help="Notes ref to write.  [default: refs/notes/whowrote]"
)
@database_option
def export(
    format_: str,
    path: str | None,
    out: Path | None,
    force: bool,
    tables: tuple[str, ...],
    into: Path | None,
    ref: str,
    db: Path,
) -> None:
    """Export the attribution for other programs.

    FORMAT is one of those listed below. Given the PATH of a clone, only its lines are exported,
    after attributing it if necessary; otherwise everything in the database. cyclonedx, in-toto,
    reuse and spdx are statements about one clone, at PATH or around the current directory. The
    clone itself is never written to.
    """
    from attribution.exchange.exports import ExportRequest, exports
    from attribution.queries.repositories import all_repositories

    export_ = next(each for each in exports() if format_ == each.NAME)
    if out is None and (into is None or format_ not in _takers("into")):
        raise click.UsageError("missing output: name a file or directory with -o OUT")
    for name, value in (("into", into), ("ref", ref), ("table", tables)):
        if value and format_ not in _takers(name):
            raise click.UsageError(f"--{name} is only for {', '.join(_takers(name))}")
    if tables and path is not None:
        raise click.UsageError("--table applies to whole databases only")
    if out is not None:
        _refuse(out, force)
    any_schema = getattr(export_, "ANY_SCHEMA", False)
    opened = _open_followed if hasattr(export_, "COMMIT") else database
    with _open_unchanged(db) if any_schema else opened(path, db) as (store, repo_id):
        repos = [] if any_schema else [row.id for row in all_repositories(store, repo_id)]
        if repo_id is not None and format_ in _takers("table"):
            notice("tables always contain every repository in the database")
        with Reporter(format_) as progress, _private_files(out), store.snapshot():
            result = export_.write(
                ExportRequest(store, repos, out or Path(), tables, ref, into, progress)
            )
    _report(result)


def _takers(option: str) -> list[str]:
    """The formats to which an option means something."""
    from attribution.exchange.exports import exports

    return [each.NAME for each in exports() if option in getattr(each, "OPTIONS", ())]


@contextmanager
def _private_files(out: Path | None) -> Iterator[None]:
    """What is written inside can be read by its owner alone, as databases can; not the notes of a
    repository, which others may have to read.
    """
    if out is None:
        yield
        return
    if out.is_file():
        out.chmod(0o600)
    mask = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(mask)


@contextmanager
def _open_followed(path: str | None, db: Path) -> Iterator[tuple[Store, int]]:
    """The database, and the number of the clone at `path`, or around the current directory."""
    with follow_clone(path or here(), db, None, None) as (opened, _):
        yield opened.store, opened.repo_id


@contextmanager
def _open_unchanged(db: Path) -> Iterator[tuple[Store, None]]:
    """A database of whatever schema, for reading."""
    from collector.storage.store import Store, read_only

    with read_only(db) as connection:
        yield Store.over(connection, db), None


def _refuse(out: Path, force: bool) -> None:
    """Refuses to overwrite the user's files unless told to."""
    full = out.is_dir() and any(out.iterdir())
    if (full or out.is_file()) and not force:
        raise WhoWroteError(
            f"{out} already exists", "Choose another path, or overwrite it with --force"
        )
    if not out.parent.exists():
        raise WhoWroteError(
            f"directory does not exist: {out.parent}",
            "Create it first, or choose another path with -o",
        )


def _report(result: ExportResult) -> None:
    for name, count in result.rows.items():
        click.echo(f"{count:>10,}  {one_line(name)}")
    for file in result.files[:1]:
        several = f"files written to {file.parent}: {len(result.files)}"
        notice(several if len(result.files) > 1 else f"written: {file}")
    for note in result.notes:
        notice(note)


@click.command()
@click.argument("statement", type=EXISTING_FILE, metavar="FILE")
@PATH
@database_option
def verify_statement(statement: Path, path: str | None, db: Path) -> None:
    """Verify a statement about a clone, file by file.

    FILE is what data export in-toto, cyclonedx, spdx or reuse wrote. It is made again from the
    clone at PATH, for the commit that it names, after attributing the clone if necessary. Ends
    with 1 and says what differs if the two are not equal.
    """
    from attribution.ensure.history import store_at
    from attribution.exchange.exports.verify_statement import verify
    from collector.runtime.version import version

    text = statement.read_text("utf-8", "replace")
    with follow_clone(path or here(), db, None, None) as (opened, _):
        differences = verify(text, opened.repo_id, partial(store_at, opened))
    for difference in differences:
        click.echo(one_line(difference))
    if differences:
        notice(f"verified by whowrote {version()}; another version may conclude otherwise")
        raise SystemExit(EXIT_CHECK_FAILED)
    notice("the statement holds")


DATA = (export, verify_statement, claims)
