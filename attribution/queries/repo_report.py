"""Numbers about attributed repositories: queries in, values out."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from attribution.queries.advice import Advice
from attribution.queries.coverage import Coverage, KindLines, headline
from attribution.queries.repositories import repository
from attribution.stats.accuracy import class_rates
from collector.plugins import hooks
from collector.vocabulary.lines import line_class

if TYPE_CHECKING:
    from collector.storage.store import Store

_METHODS = ("trailer", "worktree", "time_and_files")  # surest first


@dataclass(frozen=True, slots=True)
class EvidenceShare:
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


class Aside(NamedTuple):
    """Lines that a plug-in counts beside the classes, blank ones included."""

    name: str
    lines: int
    meaning: str


@dataclass(slots=True)
class RepoReport:
    """Everything `whowrote repo` says about one repository. Lines are added lines with text; blank ones are left out.

    `lines` and the `…_lines` are of files of every kind; `headline`, `kinds` and `coverage` tell kinds apart.
    """

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
    likely_human_lines: int = 0
    tool_lines: int = 0
    unknown_lines: int = 0  # without the undeclared ones
    undeclared_lines: int = 0
    lines_with_blank: int = 0
    headline: Mapping[str, int] = field(default_factory=dict)  # class -> lines of source and test files
    kinds: list[KindLines] = field(default_factory=list)  # lines by kind of file, every kind that has some
    coverage: list[Coverage] = field(default_factory=list)  # source and test lines with a named author: all, then by age
    audited: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # class -> lines read, right ones, rate, interval
    shares: list[EvidenceShare] = field(default_factory=list)
    edits: dict[str, int] = field(default_factory=dict)
    shell_edits: dict[str, int] = field(default_factory=dict)
    sessions: list[SessionGroup] = field(default_factory=list)
    problems: list[ProblemGroup] = field(default_factory=list)
    asides: list[Aside] = field(default_factory=list)
    censored: list[str] = field(default_factory=list)
    advice: list[Advice] = field(default_factory=list)  # what would name the author of more lines
    unchanged: bool = False
    example: str = ""  # FILE:LINE worth looking at
    seconds: float = 0.0

    def data(self) -> dict[str, Any]:
        """Plain values, for --json."""
        values = asdict(self)
        del values["asides"]
        return values | {f"{aside.name}_lines": aside.lines for aside in self.asides}

    def row(self) -> dict[str, Any]:
        """Plain numbers, for --csv."""
        values = {k: v for k, v in self.data().items() if isinstance(v, str | int | float)}
        values |= {f"headline_{k}_lines": v for k, v in self.headline.items()}
        for of in self.coverage:
            age = "" if of.days is None else f"_{of.days}_days"
            values |= {f"coverage_lines{age}": of.lines, f"coverage_attributed{age}": of.attributed}
        values |= {f"edits_{k}": v for k, v in self.edits.items()}
        return values | {"sessions": sum(s.sessions for s in self.sessions), "problems": sum(p.count for p in self.problems)}


def repo_report(store: Store, repo_id: int) -> RepoReport:
    """The numbers of one repository. Raises LookupError when the database has none of that number."""
    repo = repository(store, repo_id)
    if repo is None:
        raise LookupError(f"no repository {repo_id}")
    report = RepoReport(
        repo.name, repo.path or "", repo.branch or "", repo.head_sha or "", repo.first_commit_at or "", repo.last_commit_at or ""
    )  # fmt: skip
    _count_commits(store, repo_id, report)
    by_session = _count_lines(store, repo_id, report)
    first = headline(store, repo_id)
    report.headline, report.kinds, report.coverage = first.lines, first.kinds, first.coverage
    report.audited = class_rates()
    report.sessions = _sessions(store, repo_id, by_session)
    report.edits, report.shell_edits = _edits(store, repo_id, 0), _edits(store, repo_id, 1)
    report.problems = problem_groups(store, repo_id)
    report.asides = [aside(store, repo_id) for aside in hooks("lines_aside")]
    report.example = _example(store, repo_id)
    return report


class _ChangedFile(NamedTuple):
    id: int
    path: str
    old_path: str | None
    status: str
    content: str
    agent_lines: int
    human_lines: int


def _example(store: Store, repo_id: int) -> str:
    """A line of a file that agents wrote, rather of one where people wrote too."""
    agent, human, latest = Counter[str](), Counter[str](), dict[str, int]()
    for file in store.select(
        _ChangedFile,
        "SELECT f.id, f.path, f.old_path, f.status, f.content, f.agent_lines, f.human_lines FROM commit_files f "
        "JOIN commits c ON c.id = f.commit_id WHERE c.repo_id = ? ORDER BY c.position",
        (repo_id,),
    ):
        latest.pop(file.old_path or file.path, None)
        latest.pop(file.path, None)
        if file.status != "D" and file.content == "text":
            latest[file.path] = file.id
            agent[file.path] += file.agent_lines
            human[file.path] += file.human_lines
    if not latest:
        return ""
    path = max(latest, key=lambda p: (agent[p] > 0, min(agent[p], human[p]), agent[p]))
    line = store.value(
        "SELECT s.start_line FROM spans s JOIN origins o ON o.id = s.origin_id WHERE s.file_id = ? "
        "ORDER BY o.author, s.nonblank < s.end_line - s.start_line + 1, 1",
        (latest[path],),
    )
    return f"{path}:{line or 1}"


class _DeclaringCommit(NamedTuple):
    id: int
    declared_agent: str | None
    checkpoint_ids: int


def _count_commits(store: Store, repo_id: int, report: RepoReport) -> None:
    methods: dict[int, set[str]] = defaultdict(set)
    for row in store.rows(
        "SELECT cs.commit_id, cs.method FROM commit_sessions cs JOIN commits c ON c.id = cs.commit_id WHERE c.repo_id = ?",
        (repo_id,),
    ):
        methods[row["commit_id"]].add(row["method"])
    surest = Counter(min(of_commit, key=_rank) for of_commit in methods.values())
    report.linked, report.linked_by = len(methods), dict(sorted(surest.items(), key=lambda item: _rank(item[0])))
    sql = "SELECT id, declared_agent, checkpoint_ids FROM commits WHERE repo_id = ?"
    for commit in store.select(_DeclaringCommit, sql, (repo_id,)):
        report.commits += 1
        if commit.id not in methods:
            report.declared += commit.declared_agent is not None
            report.unresolved += commit.declared_agent is None and commit.checkpoint_ids > 0


def _rank(method: str) -> int:
    return _METHODS.index(method) if method in _METHODS else len(_METHODS)


class _SessionLines(NamedTuple):
    """Added lines of one kind and one session."""

    author: str
    how: str
    evidence: str
    reason: str
    session_id: int | None
    lines: int
    nonblank: int


def _count_lines(store: Store, repo_id: int, report: RepoReport) -> dict[int, int]:
    """Fills in lines by author; returns lines by session."""
    shares: dict[tuple[str, str, str, str], list[int]] = defaultdict(lambda: [0, 0])
    by_session: Counter[int] = Counter()
    for row in store.select(
        _SessionLines,
        "SELECT o.author, o.how, o.evidence, o.reason, o.session_id, SUM(s.end_line - s.start_line + 1) AS lines, "
        "SUM(s.nonblank) AS nonblank FROM commits c JOIN commit_files f ON f.commit_id = c.id JOIN spans s ON s.file_id = f.id "
        "JOIN origins o ON o.id = s.origin_id WHERE c.repo_id = ? GROUP BY 1, 2, 3, 4, 5",
        (repo_id,),
    ):
        share = shares[row.author, row.how, row.evidence, row.reason]
        share[0] += row.lines
        share[1] += row.nonblank
        if row.session_id is not None:
            by_session[row.session_id] += row.nonblank
    report.shares = sorted((EvidenceShare(*key, *counts) for key, counts in shares.items()), key=lambda s: -s.nonblank)
    for s in report.shares:
        name = f"{line_class(s.author, s.evidence, s.reason)}_lines"
        setattr(report, name, getattr(report, name) + s.nonblank)
        report.lines += s.nonblank
        report.lines_with_blank += s.lines
    return by_session


class _Session(NamedTuple):
    id: int
    agent: str
    model: str
    transcript: str
    tool_calls: int


def _sessions(store: Store, repo_id: int, lines: dict[int, int]) -> list[SessionGroup]:
    groups: dict[tuple[str, str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
    for session in store.select(
        _Session,
        "SELECT id, COALESCE(agent, agent_label, '?') AS agent, COALESCE(model, '') AS model, transcript, tool_calls "
        "FROM sessions WHERE repo_id = ?",
        (repo_id,),
    ):
        group = groups[session.agent, session.model, session.transcript]
        for i, value in enumerate((1, session.tool_calls, lines.get(session.id, 0))):
            group[i] += value
    return sorted((SessionGroup(*key, *counts) for key, counts in groups.items()), key=lambda g: (-g.nonblank_lines, -g.sessions))


def _edits(store: Store, repo_id: int, by_shell: int) -> dict[str, int]:
    """Outcome -> edits."""
    rows = store.rows(
        "SELECT e.outcome, COUNT(*) AS n FROM edits e JOIN sessions s ON s.id = e.session_id "
        "WHERE s.repo_id = ? AND e.by_shell = ? GROUP BY 1 ORDER BY 2 DESC",
        (repo_id, by_shell),
    )
    return {row["outcome"]: row["n"] for row in rows}


def problem_groups(store: Store, repo_id: int | None = None) -> list[ProblemGroup]:
    """Problems by stage and code, with one example each."""
    return store.select(
        ProblemGroup,
        "SELECT stage, code, COUNT(*) AS count, COALESCE(MIN(COALESCE(NULLIF(detail, ''), subject)), '') AS example FROM problems "
        "WHERE ? IS NULL OR repo_id = ? GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2",
        (repo_id, repo_id),
    )
