"""The commands that find repositories: discover, probe, report."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from collector.commands.common import print_table
from collector.console.options import ListingCommand, Seconds
from collector.console.terminal import Reporter, complain, data_options, database_option, notice, out, write_csv, write_json
from collector.errors import EXIT_OK, EXIT_PARTIAL, WhoWroteError

if TYPE_CHECKING:
    from collector.discover.channel import ChannelContext, DiscoverOptions
    from collector.discover.exclusions import Filters
    from collector.discover.lsrefs import Prober
    from collector.discover.names import NamedRepository
    from collector.discover.run import DiscoverResult

_FILE = click.Path(dir_okay=False, path_type=Path, allow_dash=True)


@dataclass(frozen=True, slots=True)
class Connection:
    """How GitHub is reached: the options of `connection_options`."""

    token_file: Path | None
    github_url: str | None
    git_url: str | None
    max_wait: float
    jobs: int


def connection_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options every command that asks GitHub has; they arrive as the parameters of `Connection`."""
    for option in (
        click.option(
            "--jobs", default=8, show_default=True, type=click.IntRange(1, 64), help="Number of parallel ls-remote connections."
        ),
        click.option(
            "--max-wait",
            type=Seconds(),
            default=3900.0,
            show_default=True,
            help="Maximum number of seconds to wait for a rate limit to reset.",
        ),
        click.option("--git-url", help="Base URL of git repositories.  [default: GITHUB_SERVER_URL, or derived from --github-url]"),
        click.option(
            "--github-url", help="Base URL of the GitHub API; for GitHub Enterprise https://HOST/api/v3.  [default: GITHUB_API_URL]"
        ),
        click.option(
            "--token-file", type=_FILE, help="File with the token.  [default: GITHUB_TOKEN, GH_TOKEN, or `gh auth token`]"
        ),
    ):
        command = option(command)
    return command


