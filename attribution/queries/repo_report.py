"""Everything that `whowrote repo` says about a repository."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from attribution.hooks import OfCounts, OfUndeclared, Section, sections
from attribution.queries.coverage import Coverage, headline
from attribution.queries.repositories import repository
from attribution.stats.accuracy import class_rates
from collector.json_values import Numbers, jsonable
from collector.storage.store import Store
from collector.storage.views import Table, described_view, read_view
from collector.text import command_line
from collector.vocabulary import sql_list
from collector.vocabulary.agents import label_of
from collector.vocabulary.lines import HEADLINE, LINE_CLASSES, Reason

_FETCHED = (Reason.TRANSCRIPT_MISSING, Reason.CHECKPOINT_MISSING)


@dataclass(frozen=True, slots=True)
class Advice:
    """One thing that may help."""

    # source and test lines with text that it may tell of; 0: not known before it is done
    lines: int
    what: str
    command: str = ""  # to run; "" when no command helps


class CloneState(NamedTuple):
    """What a fetch must know of the clone."""

    path: str
    shallow: bool
    has_remote: bool
    uses_entire: bool


def advice(
    store: Store, repo_id: int, clone: CloneState, branches: Sequence[tuple[str, int]]
) -> list[Advice]:
    """`branches`: (name, sessions) of branches whose commits name checkpoints that the
    attributed ones do not.
    """
    lines = store.pairs(_UNKNOWN, (repo_id,))
    # In a clone without any checkpoint also those that name an agent and no checkpoint.
    without = clone.uses_entire and not store.value(_ANY_CHECKPOINT, (repo_id,))
    fetched = (*_FETCHED, Reason.NONE) if without else _FETCHED
    waiting = sum(lines.get(reason, 0) for reason in fetched) if clone.uses_entire else 0
    uncounted = without or clone.shallow or store.value(_MISSING_FILE, (repo_id,)) is not None
    result = [_to_fetch(waiting, clone)] if waiting or uncounted else []
    agents = [
        f"{label_of(row['agent']) or 'not named'} ({row['sessions']})"
        for row in store.rows(_UNREAD, (repo_id,))
    ]
    if agents:
        unread = f"sessions in a format that is not read yet: {', '.join(agents)}"
        result.append(Advice(lines.get(Reason.TRANSCRIPT_UNREADABLE, 0), unread))
    result.sort(key=lambda item: -item.lines)
    for name, sessions in branches:
        what = f"sessions whose commits are on branch {name} only: {sessions}"
        again = command_line("whowrote", "repo", clone.path, "--branch", name)
        result.append(Advice(0, what, again))
    return result


# Source and test lines with text of which no action is known; also those that only the commit
# declares.
_UNKNOWN = (
    "SELECT reason, SUM(nonblank) AS lines FROM line_spans WHERE repo_id = ? AND kind IN"
    f" ({sql_list(sorted(HEADLINE))}) AND author IN ('unknown', 'declared') GROUP BY 1"
)
_ANY_CHECKPOINT = "SELECT 1 FROM checkpoints WHERE repo_id = ? LIMIT 1"
_MISSING_FILE = (
    "SELECT 1 FROM commit_files f JOIN commits c ON c.id = f.commit_id WHERE c.repo_id = ? AND"
    " f.content = 'missing' LIMIT 1"
)
_UNREAD = (
    "SELECT COALESCE(agent_label, '') AS agent, COUNT(*) AS sessions FROM sessions "
    "WHERE repo_id = ? AND transcript = 'unknown_format' GROUP BY 1 ORDER BY 2 DESC, 1"
)


def _to_fetch(count: int, clone: CloneState) -> Advice:
    parts = "checkpoints, transcripts or files" if clone.uses_entire else "files"
    what = f"{'history, ' if clone.shallow else ''}{parts} that this clone lacks"
    if not clone.has_remote:
        return Advice(count, f"{what}; it has no remote named origin")
    again = command_line("whowrote", "repo", clone.path, "--fetch")
    return Advice(count, f"{what}; what the server has of them comes with", again)


def unnamed_checkpoints(store: Store, repo_id: int) -> dict[str, set[int]]:
    """Checkpoints that no attributed commit names, with their sessions; snapshots at the end of
    a turn left out.
    """
    sessions: dict[str, set[int]] = {}
    for row in store.rows(
        "SELECT c.checkpoint_id AS id, cs.session_id AS session FROM checkpoints c JOIN"
        " checkpoint_sessions cs ON cs.checkpoint_id = c.id WHERE c.repo_id = ? AND c.store <>"
        " 'shadow' AND NOT EXISTS (SELECT 1 FROM commit_checkpoint_links l WHERE l.checkpoint ="
        " c.id)",
        (repo_id,),
    ):
        sessions.setdefault(row["id"], set()).add(row["session"])
    return sessions


_METHODS = ("trailer", "worktree", "time_and_files")  # surest first


@dataclass(slots=True)
class RepoReport:
    """Lines are added lines with text; blank ones are left out.

    `lines` are of files of every kind; `headline`, `kinds` and `coverage` tell kinds apart.
    """

    name: str
    path: str
    branch: str
    head: str
    first_commit_at: str
    last_commit_at: str
    commits: int = 0
    linked: int = 0
    # a commit counts once, by its surest link
    linked_by: dict[str, int] = field(default_factory=dict)
    declared: int = 0  # not linked, but a trailer or the author field names an agent
    unresolved: int = 0  # not linked, but names a checkpoint that this clone lacks
    # why no commit is linked to a session -> sessions
    unlinked: Mapping[str, int] = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict)  # class -> lines, every class
    # class -> lines of source and test files
    headline: Numbers = field(default_factory=dict)
    kinds: Table = field(default_factory=lambda: described_view("kind_lines"))
    # source and test lines with a named author: all, then by age
    coverage: list[Coverage] = field(default_factory=list)
    # class -> lines read, right ones, rate, interval
    audited: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    shares: Table = field(default_factory=lambda: described_view("evidence_shares"))
    edits: dict[str, int] = field(default_factory=dict)
    sessions: Table = field(default_factory=lambda: described_view("agent_sessions"))
    problems: Table = field(default_factory=lambda: described_view("problem_list"))
    # parts of the clone that are missing, and what the run has to say of records and lines
    censored: list[str] = field(default_factory=list)
    advice: list[Advice] = field(default_factory=list)  # what would name the author of more lines
    # whose the undeclared lines are, as far as plug-ins know
    undeclared_notes: list[str] = field(default_factory=list)
    asides: list[Section] = field(default_factory=list)  # what plug-ins count beside the classes
    unchanged: bool = False
    example: str = ""  # FILE:LINE worth looking at
    seconds: float = 0.0

    def data(self) -> dict[str, Any]:
        """Plain values, for --json."""
        values: dict[str, Any] = jsonable(self)
        del values["asides"]
        return values | {
            f"{aside.name}_lines": row["lines"] for aside in self.asides for row in aside.rows
        }

    def row(self) -> dict[str, Any]:
        """Plain numbers, for --csv."""
        values = {
            name: getattr(self, name)
            for name in self.__slots__
            if isinstance(getattr(self, name), str | int | float)
        }
        values |= {f"{name}_lines": lines for name, lines in self.lines.items()}
        values |= {f"headline_{name}_lines": lines for name, lines in self.headline.items()}
        for of in self.coverage:
            age = "" if of.days is None else f"_{of.days}_days"
            values |= {f"coverage_lines{age}": of.lines, f"coverage_attributed{age}": of.attributed}
        values |= {f"edits_{name}": number for name, number in self.edits.items()}
        sessions, problems = (
            sum(row[name] for row in table)
            for table, name in ((self.sessions, "sessions"), (self.problems, "count"))
        )
        return values | {"sessions": sessions, "problems": problems}


FileAt = Callable[[str, str], str | None]
"""Commit, path -> blob id."""


def repo_report(store: Store, repo_id: int, file_at: FileAt = lambda sha, path: path) -> RepoReport:
    """The numbers of one repository; `file_at` tells whether HEAD has the file of the example.

    Raises LookupError when the database has none of that number.
    """
    repo = repository(store, repo_id)
    if repo is None:
        raise LookupError(f"no repository {repo_id}")
    report = RepoReport(
        repo.name,
        repo.path or "",
        repo.branch or "",
        repo.head_sha or "",
        repo.first_commit_at or "",
        repo.last_commit_at or "",
    )
    _count_commits(store, repo_id, report)
    report.unlinked = unlinked_sessions(store, repo_id)
    report.shares = read_view(store, "evidence_shares", {"repo_id": repo_id}, "nonblank DESC")
    lines = Counter[str]()
    for row in report.shares:
        lines[row["class"]] += row["nonblank"]
    report.lines = {name: lines[name] for name in LINE_CLASSES}
    first = headline(store, repo_id)
    report.headline = first.lines
    report.kinds = first.kinds
    report.coverage = first.coverage
    report.audited = class_rates()
    report.sessions = read_view(
        store, "agent_sessions", {"repo_id": repo_id}, "lines DESC, sessions DESC"
    )
    report.edits = store.pairs(_EDITS, (repo_id,))
    report.problems = problem_table(store, repo_id)
    report.undeclared_notes = undeclared_notes(store, [repo_id])
    report.asides = sections(store, OfCounts(repo_id))
    report.example = _example(store, repo_id, partial(file_at, report.head))
    return report


def undeclared_notes(store: Store, repo_ids: Sequence[int]) -> list[str]:
    """How many of the undeclared lines are somebody's after all, as far as plug-ins know."""
    return [note for section in sections(store, OfUndeclared(repo_ids)) for note in section.words]


