"""One repository at a glance: who wrote what is there now, week by week, how long it lives, the sessions behind it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import NamedTuple

from attribution.queries.coverage import Headline, headline
from attribution.queries.repositories import RepositoryRow, repository
from attribution.stats.intervals import mean
from collector.files.kinds import HEADLINE
from collector.storage.store import Store, columns_of
from collector.vocabulary import sql_list
from collector.vocabulary.lines import LINE_CLASSES, line_class_sql

CLASSES = LINE_CLASSES
_KIND = line_class_sql("o")
_HEADLINE = f"f.kind IN ({sql_list(sorted(HEADLINE))})"  # what is counted first; other kinds of files stand beside
_MOST = 15

LinesByClass = Mapping[str, int]
"""Class -> lines with text; in the tip also `older`, for lines that are not in the attributed history. Charts draw it as it is."""


@dataclass(frozen=True, slots=True)
class EvidenceLines:
    """Added lines with text that have the same verdict."""

    kind: str  # class
    how: str
    evidence: str
    reason: str
    lines: int


@dataclass(frozen=True, slots=True)
class TipLines:
    """Lines of the tip by class, of some of its files."""

    name: str  # directory or language
    files: int
    agent: int
    declared: int
    human: int
    likely_human: int
    tool: int
    unknown: int
    undeclared: int
    older: int
    total: int  # without the older ones

    @property
    def by_class(self) -> LinesByClass:
        return {name: getattr(self, name) for name in (*CLASSES, "older")}


@dataclass(frozen=True, slots=True)
class TipFileRow:
    """A row of `tip_files`: a file of the tip with its lines by class."""

    id: int
    repo_id: int
    path: str
    lines: int
    agent: int
    declared: int
    human: int
    likely_human: int
    tool: int
    unknown: int
    undeclared: int
    older: int

    @property
    def by_class(self) -> LinesByClass:
        return {name: getattr(self, name) for name in (*CLASSES, "older")}


class SurvivalPoint(NamedTuple):
    """The share of lines of one class that survives an age (Kaplan-Meier)."""

    days: int
    at_risk: int  # lines present then, and observed that long
    share: float | None  # None: too few lines are that old
    low: float | None  # 95 % interval by commit
    high: float | None


@dataclass(frozen=True, slots=True)
class AgentRow:
    """Sessions of one agent and model."""

    agent: str  # "" where no record names it
    model: str
    sessions: int
    tool_calls: int
    produced: int | None
    survived: int | None


@dataclass(frozen=True, slots=True)
class OverviewSession:
    """A session as the overview shows it."""

    id: int
    label: str
    agent: str | None
    started_at: str | None
    turns: int
    tool_calls: int
    produced: int | None
    survived: int | None


@dataclass(frozen=True, slots=True)
class OscillatingRegion:
    path: str
    rounds: int
    sizes: str  # JSON: lines changed in each round
    session_id: int
    label: str


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Records whose percentage of agents' lines differs from ours for one reason; means in percent."""

    reason: str
    n: int
    theirs: float | None
    ours: float | None


@dataclass(frozen=True, slots=True)
class IntroducedFindings:
    cwe: str | None
    author_class: str
    n: int
    high: int  # of high confidence


@dataclass(frozen=True, slots=True)
class ProblemCount:
    stage: str
    code: str
    n: int


@dataclass(frozen=True, slots=True)
class Overview:
    """Lines are lines with text, added ones of source and test files but for `evidence`, `kinds` and those at the tip.

    `tip` and `survival` are empty when the history of lines was not followed.
    """

    repo: RepositoryRow
    commits: int
    linked: int
    added: LinesByClass  # by commits
    headline: Headline
    evidence: list[EvidenceLines]
    weeks: dict[str, dict[str, int]]  # Monday -> class -> lines added
    sessions_by_week: dict[str, int]
    tip: LinesByClass
    directories: list[TipLines]
    languages: list[TipLines]
    files: list[TipFileRow]
    survival: dict[str, list[SurvivalPoint]]  # by class
    session_count: int
    agents: list[AgentRow]  # those that wrote most
    sessions: list[OverviewSession]
    regions: list[OscillatingRegion]
    disagreements: list[Disagreement]
    findings: list[IntroducedFindings]
    problems: list[ProblemCount]


# --- all repositories -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RepositorySummary:
    """A repository in the list of all."""

    id: int
    name: str
    last_commit_at: str | None
    commits: int
    sessions: int
    agents: str | None  # separated by commas
    added: LinesByClass
    tip: LinesByClass


class _Counts(NamedTuple):
    id: int
    name: str
    last_commit_at: str | None
    commits: int
    sessions: int


