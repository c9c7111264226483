"""One repository at a glance: who wrote what is there now, week by week, how long it lives, the sessions behind it."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

from collector.storage.store import Store

CLASSES = ("agent", "declared", "human", "unknown", "undeclared")
KIND = (
    "CASE WHEN o.author = 'agent' AND o.evidence = 'declared' THEN 'declared' "
    "WHEN o.author = 'unknown' AND o.reason = 'no_session' THEN 'undeclared' ELSE o.author END"
)
_MOST = 15


@dataclass(slots=True)
class Overview:
    """Lines are lines with text. `tip` and `survival` are empty when the history of lines was not followed."""

    repo: dict[str, Any]
    commits: int
    linked: int
    added: dict[str, int]  # class -> lines that commits added
    evidence: list[dict[str, Any]]  # kind, how, evidence, reason, lines
    weeks: dict[str, dict[str, int]]  # Monday -> class -> lines added
    sessions_by_week: dict[str, int]
    tip: dict[str, int]  # class -> lines there now; `older` for lines nobody asked about
    directories: list[dict[str, Any]]
    languages: list[dict[str, Any]]
    files: list[dict[str, Any]]
    survival: dict[str, list[tuple[int, int, int]]]  # class -> (days, at risk, alive)
    agents: list[dict[str, Any]]
    sessions: list[dict[str, Any]]
    regions: list[dict[str, Any]]
    disagreements: list[dict[str, Any]]
    findings: list[dict[str, Any]] = field(default_factory=list)
    problems: list[dict[str, Any]] = field(default_factory=list)


def repositories(store: Store) -> list[dict[str, Any]]:
    """A row per repository: lines added by class, lines of the tip by class, commits, sessions."""
    added: dict[int, Counter[str]] = defaultdict(Counter)
    for r in store.rows(
        f"SELECT c.repo_id, {KIND} AS kind, SUM(s.nonblank) AS lines FROM commits c JOIN commit_files f ON f.commit_id = c.id "
        "JOIN spans s ON s.file_id = f.id JOIN origins o ON o.id = s.origin_id GROUP BY 1, 2"
    ):
        added[r["repo_id"]][r["kind"]] += r["lines"]
    tips = {r["repo_id"]: r for r in store.rows(f"SELECT repo_id, {_TIP_SUMS} FROM tip_files GROUP BY repo_id")}
    rows = store.rows(
        "SELECT r.id, r.name, r.branch, r.head_sha, r.first_commit_at, r.last_commit_at, "
        "(SELECT COUNT(*) FROM commits c WHERE c.repo_id = r.id) AS commits, "
        "(SELECT COUNT(*) FROM sessions s WHERE s.repo_id = r.id) AS sessions, "
        "(SELECT group_concat(DISTINCT s.agent) FROM sessions s WHERE s.repo_id = r.id) AS agents FROM repos r ORDER BY r.name"
    )
    for r in rows:
        r["added"] = {k: added[r["id"]].get(k, 0) for k in CLASSES}
        r["tip"] = _without(tips.get(r["id"], {}), "repo_id")
    return rows


_TIP_SUMS = ", ".join(f"SUM({name}) AS {name}" for name in (*CLASSES, "older"))


def _without(row: dict[str, Any], *names: str) -> dict[str, Any]:
    return {k: v for k, v in row.items() if k not in names and v is not None}


def overview(store: Store, repo: int) -> Overview | None:
    """None when the database has no repository of that number."""
    rows = store.rows("SELECT * FROM repos WHERE id = ?", (repo,))
    if not rows:
        return None
    weeks = _weeks(store, repo)
    added: Counter[str] = Counter()
    for week in weeks.values():
        added.update(week)
    tip = store.rows(f"SELECT {_TIP_SUMS} FROM tip_files WHERE repo_id = ?", (repo,))[0]
    return Overview(
        rows[0],
        commits=store.value("SELECT COUNT(*) FROM commits WHERE repo_id = ?", (repo,)),
        linked=store.value(
            "SELECT COUNT(DISTINCT cs.commit_id) FROM commit_sessions cs JOIN commits c ON c.id = cs.commit_id WHERE c.repo_id = ?",
            (repo,),
        ),
        added={k: added.get(k, 0) for k in CLASSES},
        evidence=_evidence(store, repo),
        weeks=weeks,
        sessions_by_week={
            r["week"]: r["n"]
            for r in store.rows(
                "SELECT date(started_at, 'weekday 0', '-6 days') AS week, COUNT(*) AS n FROM sessions "
                "WHERE repo_id = ? AND started_at IS NOT NULL GROUP BY 1",
                (repo,),
            )
        },
        tip=_without(tip),
        directories=_tip_groups(store, repo, "directory"),
        languages=_tip_groups(store, repo, "language"),
        files=store.rows(
            f"SELECT id, path, lines, {', '.join(CLASSES)}, older FROM tip_files WHERE repo_id = ? AND agent > 0 "
            f"ORDER BY agent DESC LIMIT {_MOST}",
            (repo,),
        ),
        survival=_survival(store, repo),
        agents=_agents(store, repo),
        sessions=session_rows(store, repo, 12),
        regions=store.rows(
            "SELECT g.id, g.path, g.rounds, g.hunks, g.sizes, s.id AS session_id, s.label FROM regions g "
            "JOIN sessions s ON s.id = g.session_id WHERE s.repo_id = ? AND g.convergence = 'oscillating' "
            "ORDER BY g.rounds DESC, g.id LIMIT 8",
            (repo,),
        ),
        disagreements=store.rows(
            "SELECT v.disagreement_reason AS reason, COUNT(*) AS n, AVG(v.vendor_percentage) AS theirs, "
            "AVG(v.our_percentage) AS ours "
            "FROM vendor_checks v JOIN commits c ON c.id = v.commit_id WHERE c.repo_id = ? GROUP BY 1 ORDER BY 2 DESC",
            (repo,),
        ),
        findings=store.rows(
            "SELECT cwe, author_class, COUNT(*) AS n, SUM(confidence = 'HIGH') AS high FROM findings "
            "WHERE repo_id = ? AND status = 'introduced' AND place = 'source' GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 12",
            (repo,),
        ),
        problems=store.rows(
            "SELECT stage, code, COUNT(*) AS n FROM problems WHERE repo_id = ? GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 10", (repo,)
        ),
    )


def _weeks(store: Store, repo: int) -> dict[str, dict[str, int]]:
    weeks: dict[str, dict[str, int]] = defaultdict(dict)
    for r in store.rows(
        f"SELECT date(c.author_at, 'weekday 0', '-6 days') AS week, {KIND} AS kind, SUM(s.nonblank) AS lines FROM commits c "
        "JOIN commit_files f ON f.commit_id = c.id JOIN spans s ON s.file_id = f.id JOIN origins o ON o.id = s.origin_id "
        "WHERE c.repo_id = ? GROUP BY 1, 2 ORDER BY 1",
        (repo,),
    ):
        weeks[r["week"] or ""][r["kind"]] = r["lines"]
    return dict(weeks)


def _evidence(store: Store, repo: int) -> list[dict[str, Any]]:
    return store.rows(
        f"SELECT {KIND} AS kind, o.how, o.evidence, o.reason, SUM(s.nonblank) AS lines FROM commits c "
        "JOIN commit_files f ON f.commit_id = c.id JOIN spans s ON s.file_id = f.id JOIN origins o ON o.id = s.origin_id "
        "WHERE c.repo_id = ? GROUP BY 1, 2, 3, 4 ORDER BY 5 DESC",
        (repo,),
    )


def _tip_groups(store: Store, repo: int, by: str) -> list[dict[str, Any]]:
    sums = f"{_TIP_SUMS}, SUM({' + '.join(CLASSES)}) AS total"
    return store.rows(
        f"SELECT {by} AS name, COUNT(*) AS files, {sums} FROM tip_files WHERE repo_id = ? GROUP BY 1 "
        f"HAVING total > 0 ORDER BY total DESC LIMIT {_MOST}",
        (repo,),
    )


def _survival(store: Store, repo: int) -> dict[str, list[tuple[int, int, int]]]:
    found: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
    for r in store.rows(
        "SELECT author, horizon, at_risk, alive FROM survival WHERE repo_id = ? AND grouping = 'class' AND unit = 'days' "
        "ORDER BY author, horizon",
        (repo,),
    ):
        found[r["author"]].append((r["horizon"], r["at_risk"], r["alive"]))
    return dict(found)


def _agents(store: Store, repo: int) -> list[dict[str, Any]]:
    return store.rows(
        "SELECT COALESCE(s.agent, s.agent_label, '?') AS agent, COALESCE(s.model, '') AS model, COUNT(*) AS sessions, "
        "SUM(s.tool_calls) AS tool_calls, SUM(t.produced) AS produced, SUM(t.survived) AS survived, AVG(q.q) AS q "
        "FROM sessions s LEFT JOIN session_stats t ON t.session_id = s.id LEFT JOIN scores q ON q.session_id = s.id "
        "WHERE s.repo_id = ? GROUP BY 1, 2 ORDER BY 5 DESC, 3 DESC LIMIT 12",
        (repo,),
    )


def session_rows(store: Store, repo: int, most: int) -> list[dict[str, Any]]:
    """The latest sessions that wrote something, else the latest ones."""
    return store.rows(
        "SELECT s.id, s.label, s.agent, s.model, s.started_at, s.turns, s.tool_calls, t.produced, t.survived, t.commits, "
        "t.coding_mode, q.q, q.tier FROM sessions s LEFT JOIN session_stats t ON t.session_id = s.id "
        "LEFT JOIN scores q ON q.session_id = s.id WHERE s.repo_id = ? "
        "ORDER BY COALESCE(t.produced, 0) = 0, s.started_at DESC LIMIT ?",
        (repo, most),
    )