def problem_table(store: Store, repo_id: int | None = None) -> Table:
    """Problems by stage and code, with an example of each."""
    return read_view(store, "problem_list", {"repo_id": repo_id}, "count DESC, stage, code")


_FILES = f"""
SELECT f.path, MAX(f.id) AS id FROM commit_files f JOIN commits c ON c.id = f.commit_id
WHERE c.repo_id = ? AND f.content = 'text' GROUP BY f.path
ORDER BY SUM(f.agent_lines) > 0 DESC, f.kind IN ({sql_list(sorted(HEADLINE))}) DESC,
  MIN(SUM(f.agent_lines), SUM(f.human_lines)) DESC, SUM(f.agent_lines) DESC
"""


def _example(store: Store, repo_id: int, is_there: Callable[[str], str | None]) -> str:
    """A line of a file that agents wrote, rather of source or test and of one where people wrote
    too; "" without any.
    """
    for file in store.rows(_FILES, (repo_id,)):
        if is_there(file["path"]):
            line = store.value(_LINE, (file["id"],))
            return f"{file['path']}:{line or 1}"
    return ""


# outcome -> edits by tools
_EDITS = (
    "SELECT e.outcome, COUNT(*) AS n FROM edits e JOIN sessions s ON s.id = e.session_id "
    "WHERE s.repo_id = ? AND NOT e.by_shell GROUP BY 1 ORDER BY 2 DESC"
)
_LINE = (
    "SELECT s.start_line FROM spans s JOIN origins o ON o.id = s.origin_id WHERE s.file_id = ? "
    "ORDER BY o.author, s.nonblank < s.end_line - s.start_line + 1, 1"
)


