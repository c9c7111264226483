"""The command that gives our results to others: export."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from attribution.commands.common import database
from collector.console.options import ListingCommand, PluginName
from collector.console.terminal import Reporter, database_option, notice, one_line
from collector.errors import WhoWroteError

if TYPE_CHECKING:
    from attribution.exchange.exports import ExportResult
    from collector.storage.store import Store


def _formats() -> list[tuple[str, str]]:
    from attribution.exchange.exports import exports

    return [(each.NAME, f"{each.LABEL}: {each.GIVES}") for each in exports()]


@click.command(cls=ListingCommand, listing=_formats, title="Formats")
@click.argument("format_", metavar="FORMAT", type=PluginName(_formats))
@click.argument("path", required=False)
@click.option("-o", "--out", type=click.Path(path_type=Path), metavar="OUT", help="File or directory to write.")
@click.option("--force", is_flag=True, help="Overwrite existing files.")
@click.option("--table", "tables", multiple=True, metavar="NAME", help="Export only this table or view (repeatable).")
@click.option(
    "--into",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="REPOSITORY",
    help="Write the notes into this repository.",
)
@click.option("--ref", default="", metavar="REF", help="Notes ref to write.  [default: refs/notes/whowrote]")
@database_option
def export(
    format_: str, path: str | None, out: Path | None, force: bool, tables: tuple[str, ...], into: Path | None, ref: str, db: Path
) -> None:
    """Export the attribution for other programs.

    FORMAT is one of those listed below. Given the PATH of a clone, only its lines are exported, after attributing it if necessary;
    otherwise everything in the database. The clone itself is never written to.
    """
    from attribution.exchange.exports import ExportRequest, export_named, exports
    from attribution.queries.repositories import all_repositories

    export_ = export_named(format_)
    if out is None and (into is None or "into" not in export_.OPTIONS):
        raise click.UsageError("missing output: name a file or directory with -o OUT")
    for name, value in (("into", into), ("ref", ref), ("table", tables)):
        if value and name not in export_.OPTIONS:
            raise click.UsageError(f"--{name} is only for {', '.join(each.NAME for each in exports() if name in each.OPTIONS)}")
    if tables and path is not None:
        raise click.UsageError("--table applies to whole databases only")
    if out is not None:
        _refuse(out, force)
    any_schema = getattr(export_, "ANY_SCHEMA", False)
    with _as_it_is(db) if any_schema else database(path, db) as (store, repo_id):
        repos = [] if any_schema else [row.id for row in all_repositories(store, repo_id)]
        if repo_id is not None and "table" in export_.OPTIONS:
            notice("tables always contain every repository in the database")
        with Reporter(format_) as progress:
            result = export_.write(ExportRequest(store, repos, out or Path(), tables, ref, into, progress))
    _report(result)


@contextmanager
def _as_it_is(db: Path) -> Iterator[tuple[Store, None]]:
    """A database of whatever schema, for reading."""
    from collector.storage.store import Store, read_only

    with read_only(db) as connection:
        yield Store.over(connection, db), None


def _refuse(out: Path, force: bool) -> None:
    """Refuses to overwrite the user's files unless told to."""
    full = out.is_dir() and any(out.iterdir())
    if (full or out.is_file()) and not force:
        raise WhoWroteError(f"{out} already exists", "Choose another path, or overwrite it with --force")
    if not out.parent.exists():
        raise WhoWroteError(f"directory does not exist: {out.parent}", "Create it first, or choose another path with -o")


def _report(result: ExportResult) -> None:
    for name, count in result.rows.items():
        click.echo(f"{count:>10,}  {one_line(name)}")
    for file in result.files[:1] if len(result.files) == 1 else ():
        notice(f"written: {file}")
    if len(result.files) > 1:
        notice(f"written: {len(result.files)} files in {result.files[0].parent}")
    for note in result.notes:
        notice(note)


DATA = (export,)
