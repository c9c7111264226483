"""The commands that do the main job, and what helps with it: repo, demo, db, doctor."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from attribution.commands.common import here, local_options, open_clone
from collector.console import terminal as edge
from collector.console.options import (
    ALLOW_NO_CHECKPOINTS,
    CONTENT,
    LOCAL,
    QUIET,
    SCALE,
    Moment,
    exclusive_store,
    show_progress,
    task_limits,
)
from collector.console.tables import print_table
from collector.errors import EXIT_PARTIAL, DatabaseUnusable
from collector.limits import RUN_SECONDS

if TYPE_CHECKING:
    from attribution.ensure.lines import AttributeRequest
    from attribution.queries.repo_report import RepoReport


_PROCESSES = 4  # for one repository, when nothing was said: more have little to do


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH...]")
@edge.database_option
@click.option(
    "--branch",
    default="",
    metavar="NAME",
    help="Branch, tag or commit to attribute.  [default: HEAD]",
)
@click.option(
    "--since",
    type=Moment(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"]),
    help="Only commits authored on or after this date (UTC).",
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 256),
    help=(
        "Repositories to process in parallel, or processes that read one.  [default: 1; up to 4 for"
        " one]"
    ),
)
@ALLOW_NO_CHECKPOINTS
@LOCAL
@click.option(
    "--name",
    default="",
    metavar="NAME",
    help="Store it under this name.  [default: OWNER/NAME of the remote]",
)
@CONTENT
@click.option(
    "--history",
    "with_history",
    is_flag=True,
    hidden=True,  # `whowrote survival PATH` says it
)
@click.option(
    "--fetch",
    is_flag=True,
    help="Read a mirror of the clone's origin, which has what the clone lacks.",
)
@click.option("--full", is_flag=True, help="Print all that --json has, as tables.")
@edge.data_options
@click.option(
    "-q", "--quiet", is_flag=True, help="Print only errors (and the data, with --json or --csv)."
)
@click.pass_context
def repo(
    context: click.Context,
    /,
    paths: tuple[str, ...],
    db: Path,
    branch: str,
    since: datetime | None,
    jobs: int | None,
    name: str,
    with_history: bool,
    fetch: bool,
    output_format: str,
    quiet: bool,
    full: bool,
    **options: Any,
) -> None:
    """Attribute every line that the commits of a clone add.

    PATH is a clone of any kind: bare, partial, shallow or a worktree; without it, the clone around
    the current directory is meant. It is only read. A repository named by its https address is
    mirrored first. Run it again after fetching: only what has changed is computed again. A clone
    without checkpoints is attributed from the transcripts that agents keep on this machine, and
    without those from what its commits say. With
    --transcripts, without PATH and outside a clone, sessions are read alone: features, regions and
      scores, but no lines.
    """
    from attribution.authorship.options import AttributeOptions
    from attribution.ensure.lines import AttributeRequest
    from collector.runtime.bounds import memory_share
    from collector.runtime.workers import TaskLimits
    from collector.storage.places import clone_around

    text = {name: options.pop(name) for name in ("content", "redact")}
    several = jobs or 1
    within = jobs or min(_PROCESSES, os.cpu_count() or 1)
    limits = TaskLimits(RUN_SECONDS, memory_share(min(several, len(paths) or 1)))
    local = local_options(**options)
    if paths or not local.directories or clone_around(".") is not None:
        paths = tuple(_clone(path, quiet) for path in paths or (here(),))
    if len(paths) > 1 and name:
        raise click.UsageError("--name takes exactly one PATH")
    since_at = since.replace(tzinfo=UTC).timestamp() if since else None
    how = AttributeOptions(branch, since_at, local, name, jobs=within if len(paths) < 2 else 1)
    requests = [
        AttributeRequest(path, db, how, limits, **text, sessions_alone=not paths)
        for path in paths or map(str, local.directories)
    ]
    if fetch and paths:
        requests = [_request_of_mirror(request, quiet) for request in requests]
    reports, failed = _attribute(requests, several, quiet)
    for report_path in reports if with_history and paths else ():
        _follow_lines(report_path, db, quiet)
    _print_reports(reports, db, output_format, quiet, full)
    if failed:
        from attribution import terminal

        terminal.repo.failures(edge.err(), failed)
        edge.notice(
            f"{len(failed)} of {len(requests)} repositories failed; the results of the others are"
            " stored"
        )
        context.exit(EXIT_PARTIAL)


def _attribute(
    requests: Sequence[AttributeRequest], jobs: int, quiet: bool
) -> tuple[dict[str, RepoReport], list[tuple[str, str, str]]]:
    """Reports by path, and path, message and hint of each that failed.

    The failure of a single one ends the command.
    """
    from attribution.ensure.lines import attribute_each

    title = requests[0].path if len(requests) == 1 else f"{len(requests)} repositories"
    with edge.Reporter(title, quiet) as progress:
        progress("starting", 0, 0)
        results = attribute_each(requests, jobs, progress)
    if len(results) == 1 and results[0].error:
        message, hint = edge.failure(results[0])
        edge.complain(message, hint)
        raise SystemExit(edge.EXIT_BUG if results[0].trace else results[0].exit_code)
    pairs = list(zip(requests, results, strict=True))
    failed = [(request.path, *edge.failure(result)) for request, result in pairs if result.error]
    return {request.path: result.value for request, result in pairs if not result.error}, failed


@click.command()
@click.argument(
    "directory",
    default="whowrote-example",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="[DIRECTORY]",
)
def demo(directory: Path) -> None:
    """Try it on an example repository.

    Creates a small repository with three agent sessions in DIRECTORY (default: whowrote-example),
    attributes it, and shows the first lines of one of its files.
    """
    from attribution import demo as example
    from attribution.ensure.lines import AttributeRequest

    clone = example.make(directory)
    db = directory / "example.db"
    db.unlink(missing_ok=True)
    reports, _ = _attribute([AttributeRequest(str(clone), db)], 1, False)
    _print_reports(reports, db, "", False, False)
    from attribution import terminal
    from attribution.queries.blame import blame as blame_file
    from attribution.queries.blame import blocks

    click.echo()
    with open_clone(str(clone), db) as opened:
        blamed = blame_file(opened, example.FILE, "", range(1, 11))
        terminal.blame.blame_view(edge.out(), blamed, blocks(opened, blamed))


def _clone(path: str, quiet: bool) -> str:
    """The clone to attribute: the one named, or a mirror of the repository at an address."""
    from attribution.ensure.clone import mirror_address
    from collector.storage.places import is_address

    if not is_address(path):
        return path
    with edge.Reporter(path, quiet) as progress:
        return mirror_address(path, progress)


def _request_of_mirror(request: AttributeRequest, quiet: bool) -> AttributeRequest:
    """The same commit of a mirror of the clone's origin."""
    from attribution.ensure.lines import name_in_mirror
    from collector.git.repository import GitRepo

    clone = GitRepo(request.path)
    url = clone.remote_url()
    if not url:
        raise click.UsageError(f"{request.path} has no remote named origin to fetch from")
    mirror = _clone(url, quiet)
    if not name_in_mirror(GitRepo(mirror), clone, request.options.branch):
        raise click.UsageError(
            f"{url} does not have the commit that {request.path} is at: push it, or name a branch"
            " that was pushed with --branch"
        )
    return replace(request, mirror=mirror)