def _count_commits(store: Store, repo_id: int, report: RepoReport) -> None:
    methods: dict[int, set[str]] = defaultdict(set)
    for row in store.rows(
        "SELECT commit_id, method FROM session_commits WHERE repo_id = ?", (repo_id,)
    ):
        methods[row["commit_id"]].add(row["method"])
    surest = Counter(min(of_commit, key=_rank) for of_commit in methods.values())
    report.linked = len(methods)
    report.linked_by = dict(sorted(surest.items(), key=lambda item: _rank(item[0])))
    for commit in store.rows(
        "SELECT id, declared_agent, checkpoint_ids FROM commits WHERE repo_id = ?", (repo_id,)
    ):
        report.commits += 1
        if commit["id"] not in methods:
            report.declared += commit["declared_agent"] is not None
            report.unresolved += commit["declared_agent"] is None and commit["checkpoint_ids"] > 0


def unlinked_sessions(store: Store, repo_id: int) -> dict[str, int]:
    """Why no commit is linked to a session -> sessions, most first."""
    return store.pairs(
        "SELECT unlinked_because, COUNT(*) AS sessions FROM session_list WHERE repo_id = ? AND"
        " unlinked_because IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1",
        (repo_id,),
    )


def _rank(method: str) -> int:
    return _METHODS.index(method) if method in _METHODS else len(_METHODS)
