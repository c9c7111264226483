"""What the tables of the study are made of: sessions, turns, commits and their numbers, over all repositories of a database."""

from __future__ import annotations

from collections import defaultdict
from datetime import date, timedelta
from typing import TYPE_CHECKING, NamedTuple

from attribution.queries import lifetimes
from attribution.queries.features import features_ready
from attribution.stats.intervals import mean
from collector.vocabulary import sql_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    from attribution.lineage.survival import LifetimeRecord
    from collector.storage.store import Store

# --- how many there are -----------------------------------------------------------------------------------------------

_COUNTS = {
    "repositories": "SELECT COUNT(*) FROM repos",
    "sessions": "SELECT COUNT(*) FROM sessions",
    "sessions with a transcript": "SELECT COUNT(*) FROM sessions WHERE transcript IN ('present', 'partial')",
    "checkpoints": "SELECT COUNT(*) FROM checkpoints",
    "commits": "SELECT COUNT(*) FROM commits",
    "commits linked to sessions": "SELECT COUNT(DISTINCT commit_id) FROM commit_sessions",
    "user prompts": "SELECT COUNT(*) FROM turns",
    "tool calls": "SELECT COUNT(*) FROM tool_calls",
    "edits applied": "SELECT COUNT(*) FROM edits WHERE outcome = 'applied'",
    "edits that could not be replayed": "SELECT COUNT(*) FROM edits WHERE outcome = 'unmatched'",
    "lines added": "SELECT SUM(lines_added) FROM commits",
}


class PopulationCount(NamedTuple):
    what: str
    number: int


def population(store: Store) -> list[PopulationCount]:
    return [PopulationCount(what, store.value(sql) or 0) for what, sql in _COUNTS.items()]


class AgentSessions(NamedTuple):
    agent: str
    sessions: int


def sessions_by_agent(store: Store) -> list[AgentSessions]:
    """Most sessions first."""
    return store.select(
        AgentSessions,
        "SELECT COALESCE(agent, agent_label, '?') AS agent, COUNT(*) AS sessions FROM sessions GROUP BY 1 ORDER BY 2 DESC, 1",
    )


# --- modes of sessions ------------------------------------------------------------------------------------------------


class SessionLines(NamedTuple):
    """Lines of the commits of a session; None when it has no commit."""

    id: int
    repo_id: int
    agent_percentage: float | None
    coding_mode: str | None
    agent_lines: int | None
    human_lines: int | None
    unknown_lines: int | None


def session_lines(store: Store) -> list[SessionLines]:
    return store.select(
        SessionLines,
        "SELECT s.id, s.repo_id, t.agent_percentage, t.coding_mode, t.agent_lines, t.human_lines, t.unknown_lines FROM sessions s "
        "LEFT JOIN session_stats t ON t.session_id = s.id ORDER BY s.id",
    )


class VendorRecord(NamedTuple):
    """What the producer stored with a checkpoint of a session."""

    session_id: int
    percentage: float
    created_at: str
    metadata: str | None  # JSON


def vendor_records(store: Store) -> list[VendorRecord]:
    """Those that have a percentage of agents' lines."""
    return store.select(
        VendorRecord,
        "SELECT session_id, vendor_percentage AS percentage, COALESCE(created_at, '') AS created_at, metadata "
        "FROM checkpoint_sessions WHERE vendor_percentage IS NOT NULL ORDER BY id",
    )


class DatedSession(NamedTuple):
    id: int
    coding_mode: str | None
    since: str  # first day of its fortnight


_FIRST_DAY = date(2025, 1, 6)  # a Monday


def fortnight(at: str | None) -> str:
    """The first day of the fortnight of a time, both in ISO 8601; "" before 2025 and when it is not known."""
    try:
        days = (date.fromisoformat((at or "")[:10]) - _FIRST_DAY).days
    except ValueError:
        return ""
    return (_FIRST_DAY + timedelta(days - days % 14)).isoformat() if days >= 0 else ""


def sessions_by_fortnight(store: Store) -> list[DatedSession]:
    """Sessions since 2025; fortnights from a Monday on."""
    found = store.select(
        DatedSession,
        "SELECT s.id, t.coding_mode, s.started_at AS since FROM sessions s LEFT JOIN session_stats t ON t.session_id = s.id "
        f"WHERE s.started_at >= '{_FIRST_DAY}' ORDER BY s.id",
    )
    return [session._replace(since=fortnight(session.since)) for session in found]


# --- efficiency, cost, turns ------------------------------------------------------------------------------------------


class ProducingSession(NamedTuple):
    """A session that produced lines, and what became of them."""

    repo_id: int
    coding_mode: str | None
    commits: int
    produced: int
    final: int
    survived: int
    self_overwritten: int
    human_overwritten: int
    human_deleted: int
    not_committed: int
    unexplained: int
    clean: int  # 1: one session, one checkpoint, no squash