def _follow_lines(path: str, db: Path, quiet: bool) -> None:
    from attribution.ensure.history import lines_followed
    from attribution.lineage.requests import HistoryRequest

    with open_clone(path, db, quiet) as opened, edge.Reporter(path, quiet) as progress:
        lines_followed(opened, HistoryRequest(), progress)


def _print_reports(
    reports: Mapping[str, RepoReport], db: Path, output_format: str, quiet: bool, full: bool
) -> None:
    """`reports` by path."""
    if output_format == "json":
        edge.write_json([report.data() for report in reports.values()])
    elif output_format == "csv":
        rows = [report.row() for report in reports.values()]
        edge.write_csv(list(dict.fromkeys(name for row in rows for name in row)), rows)
    elif not quiet:
        from attribution import terminal

        for path, report in reports.items():
            terminal.repo.repo_report(edge.out(), report, str(db), path, full)


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("names", nargs=-1, metavar="[NAME]...")
@SCALE
@CONTENT
@ALLOW_NO_CHECKPOINTS
@QUIET
@click.pass_context
def db(
    context: click.Context,
    /,
    file: Path,
    names: tuple[str, ...],
    quiet: bool,
    **options: Any,
) -> None:
    """Attribute all repositories in a database.

    FILE is a database filled by `collect run` or `whowrote repo`; the mirrors or clones must still
    be in place. Run it again after `collect run`, or after an interruption: only missing or
    outdated results are computed.
    """
    from attribution.ensure.batch import attribute_all, repositories, waiting
    from collector.runtime.runner import RunOptions

    how = RunOptions(
        options["jobs"],
        task_limits(options, options["jobs"]),
        options["retry"],
    )
    with exclusive_store(file, create=False) as store:
        store.keep_content(options["content"], options["redact"])
        items, lost = repositories(store, names)
        for name, path in lost:
            edge.notice(
                f"{name}: its clone is no longer at {path}; to fetch it again, run: collect run"
                f" {name}"
            )
        todo = waiting(store, items, how.retry)
        failed = show_progress(
            "attributing",
            "attributed",
            len(todo),
            attribute_all(store, todo, how),
            quiet,
        )
    context.exit(EXIT_PARTIAL if failed or lost else 0)


@click.command()
@click.option(
    "--transcripts",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    multiple=True,
    metavar="DIR",
    help=(
        "Look in DIR instead: a copy of a home directory, or of an agent's directory in it"
        " (repeatable)."
    ),
)
@click.argument("path", required=False)
@edge.data_options
def doctor(path: str | None, transcripts: tuple[Path, ...], output_format: str) -> None:
    """Show which agents keep transcripts on this machine.

    Where they are, how far back they go, which agents delete theirs, and what cannot be read. Only
    names, sizes and times of files are looked at. With PATH, list the transcripts that belong to
    this clone, and why.
    """
    from collector.local.report import survey, would_read

    local = local_options("always", transcripts, ())
    if path is None:
        from collector.local import machines

        columns = (
            "agent",
            "files",
            "bytes=size",
            "oldest",
            "newest",
            "tested=read from",
            "note",
            "path",
        )
        print_table(output_format, survey(machines(local)), columns)
        return
    from attribution.queries.repo_report import unlinked_sessions
    from collector.git.repository import GitRepo
    from collector.repository_rows import find_repo
    from collector.storage.places import default_database
    from collector.storage.store import Store

    repo = GitRepo(path)
    db = default_database({"path": path})
    table = would_read(repo, local)
    if db.exists():
        # sessions of the machine are listed all the same
        with suppress(DatabaseUnusable), Store(db, create=False) as store:
            unlinked = unlinked_sessions(store, known) if (known := find_repo(store, repo)) else {}
            table.notes += [
                f"sessions read before that are linked to no commit, {why}: {count}"
                for why, count in unlinked.items()
            ]
    print_table(
        output_format,
        table,
        ("agent", "written=last written", "files", "bytes=size", "why", "path=file"),
    )


COMMANDS = (repo, demo, db, doctor)
