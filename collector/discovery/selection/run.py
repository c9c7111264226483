"""Discovery as a whole: ask the channels, ask git, ask for metadata, decide.

Every step continues where it was stopped.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import NamedTuple

from collector.discovery.channels import channels
from collector.discovery.channels.channel import (
    Channel,
    ChannelContext,
    DiscoveryHit,
    DiscoveryLog,
    parse_name,
)
from collector.discovery.github.client import BadToken, GitHubError, LimitReached
from collector.discovery.github.transport import Unreachable
from collector.discovery.records import CHECKPOINTS, record_of
from collector.discovery.selection.metadata import ask_graphql, ask_rest
from collector.discovery.selection.probe import Prober, RefsProbe, probe_all
from collector.discovery.words import Exclusion, ProbeOutcome
from collector.errors import DatabaseUnusable, WhoWroteError
from collector.json_values import Row
from collector.repository_names import public_url
from collector.storage.store import iso


class Filters(NamedTuple):
    """What to take.

    `licences` are SPDX ids in lower case, empty for all; `most_kb` is KiB as the server counts.
    """

    forks: bool = False
    licences: frozenset[str] = frozenset()
    most_kb: int | None = 10_000_000
    notes: bool = False  # also repositories that have no checkpoints but notes of other tools
    records: frozenset[str] = frozenset()  # and those with these records


class Decision(NamedTuple):
    """Whether a candidate is taken."""

    exclusion: Exclusion | None  # None: it is taken
    detail: str | None = None


TAKEN = Decision(None)
_WORDS = {"is_fork": "whether it is a fork", "licence": "its licence", "size_kb": "its size"}


def decide(row: Row, filters: Filters, names: Collection[tuple[str, str]], server: str) -> Decision:
    """Whether a row of `candidates` that was probed is left out.

    `names` are the (server, name in lower case) of all candidates, `server` is the one that is
    asked for metadata. There a NULL is neither yes nor no: what a filter needs and nobody knows
    leaves the candidate out until it is known. Elsewhere nobody will ever know it, which leaves the
    candidate out only where a licence is asked for.
    """
    if row["exclusion"] == Exclusion.FORGOTTEN:
        return Decision(Exclusion.FORGOTTEN, row["detail"])
    if row["outcome"] != ProbeOutcome.OK:
        return Decision(Exclusion(row["outcome"]), row["failure"])
    renamed = row["renamed_to"]
    if renamed and (row["server"], renamed.lower()) in names:
        return Decision(Exclusion.RENAMED, f"now {renamed}")
    recorded = filters.records.intersection((row.get("records") or "").split())
    if not row["confirmed"] and not (filters.notes and row["notes"]) and not recorded:
        if row["checkpoint_remote"]:
            return Decision(Exclusion.ELSEWHERE, f"checkpoints are in {row['checkpoint_remote']}")
        return Decision(Exclusion.NO_REF)
    return _filter(row, filters, row["server"] == server)


def _filter(row: Row, filters: Filters, is_described: bool) -> Decision:
    if row["is_fork"] and not filters.forks:
        return Decision(Exclusion.FORK, f"of {row['fork_of']}" if row["fork_of"] else None)
    licence = row["licence"]
    if filters.licences and licence is not None and licence.lower() not in filters.licences:
        return Decision(Exclusion.LICENCE, f"licence: {licence}")
    if filters.most_kb is not None and (row["size_kb"] or 0) > filters.most_kb:
        return Decision(Exclusion.TOO_LARGE, f"{row['size_kb']} KiB")
    unknown = {
        "is_fork": is_described and not filters.forks and row["is_fork"] is None,
        "licence": bool(filters.licences) and licence is None,
        "size_kb": is_described and filters.most_kb is not None and row["size_kb"] is None,
    }
    if any(unknown.values()):
        missing = ", ".join(_WORDS[name] for name, is_missing in unknown.items() if is_missing)
        return Decision(Exclusion.NO_METADATA, f"not known: {missing}")
    return TAKEN


JOBS = 8  # probes at a time
MOST_PAUSE = timedelta(days=7)  # between probes of what cannot be reached
MISSING_PAUSE = timedelta(days=30)
REST_WAIT = 60.0  # without a token metadata is not worth an hour of waiting

Rows = list[Row]


@dataclass
class DiscoverResult:
    """What a run did, and what it could not do: (what, error)."""

    new: int = 0
    probed: int = 0
    metadata: int = 0
    failures: list[tuple[str, WhoWroteError]] = field(default_factory=list)


def discover(
    context: ChannelContext, names: Sequence[str], filters: Filters, prober: Prober
) -> DiscoverResult:
    """`names` of channels. Errors of one channel stop only that one."""
    outcome = DiscoverResult()
    for channel in channels_called(names):
        try:
            if channel.needs_token and context.github.token is None:
                raise BadToken(
                    f"{channel.name} needs a token", "Set GITHUB_TOKEN, or use `gh auth login`"
                )
            channel.run(context)
        except DatabaseUnusable:
            raise
        except WhoWroteError as error:
            outcome.failures.append((channel.name, error))
    confirm(context, prober, outcome, due(context.log))
    outcome.new = context.new
    settle(context.log, filters)
    return outcome


def channels_called(names: Sequence[str]) -> list[Channel]:
    """Raises WhoWroteError for a name that is no channel."""
    by_name = {channel.name: channel for channel in channels()}
    for name in names:
        if name not in by_name:
            raise WhoWroteError(
                f"no such channel: {name}", f"Available channels: {', '.join(by_name)}"
            )
    return [channel for name, channel in by_name.items() if name in names]


def due(log: DiscoveryLog) -> Rows:
    """Candidates never probed with success whose time has come."""
    return log.store.rows(
        "SELECT * FROM candidates WHERE probed_at IS NULL AND (next_attempt_at IS NULL OR"
        " next_attempt_at <= ?) AND exclusion IS NOT 'forgotten' ORDER BY id",
        (log.now(),),
    )


def candidates(log: DiscoveryLog, names: Iterable[str] = ()) -> Rows:
    """Candidates by name, or all; names that are none yet become candidates.

    Raises WhoWroteError for what is no name.
    """
    parsed = {text: parse_name(text, log.server) for text in names}
    for text, repository in parsed.items():
        if repository is None:
            raise WhoWroteError(
                f"{public_url(text)[:200]!r} is not a repository",
                "Use owner/name or a repository URL (https://HOST/…)",
            )
        log.name(
            "listing",
            "named",
            text,
            DiscoveryHit(repository.name, "named on the command line", server=repository.server),
        )
    rows = log.store.rows("SELECT * FROM candidates WHERE exclusion IS NOT 'forgotten' ORDER BY id")
    chosen = {
        (repository.server, repository.name.lower()) for repository in parsed.values() if repository
    }
    return [
        row for row in rows if not chosen or (row["server"], row["full_name"].lower()) in chosen
    ]


def confirm(context: ChannelContext, prober: Prober, outcome: DiscoverResult, rows: Rows) -> None:
    """Probes these candidates, then what came of it: new names, repositories that hold the
    checkpoints of others.
    """
    while True:
        for number, (row, answer) in enumerate(
            probe_all(prober, rows, lambda row: (row["server"], row["full_name"]), JOBS)
        ):
            context.progress("asking git", number, len(rows))
            _store_probe(context.log, row, answer)
            outcome.probed += 1
        try:
            add_metadata(context, outcome)
        except (GitHubError, Unreachable) as error:
            outcome.failures.append(("metadata", error))
        rows = due(context.log)
        if not rows:
            return


def _store_probe(log: DiscoveryLog, row: Row, answer: RefsProbe) -> None:
    if answer.outcome != ProbeOutcome.OK:
        attempts = row["attempts"] + 1 if row["outcome"] == answer.outcome else 1
        is_missing = answer.outcome == ProbeOutcome.PRIVATE_OR_MISSING
        pause = MISSING_PAUSE if is_missing else min(timedelta(hours=2**attempts), MOST_PAUSE)
        again = iso(log.clock_now() + pause.total_seconds())
        failed = {
            "outcome": answer.outcome,
            "failure": answer.detail[:500],
            "attempts": attempts,
            "next_attempt_at": again,
        }
        log.update(row["id"], failed)
        return
    if answer.renamed_to is not None:
        _name_derived(log, row, "renamed", answer.renamed_to, "was")
    success = {
        "probed_at": log.now(),
        "outcome": ProbeOutcome.OK,
        "failure": None,
        "attempts": 0,
        "next_attempt_at": None,
    }
    log.update(row["id"], success | {"renamed_to": answer.renamed_to} | answer.columns)


def _name_derived(log: DiscoveryLog, row: Row, channel: str, text: str, relation: str) -> None:
    """A candidate that follows from another one: its new name, or the place of its checkpoints."""
    target = parse_name(text, row["server"])
    if target is not None and target != (row["server"], row["full_name"]):
        hit = DiscoveryHit(target.name, f"{relation} {row['full_name']}", server=target.server)
        log.name(channel, channel, row["full_name"], hit)


def add_metadata(context: ChannelContext, outcome: DiscoverResult) -> None:
    """Asks for the metadata of all candidates of this server that git knows and that have none.

    Raises LimitReached, NoMetadata, BadToken, Unreachable; what came before is kept.
    """
    rows = context.log.store.rows(
        "SELECT * FROM candidates WHERE server = ? AND outcome = 'ok' AND metadata_at IS NULL"
        " AND exclusion IS NOT 'forgotten' ORDER BY confirmed DESC, id",
        (context.log.server,),
    )
    by_id = {row["id"]: row for row in rows}
    done = 0
    github = context.github
    usual = github.longest_wait
    try:
        if github.token is None:
            github.longest_wait = min(usual, REST_WAIT)
        if rows:
            for number, columns in (ask_rest if not github.token else ask_graphql)(context, rows):
                _store_metadata(context.log, by_id[number], columns)
                done += 1
    except LimitReached as error:
        raise LimitReached(
            f"candidates without metadata: {len(rows) - done}: {error}", error.hint
        ) from None
    finally:
        outcome.metadata += done
        github.longest_wait = usual


def _store_metadata(log: DiscoveryLog, row: Row, columns: Row | None) -> None:
    values = {"metadata_at": log.now()}
    if columns is not None:
        current = columns.pop("now_called")
        values |= columns
        if current is not None and current.lower() == row["full_name"].lower():
            values["full_name"] = current  # the owner's spelling
        elif current is not None:
            values["renamed_to"] = current
            _name_derived(log, row, "renamed", current, "was")
        if remote := columns.get("checkpoint_remote"):
            _name_derived(log, row, "checkpoint_remote", remote, "named by")
    log.update(row["id"], values)


def settle(log: DiscoveryLog, filters: Filters) -> int:
    """Writes the exclusion of every candidate that was probed; returns how many changed."""
    _add_named_records(log)
    rows = log.store.rows("SELECT * FROM candidates WHERE outcome IS NOT NULL")
    names = {(row["server"], row["full_name"].lower()) for row in rows}
    changed = 0
    with log.store.transaction() as connection:
        for row in rows:
            exclusion, detail = decide(row, filters, names, log.server)
            if (exclusion, detail) != (row["exclusion"], row["detail"]):
                log.update_in(connection, row["id"], {"exclusion": exclusion, "detail": detail})
                changed += 1
    return changed


def _add_named_records(log: DiscoveryLog) -> None:
    """What searches found, beside what the server shows at the root; checkpoints have refs,
    which tell.
    """
    found = log.store.rows(
        "SELECT c.id, c.records, d.query FROM candidates c JOIN discoveries d ON d.candidate_id ="
        " c.id"
    )
    of = {query: record_of(query) for query in {row["query"] for row in found}}
    names = {row["id"]: set((row["records"] or "").split()) for row in found}
    with log.store.transaction() as connection:
        for row in found:
            name = of[row["query"]] or CHECKPOINTS
            if name != CHECKPOINTS and name not in names[row["id"]]:
                names[row["id"]].add(name)
                log.update_in(
                    connection, row["id"], {"records": " ".join(sorted(names[row["id"]]))}
                )
