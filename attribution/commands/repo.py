"""The commands that do the main job: repo, demo."""

from __future__ import annotations

import gc
import os
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from attribution.commands.common import at, followed, here, local_options, print_rows
from collector.console.options import CONTENT, LOCAL, MEMORY, TIMEOUT, task_limits
from collector.console.terminal import Reporter, data_options, database_option, err, notice, out, write_csv, write_json
from collector.errors import EXIT_PARTIAL

if TYPE_CHECKING:
    from attribution.authorship.options import AttributeOptions
    from attribution.queries.repo_report import RepoReport
    from collector.local.model import LocalOptions
    from collector.runtime.workers import TaskLimits

_PROCESSES = 4  # for one repository, when nothing was said: more have little to do


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH...]")
@database_option
@click.option("--branch", default="", metavar="NAME", help="Branch, tag or commit to attribute.  [default: HEAD]")
@click.option(
    "--since", type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"]), help="Only commits authored on or after this date (UTC)."
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 256),
    help="Repositories to process in parallel, or processes that read one.  [default: 1; up to 4 for one]",
)
@TIMEOUT
@MEMORY
@click.option(
    "--allow-no-checkpoints",
    is_flag=True,
    help="Go on without checkpoints and transcripts: attribute from commit trailers and other tools' notes alone.",
)
@click.option(
    "--fetch",
    is_flag=True,
    help="Mirror the clone's origin with all checkpoints into your data directory and attribute it; the clone is only read.",
)
@LOCAL
@click.option(
    "-o",
    "--shard",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the results to a database of their own, atomically, for `collect merge`.",
)
@click.option("--name", default="", metavar="NAME", help="Store it under this name.  [default: OWNER/NAME of the remote]")
@CONTENT
@click.option("--history", "with_history", is_flag=True, help="Also compute line history, as `whowrote survival` does.")
@click.option("--scan", "with_scan", is_flag=True, help="Also scan for weaknesses, as `whowrote scan` does; needs whowrote[scan].")
@data_options
@click.option("-q", "--quiet", is_flag=True, help="Print only errors (and the data, with --json or --csv).")
@click.pass_context
def repo(
    context: click.Context,
    /,
    paths: tuple[str, ...],
    db: Path,
    branch: str,
    since: datetime | None,
    jobs: int | None,
    allow_no_checkpoints: bool,
    fetch: bool,
    shard: Path | None,
    name: str,
    with_history: bool,
    with_scan: bool,
    output_format: str,
    quiet: bool,
    dry_run: bool,
    **given: Any,
) -> None:
    """Attribute every line that the commits of a clone add.

    PATH is a clone of any kind: bare, partial, shallow or a worktree; without it, the clone around the current directory is meant.
    It is only read. A repository named by its https address is mirrored first. Run it again after fetching: only what has changed
    is computed again. A clone without checkpoints is attributed from the transcripts that agents keep on this machine. With
    --transcripts, without PATH and outside a clone, sessions are read alone: features, regions and scores, but no lines.
    """
    from attribution.authorship.options import AttributeOptions
    from collector.storage.places import clone_around

    # Millions of small objects are created and kept; with the default thresholds, garbage collection takes a tenth of the time.
    gc.set_threshold(200_000, 20, 100)
    text = {name: given.pop(name) for name in ("content", "redact")}
    several, within = jobs or 1, jobs or min(_PROCESSES, os.cpu_count() or 1)
    limits = task_limits(given, min(several, len(paths) or 1))
    local = local_options(**given)
    if paths or not local.directories or clone_around(".") is not None:
        paths = tuple(_clone(path, fetch, quiet) for path in paths or (here(),))
    if dry_run:
        _list_transcripts(paths, local, output_format)
        return
    options = AttributeOptions(branch, since.replace(tzinfo=UTC).timestamp() if since else None, allow_no_checkpoints, local, name)
    if len(paths) < 2:
        options = replace(options, jobs=within)
    if not paths:
        _keep("", db, text)
        reports = [_sessions_alone(directory, db, options, quiet) for directory in local.directories]
        _print_reports(reports, db, output_format, quiet, paths)
        return
    if name and len(paths) > 1:
        raise click.UsageError("--name takes exactly one PATH")
    if shard is not None and len(paths) > 1:
        raise click.UsageError("--shard takes exactly one PATH")
    if shard is not None:
        results: list[Any] = [_into_shard(paths[0], shard, options, quiet, text, limits)]
        db = shard
    elif len(paths) == 1:
        _keep(paths[0], db, text)
        results = [_one(paths[0], db, options, quiet, limits)]
    else:
        _keep("", db, text)
        results = _several(paths, db, options, several, quiet, limits)
    for path, done in zip(paths, results, strict=True):
        if not hasattr(done, "hint"):
            _further(path, db, with_history, with_scan, quiet)
    failed = [(path, r.message, r.hint) for path, r in zip(paths, results, strict=True) if hasattr(r, "hint")]
    _print_reports([r for r in results if not hasattr(r, "hint")], db, output_format, quiet, paths)
    if failed:
        from attribution import terminal

        terminal.lists.failures(err(), failed)
        notice(f"{len(failed)} of {len(paths)} repositories failed; the results of the others are stored")
        context.exit(EXIT_PARTIAL)


