"""Numbers about attributed repositories: queries in, values out."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from collector.git.ranges import count, united
from collector.storage.store import Store
from collector.vocabulary.lines import line_class

_METHODS = ("trailer", "worktree", "time_and_files")  # surest first


@dataclass(frozen=True, slots=True)
class Share:
    """Added lines of one kind."""

    author: str
    how: str
    evidence: str
    reason: str
    lines: int
    nonblank: int


@dataclass(frozen=True, slots=True)
class SessionGroup:
    """Sessions of one agent and model."""

    agent: str
    model: str
    transcript: str
    sessions: int
    tool_calls: int
    nonblank_lines: int


@dataclass(frozen=True, slots=True)
class ProblemGroup:
    stage: str
    code: str
    count: int
    example: str = ""


@dataclass(slots=True)
class RepoReport:
    """Everything `attribute repo` says about one repository. Lines are added lines with text; blank ones are left out."""

    name: str
    path: str
    branch: str
    head: str
    first_commit_at: str
    last_commit_at: str
    commits: int = 0
    linked: int = 0
    linked_by: dict[str, int] = field(default_factory=dict)  # a commit counts once, by its surest link
    declared: int = 0  # not linked, but a trailer or the author field names an agent
    unresolved: int = 0  # not linked, but names a checkpoint that this clone lacks
    lines: int = 0
    agent_lines: int = 0  # from sessions
    declared_lines: int = 0  # agent by declaration only
    human_lines: int = 0
    unknown_lines: int = 0  # without the undeclared ones
    undeclared_lines: int = 0
    claimed_lines: int = 0  # verified claims of others in commits without a session, blank ones included; in no class
    lines_with_blank: int = 0
    shares: list[Share] = field(default_factory=list)
    edits: dict[str, int] = field(default_factory=dict)
    shell_edits: dict[str, int] = field(default_factory=dict)
    sessions: list[SessionGroup] = field(default_factory=list)
    problems: list[ProblemGroup] = field(default_factory=list)
    censored: list[str] = field(default_factory=list)
    unchanged: bool = False
    example: str = ""  # FILE:LINE worth looking at
    seconds: float = 0.0

    def flat(self) -> dict[str, Any]:
        """One row of plain numbers."""
        values = {k: v for k, v in asdict(self).items() if isinstance(v, str | int | float)}
        values |= {f"edits_{k}": v for k, v in self.edits.items()}
        return values | {"sessions": sum(s.sessions for s in self.sessions), "problems": sum(p.count for p in self.problems)}


def repo_report(store: Store, repo_id: int) -> RepoReport:
    """The numbers of one repository."""
    row = store.rows("SELECT * FROM repos WHERE id = ?", (repo_id,))[0]
    path, branch, head, first, last = (row[n] or "" for n in ("path", "branch", "head_sha", "first_commit_at", "last_commit_at"))
    found = RepoReport(row["name"], path, branch, head, first, last)
    _count_commits(store, repo_id, found)
    by_session = _count_lines(store, repo_id, found)
    found.sessions = _sessions(store, repo_id, by_session)
    for by_shell, target in ((0, found.edits), (1, found.shell_edits)):
        target.update(_edits(store, repo_id, by_shell))
    found.problems = problem_groups(store, repo_id)
    found.claimed_lines = claimed_lines(store, repo_id)
    found.example = _example(store, repo_id)
    return found


def claimed_lines(store: Store, repo: int) -> int:
    """Lines that `attribute claims` found claimed and true of their commit, where no session tells us anything; each once."""
    spans: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for row in store.rows(
        "SELECT commit_sha, path, start_line, end_line FROM claimed_lines WHERE repo_id = ? AND NOT has_session", (repo,)
    ):
        spans[row["commit_sha"], row["path"]].append((row["start_line"], row["end_line"]))
    return sum(count(united(ranges)) for ranges in spans.values())


def _example(store: Store, repo: int) -> str:
    """A line of a file that agents wrote, rather of one where people wrote too."""
    agent, human, latest = Counter[str](), Counter[str](), dict[str, int]()
    for row in store.rows(
        "SELECT f.id, f.path, f.old_path, f.status, f.kind, f.agent_lines AS a, f.human_lines AS h FROM commit_files f "
        "JOIN commits c ON c.id = f.commit_id WHERE c.repo_id = ? ORDER BY c.position",
        (repo,),
    ):
        latest.pop(row["old_path"], None)
        latest.pop(row["path"], None)
        if row["status"] != "D" and row["kind"] == "text":
            latest[row["path"]] = row["id"]
            agent[row["path"]] += row["a"]
            human[row["path"]] += row["h"]
    if not latest:
        return ""
    path = max(latest, key=lambda p: (agent[p] > 0, min(agent[p], human[p]), agent[p]))
    line = store.value(
        "SELECT s.start_line FROM spans s JOIN origins o ON o.id = s.origin_id WHERE s.file_id = ? "
        "ORDER BY o.author, s.nonblank < s.end_line - s.start_line + 1, 1",
        (latest[path],),
    )
    return f"{path}:{line or 1}"


def _count_commits(store: Store, repo: int, found: RepoReport) -> None:
    methods: dict[int, set[str]] = defaultdict(set)
    for row in store.rows(
        "SELECT cs.commit_id, cs.method FROM commit_sessions cs JOIN commits c ON c.id = cs.commit_id WHERE c.repo_id = ?", (repo,)
    ):
        methods[row["commit_id"]].add(row["method"])
    best = Counter(min(m, key=_rank) for m in methods.values())
    found.linked, found.linked_by = len(methods), dict(sorted(best.items(), key=lambda item: _rank(item[0])))
    for row in store.rows("SELECT id, declared_agent, checkpoint_ids FROM commits WHERE repo_id = ?", (repo,)):
        found.commits += 1
        if row["id"] not in methods:
            found.declared += row["declared_agent"] is not None
            found.unresolved += row["declared_agent"] is None and row["checkpoint_ids"] > 0


def _rank(method: str) -> int:
    return _METHODS.index(method) if method in _METHODS else len(_METHODS)


def _count_lines(store: Store, repo: int, found: RepoReport) -> dict[int, int]:
    """Fills in lines by author; returns lines by session."""
    shares: dict[tuple[str, str, str, str], list[int]] = defaultdict(lambda: [0, 0])
    by_session: Counter[int] = Counter()
    for row in store.rows(
        "SELECT o.author, o.how, o.evidence, o.reason, o.session_id, SUM(s.end_line - s.start_line + 1) AS lines, "
        "SUM(s.nonblank) AS nonblank FROM commits c JOIN commit_files f ON f.commit_id = c.id JOIN spans s ON s.file_id = f.id "
        "JOIN origins o ON o.id = s.origin_id WHERE c.repo_id = ? GROUP BY 1, 2, 3, 4, 5",
        (repo,),
    ):
        share = shares[row["author"], row["how"], row["evidence"], row["reason"]]
        share[0] += row["lines"]
        share[1] += row["nonblank"]
        if row["session_id"] is not None:
            by_session[row["session_id"]] += row["nonblank"]
    found.shares = sorted((Share(*key, *counts) for key, counts in shares.items()), key=lambda s: -s.nonblank)
    for s in found.shares:
        name = f"{line_class(s.author, s.evidence, s.reason)}_lines"
        setattr(found, name, getattr(found, name) + s.nonblank)
        found.lines += s.nonblank
        found.lines_with_blank += s.lines
    return by_session


def _sessions(store: Store, repo: int, lines: dict[int, int]) -> list[SessionGroup]:
    groups: dict[tuple[str, str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
    for row in store.rows("SELECT id, agent, agent_label, model, transcript, tool_calls FROM sessions WHERE repo_id = ?", (repo,)):
        group = groups[row["agent"] or row["agent_label"] or "?", row["model"] or "", row["transcript"]]
        for i, value in enumerate((1, row["tool_calls"], lines.get(row["id"], 0))):
            group[i] += value
    return sorted((SessionGroup(*key, *counts) for key, counts in groups.items()), key=lambda g: (-g.nonblank_lines, -g.sessions))


def _edits(store: Store, repo: int, by_shell: int) -> dict[str, int]:
    rows = store.rows(
        "SELECT e.outcome, COUNT(*) AS n FROM edits e JOIN sessions s ON s.id = e.session_id "
        "WHERE s.repo_id = ? AND e.by_shell = ? GROUP BY 1 ORDER BY 2 DESC",
        (repo, by_shell),
    )
    return {row["outcome"]: row["n"] for row in rows}


def problem_groups(store: Store, repo: int | None = None) -> list[ProblemGroup]:
    """Problems by stage and code, with one example each."""
    rows = store.rows(
        "SELECT stage, code, COUNT(*) AS n, MIN(COALESCE(NULLIF(detail, ''), subject)) AS example FROM problems "
        "WHERE ? IS NULL OR repo_id = ? GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2",
        (repo, repo),
    )
    return [ProblemGroup(r["stage"], r["code"], r["n"], r["example"] or "") for r in rows]


# --- lists ------------------------------------------------------------------------------------------------------------


def session_list(store: Store, repo: int | None = None) -> list[dict[str, Any]]:
    """One row per session, latest first."""
    return store.rows(
        "SELECT s.id, r.name AS repo, s.key, s.label, s.agent, s.model, s.transcript, s.started_at, s.ended_at, s.turns, "
        "s.tool_calls, t.edits_applied, t.commits, t.produced, t.survived, "
        "(SELECT SUM(cs.agent_lines) FROM commit_sessions cs WHERE cs.session_id = s.id) AS agent_lines, t.coding_mode "
        "FROM sessions s JOIN repos r ON r.id = s.repo_id LEFT JOIN session_stats t ON t.session_id = s.id "
        "WHERE ? IS NULL OR s.repo_id = ? ORDER BY r.name, s.started_at DESC, s.id",
        (repo, repo),
    )


def totals(reports: Iterable[RepoReport]) -> dict[str, int]:
    """Sums over several repositories."""
    names = ("commits", "linked", "lines", "agent_lines", "declared_lines", "human_lines", "unknown_lines", "undeclared_lines")
    every = list(reports)
    return {name: sum(getattr(r, name) for r in every) for name in names}