def repositories(store: Store) -> list[RepositorySummary]:
    """All of them, in order of their names."""
    added: dict[int, dict[str, int]] = defaultdict(dict)
    for row in store.rows(
        f"SELECT c.repo_id, {_KIND} AS kind, SUM(s.nonblank) AS lines FROM commits c JOIN commit_files f ON f.commit_id = c.id "
        f"JOIN spans s ON s.file_id = f.id JOIN origins o ON o.id = s.origin_id WHERE {_HEADLINE} GROUP BY 1, 2"
    ):
        added[row["repo_id"]][row["kind"]] = row["lines"]
    sums = store.rows(f"SELECT repo_id, {_TIP_SUMS} FROM tip_files f WHERE {_HEADLINE} GROUP BY repo_id")
    tips = {row["repo_id"]: row for row in sums}
    agents: dict[int, list[str]] = defaultdict(list)
    for row in store.rows("SELECT DISTINCT repo_id, agent FROM sessions WHERE agent IS NOT NULL ORDER BY 1, 2"):
        agents[row["repo_id"]].append(row["agent"])
    counts = store.select(
        _Counts,
        "SELECT r.id, r.name, r.last_commit_at, (SELECT COUNT(*) FROM commits c WHERE c.repo_id = r.id) AS commits, "
        "(SELECT COUNT(*) FROM sessions s WHERE s.repo_id = r.id) AS sessions FROM repos r ORDER BY r.name",
    )
    return [
        RepositorySummary(
            *one, ",".join(agents[one.id]) or None, {kind: added[one.id].get(kind, 0) for kind in CLASSES},
            _tip_classes(tips.get(one.id, {})),
        )
        for one in counts
    ]  # fmt: skip


def added_by_all(repos: Iterable[RepositorySummary]) -> LinesByClass:
    """The lines that the commits of some repositories added."""
    shown = list(repos)
    return {name: sum(repo.added[name] for repo in shown) for name in CLASSES}


_TIP_SUMS = ", ".join(f"SUM({name}) AS {name}" for name in (*CLASSES, "older"))


def _tip_classes(sums: Mapping[str, int | None]) -> LinesByClass:
    """{} where no file of the tip was followed."""
    return {name: lines for name in (*CLASSES, "older") if (lines := sums.get(name)) is not None}


# --- one repository ---------------------------------------------------------------------------------------------------


def overview(store: Store, repo_id: int) -> Overview | None:
    """None when the database has no repository of that number."""
    row = repository(store, repo_id)
    if row is None:
        return None
    weeks = _weeks(store, repo_id)
    first = headline(store, repo_id)
    tip = store.rows(f"SELECT {_TIP_SUMS} FROM tip_files f WHERE repo_id = ? AND {_HEADLINE}", (repo_id,))[0]
    return Overview(
        row,
        commits=store.value("SELECT COUNT(*) FROM commits WHERE repo_id = ?", (repo_id,)),
        linked=store.value(
            "SELECT COUNT(DISTINCT cs.commit_id) FROM commit_sessions cs JOIN commits c ON c.id = cs.commit_id WHERE c.repo_id = ?",
            (repo_id,),
        ),
        added=first.lines,
        headline=first,
        evidence=_evidence(store, repo_id),
        weeks=weeks,
        sessions_by_week=_sessions_by_week(store, repo_id),
        tip=_tip_classes(tip),
        directories=_tip_groups(store, repo_id, "directory"),
        languages=_tip_groups(store, repo_id, "language"),
        files=_files(store, repo_id),
        survival=_survival(store, repo_id),
        session_count=store.value("SELECT COUNT(*) FROM sessions WHERE repo_id = ?", (repo_id,)),
        agents=_agents(store, repo_id),
        sessions=_sessions(store, repo_id),
        regions=_regions(store, repo_id),
        disagreements=_disagreements(store, repo_id),
        findings=_findings(store, repo_id),
        problems=_problems(store, repo_id),
    )


def _weeks(store: Store, repo_id: int) -> dict[str, dict[str, int]]:
    weeks: dict[str, Counter[str]] = defaultdict(Counter)
    for row in store.rows(
        f"SELECT substr(c.author_at, 1, 10) AS day, {_KIND} AS kind, SUM(s.nonblank) AS lines FROM commits c "
        "JOIN commit_files f ON f.commit_id = c.id JOIN spans s ON s.file_id = f.id JOIN origins o ON o.id = s.origin_id "
        f"WHERE c.repo_id = ? AND {_HEADLINE} GROUP BY 1, 2 ORDER BY 1, 2",
        (repo_id,),
    ):
        weeks[_monday(row["day"])][row["kind"]] += row["lines"]
    return {week: dict(lines) for week, lines in weeks.items()}


def _monday(day: str | None) -> str:
    """The first day of the week of a day, both in ISO 8601; "" when that is none."""
    try:
        found = date.fromisoformat(day or "")
    except ValueError:
        return ""
    return (found - timedelta(found.weekday())).isoformat()


def _sessions_by_week(store: Store, repo_id: int) -> dict[str, int]:
    weeks: Counter[str] = Counter()
    for row in store.rows(
        "SELECT substr(started_at, 1, 10) AS day, COUNT(*) AS n FROM sessions WHERE repo_id = ? AND started_at IS NOT NULL "
        "GROUP BY 1 ORDER BY 1",
        (repo_id,),
    ):
        weeks[_monday(row["day"])] += row["n"]
    return dict(weeks)


