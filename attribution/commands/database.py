"""The commands that check what a database holds: check, problems, compare; import; and
cache. The groups data and serve.
"""

from __future__ import annotations

import glob
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from collector.cli import collect
from collector.console.commands import CommandFiles
from collector.console.tables import print_table
from collector.console.terminal import (
    EXISTING_FILE,
    FILE,
    Reporter,
    complain,
    data_options,
    database_option,
    notice,
    out,
    write_csv,
    write_json,
    writing,
)
from collector.errors import EXIT_CHECK_FAILED, WhoWroteError
from collector.text import count_of

if TYPE_CHECKING:
    from collector.storage.store import Store


@click.command()
@database_option
@data_options
def problems(db: Path, output_format: str) -> None:
    """List what could not be used, by kind, with examples."""
    from attribution.queries.repo_report import problem_table
    from collector.storage.store import Store

    with Store(db, create=False) as store:
        print_table(
            output_format,
            problem_table(store),
            "repo?, code=problem, stage, count, example=for example",
        )


@click.command()
@database_option
@click.option(
    "--repair",
    is_flag=True,
    help="Read repositories again whose rows are a mixture of several runs.",
)
@data_options
@click.pass_context
def check(context: click.Context, db: Path, repair: bool, output_format: str) -> None:
    """Check the invariants of a database.

    They concern sums, references and times. Exits with 1 if any is violated.
    """
    from attribution.queries.checks import checks
    from collector.storage.store import Store

    with Store(db, create=False) as store:
        if repair:
            _repair(store)
        results = checks(store)
    if output_format == "json":
        write_json([asdict(c) for c in results])
    elif output_format == "csv":
        write_csv(("name", "promise", "broken"), [asdict(c) for c in results])
    else:
        from attribution import terminal

        terminal.repo.check_list(out(), results)
    if any(c.broken for c in results):
        context.exit(EXIT_CHECK_FAILED)


def _repair(store: Store) -> None:
    from attribution.ensure.renew import repair

    with Reporter(str(store.path)) as progress:
        notes = repair(store, progress)
    for note in notes or ["nothing to repair"]:
        notice(note)


@click.command()
@click.argument("first", type=EXISTING_FILE, metavar="A.db")
@click.argument("second", type=EXISTING_FILE, metavar="B.db")
@data_options
@click.pass_context
def compare(context: click.Context, first: Path, second: Path, output_format: str) -> None:
    """Compare two databases row by row.

    Ids are replaced by what they refer to, so repositories may have been read in a different order.
    When a stage ran and how long it took is ignored. Columns that only one database has are listed
    but not compared. Exits with 1 if the databases differ.
    """
    from collector.storage.compare import compare as compared
    from collector.storage.views import table_of

    tables = compared(first, second)
    differing = [table for table in tables if table.differs]
    notes = [
        f"{table.table}: only the {which} has the columns {columns}; not compared"
        for table in tables
        for which, columns in (("first", table.columns_first), ("second", table.columns_second))
        if columns
    ]
    if not differing:
        notes.append(
            f"equal: {count_of(sum(table.rows for table in tables), 'row')} in {len(tables)} tables"
        )
    for table in differing:
        notes += [f"- {table.table}: {row}" for row in table.examples_first]
        notes += [f"+ {table.table}: {row}" for row in table.examples_second]
    rows = [asdict(table) for table in (tables if output_format else differing)]
    columns = (
        "table",
        "rows=in both",
        "only_first=only in the first",
        "only_second=only in the second",
    )
    print_table(output_format, table_of(rows, notes=notes), columns)
    if differing:
        context.exit(EXIT_CHECK_FAILED)


@click.command("import")
@click.argument("file", type=click.File("r", encoding="utf-8"))
@database_option
def import_(file: TextIO, db: Path) -> None:
    """Add carried rows to a database that was built again.

    FILE is one that `whowrote data export carried` wrote: labels, reviews and discoveries, which
    cost money or somebody's reading. Rows that are there already stay as they are.
    """
    from collector.storage.carry import import_carried
    from collector.storage.store import Store

    with Store(db, create=False) as store:
        imported = import_carried(store, file)
    for table, count in sorted(imported.added.items()):
        notice(f"{table}: {count_of(count, 'row')} added")
    for table, count in sorted(imported.left_out.items()):
        notice(f"{table}: {count_of(count, 'row')} left out, about what is not in this database")


@click.command()
@database_option
@click.option("--purge", is_flag=True, help="Delete what is listed.")
@data_options
def cache(db: Path, purge: bool, output_format: str) -> None:
    """Show where the caches lie, and empty them.

    Sessions that were read, scanned files and rules are kept in a cache of the user, for all
    databases. Beside a database lies a cache with work in progress, answers of servers and vectors.
    All of it is read or computed again when it is needed.
    """
    from collector.storage.views import table_of

    parts = {path: [*path.rglob("*")] if path.is_dir() else [path] for path in _caches(db)}
    sizes = {
        path: sum(file.stat().st_size for file in files if file.is_file())
        for path, files in parts.items()
    }
    notes = [f"{sum(sizes.values()):,} bytes"] if sizes else ["no cache"]
    if purge:
        for path in sizes:
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        notes.append("deleted")
    rows = [{"file": str(path), "bytes": size} for path, size in sizes.items()]
    print_table(output_format, table_of(rows, {"bytes": "bytes"}, notes))


