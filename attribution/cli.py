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

from attribution.cli_sessions import COMMANDS
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
  attribute survival PATH             how long lines live, agents' and people's

More: attribute --help
"""


@click.group(cls=Program, invoke_without_command=True, epilog=EXIT_CODES, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="whowrote", prog_name="attribute")
@click.pass_context
def cli(context: click.Context) -> None:
    """Who wrote each line of a git repository, human or coding agent, and how we know."""
    if context.invoked_subcommand is None:
        click.echo(TEACH, nl=False)


for _command in COMMANDS:
    cli.add_command(_command)


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
@click.option("--history", "with_history", is_flag=True, help="Also follow the lines to their end, as `attribute survival` does.")
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
    with_history: bool,
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
    if with_history:
        for path, done in zip(paths, results, strict=True):
            if not hasattr(done, "hint"):
                with _followed(path, db, None, None):
                    pass
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


# --- attribute survival, history, verify ------------------------------------------------------------------------------

_BY = ("class", "model", "agent", "session", "directory", "language")
_FULL = click.option("--full", is_flag=True, help="Follow the whole history, not only from the first commit of an agent on.")
_EXACT = click.option(
    "--exact", is_flag=True, help="As git blame: moves, white space and new layout end a line.  [default: they do not]"
)


@cli.command()
@click.argument("path", required=False)
@click.option("--by", type=click.Choice(_BY), multiple=True, help="Also by this; may be repeated. With --json and --csv: all.")
@_FULL
@_EXACT
@click.option("--no-curves", is_flag=True, help="No curves, medians and hazard ratios: they need whowrote[stats].")
@click.option(
    "--plot", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Also draw the curves: FILE.svg or FILE.png."
)
@database_option
@data_options
def survival(
    path: str | None, by: tuple[str, ...], full: bool, exact: bool, no_curves: bool, plot: Path | None, db: Path, form: str
) -> None:
    """How long lines live: agents' lines, people's lines, and who ends them.

    With the PATH of a clone its lines are followed first, as far as that was not done before. Without PATH, all repositories of the
    database whose lines were followed.
    """
    if plot is not None and plot.suffix not in (".svg", ".png"):
        raise click.BadParameter("the picture must be a .svg or a .png file", param_hint="--plot")
    if plot is not None and no_curves:
        raise click.UsageError("--plot draws the curves that --no-curves leaves out")
    curves = not no_curves and form != "csv"
    if path is None and (full or exact):
        raise click.UsageError("--full and --exact need the PATH of a clone")
    found = _survival(path, db, tuple(dict.fromkeys(("class", *(_BY if form else by)))), full, exact, curves)
    if plot is not None:
        from attribution.plots import draw

        draw(found.curves, plot, ", ".join(r.name for r in found.repos))
    if form == "json":
        write_json(found.data())
        return

    def view(terminal: Any) -> None:
        terminal.survival_view(out(), found)
        if plot is not None:
            terminal.picture_note(out(), plot)

    _print_rows(form, [row for group in found.groups for row in group.rows()], view)


def _survival(path: str | None, db: Path, groupings: tuple[str, ...], full: bool, exact: bool, curves: bool) -> Any:
    from attribution.estimates import available, require
    from attribution.views.survival import report, with_history
    from collector.store import Store

    if curves and not available():
        require()  # before the work, not after it
    if path is None:
        with Store(db, create=False) as store:
            ids, others = with_history(store)
            found = report(store, ids, groupings, curves)
        found.notes += [f"the lines of {name} were not followed yet" for name in others]
        return found
    with _followed(path, db, full, exact) as (where, notes):
        found = report(where.store, [where.repo_id], groupings, curves)
        found.notes += [*notes, *where.notes]
    return found


@contextmanager
def _followed(path: str, db: Path, full: bool | None, exact: bool | None) -> Iterator[tuple[Place, list[str]]]:
    """The clone at `path` with the history of its lines brought up to date; None: as it was stored."""
    from attribution.history.keep import Keep
    from attribution.history.stage import KEPT, Wanted
    from attribution.views.survival import follow

    keep = None if exact is None else Keep() if exact else KEPT
    with _at(path, db) as where:
        with Reporter(path) as progress:
            notes = follow(where, Wanted(full, keep), progress)
        yield where, notes


@cli.command()
@click.argument("path")
@click.argument("place", metavar="FILE:LINE")
@_COMMIT
@_FULL
@database_option
@data_options
def history(path: str, place: str, commit: str, full: bool, db: Path, form: str) -> None:
    """The life of one line: born, moved, laid out anew, ended or alive, and by whom.

    With --commit also a line that is no longer there.
    """
    from attribution.views.history import life_story

    name, number = _file_and_line(place)
    if number is None:
        raise click.UsageError(f"{place}: name a line, for example {place.removesuffix(':')}:12")
    with _followed(path, db, True if full else None, None) as (where, notes):
        story = life_story(where, name, number, commit)
        story.notes += notes
    if form == "csv":
        _print_rows(form, story.rows(), None)
    else:
        _print_one(form, story.data(), lambda terminal: terminal.life_view(out(), story))


@cli.command()
@click.argument("path")
@click.option("--sample", type=click.IntRange(0), default=100, show_default=True, metavar="N", help="Files of a commit; 0: all.")
@click.option("--commits", type=click.IntRange(0), default=0, metavar="N", help="Also so many earlier commits, drawn at random.")
@click.option("--branch", default="", metavar="NAME", help="Branch, tag or commit to verify.  [default: HEAD]")
@click.option("--seed", type=int, default=0, show_default=True, help="For drawing files and commits.")
@data_options
@click.pass_context
def verify(context: click.Context, path: str, sample: int, commits: int, branch: str, seed: int, form: str) -> None:
    """Compare the history of every line with git blame, line by line. Exit code 1 when they differ.

    Needs no database: the whole history is followed exactly as git blame does, without moves and white space.
    """
    from attribution.views.agreement import agreement, rows

    with Reporter(path) as progress:
        found = agreement(path, branch, sample or None, commits, seed, progress)
    _print_rows(form, rows(found), lambda terminal: terminal.agreement_view(out(), found))
    if any(one.same != one.lines for one in found.values()):
        context.exit(EXIT_CHECK_FAILED)


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