def _evidence(store: Store, repo_id: int) -> list[EvidenceLines]:
    return store.select(
        EvidenceLines,
        f"SELECT {_KIND} AS kind, o.how, o.evidence, o.reason, SUM(s.nonblank) AS lines FROM commits c "
        "JOIN commit_files f ON f.commit_id = c.id JOIN spans s ON s.file_id = f.id JOIN origins o ON o.id = s.origin_id "
        "WHERE c.repo_id = ? GROUP BY 1, 2, 3, 4 ORDER BY 5 DESC, 1, 2, 3, 4",
        (repo_id,),
    )


def _tip_groups(store: Store, repo_id: int, by: str) -> list[TipLines]:
    return store.select(
        TipLines,
        f"SELECT {by} AS name, COUNT(*) AS files, {_TIP_SUMS}, SUM({' + '.join(CLASSES)}) AS total FROM tip_files f "
        f"WHERE repo_id = ? AND {_HEADLINE} GROUP BY 1 HAVING SUM({' + '.join(CLASSES)}) > 0 ORDER BY total DESC, 1 LIMIT {_MOST}",
        (repo_id,),
    )


def _files(store: Store, repo_id: int) -> list[TipFileRow]:
    """Those with most lines of agents."""
    return store.select(
        TipFileRow,
        f"SELECT {columns_of(TipFileRow, 'f')} FROM tip_files f WHERE repo_id = ? AND agent > 0 "
        f"AND {_HEADLINE} ORDER BY agent DESC, path LIMIT {_MOST}",
        (repo_id,),
    )


def _survival(store: Store, repo_id: int) -> dict[str, list[SurvivalPoint]]:
    points: dict[str, list[SurvivalPoint]] = defaultdict(list)
    for row in store.rows(
        "SELECT author, horizon, at_risk, share, low, high FROM survival WHERE repo_id = ? AND grouping = 'class' "
        "AND unit = 'days' ORDER BY author, horizon",
        (repo_id,),
    ):
        points[row["author"]].append(SurvivalPoint(row["horizon"], row["at_risk"], row["share"], row["low"], row["high"]))
    return dict(points)


def _agents(store: Store, repo_id: int) -> list[AgentRow]:
    return store.select(
        AgentRow,
        "SELECT COALESCE(s.agent, s.agent_label, '') AS agent, COALESCE(s.model, '') AS model, COUNT(*) AS sessions, "
        "SUM(s.tool_calls) AS tool_calls, SUM(t.produced) AS produced, SUM(t.survived) AS survived "
        "FROM sessions s LEFT JOIN session_stats t ON t.session_id = s.id "
        "WHERE s.repo_id = ? GROUP BY 1, 2 ORDER BY 5 DESC, 3 DESC, 1, 2 LIMIT 12",
        (repo_id,),
    )


def _sessions(store: Store, repo_id: int) -> list[OverviewSession]:
    """The latest sessions that wrote something, else the latest ones."""
    return store.select(
        OverviewSession,
        "SELECT s.id, s.label, s.agent, s.started_at, s.turns, s.tool_calls, t.produced, t.survived "
        "FROM sessions s LEFT JOIN session_stats t ON t.session_id = s.id "
        "WHERE s.repo_id = ? ORDER BY COALESCE(t.produced, 0) = 0, s.started_at DESC, s.id LIMIT 12",
        (repo_id,),
    )


def _regions(store: Store, repo_id: int) -> list[OscillatingRegion]:
    return store.select(
        OscillatingRegion,
        "SELECT g.path, g.rounds, g.sizes, s.id AS session_id, s.label FROM regions g "
        "JOIN sessions s ON s.id = g.session_id WHERE s.repo_id = ? AND g.convergence = 'oscillating' "
        "ORDER BY g.rounds DESC, g.id LIMIT 8",
        (repo_id,),
    )


def _disagreements(store: Store, repo_id: int) -> list[Disagreement]:
    found: dict[str, list[tuple[float | None, float | None]]] = defaultdict(list)
    for row in store.rows(
        "SELECT v.disagreement_reason AS reason, v.vendor_percentage AS theirs, v.our_percentage AS ours "
        "FROM vendor_checks v JOIN commits c ON c.id = v.commit_id WHERE c.repo_id = ?",
        (repo_id,),
    ):
        found[row["reason"]].append((row["theirs"], row["ours"]))
    rows = (Disagreement(reason, len(both), *map(mean, zip(*both, strict=True))) for reason, both in found.items())
    return sorted(rows, key=lambda row: (-row.n, row.reason))


def _findings(store: Store, repo_id: int) -> list[IntroducedFindings]:
    return store.select(
        IntroducedFindings,
        "SELECT cwe, author_class, COUNT(*) AS n, SUM(confidence = 'HIGH') AS high FROM findings "
        "WHERE repo_id = ? AND status = 'introduced' AND place = 'source' GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT 12",
        (repo_id,),
    )


def _problems(store: Store, repo_id: int) -> list[ProblemCount]:
    return store.select(
        ProblemCount,
        "SELECT stage, code, COUNT(*) AS n FROM problems WHERE repo_id = ? GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT 10",
        (repo_id,),
    )
