"""The commands that fill a database: fetch, load, run, merge; and about it: status, forget."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from collector.commands.common import print_table, shown_size
from collector.commands.discover import discover
from collector.console.options import ALLOW_NO_CHECKPOINTS, CONTENT, FETCHING, MIRRORS, QUIET, SCALE, task_limits
from collector.console.progress import count_repositories, exclusive_store, show_progress
from collector.console.terminal import Reporter, complain, data_options, database_option, notice
from collector.errors import EXIT_PARTIAL, WhoWroteError

if TYPE_CHECKING:
    from collector.fetching.many import FetchPlan
    from collector.repository_names import RepositorySource
    from collector.runtime.runner import RunOptions
    from collector.storage.store import Store


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@database_option
@FETCHING
@QUIET
@click.pass_context
def fetch(context: click.Context, /, names: tuple[str, ...], db: Path, quiet: bool, **given: Any) -> None:
    """Mirror repositories.

    Fetches the default branch, checkpoints and notes. NAME is owner/name or a URL. Without names and lists, fetches what `collect
    discover` confirmed and updates existing mirrors; an unchanged repository costs one small request.
    """
    with exclusive_store(db) as store:
        sources, refused = _sources(store, names, given)
        failed = refused + _fetch(store, sources, _plan(db, given), quiet).failed
    context.exit(EXIT_PARTIAL if failed else 0)


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@database_option
@SCALE
@CONTENT
@ALLOW_NO_CHECKPOINTS
@QUIET
@click.pass_context
def load(
    context: click.Context, /, names: tuple[str, ...], db: Path, allow_no_checkpoints: bool, quiet: bool, **given: Any
) -> None:
    """Load mirrors into the database.

    Reads checkpoints, sessions, tool calls and commits. To attribute the lines afterwards, run: whowrote db FILE.
    """
    from collector.storage.retention import keep_content

    with exclusive_store(db) as store:
        keep_content(store, given["content"], given["redact"])
        failed = _load(store, names, _how(given), allow_no_checkpoints, quiet)
    context.exit(EXIT_PARTIAL if failed else 0)


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@database_option
@click.option(
    "--discover", "channels", multiple=True, metavar="CHANNEL", help="First run `collect discover` with this channel (repeatable)."
)
@FETCHING
@SCALE
@CONTENT
@ALLOW_NO_CHECKPOINTS
@QUIET
@click.pass_context
def run(
    context: click.Context,
    /,
    names: tuple[str, ...],
    db: Path,
    channels: tuple[str, ...],
    allow_no_checkpoints: bool,
    quiet: bool,
    **given: Any,
) -> None:
    """Fetch and load everything that is pending.

    Runs `collect discover` (with --discover), `collect fetch` and `collect load` one after the other. It can be run again at any
    time, also after an interruption. To attribute the lines afterwards, run: whowrote db FILE.
    """
    if channels:
        found = context.invoke(discover, channels=channels, db=db, token_file=given["token_file"], git_url=given["server"])
        if found:
            notice("some channels failed; continuing with the known candidates")
    from collector.storage.retention import keep_content

    with exclusive_store(db) as store:
        keep_content(store, given["content"], given["redact"])
        sources, refused = _sources(store, names, given)
        fetched = _fetch(store, sources, _plan(db, given), quiet)
        failed = refused + fetched.failed
        if fetched.names:  # no name at all would mean every mirror
            failed += _load(store, fetched.names, _how(given), allow_no_checkpoints, quiet)
        loaded = bool(store.value("SELECT 1 FROM repos"))
    if loaded and not quiet:
        notice(f"next: whowrote db {db}")
    context.exit(EXIT_PARTIAL if failed else 0)


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="SHARD...", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="Database to merge into.")
@click.option("--force", is_flag=True, help="Overwrite even with older results.")
@QUIET
@click.pass_context
def merge(context: click.Context, /, paths: tuple[Path, ...], output: Path, force: bool, quiet: bool) -> None:
    """Merge databases into one.

    SHARD is a database written by `whowrote repo PATH -o SHARD`, or any other. A repository that is already there is replaced if
    the new results are newer. Each file is merged in one transaction.
    """
    from collector.storage.merge import merge as take

    failed, rows = 0, Counter[str]()
    with exclusive_store(output) as store, Reporter(str(output), quiet) as progress:
        for number, path in enumerate(paths):
            progress("merging", number, len(paths))
            try:
                done = take(store, path, force)
            except WhoWroteError as error:
                failed += 1
                complain(str(error), error.hint)
                continue
            rows.update(added=len(done.added), replaced=len(done.replaced), kept=len(done.kept), forgotten=done.forgotten)
    if not quiet:
        notice(", ".join(f"{count} repositories {what}" for what, count in rows.items() if count) or "nothing to merge")
    context.exit(EXIT_PARTIAL if failed else 0)


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@database_option
@click.option("--failed", is_flag=True, help="Only repositories that failed.")
@data_options
def status(names: tuple[str, ...], db: Path, failed: bool, output_format: str) -> None:
    """Show the progress of each repository.

    Lists its stage, problems, size, and when it was last fetched.
    """
    from collector.fetching.mirror_table import mirror_states
    from collector.storage.store import Store

    with Store(db, create=False) as store:
        rows = [r for r in mirror_states(store, names) if not failed or r["failure"]]
    columns = ("name", "stage", "mirror", "seen", "size", "missing", "checkpoints", "sessions", "commits", "problems", "failure")
    shown = rows if output_format else [_for_people(r) for r in rows]
    stages = ", ".join(f"{count} {stage}" for stage, count in Counter(r["stage"] for r in rows).most_common())
    print_table(
        output_format,
        shown,
        columns,
        f"{count_repositories(len(rows))}: {stages}; {shown_size(sum(r['size'] or 0 for r in rows))} in mirrors",
    )


def _for_people(row: dict[str, Any]) -> dict[str, Any]:
    return row | {"size": shown_size(row["size"]), "seen": (row["seen"] or "")[:16], "failure": row["failure"][:80]}


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@database_option
@MIRRORS
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
def forget(names: tuple[str, ...], db: Path, mirrors: Path | None, yes: bool) -> None:
    """Delete a repository and never fetch it again.

    Deletes its rows, mirror and shard. Only a hash of its name is kept, so that it is skipped if it is found again.
    """
    from collector.fetching.mirror_table import forget as remove
    from collector.repository_names import checked_label

    every = [checked_label(name) for name in names]
    if not yes:
        click.confirm(f"Remove everything about {', '.join(every)}?", abort=True, err=True)
    with exclusive_store(db, create=False) as store:
        for name in every:
            gone = remove(store, name, mirrors or _beside(db))
            notice(f"{name}: {gone['rows']} rows and {shown_size(gone['bytes'])} of mirror removed; it will not be fetched again")


# --- shared -----------------------------------------------------------------------------------------------------------


def _beside(db: Path) -> Path:
    return db.with_name(db.name + ".mirrors")


# How a fetch may fail -> what can be done about it.
_ADVICE = {
    "unreachable": "Check the network, HTTPS_PROXY and --server, then run the same command again",
    "gone": "If it is private, provide a token that may read it (--token-file, GITHUB_TOKEN)",
    "too_large": "See --max-size and --disk; `--transcripts last` needs less space",
    "too_slow": "See --max-time; finished work is kept",
    "refused": "See --protocols",
    "disk_full": "Free some space, or see --keep-free and --disk",
    "damaged": "The repository on the server lacks objects; this can only be fixed there",
}


def _sources(store: Store, names: Sequence[str], given: dict[str, Any]) -> tuple[list[RepositorySource], int]:
    """(what is to be fetched, lines that name nothing). Raises WhoWroteError when there is nothing to do."""
    from collector.fetching import mirror_table

    lines = [*names, *(line for file in given["lists"] for line in file)]
    found, refused = mirror_table.listed(lines, given["server"])
    for error in refused:
        complain(str(error), error.hint)
    if not lines:
        found = [*mirror_table.wanted(store, given["licences"]), *mirror_table.mirrored(store)]
    here = mirror_table.told_apart(store, found)
    for one in found if lines else ():
        if one.name != here[one.place()].name:
            notice(f"{one.name}: it is called {here[one.place()].name} here")
    kept, hidden = mirror_table.not_forgotten(store, {one.name: one for one in here.values()}.values())
    if hidden:
        notice(f"{count_repositories(hidden)} skipped: removed with collect forget")
    if not kept and not hidden:
        raise WhoWroteError("nothing to fetch", "Name repositories, pass a --list, or run: collect discover")
    return kept, len(refused)


def _plan(db: Path, given: dict[str, Any]) -> FetchPlan:
    from collector.fetching.many import FetchPlan
    from collector.fetching.mirrors import FetchLimits, FetchOptions
    from collector.fetching.refs import WantedRefs

    limits = FetchLimits(given["max_size"], given["max_time"], given["keep_free"])
    protocols = tuple(p.strip() for p in given["protocols"].split(",") if p.strip())
    chosen = FetchOptions(WantedRefs(pulls=given["pulls"]), given["transcripts"], protocols, limits, not given["no_fsck"])
    root, token = given["mirrors"] or _beside(db), _token(given["token_file"], given["server"])
    return FetchPlan(root, chosen, given["fetch_jobs"], given["disk"], token, given["server"])


def _token(file: Path | None, server: str) -> str:
    from urllib.parse import urlsplit

    from collector.github.token import find_token

    found = find_token(file, urlsplit(server).hostname or "github.com")
    return found.secret if found is not None else ""


def _how(given: dict[str, Any]) -> RunOptions:
    from collector.runtime.runner import RunOptions

    return RunOptions(given["jobs"], given["scheduler"], task_limits(given, given["jobs"]), given["retry"])


class _Fetched(NamedTuple):
    names: list[str]  # what the repositories are called here
    failed: int  # how many of them are not there, or not up to date


def _fetch(store: Store, sources: Sequence[RepositorySource], plan: FetchPlan, quiet: bool) -> _Fetched:
    from collector.fetching.many import fetch as fetch_each

    states: Counter[str] = Counter()
    received = 0
    waiting, ended = {one.name for one in sources}, set[str]()
    with Reporter(count_repositories(len(sources)), quiet) as progress:
        progress("fetching", 0, len(sources))
        for done in fetch_each(store, sources, plan):
            states[done.state] += 1
            received += done.received
            ended.add(done.name)
            if done.state == "moved":
                waiting = waiting - {done.name} | ({done.same_as} if done.same_as else set())
                notice(f"{done.name}: {done.detail}")
            elif not done.ok():
                complain(f"{done.name}: {done.state.replace('_', ' ')}: {done.detail}")
            elif done.news:
                notice(f"{done.name}: {done.news}")
            progress("fetching", min(len(ended), len(sources)), len(sources))
    left = len(waiting - ended)
    if left:
        complain(f"disk full at {plan.root}: {count_repositories(left)} left for the next run")
    for state in states.keys() & _ADVICE.keys():
        notice(f"{state.replace('_', ' ')}: {_ADVICE[state]}")
    if not quiet:
        words = ", ".join(f"{count} {state.replace('_', ' ')}" for state, count in states.most_common())
        notice(f"fetched: {words or 'nothing'}; {shown_size(received)} received")
    failed = sum(count for state, count in states.items() if state not in ("fetched", "unchanged", "empty", "moved"))
    return _Fetched(sorted(waiting), left + failed)


def _load(store: Store, names: Sequence[str], how: RunOptions, allow_no_checkpoints: bool, quiet: bool) -> int:
    from collector.fetching import mirror_table
    from collector.runtime import shards
    from collector.runtime.stages import StageName

    chosen = mirror_table.items(store, names)
    waiting = shards.pending(store, StageName.LOAD, chosen, how.retry, allow_no_checkpoints)
    return show_progress("loading", "loaded", len(waiting), mirror_table.load(store, waiting, how, allow_no_checkpoints), quiet)


COLLECT = (run, fetch, load, merge, status, forget)