def producing_sessions(store: Store) -> list[ProducingSession]:
    return store.select(
        ProducingSession,
        "SELECT s.repo_id, t.coding_mode, t.commits, t.produced, t.final, t.survived, t.self_overwritten, t.human_overwritten, "
        "t.human_deleted, t.not_committed, t.unexplained, "
        "EXISTS (SELECT 1 FROM commit_sessions c WHERE c.session_id = t.session_id) AND NOT EXISTS "
        "(SELECT 1 FROM commit_sessions c WHERE c.session_id = t.session_id AND c.clean = 0) AS clean "
        "FROM session_stats t JOIN sessions s ON s.id = t.session_id WHERE t.produced > 0 ORDER BY s.id",
    )


class CostedSession(NamedTuple):
    """A session that maps cleanly to its commits, with what it took; of one in several repositories no part is known."""

    repo_id: int
    coding_mode: str | None
    lines: int  # committed
    typed: int | None  # characters of the user's prompts
    input_tokens: int | None
    output_tokens: int | None
    cache_read_tokens: int | None
    cache_write_tokens: int | None
    cost_usd: float | None
    session_runtime_s: float | None
    agent_runtime_s: float | None


def clean_sessions(store: Store) -> list[CostedSession]:
    """None in a database without the features of this version."""
    if not features_ready(store):
        return []
    return store.select(
        CostedSession,
        "SELECT s.repo_id, t.coding_mode, t.agent_lines + t.human_lines + t.unknown_lines AS lines, "
        "(SELECT SUM(length(u.prompt)) FROM turns u WHERE u.session_id = s.id AND u.origin IN ('prompt', 'queued')) AS typed, "
        "f.input_tokens, f.output_tokens, f.cache_read_tokens, f.cache_write_tokens, f.cost_usd, f.session_runtime_s, "
        "f.agent_runtime_s FROM session_stats t JOIN sessions s ON s.id = t.session_id "
        "JOIN session_features f ON f.session_id = s.id JOIN corpus_sessions k ON k.session_id = s.id "
        "WHERE t.commits > 0 AND k.repositories = 1 AND NOT EXISTS "
        "(SELECT 1 FROM commit_sessions c WHERE c.session_id = s.id AND c.clean = 0) ORDER BY s.id",
    )


def sessions_with_commits(store: Store) -> int:
    return store.value("SELECT COUNT(*) FROM session_stats WHERE commits > 0") or 0


class SessionTurns(NamedTuple):
    """How the turns of a session went; one that several repositories hold counts once."""

    repo_id: int
    agent: str | None
    coding_mode: str | None
    turns: int
    interruptions: int
    tool_counts: str  # JSON: category -> calls
    latency: str  # JSON: seconds that the agent worked on each turn
    asked: int  # turns in which the agent asked the user
    since: str  # first day of the fortnight in which it began, from a Monday on; "" before 2025 or when nothing says so


def session_turns(store: Store) -> list[SessionTurns]:
    """None in a database without the features of this version."""
    if not features_ready(store):
        return []
    found = store.select(
        SessionTurns,
        "SELECT s.repo_id, s.agent, t.coding_mode, s.turns, s.interruptions, COALESCE(f.tool_counts, '{}') AS tool_counts, "
        "COALESCE(f.per_turn_agent_latency_s, '[]') AS latency, (SELECT COUNT(DISTINCT c.turn_index) FROM tool_calls c "
        "WHERE c.session_id = s.id AND c.name = 'AskUserQuestion') AS asked, "
        "COALESCE(s.started_at, '') AS since "
        "FROM sessions s JOIN corpus_sessions k ON k.session_id = s.id JOIN session_features f ON f.session_id = s.id "
        "LEFT JOIN session_stats t ON t.session_id = s.id ORDER BY s.id",
    )
    return [session._replace(since=fortnight(session.since)) for session in found]


class SessionStops(NamedTuple):
    """What a session has of interruptions and of the languages of its prompts, as JSON lists."""

    repo_id: int
    agent: str | None
    month: str  # "" when nothing says when it began
    stops: str  # objects with the `tool` before; null when there was no call
    languages: str  # of each typed message, null where nothing tells


def session_stops(store: Store) -> list[SessionStops]:
    """None in a database without the features of this version."""
    if not features_ready(store):
        return []
    return store.select(
        SessionStops,
        "SELECT s.repo_id, s.agent, COALESCE(substr(s.started_at, 1, 7), '') AS month, "
        "COALESCE(f.interruption_events, '[]') AS stops, COALESCE(f.turn_languages, '[]') AS languages "
        "FROM sessions s JOIN corpus_sessions k ON k.session_id = s.id JOIN session_features f ON f.session_id = s.id "
        "ORDER BY s.id",
    )


class SessionPushback(NamedTuple):
    """Messages of a session of Claude Code that the judge could tell, and of those the ones of each class that the paper counts."""

    repo_id: int
    coding_mode: str | None
    told: int
    correction: int
    rejection: int
    failure_report: int