def filter_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options that say what to leave out; they arrive as the parameters of `filters_from`."""
    for option in (
        click.option(
            "--max-size",
            type=click.IntRange(0),
            default=10_000,
            show_default=True,
            help="Exclude repositories larger than this (MB).",
        ),
        click.option(
            "--licence", "licences", multiple=True, metavar="SPDX", help="Include only repositories with this licence (repeatable)."
        ),
        click.option("--no-archived", is_flag=True, help="Exclude archived repositories."),
        click.option("--notes", is_flag=True, help="Include repositories that have only notes of other tools."),
        click.option("--forks", is_flag=True, help="Include forks."),
    ):
        command = option(command)
    return command


def filters_from(options: Mapping[str, Any]) -> Filters:
    """Of the parameters that `filter_options` gives."""
    from collector.discover.exclusions import Filters

    licences = frozenset(name.lower() for name in options["licences"])
    return Filters(options["forks"], not options["no_archived"], licences, options["max_size"] * 1000, options["notes"])


@contextmanager
def open_channel_context(
    db: Path, connection: Connection, request: DiscoverOptions | None = None, title: str = "discover"
) -> Iterator[ChannelContext]:
    """Everything a channel works with. Raises DatabaseUnusable, WhoWroteError."""
    from urllib.parse import urlsplit

    from collector.discover.channel import ChannelContext, DiscoverOptions
    from collector.discover.discovery_log import DiscoveryLog
    from collector.github.cache import HttpCache
    from collector.github.client import Clock, GitHub
    from collector.github.token import find_token
    from collector.github.transport import Web
    from collector.storage.store import Store

    api, server = addresses(connection)
    token, clock = find_token(connection.token_file, urlsplit(server).hostname or "github.com"), Clock()
    if token is not None and api.startswith("http://") and urlsplit(api).hostname not in ("localhost", "127.0.0.1", "::1"):
        raise WhoWroteError(f"refusing to send the token unencrypted to {api}", "Use https://, or no token")
    with Store(db) as store, Web(connections=max(16, connection.jobs)) as web, Reporter(title) as progress:
        github = GitHub(web, api, token, HttpCache(store), clock, tell=notice, longest_wait=connection.max_wait)
        yield ChannelContext(
            github, web, DiscoveryLog(store, server, clock.now), clock, request or DiscoverOptions(), notice, progress
        )


def addresses(connection: Connection) -> tuple[str, str]:
    """(base URL of the API, base URL of git repositories). Raises WhoWroteError."""
    from collector.github.client import API_URL

    api = (connection.github_url or os.environ.get("GITHUB_API_URL") or API_URL).rstrip("/")
    server = (connection.git_url or os.environ.get("GITHUB_SERVER_URL") or server_of(api)).rstrip("/")
    for url in (api, server):
        if not url.startswith(("http://", "https://")):
            raise WhoWroteError(f"invalid URL: {url}", "It must start with https://; see --github-url and --git-url")
    return api, server


def server_of(api: str) -> str:
    """The base URL of git repositories that belongs to an API URL."""
    return "https://github.com" if api == "https://api.github.com" else api.removesuffix("/api/v3")


def prober_for(context: ChannelContext) -> Prober:
    from collector.discover.lsrefs import Prober
    from collector.github.git_server import GitServers

    server = context.discovery_log.server
    return Prober(GitServers(context.web, context.clock, context.tell, context.github.token, server))


def _listed() -> list[tuple[str, str]]:
    from collector.discover import channels

    return [(channel.name, channel.about) for channel in channels()]


@click.command(cls=ListingCommand, listing=_listed, title="Channels")
@click.argument("channels", nargs=-1)
@database_option
@click.option(
    "--list", "lists", multiple=True, type=_FILE, help="File with one repository name or URL per line; - for stdin (repeatable)."
)
@click.option("--repo", "repos", multiple=True, metavar="OWNER/NAME", help="Probe this repository (repeatable).")
@click.option(
    "--owner", "owners", multiple=True, help="All repositories of this organisation or user (repeatable); limits searches to them."
)
@click.option("--from-db", "databases", multiple=True, type=_FILE, help="Take the repositories of another database (repeatable).")
@click.option(
    "--archive",
    "archives",
    multiple=True,
    help="Directory or URL of hourly event files (repeatable).  [default: GH Archive; from 2026-09-06 OpenDigger's]",
)
@click.option(
    "--heritage",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    help="ORC, Parquet or CSV table of Software Heritage's snapshot branches, or the directory of an export (repeatable).",
)
@click.option(
    "--heritage-query", type=click.Choice(["athena", "duckdb"]), help="Print the SQL that makes the table for --heritage, and exit."
)
@click.option(
    "--owner-most", default=300, show_default=True, type=click.IntRange(1), help="Repositories of one owner to probe, at most."
)
@click.option(
    "--forge", "forges", multiple=True, metavar="URL", help="Also search this GitLab, Gitea or Forgejo server (repeatable)."
)
@click.option("--since", type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H"]), help="Start date (UTC) for searches and GH Archive.")
@click.option("--until", type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H"]), help="End date (UTC), exclusive.")
@click.option("--limit", type=click.IntRange(1), help="Stop after this number of new candidates.")
@click.option("--refresh", is_flag=True, help="Repeat queries that were already answered.")
@click.option("--no-probe", is_flag=True, help="Only collect candidates; neither probe them nor fetch metadata.")
@click.option("--dry-run", is_flag=True, help="Print the planned requests and how long they would take, without sending any.")
@filter_options
@connection_options
@data_options
def discover(
    channels: tuple[str, ...], db: Path, refresh: bool, no_probe: bool, dry_run: bool, output_format: str, **options: Any
) -> int:
    """Find public repositories with checkpoints.

    Collects candidates from CHANNELS, probes each with git ls-remote, and fetches metadata from GitHub. By default, all channels
    listed below whose requirements are met are used. Every answer is stored immediately: interrupted runs resume, and later runs
    ask only for what is new.
    """
    from collector.discover import run
    from collector.discover.heritage import query
    from collector.github.token import NO_TOKEN

    if options["heritage_query"]:
        out().print(query(options["heritage_query"]), markup=False, highlight=False, soft_wrap=True)
        return EXIT_OK
    request, names = _discover_options(options), list(channels)
    with open_channel_context(db, _connection(options), request) as context:
        if not names:
            names = _usual(request, context.github.token is not None)
        known = run.chosen(names)
        if refresh and not dry_run:
            context.discovery_log.forget_cursors([channel.name for channel in known])
        if context.github.token is None:
            notice(NO_TOKEN)
        if dry_run:
            return _print_plan(run.plan(context, names, not no_probe), output_format)
        prober = None if no_probe else prober_for(context)
        outcome = run.discover(context, names, filters_from(options), prober, options["jobs"])
        return _print_outcome(context, outcome, output_format)


@click.command()
@click.argument("repos", nargs=-1)
@database_option
@click.option("--all", "everything", is_flag=True, help="Probe every candidate again.")
@filter_options
@connection_options
@data_options
def probe(repos: tuple[str, ...], db: Path, everything: bool, output_format: str, **options: Any) -> int:
    """Probe candidates again.

    Probes the REPOS named, --all candidates, or by default those that have not answered yet; then reapplies the exclusions.
    """
    from collector.discover import run

    with open_channel_context(db, _connection(options), title="probe") as context:
        outcome = run.DiscoverResult()
        again = iter([run.named(context.discovery_log, repos, everything)]) if repos or everything else None
        run.confirm(
            context, prober_for(context), outcome, lambda: next(again) if again else run.due(context.discovery_log), options["jobs"]
        )
        run.settle(context.discovery_log, filters_from(options))
        return _print_outcome(context, outcome, output_format)


@click.command()
@database_option
@data_options
def report(db: Path, output_format: str) -> None:
    """Report what was found, excluded and probably missed.

    Selection statistics: hits and confirmed repositories per channel, exclusions with their reasons, distributions, and an estimate
    of how many repositories were missed.
    """
    from collector.discover.report import report as statistics
    from collector.storage.store import Store

    with Store(db, create=False) as store:
        sections = statistics(store, datetime.now(UTC))
    if output_format == "json":
        write_json(sections)
    elif output_format == "csv":
        cells = [(name, n, row, key) for name, rows in sections.items() for n, row in enumerate(rows) for key in row]
        columns = ("section", "row", "column", "value")
        write_csv(columns, [dict(zip(columns, (name, n, key, row[key]), strict=True)) for name, n, row, key in cells])
    else:
        for name, rows in sections.items():
            if rows:
                out().print(f"\n{name}", style="bold")
                print_table("", rows, list(rows[0]), "")


@click.command()
@click.option("--github", is_flag=True, required=True, help="Ask GitHub: ten requests, nothing is stored.")
@click.option("--repo", "repository", default="entireio/cli", show_default=True, help="A repository with checkpoints.")
@click.option("--renamed", default="facebook/jest", show_default=True, help="The old name of a repository that was renamed.")
@connection_options
@data_options
def doctor(github: bool, repository: str, renamed: str, output_format: str, **options: Any) -> int:
    """Check whether GitHub behaves as discovery assumes.

    Makes a dry run of each channel and ten requests, and prints what differs. Exit code 3: something differs or could not be asked.
    """
    import tempfile

    from collector.discover.doctor import Doctor, as_row
    from collector.github.transport import Web

    connection = _connection(options)
    _, server = addresses(connection)
    ours, former = (_given_name(*given, server).name for given in (("--repo", repository), ("--renamed", renamed)))
    with (
        tempfile.TemporaryDirectory() as folder,
        Web(redirects=0) as raw,
        open_channel_context(Path(folder) / "doctor.db", connection, title="doctor") as context,
    ):
        found = list(Doctor(context, raw, ours, former).findings())
    differing = [finding for finding in found if not finding.same]
    end = f"{len(found) - len(differing)} as assumed, {sum(f.same is False for f in found)} differ"
    print_table(output_format, [as_row(finding) for finding in found], ("check", "result", "assumed", "found"), end)
    return EXIT_PARTIAL if differing else EXIT_OK


# --- options and output -----------------------------------------------------------------------------------------------


def _connection(options: dict[str, Any]) -> Connection:
    return Connection(*(options[name] for name in ("token_file", "github_url", "git_url", "max_wait", "jobs")))


def _given_name(option: str, text: str, server: str) -> NamedRepository:
    """A repository that an option names alone. A bad line of a list is skipped; here nothing would be left to do."""
    from collector.discover.names import parse_name
    from collector.repository_names import public_url

    found = parse_name(text, server)
    if found is None:
        said = f"{public_url(text)[:200]!r} is neither owner/name nor a repository URL (https://HOST/…)"
        raise click.BadParameter(said, param_hint=option)
    return found


def _discover_options(options: dict[str, Any]) -> DiscoverOptions:
    from collector.discover.channel import DiscoverOptions

    if options["repos"]:
        _, server = addresses(_connection(options))
        for text in options["repos"]:
            _given_name("--repo", text, server)
    texts = [("--repo", "\n".join(options["repos"]).encode())] if options["repos"] else []
    if Path("-") in options["lists"]:
        texts.append(("stdin", sys.stdin.buffer.read()))
    return DiscoverOptions(
        since=_utc(options["since"]),
        until=_utc(options["until"]),
        limit=options["limit"],
        owners=options["owners"],
        archives=options["archives"],
        forks=options["forks"],
        heritage=options["heritage"],
        forges=tuple(map(_server, options["forges"])),
        most_of_owner=options["owner_most"],
        lists=tuple(path for path in options["lists"] if path != Path("-")),
        texts=tuple(texts),
        databases=options["databases"],
    )


def _server(text: str) -> str:
    """The address of a server, also from its host alone. Raises WhoWroteError."""
    url = text.rstrip("/") if "://" in text else f"https://{text.rstrip('/')}"
    scheme, _, host = url.partition("://")
    if scheme not in ("http", "https") or not re.fullmatch(r"[A-Za-z0-9.-]+\.[A-Za-z0-9.-]+(:\d{1,5})?(/[\w./-]*)?", host):
        raise WhoWroteError(f"invalid URL of a server: {text[:200]!r}", "Use --forge https://HOST")
    return url


def _utc(moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.replace(tzinfo=UTC)


def _usual(request: DiscoverOptions, token: bool) -> list[str]:
    """The channels meant when none is named."""
    from collector.discover import channels

    return [channel.name for channel in channels() if channel.usual(request) and (token or not channel.needs_token)]


def _print_plan(steps: list[dict[str, Any]], output_format: str) -> int:
    columns = ("step", "finished", "requests", "resource", "bytes", "seconds", "note")
    times = [step["seconds"] for step in steps if step["seconds"] is not None]
    print_table(
        output_format,
        steps,
        columns,
        f"at least {sum(step['requests'] for step in steps)} requests, {sum(times)} seconds; nothing was sent",
    )
    return EXIT_OK


def _print_outcome(context: ChannelContext, outcome: DiscoverResult, output_format: str) -> int:
    """What is known now, per channel; what went wrong goes to stderr."""
    from collector.discover.report import report as statistics

    sections = statistics(context.discovery_log.store, context.now())
    totals = {row["what"]: row["count"] for row in sections["totals"]}
    end = (
        f"{outcome.new} new candidates, {outcome.probed} probed, {outcome.metadata} with new metadata; in the database: "
        + ", ".join(f"{count} {name}" for name, count in totals.items())
    )
    columns = ("channel", "hits", "found", "probed", "confirmed", "taken", "confirmed_by_no_other")
    print_table(output_format, sections["channels"], columns, end)
    if not output_format and sections["exclusions"]:
        reasons = ", ".join(f"{row['count']} {row['reason']}" for row in sections["exclusions"])
        notice(f"excluded: {reasons}; for details run: collect report --db {context.discovery_log.store.path}")
    for what, error in outcome.failures:
        complain(f"{what}: {error}", error.hint)
    return EXIT_PARTIAL if outcome.failures else EXIT_OK


COLLECT = (discover, probe, report, doctor)