@click.command()
@click.argument("action", type=click.Choice(["list", "export", "import"]), default="list")
@click.argument("file", type=FILE, required=False)
@click.option(
    "--limit",
    type=click.IntRange(0),
    metavar="MB",
    help="Keep at most so much from now on: first leaves what still exists elsewhere. 0: nothing.",
)
@data_options
def archive(action: str, file: Path | None, limit: int | None, output_format: str) -> None:
    """Show the sessions that are kept when agents delete them.

    `export FILE` writes a copy for another machine, `import FILE` adds one to what is here. One
    file in your data directory holds all of it, readable by you alone.
    """
    from collector.local.archived import kept_alone
    from collector.storage import archive as archives
    from collector.storage.store import iso
    from collector.storage.views import table_of

    if (action == "list") != (file is None):
        raise click.UsageError("export and import take a FILE, list takes none")
    with archives.opened() as kept:
        if kept is None:
            raise WhoWroteError(f"the archive is turned off ({archives.ENVIRONMENT})")
        if limit is not None:
            kept.keep_at_most(limit * 1_000_000)
        if action == "export" and file is not None:
            with writing(file):
                kept.export(file)
        if action == "import" and file is not None:
            with archives.opened(file, create=False) as other:
                if other is None:
                    raise WhoWroteError(f"there is no {file}")
                notice(f"{count_of(kept.take_in(other), 'session')} added")
        rows = kept.sessions()
        size = kept.size()
        most = kept.limit
    gone = kept_alone(rows)
    listed = [
        {
            "agent": row["agent"],
            "session": row["id"],
            "written": (iso(row["at"]) or "")[:16].replace("T", " "),
            "bytes": row["bytes"],
            "state": "deleted" if row in gone else "on disk",
            "cwd": row["cwd"],
        }
        for row in sorted(rows, key=lambda row: -row["at"])
    ]
    notes = [f"{archives.path()}: {size / 1e6:,.1f} MB of at most {most / 1e6:,.0f}"]
    kinds = {"agent": "agent", "bytes": "bytes", "written": "UTC", "state": "word"}
    columns = "agent, session, written=last written, bytes=size, state=record, cwd=in"
    print_table(output_format, table_of(listed, kinds, notes), columns)


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="SESSION|REPOSITORY...")
@database_option
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
def forget(names: tuple[str, ...], db: Path, yes: bool) -> None:
    """Delete sessions from archive and database, every byte.

    SESSION is the agent's id, REPOSITORY the path of a clone: all its sessions. They are not read
    again from this machine, of which the archive remembers keyed hashes of their ids. What an agent
    still has on disk and what lies in the refs of a clone stays there.
    """
    from collector.load import forget_sessions
    from collector.local.archived import archived
    from collector.local.archived import forget as forget_archived
    from collector.storage.store import Store

    if not yes:
        click.confirm(f"Forget {', '.join(names)}?", abort=True, err=True)
    directories = [Path(name).absolute() for name in names if Path(name).is_dir()]
    places = {str(place) for each in directories for place in (each, each / ".git")}
    ids = {name for name in names if not Path(name).is_dir()}
    with Store(db, create=False) if db.exists() else Store(":memory:") as store:
        rows = store.rows("SELECT s.key, r.path FROM sessions s JOIN repos r ON r.id = s.repo_id")
        known = {row["key"] for row in rows}
        if unknown := sorted(ids - known - {row["id"] for row in archived()[0]}):
            raise WhoWroteError(f"there is no session {', '.join(unknown)}")
        ids.update(row["key"] for row in rows if row["path"] in places)
        ids.update(forget_archived(ids, places))
        if not forget_sessions(store, ids):
            complain("traces stay in free pages: another program has the database or a cache open")
    notice(f"{count_of(len(ids), 'session')} forgotten; the next run judges their lines again")


def _caches(db: Path) -> list[Path]:
    """Files and directories of the user's cache, then those beside a database."""
    from collector.storage.connection import cache_path
    from collector.storage.places import cache_directory
    from collector.storage.session_cache import path as sessions_path

    sessions = sessions_path()
    beside = cache_path(db)
    listed = sorted(cache_directory().glob("*"))
    for file in (sessions, beside):
        listed += sorted(file.parent.glob(f"{glob.escape(file.name)}*")) if file is not None else []
    return list(dict.fromkeys(listed))


@click.group(commands=CommandFiles("DATA"))
def data() -> None:
    """Export, check and compare what a database holds."""


@click.group(commands=CommandFiles("SERVE"))
def serve() -> None:
    """Serve answers to agents (MCP) and editors (LSP)."""


DATA = (check, problems, compare, import_, cache, archive, forget)
COMMANDS = (data, serve, collect)