def session_pushback(store: Store, model: str, prompt_version: str) -> list[SessionPushback]:
    return store.select(
        SessionPushback,
        "SELECT s.repo_id, t.coding_mode, COUNT(*) AS told, SUM(l.value = 'correction') AS correction, "
        "SUM(l.value = 'rejection') AS rejection, SUM(l.value = 'failure_report') AS failure_report FROM judge_labels l "
        "JOIN sessions s ON s.id = l.session_id JOIN corpus_sessions k ON k.session_id = s.id "
        "LEFT JOIN session_stats t ON t.session_id = s.id WHERE l.label = 'pushback' AND l.value IS NOT NULL AND l.model = ? "
        "AND l.prompt_version = ? AND s.agent = 'claude-code' GROUP BY s.id, s.repo_id, t.coding_mode ORDER BY s.id",
        (model, prompt_version),
    )


class OrderedCall(NamedTuple):
    """A call of a session's main agent."""

    session_id: int
    name: str
    command: str | None  # its beginning


def ordered_calls(store: Store) -> list[OrderedCall]:
    """Of every session once, in their order."""
    return store.select(
        OrderedCall,
        "SELECT c.session_id, c.name, substr(c.command, 1, 2000) AS command FROM tool_calls c "
        "JOIN corpus_sessions k ON k.session_id = c.session_id WHERE c.agent_id IS NULL ORDER BY c.session_id, c.id",
    )


# --- after the commit -------------------------------------------------------------------------------------------------


def line_records(store: Store) -> list[LifetimeRecord]:
    """Lines of source and test files of all repositories whose lines were followed."""
    repos = store.rows("SELECT repo_id FROM tip_states ORDER BY repo_id")
    return lifetimes.records_of(store, [row["repo_id"] for row in repos])


class EvidenceTotal(NamedTuple):
    """Added lines with text that have the same verdict."""

    author: str
    how: str
    evidence: str
    reason: str
    lines: int


def evidence_totals(store: Store, kinds: Sequence[str]) -> list[EvidenceTotal]:
    """Of files of these kinds (FileKind), most lines first."""
    return store.select(
        EvidenceTotal,
        "SELECT o.author, o.how, o.evidence, o.reason, SUM(s.nonblank) AS lines "
        "FROM spans s JOIN commit_files f ON f.id = s.file_id "
        f"JOIN origins o ON o.id = s.origin_id WHERE f.kind IN ({sql_list(kinds)}) GROUP BY 1, 2, 3, 4 ORDER BY 5 DESC, 1, 2, 3, 4",
    )


class VendorDisagreement(NamedTuple):
    """Records whose percentage differs from ours for one reason; means in percent."""

    reason: str
    records: int
    vendor_mean: float | None
    our_mean: float | None
    vendor_zero: int
    vendor_zero_ours_not: int


class _VendorCheck(NamedTuple):
    reason: str
    vendor: float | None
    ours: float | None


def vendor_disagreements(store: Store) -> list[VendorDisagreement]:
    """Most records first."""
    found: dict[str, list[_VendorCheck]] = defaultdict(list)
    for check in store.select(
        _VendorCheck, "SELECT disagreement_reason AS reason, vendor_percentage AS vendor, our_percentage AS ours FROM vendor_checks"
    ):
        found[check.reason].append(check)
    rows = (
        VendorDisagreement(
            reason, len(checks), mean(one.vendor for one in checks), mean(one.ours for one in checks),
            sum(one.vendor == 0 for one in checks), sum(one.vendor == 0 and (one.ours or 0) > 0 for one in checks),
        )
        for reason, checks in found.items()
    )  # fmt: skip
    return sorted(rows, key=lambda row: (-row.records, row.reason))


# --- weaknesses -------------------------------------------------------------------------------------------------------


class ScannedCommit(NamedTuple):
    """A commit with scanned lines in source files, and the findings on them."""

    commit_id: int
    lines: int
    introduced: int
    sure: int  # of those, without low confidence
    fixed: int  # findings that it removed
    fixed_sure: int  # of those, without low confidence


def scanned_commits(store: Store) -> list[ScannedCommit]:
    return store.select(
        ScannedCommit,
        "SELECT l.commit_id, l.lines, COALESCE(f.introduced, 0) AS introduced, COALESCE(f.sure, 0) AS sure, "
        "COALESCE(g.fixed, 0) AS fixed, COALESCE(g.sure, 0) AS fixed_sure FROM "
        "(SELECT commit_id, SUM(lines) AS lines FROM scanned_lines WHERE scanned = 1 AND place = 'source' GROUP BY 1) l LEFT JOIN "
        "(SELECT commit_id, SUM(status = 'introduced') AS introduced, "
        "SUM(status = 'introduced' AND confidence <> 'LOW') AS sure FROM findings WHERE place = 'source' GROUP BY 1) f "
        "ON f.commit_id = l.commit_id LEFT JOIN (SELECT fixed_by, COUNT(*) AS fixed, SUM(confidence <> 'LOW') AS sure "
        "FROM findings WHERE place = 'source' AND fixed_by IS NOT NULL GROUP BY 1) g ON g.fixed_by = l.commit_id "
        "ORDER BY l.commit_id",
    )