@click.command()
@click.argument("directory", default="whowrote-example", type=click.Path(file_okay=False, path_type=Path), metavar="[DIRECTORY]")
def demo(directory: Path) -> None:
    """Try it on an example repository.

    Creates a small repository with three agent sessions in DIRECTORY (default: whowrote-example), attributes it, and shows one of
    its files line by line.
    """
    from attribution import demo as example
    from attribution.authorship.options import AttributeOptions
    from collector.runtime.workers import TaskLimits

    clone, db = example.make(directory), directory / "example.db"
    db.unlink(missing_ok=True)
    _print_reports([_one(str(clone), db, AttributeOptions(), False, TaskLimits())], db, "", False, (str(clone),))
    from attribution import terminal
    from attribution.queries.blame import blame as blame_file

    click.echo()
    with at(str(clone), db) as where:
        terminal.blame.blame_view(out(), blame_file(where, example.FILE, ""))


def _clone(path: str, fetch: bool, quiet: bool) -> str:
    """The clone to attribute: the one named, or a mirror of the repository at an address or of the clone's origin."""
    from attribution.ensure.mirror import is_address, mirror_of_origin, mirrored

    if not (fetch or is_address(path)):
        return path
    with Reporter(path, quiet) as progress:
        return mirrored(path, progress) if is_address(path) else mirror_of_origin(path, progress)


def _list_transcripts(paths: tuple[str, ...], local: LocalOptions, output_format: str) -> None:
    """What would be read of this machine."""
    from collector.git.repository import GitRepo
    from collector.local.report import would_read

    rows = [row for path in paths for row in would_read(GitRepo(path), local)]
    print_rows(output_format, rows, lambda terminal: terminal.local.would_read(out(), rows))


def _further(path: str, db: Path, with_history: bool, with_scan: bool, quiet: bool) -> None:
    """What else was asked for of an attributed clone."""
    if with_history:
        with followed(path, db, None, None, quiet):
            pass
    if with_scan:
        from attribution.commands.weaknesses import scanned
        from attribution.weaknesses.scan.request import ScanRequest

        with at(path, db, quiet) as where:
            scanned(where, path, ScanRequest(), quiet)


def _one(path: str, db: Path, options: Any, quiet: bool, limits: TaskLimits) -> RepoReport:
    with Reporter(path, quiet) as progress:
        progress("starting", 0, 0)
        from attribution.ensure.lines import attribute_one

        return attribute_one(path, db, options, progress, limits)


def _sessions_alone(directory: Path, db: Path, options: AttributeOptions, quiet: bool) -> RepoReport:
    from attribution.ensure.lines import attribute_sessions

    with Reporter(str(directory), quiet) as progress:
        return attribute_sessions(directory, db, options, progress)


def _keep(path: str, db: Path, given: dict[str, Any]) -> None:
    """Stores how much text the database is to hold, if that was asked for. No database is made for a path that is not a clone."""
    from collector.console.progress import keep_content
    from collector.git.repository import GitRepo
    from collector.storage.store import Store

    if any(value is not None for value in given.values()):
        if path:
            GitRepo(path)
        with Store(db) as store:
            keep_content(store, given["content"], given["redact"])


def _into_shard(path: str, shard: Path, options: Any, quiet: bool, given: dict[str, Any], limits: TaskLimits) -> RepoReport:
    with Reporter(path, quiet) as progress:
        progress("starting", 0, 0)
        from attribution.ensure.lines import attribute_into
        from collector.console.progress import keep_content
        from collector.errors import NoCheckpoints
        from collector.git.repository import GitRepo
        from collector.runtime.bounds import bounded
        from collector.runtime.shards import building_shard, drop, part_of

        GitRepo(path)
        try:
            with building_shard(shard) as store:
                keep_content(store, given["content"], given["redact"])
                with bounded(limits, progress) as heard:
                    return attribute_into(store, path, options, heard)
        except NoCheckpoints:
            drop(part_of(shard))
            raise


def _several(paths: tuple[str, ...], db: Path, options: Any, jobs: int, quiet: bool, limits: TaskLimits) -> list[Any]:
    from attribution.ensure.lines import attribute_one, note_failed
    from collector.console.terminal import Failed, in_processes
    from collector.runtime.progress import no_progress
    from collector.storage.store import Store

    Store(db).close()  # made once, before the processes meet
    with Reporter(f"{len(paths)} repositories", quiet) as progress:
        progress("attributing", 0, len(paths))
        items = [(path, db, options, no_progress, limits) for path in paths]
        results = in_processes(attribute_one, items, jobs, lambda done, total: progress("attributing", done, total))
    with Store(db) as store:
        for path, done in zip(paths, results, strict=True):
            if isinstance(done, Failed):  # also of a process that was killed
                note_failed(store, path, done.message)
    return results


def _print_reports(reports: list[RepoReport], db: Path, output_format: str, quiet: bool, paths: tuple[str, ...]) -> None:
    if output_format == "json":
        write_json([report.data() for report in reports])
    elif output_format == "csv":
        rows = [report.row() for report in reports]
        write_csv(list(dict.fromkeys(name for row in rows for name in row)), rows)
    elif not quiet:
        from attribution import terminal

        console = out()
        for r in reports:
            terminal.repo.repo_report(console, r, str(db))
            console.print()
        if len(paths) == 1 and reports[0].example:
            terminal.repo.hints(console, paths[0], reports[0].example)


COMMANDS = (repo, demo)
