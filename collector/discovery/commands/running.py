"""The commands that fill a database with many repositories: run; and about it: status, forget."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from collector.console.options import (
    ALLOW_NO_CHECKPOINTS,
    CONTENT,
    MEMORY,
    QUIET,
    TIMEOUT,
    Size,
    exclusive_store,
    show_progress,
    task_limits,
)
from collector.console.tables import print_table
from collector.console.terminal import (
    Reporter,
    complain,
    data_options,
    database_option,
    notice,
    one_line,
)
from collector.discovery.commands.discover import addresses
from collector.errors import EXIT_PARTIAL, NoCheckpoints, WhoWroteError
from collector.json_values import Row
from collector.storage.views import table_of
from collector.text import add_ending, command_line, count_of

if TYPE_CHECKING:
    from collector.discovery.mirrors.table import FetchPlan
    from collector.repository_names import RepositorySource
    from collector.runtime.runner import RunOptions
    from collector.storage.store import Store

# How a fetch may fail -> what can be done about it.
_ADVICE = {
    "unreachable": "Check the network and HTTPS_PROXY, then run the same command again",
    "gone": "If it is private, provide a token that may read it (GITHUB_TOKEN)",
    "too_large": "See --max-size",
    "too_slow": "See --timeout",
    "refused": "The server sends us to an address of another protocol",
    "disk_full": "Free some space",
    "damaged": "The repository on the server lacks objects; this can only be fixed there",
}


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@database_option
@click.option(
    "--list",
    "lists",
    type=click.File("r"),
    multiple=True,
    help="File with one repository name or URL per line; - for stdin (repeatable).",
)
@click.option(
    "--pulls",
    is_flag=True,
    help="Also fetch pull request heads, which show where squashed commits come from.",
)
@click.option(
    "--max-size", type=Size(), default="20G", show_default=True, help="Maximum size of one mirror."
)
@click.option(
    "--jobs",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Number of repositories to load in parallel.",
)
@TIMEOUT
@MEMORY
@CONTENT
@ALLOW_NO_CHECKPOINTS
@QUIET
@click.pass_context
def run(
    context: click.Context,
    /,
    names: Sequence[str],
    db: Path,
    lists: Sequence[Iterable[str]],
    quiet: bool,
    **options: Any,
) -> None:
    """Mirror repositories and load what they hold.

    NAME is owner/name or a URL. Without names and lists, takes what `collect discover` confirmed
    and updates existing mirrors; an unchanged repository costs one small request. It can be run
    again at any time, also after an interruption. A repository that failed twice is left alone
    until it changes or is named. One without any record of an agent is loaded when it is named or
    listed. To attribute the lines afterwards, run: whowrote db FILE.
    """
    from collector.runtime.runner import RunOptions

    lines = [*names, *(line for file in lists for line in file)]
    with exclusive_store(db) as store:
        store.keep_content(options["content"], options["redact"])
        sources, refused = _sources(store, lines)
        fetched, unfetched = _fetch(store, sources, _plan(db, options), quiet)
        failed = refused + unfetched
        if fetched:  # no name at all would mean every mirror
            how = RunOptions(
                options["jobs"],
                task_limits(options, options["jobs"]),
                retry=bool(lines),
            )
            failed += _load(store, fetched, how, quiet)
        has_repositories = bool(store.value("SELECT 1 FROM repos"))
    if fetched and not (lines or failed or has_repositories):
        raise NoCheckpoints(
            "none of these repositories has a record of an agent",
            "To load one all the same, name it: collect run NAME",
        )
    if has_repositories and not quiet:
        notice(f"next: {command_line('whowrote', 'db', db)}")
    context.exit(EXIT_PARTIAL if failed else 0)


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@database_option
@click.option("--failed", is_flag=True, help="Only repositories that failed.")
@data_options
def status(names: Sequence[str], db: Path, failed: bool, output_format: str) -> None:
    """Show the progress of each repository.

    Lists its stage, problems, size, and when it was last fetched.
    """
    from collector.discovery.mirrors.table import mirror_states
    from collector.storage.store import Store

    with Store(db, create=False) as store:
        rows = [row for row in mirror_states(store, names) if not failed or row["failure"]]
    columns = "name, stage, mirror, seen, size, checkpoints, sessions, commits, problems, failure"
    stages = ", ".join(
        f"{count} {stage}" for stage, count in Counter(row["stage"] for row in rows).most_common()
    )
    size = sum(row["size"] or 0 for row in rows) / 1_000_000
    notes = [f"{count_of(len(rows), 'repository')}: {stages}; {size:,.1f} MB in mirrors"]
    print_table(output_format, table_of(rows, {"seen": "UTC", "size": "bytes"}, notes), columns)


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@database_option
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
def forget(names: Sequence[str], db: Path, yes: bool) -> None:
    """Delete a repository and never fetch it again.

    Deletes its rows, mirror and shard. Only a hash of its name is kept, so that it is skipped if it
    is found again.
    """
    from collector.discovery.mirrors.table import forget as remove
    from collector.repository_names import checked_label

    with exclusive_store(db, create=False) as store:
        known = store.column("SELECT name FROM repos")
        labels = [name if name in known else checked_label(name) for name in names]
        if not yes:
            asked = one_line(", ".join(labels))
            click.confirm(f"Remove everything about {asked}?", abort=True, err=True)
        for label in labels:
            removed = remove(store, label, _mirrors_of(db))
            size = removed["bytes"] / 1_000_000
            notice(
                f"{label}: removed {count_of(removed['rows'], 'row')} and {size:,.1f} MB of mirror;"
                " it will not be fetched again"
            )
            if removed["in_use"]:
                complain(
                    f"traces of {label} stay in free pages: another program has the database or a"
                    " cache open",
                    f"End it and run again: {command_line('collect', 'forget', label)}",
                )


# --- the steps of a run ---------------------------------------------------------------------------


def _mirrors_of(db: Path) -> Path:
    return add_ending(db, ".mirrors")


def _sources(store: Store, lines: Sequence[str]) -> tuple[list[RepositorySource], int]:
    """(what is to be fetched, lines that name nothing).

    Raises WhoWroteError when there is nothing to do.
    """
    from collector.discovery.mirrors import table

    sources, refused = table.read_list(lines, addresses()[1])
    for error in refused:
        complain(str(error), error.hint)
    if not lines:
        sources = table.confirmed_sources(store) + table.mirrored_sources(store)
    here = table.name_sources(store, sources)
    if lines:
        for repository in sources:
            name = here[repository.place()].name
            if repository.name != name:
                notice(f"{repository.name}: it is called {name} here")
    every = {repository.name: repository for repository in here.values()}
    allowed = table.not_forgotten(store, every.values())
    hidden = len(every) - len(allowed)
    if hidden:
        notice(f"{count_of(hidden, 'repository')} skipped: removed with collect forget")
    if not allowed and not hidden:
        raise WhoWroteError(
            "nothing to fetch", "Name repositories, pass a --list, or run: collect discover"
        )
    return allowed, len(refused)


def _plan(db: Path, options: Row) -> FetchPlan:
    from urllib.parse import urlsplit

    from collector.discovery.github.patience import find_token
    from collector.discovery.mirrors.remote import Remote, WantedRefs
    from collector.discovery.mirrors.table import FetchPlan
    from collector.discovery.mirrors.update import FetchOptions

    server = addresses()[1]
    token = find_token(urlsplit(server).hostname or "github.com")
    chosen = FetchOptions(
        WantedRefs(pulls=options["pulls"]), options["max_size"], options["timeout"]
    )
    return FetchPlan(_mirrors_of(db), chosen, Remote(token, server))


def _fetch(
    store: Store, sources: Sequence[RepositorySource], plan: FetchPlan, quiet: bool
) -> tuple[list[str], int]:
    """(what the repositories are called here, how many of them are not there or not up to date)."""
    from collector.discovery.mirrors.table import fetch

    states: Counter[str] = Counter()
    waiting = {repository.name for repository in sources}
    ended = set()
    with Reporter(count_of(len(sources), "repository"), quiet) as progress:
        progress("fetching", 0, len(sources))
        for result in fetch(store, sources, plan):
            states[result.state] += 1
            ended.add(result.name)
            if result.state == "moved":
                waiting = waiting - {result.name} | ({result.same_as} if result.same_as else set())
                notice(f"{result.name}: {result.detail}")
            elif not result.is_usable():
                complain(f"{result.name}: {result.state.replace('_', ' ')}: {result.detail}")
            elif result.news:
                notice(f"{result.name}: {result.news}")
            progress("fetching", min(len(ended), len(sources)), len(sources))
    left = len(waiting - ended)
    if left:
        complain(f"disk full at {plan.root}: {count_of(left, 'repository')} left for the next run")
    for state in states.keys() & _ADVICE.keys():
        notice(f"{state.replace('_', ' ')}: {_ADVICE[state]}")
    if not quiet:
        words = ", ".join(
            f"{count} {state.replace('_', ' ')}" for state, count in states.most_common()
        )
        notice(f"fetched: {words or 'nothing'}")
    failed = sum(
        count
        for state, count in states.items()
        if state not in ("fetched", "unchanged", "empty", "moved")
    )
    return sorted(waiting), left + failed


def _load(store: Store, names: Sequence[str], how: RunOptions, quiet: bool) -> int:
    from collector.discovery.mirrors import table
    from collector.runtime import shards
    from collector.runtime.stages import StageName

    waiting = shards.pending(store, StageName.LOAD, table.items(store, names), how.retry)
    ended = shards.run(store, StageName.LOAD, table.load_one, waiting, (how.retry,), how)
    return show_progress("loading", "loaded", len(waiting), ended, quiet)


COLLECT = (run, status, forget)
