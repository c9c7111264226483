"""The commands that find repositories: discover, probe, report."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from collector.console.options import ListingCommand, Moment
from collector.console.tables import print_table, print_tables
from collector.console.terminal import (
    Command,
    Reporter,
    complain,
    data_options,
    database_option,
    notice,
    write_csv,
    write_json,
)
from collector.errors import EXIT_OK, EXIT_PARTIAL, WhoWroteError
from collector.json_values import Row
from collector.storage.views import table_of
from collector.text import command_line

if TYPE_CHECKING:
    from collector.discovery.channels.channel import ChannelContext, DiscoverOptions
    from collector.discovery.selection.probe import Prober
    from collector.discovery.selection.run import DiscoverResult, Filters

_FILE = click.Path(dir_okay=False, path_type=Path, allow_dash=True)
_DATE = Moment(["%Y-%m-%d", "%Y-%m-%dT%H"])


def filter_options(command: Command) -> Command:
    """Options that say what to leave out; they arrive as the parameters of `filters_from`."""
    for option in (
        click.option(
            "--licence",
            "licences",
            multiple=True,
            metavar="SPDX",
            help="Include only repositories with this licence (repeatable).",
        ),
        click.option(
            "--record",
            "records",
            multiple=True,
            metavar="NAME",
            help="Look for records of this name, or all.  [default: checkpoints]",
        ),
        click.option(
            "--notes",
            is_flag=True,
            help="Include repositories that have only notes of other tools.",
        ),
        click.option("--forks", is_flag=True, help="Include forks."),
    ):
        command = option(command)
    return command


def filters_from(options: Row) -> Filters:
    """Of the parameters that `filter_options` gives."""
    from collector.discovery.selection.run import Filters

    licences = frozenset(name.lower() for name in options["licences"])
    return Filters(
        options["forks"],
        licences,
        notes=options["notes"],
        records=frozenset(_records(options["records"])),
    )


def _records(names: Sequence[str]) -> tuple[str, ...]:
    """Checkpoints where none is named. Raises WhoWroteError for a name that is none."""
    from collector.discovery.records import CHECKPOINTS, records

    if wrong := [name for name in names if name != "all" and name not in records()]:
        raise WhoWroteError(
            f"no such record: {wrong[0]}", f"Available records: all, {', '.join(records())}"
        )
    if "all" in names:
        return tuple(records())
    return tuple(names) or (CHECKPOINTS,)


@contextmanager
def open_channel_context(
    db: Path, request: DiscoverOptions | None = None, title: str = "discover"
) -> Iterator[ChannelContext]:
    """Everything a channel works with. Raises DatabaseUnusable, WhoWroteError."""
    from urllib.parse import urlsplit

    from collector.discovery.channels.channel import ChannelContext, DiscoverOptions, DiscoveryLog
    from collector.discovery.github.client import GitHub
    from collector.discovery.github.patience import find_token
    from collector.discovery.github.transport import Web
    from collector.storage.store import Store

    api, server = addresses()
    token = find_token(urlsplit(server).hostname or "github.com")
    if (
        token is not None
        and api.startswith("http://")
        and urlsplit(api).hostname not in ("localhost", "127.0.0.1", "::1")
    ):
        raise WhoWroteError(
            f"refusing to send the token unencrypted to {api}", "Use https://, or no token"
        )
    with Store(db) as store, Web() as web, Reporter(title) as progress:
        github = GitHub(web, tell=notice, token=token, api=api)
        log = DiscoveryLog(store, server, github.clock.now)
        yield ChannelContext(github, log, request or DiscoverOptions(), notice, progress)


def addresses() -> tuple[str, str]:
    """Addresses of the API and of git: what GITHUB_API_URL and GITHUB_SERVER_URL say, else
    github.com. Raises WhoWroteError.
    """
    from collector.discovery.github.client import API_URL
    from collector.repository_names import GITHUB

    api = (os.environ.get("GITHUB_API_URL") or API_URL).rstrip("/")
    home = GITHUB if api == API_URL else api.removesuffix("/api/v3")
    server = (os.environ.get("GITHUB_SERVER_URL") or home).rstrip("/")
    for url in (api, server):
        if not url.startswith(("http://", "https://")):
            raise WhoWroteError(
                f"invalid URL: {url}",
                "It must start with https://; see GITHUB_API_URL and GITHUB_SERVER_URL",
            )
    return api, server


def prober_for(context: ChannelContext) -> Prober:
    from collector.discovery.github.git_server import GitServers
    from collector.discovery.selection.probe import Prober

    github = context.github
    return Prober(
        GitServers(github.web, github.clock, context.tell, github.token, server=context.log.server)
    )


def _listing() -> list[tuple[str, str]]:
    from collector.discovery.channels import channels

    return [(channel.name, channel.about) for channel in channels()]


@click.command(cls=ListingCommand, listing=_listing, title="Channels")
@click.argument("channels", nargs=-1)
@database_option
@click.option(
    "--list",
    "lists",
    multiple=True,
    type=_FILE,
    help="File with one repository name or URL per line; - for stdin (repeatable).",
)
@click.option(
    "--owner",
    "owners",
    multiple=True,
    help="All repositories of this organisation or user (repeatable); limits searches to them.",
)
@click.option("--since", type=_DATE, help="Start date (UTC) for commit search.")
@click.option("--until", type=_DATE, help="End date (UTC), exclusive.")
@click.option("--refresh", is_flag=True, help="Repeat queries that were already answered.")
@filter_options
@data_options
def discover(
    channels: Sequence[str], db: Path, refresh: bool, output_format: str, **options: Any
) -> int:
    """Find public repositories with checkpoints or other records.

    Collects candidates from CHANNELS, asks git what each of them holds, and fetches metadata from
    GitHub. By default, all channels listed below whose requirements are met are used. Every answer
    is stored immediately: interrupted runs resume, and later runs ask only for what is new.
    """
    from collector.discovery.github.patience import NO_TOKEN
    from collector.discovery.selection import run

    request = _request(options)
    with open_channel_context(db, request) as context:
        has_token = context.github.token is not None
        names = channels or _usual(request, has_token)
        if refresh:
            context.log.forget_cursors([channel.name for channel in run.channels_called(names)])
        if not has_token:
            notice(NO_TOKEN)
        outcome = run.discover(context, names, filters_from(options), prober_for(context))
        return _print_outcome(context, outcome, output_format)


@click.command()
@click.argument("repos", nargs=-1)
@database_option
@click.option("--all", "everything", is_flag=True, help="Probe every candidate again.")
@filter_options
@data_options
def probe(
    repos: Sequence[str], db: Path, everything: bool, output_format: str, **options: Any
) -> int:
    """Ask git what repositories hold.

    Probes the REPOS named (owner/name or a URL), --all candidates, or by default those that have
    not answered yet; then reapplies the exclusions.
    """
    from collector.discovery.selection import run

    with open_channel_context(db, title="probe") as context:
        outcome = run.DiscoverResult()
        is_named = bool(repos) or everything
        run.confirm(
            context,
            prober_for(context),
            outcome,
            run.candidates(context.log, repos) if is_named else run.due(context.log),
        )
        run.settle(context.log, filters_from(options))
        return _print_outcome(context, outcome, output_format)


@click.command()
@database_option
@data_options
def report(db: Path, output_format: str) -> None:
    """Report what was found and excluded.

    Selection statistics: hits and confirmed repositories per channel, exclusions with their
    reasons, and distributions.
    """
    from collector.discovery.selection.report import report as statistics
    from collector.storage.store import Store

    with Store(db, create=False) as store:
        sections = statistics(store, datetime.now(UTC))
    if output_format == "json":
        write_json(sections)
    elif output_format == "csv":
        cells = [
            (name, n, row, key)
            for name, rows in sections.items()
            for n, row in enumerate(rows)
            for key in row
        ]
        columns = ("section", "row", "column", "value")
        write_csv(
            columns,
            [
                dict(zip(columns, (name, n, key, row[key]), strict=True))
                for name, n, row, key in cells
            ],
        )
    else:
        print_tables("", [table_of(rows, title=name) for name, rows in sections.items() if rows])


def _request(options: Row) -> DiscoverOptions:
    from collector.discovery.channels.channel import DiscoverOptions

    stdin = Path("-")
    return DiscoverOptions(
        since=_utc(options["since"]),
        until=_utc(options["until"]),
        owners=options["owners"],
        forks=options["forks"],
        records=_records(options["records"]),
        lists=tuple(path for path in options["lists"] if path != stdin),
        texts=(("stdin", sys.stdin.buffer.read()),) if stdin in options["lists"] else (),
    )


def _utc(moment: datetime | None) -> datetime | None:
    if not moment:
        return None
    return moment.replace(tzinfo=UTC)


def _usual(request: DiscoverOptions, has_token: bool) -> list[str]:
    """The channels meant when none is named."""
    from collector.discovery.channels import channels

    return [
        channel.name
        for channel in channels()
        if channel.is_usual(request) and (has_token or not channel.needs_token)
    ]


def _print_outcome(context: ChannelContext, outcome: DiscoverResult, output_format: str) -> int:
    """What the database has now, per channel; what went wrong goes to stderr."""
    from collector.discovery.selection.report import report as statistics

    sections = statistics(context.log.store, context.now())
    totals = {row["what"]: row["count"] for row in sections["totals"]}
    end = (
        f"new candidates: {outcome.new}, probed: {outcome.probed}, with new metadata:"
        f" {outcome.metadata}; in the database: "
        + ", ".join(f"{count} {name}" for name, count in totals.items())
    )
    columns = "channel, hits, found, probed, confirmed, taken, confirmed_by_no_other"
    print_table(output_format, table_of(sections["channels"], notes=[end]), columns)
    if not output_format and sections["exclusions"]:
        reasons = ", ".join(f"{row['count']} {row['reason']}" for row in sections["exclusions"])
        notice(
            f"excluded: {reasons}; for details run:"
            f" {command_line('collect', 'report', '--db', context.log.store.path)}"
        )
    # checkpoints are in the table
    others = [f"{row['record']} {row['found']}" for row in sections["records"][1:] if row["found"]]
    if others and not output_format:
        notice(f"repositories by record: {', '.join(others)}")
    for what, error in outcome.failures:
        complain(f"{what}: {error}", error.hint)
    if outcome.failures:
        return EXIT_PARTIAL
    return EXIT_OK


COLLECT = (discover, probe, report)
