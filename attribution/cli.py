"""The command `attribute`: parse, call the library, print."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from collector.console import (
    EXIT_CODES,
    Program,
    Reporter,
    data_options,
    database_option,
    err,
    notice,
    out,
    write_csv,
    write_json,
)
from collector.errors import EXIT_CHECK_FAILED, EXIT_PARTIAL

if TYPE_CHECKING:
    from attribution.report import RepoReport
    from attribution.views.place import Place

TEACH = """\
Who wrote each line of a repository: a person or a coding agent, and how we know.
It works afterwards, on any clone: agents leave their sessions in git, and this program replays them line by line.
Everything lands in one SQLite file; the clone is only read.

Try, in this order:
  attribute repo PATH                 attribute every commit, ends in a short table
  attribute blame PATH FILE           a file, line by line
  attribute explain PATH FILE:LINE    one line: who, how we know, the prompt and the edit behind it

More: attribute --help
"""


@click.group(cls=Program, invoke_without_command=True, epilog=EXIT_CODES, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="whowrote", prog_name="attribute")
@click.pass_context
def cli(context: click.Context) -> None:
    """Who wrote each line of a git repository, human or coding agent, and how we know."""
    if context.invoked_subcommand is None:
        click.echo(TEACH, nl=False)


def main() -> None:
    cli(prog_name="attribute")


# --- attribute repo ---------------------------------------------------------------------------------------------------


@cli.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@database_option
@click.option("--branch", default="", metavar="NAME", help="Branch, tag or commit to attribute.  [default: HEAD]")
@click.option(
    "--since", type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"]), help="Only commits authored on or after this day (UTC)."
)
@click.option("--jobs", type=click.IntRange(1, 256), default=1, show_default=True, help="Repositories worked on at the same time.")
@click.option("--anyway", is_flag=True, help="Go on when no checkpoint exists: commits are judged by what they declare.")
@data_options
@click.option("-q", "--quiet", is_flag=True, help="Nothing but errors (and data, with --json or --csv).")
@click.pass_context
def repo(
    context: click.Context,
    paths: tuple[str, ...],
    db: Path,
    branch: str,
    since: datetime | None,
    jobs: int,
    anyway: bool,
    form: str,
    quiet: bool,
) -> None:
    """Attribute every line that the commits of a clone add.

    PATH is a clone of any kind: bare, partial, shallow, a worktree. It is only read. Run it again after fetching: what did not
    change is not done again.
    """
    from attribution.pipeline import Options

    # Millions of small objects are made and kept: looking for garbage among them again and again takes a tenth of the time.
    gc.set_threshold(200_000, 20, 100)
    options = Options(branch, since.replace(tzinfo=UTC).timestamp() if since else None, anyway)
    if len(paths) == 1:
        results: list[Any] = [_one(paths[0], db, options, quiet)]
    else:
        results = _several(paths, db, options, jobs, quiet)
    failed = [(path, r.message, r.hint) for path, r in zip(paths, results, strict=True) if hasattr(r, "hint")]
    _print_reports([r for r in results if not hasattr(r, "hint")], db, form, quiet, paths)
    if failed:
        from attribution import terminal

        terminal.failures(err(), failed)
        notice(f"{len(failed)} of {len(paths)} repositories failed, the others are kept")
        context.exit(EXIT_PARTIAL)


@cli.command()
@click.argument("directory", default="whowrote-example", type=click.Path(file_okay=False, path_type=Path), metavar="[DIRECTORY]")
def demo(directory: Path) -> None:
    """Attribute the example that comes with the program.

    Makes a small repository with three agent sessions in DIRECTORY (default: whowrote-example), attributes it, and shows one of its
    files line by line.
    """
    from attribution import demo as example
    from attribution.pipeline import Options

    clone, db = example.make(directory), directory / "example.db"
    db.unlink(missing_ok=True)
    _print_reports([_one(str(clone), db, Options(), False)], db, "", False, (str(clone),))
    from attribution import terminal
    from attribution.views.blame import blame as blame_file

    click.echo()
    with _at(str(clone), db) as where:
        terminal.blame_view(out(), blame_file(where, example.FILE, ""))


def _one(path: str, db: Path, options: Any, quiet: bool) -> RepoReport:
    with Reporter(path, quiet) as progress:
        progress("starting", 0, 0)
        from attribution.report import attribute_one

        return attribute_one(path, db, options, progress)


def _several(paths: tuple[str, ...], db: Path, options: Any, jobs: int, quiet: bool) -> list[Any]:
    from attribution.report import attribute_one
    from collector.console import in_processes
    from collector.store import Store

    Store(db).close()  # made once, before the processes meet
    with Reporter(f"{len(paths)} repositories", quiet) as progress:
        progress("attributing", 0, len(paths))
        items = [(path, db, options) for path in paths]
        return in_processes(attribute_one, items, jobs, lambda done, total: progress("attributing", done, total))


def _print_reports(reports: list[RepoReport], db: Path, form: str, quiet: bool, paths: tuple[str, ...]) -> None:
    if form == "json":
        write_json([asdict(r) for r in reports])
    elif form == "csv":
        rows = [r.flat() for r in reports]
        write_csv(list(dict.fromkeys(name for row in rows for name in row)), rows)
    elif not quiet:
        from attribution import terminal

        console = out()
        for r in reports:
            terminal.repo_report(console, r, str(db))
            console.print()
        if len(paths) == 1 and reports[0].example:
            terminal.hints(console, paths[0], reports[0].example)


# --- attribute check --------------------------------------------------------------------------------------------------


@cli.command()
@database_option
@data_options
@click.pass_context
def check(context: click.Context, db: Path, form: str) -> None:
    """Test the promises of the database: sums, references, times. Exit code 1 when one is broken."""
    from attribution.report import checks
    from collector.store import Store

    with Store(db, create=False) as store:
        found = checks(store)
    if form == "json":
        write_json([asdict(c) for c in found])
    elif form == "csv":
        write_csv(("name", "promise", "broken"), [asdict(c) for c in found])
    else:
        from attribution import terminal

        terminal.check_list(out(), found)
    if any(c.broken for c in found):
        context.exit(EXIT_CHECK_FAILED)


# --- attribute explain, blame, show -----------------------------------------------------------------------------------

_COMMIT = click.option(
    "--commit", default="", metavar="SHA", help="The file as of this commit.  [default: tip of the attributed branch]"
)


@cli.command()
@click.argument("path")
@click.argument("file", metavar="FILE[:LINE]")
@_COMMIT
@database_option
@data_options
def explain(path: str, file: str, commit: str, db: Path, form: str) -> None:
    """Who wrote a line of a clone, how we know, the prompt and the edit behind it, and why not someone else.

    Without :LINE the whole file, by blocks of lines that came the same way.
    """
    from attribution.views.blame import blame, blocks
    from attribution.views.explain import explain as explain_line

    name, number = _file_and_line(file)
    with _at(path, db) as where:
        if number is not None:
            line = explain_line(where, name, number, commit)
            _print_one(form, line.data(), lambda terminal: terminal.line_view(out(), line))
            return
        story = blame(where, name, commit)
        found = blocks(where, story)
        rows = [b.row() for b in found]
        _print_rows(form, rows, lambda terminal: terminal.file_view(out(), story, found))


@cli.command()
@click.argument("path")
@click.argument("file")
@_COMMIT
@database_option
@data_options
def blame(path: str, file: str, commit: str, db: Path, form: str) -> None:
    """A file of a clone, each line with its commit, author and evidence."""
    from attribution.views.blame import blame as blame_file

    with _at(path, db) as where:
        story = blame_file(where, file, commit)
    _print_rows(form, [line.row() for line in story.lines], lambda terminal: terminal.blame_view(out(), story))


@cli.command()
@click.argument("commit")
@click.argument("path", required=False)
@database_option
@data_options
def show(commit: str, path: str | None, db: Path, form: str) -> None:
    """A commit: lines by author, sessions and prompts behind it, and the numbers its producer claims.

    COMMIT is an id or its beginning. With the PATH of the clone it can be any name, for example HEAD~2.
    """
    from attribution.views.commit import commit_story
    from collector.store import Store

    if path is None:
        with Store(db, create=False) as store:
            story = commit_story(store, commit)
    else:
        with _at(path, db) as where:
            story = commit_story(where.store, commit, where)
    if form == "csv":
        _print_rows(form, list(story.span_rows()), None)
    else:
        _print_one(form, story.data(), lambda terminal: terminal.commit_view(out(), story))


def _file_and_line(given: str) -> tuple[str, int | None]:
    name, colon, number = given.rpartition(":")
    return (name, int(number)) if colon and number.isascii() and number.isdigit() else (given, None)


@contextmanager
def _at(path: str, db: Path) -> Iterator[Place]:
    """The clone at `path` with its database, attributed first when needed."""
    from attribution.views.place import place
    from collector.gitrepo import GitRepo
    from collector.store import Store

    GitRepo(path)  # no database is made for a path that is no clone
    with Store(db) as store:
        with Reporter(path) as progress:
            where = place(store, path, notice, progress)
        yield where


# --- lists ------------------------------------------------------------------------------------------------------------


@cli.command()
@database_option
@data_options
def sessions(db: Path, form: str) -> None:
    """The sessions of a database with their counts."""
    from attribution.report import session_list
    from collector.store import Store

    with Store(db, create=False) as store:
        rows = session_list(store)
    _print_rows(form, rows, lambda terminal: terminal.session_table(out(), rows))


@cli.command()
@database_option
@data_options
def problems(db: Path, form: str) -> None:
    """What could not be used, by kind, with an example of each."""
    from attribution.report import problem_groups
    from collector.store import Store

    with Store(db, create=False) as store:
        groups = problem_groups(store)
    _print_rows(form, [asdict(g) for g in groups], lambda terminal: terminal.problem_list(out(), groups))


def _print_one(form: str, value: dict[str, Any], view: Callable[[Any], None]) -> None:
    if form == "csv":
        _print_rows(form, [{k: v for k, v in value.items() if not isinstance(v, list | dict)}], None)
    elif form == "json":
        write_json(value)
    else:
        from attribution import terminal

        view(terminal)


def _print_rows(form: str, rows: list[dict[str, Any]], view: Callable[[Any], None] | None) -> None:
    if form == "json":
        write_json(rows)
    elif form == "csv":
        write_csv(list(rows[0]) if rows else [], rows)
    elif view is not None:
        from attribution import terminal

        view(terminal)
