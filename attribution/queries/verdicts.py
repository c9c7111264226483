"""What the database says about a line of a commit: author, evidence, session, call."""

from collections import defaultdict
from dataclasses import dataclass, fields, replace
from typing import NamedTuple

from attribution.lineage.git_blame import Introduction
from attribution.queries.open_repo import SHORT, OpenRepo
from collector.groups import group_pairs
from collector.json_values import Row
from collector.storage.store import Store
from collector.text import printable
from collector.vocabulary.lines import Reason, line_class


@dataclass(frozen=True, slots=True)
class CommitRef:
    """What a view shows of a commit; empty texts where the database has none."""

    id: int
    sha: str
    subject: str
    author_name: str
    author_at: str
    declared_agent: str
    automation: str


COMMIT_COLUMNS = (
    "c.id, c.commit_sha AS sha, COALESCE(c.subject, '') AS subject, COALESCE(c.author_name, '') AS"
    " author_name, c.author_at, COALESCE(c.declared_agent, '') AS declared_agent,"
    " COALESCE(c.automation, '') AS automation"
)
"""The SELECT list of a `CommitRef`, from commits c."""


NO_COMMIT = "0" * 40
"""The commit of a line that is not committed, as git blame writes it."""
NOT_COMMITTED: str = Reason.NOT_COMMITTED
NOT_YET: str = Reason.NOT_YET
"""Reasons of lines that have no verdict yet: beside `author` "" and no class."""


@dataclass(frozen=True, slots=True)
class LineAttribution:
    """What the database says about one line.

    `author` is "" when it says nothing: the line is older, newer or not committed.
    """

    author: str = ""
    how: str = ""
    evidence: str = ""
    reason: str = ""
    session_id: int | None = None
    session: str = ""  # the agent's own id
    label: str = ""
    agent: str = ""
    model: str = ""
    turn: int | None = None
    call_id: str = ""
    edited_by: str = ""
    similarity: float | None = None
    tool: str = ""
    run_by: str = ""
    witness: str = ""
    seen_without_at: str = ""
    seen_with_at: str = ""
    provisional: bool = False  # of a newer commit, worked out for one file: a run settles it

    @property
    def kind(self) -> str:
        """A `LineClass`, or "" for lines outside the attributed history."""
        return line_class(self.author, self.evidence, self.reason) if self.author else ""

    def data(self) -> Row:
        """Plain values, for --json and --csv."""
        return {
            "author": self.author,
            "class": self.kind,
            "how": self.how,
            "evidence": self.evidence,
            "reason": self.reason,
            "agent": self.agent,
            "model": self.model,
            "session": self.session,
            "turn": self.turn,
            "call": self.call_id,
            "edited_by": self.edited_by,
            "similarity": self.similarity,
            "tool": self.tool,
            "run_by": self.run_by,
            "witness": self.witness,
            "seen_without_at": self.seen_without_at,
            "seen_with_at": self.seen_with_at,
            "provisional": self.provisional,
        }


ATTRIBUTION_COLUMNS = (
    "o.author, o.how, o.evidence, o.reason, o.session_id, COALESCE(s.key, '') AS session,"
    " COALESCE(s.label, '') AS label, COALESCE(s.agent,"
    " CASE WHEN o.evidence = 'declared' THEN c.declared_agent END, '') AS agent,"
    " COALESCE(o.model, s.model, '') AS model, o.turn_index AS turn,"
    " COALESCE(o.call_id, '') AS call_id, COALESCE(o.edited_by, '') AS edited_by,"
    " o.similarity, COALESCE(o.tool, '') AS tool, COALESCE(o.run_by, '') AS run_by,"
    " COALESCE(o.witness, '') AS witness, COALESCE(o.seen_without_at, '') AS seen_without_at,"
    " COALESCE(o.seen_with_at, '') AS seen_with_at"
)
"""The SELECT list of a `LineAttribution`, from origins (or line_spans) o, sessions s and the
commit c.
"""


def commit_of(row: Row) -> CommitRef:
    """Makes the commit from a row that has COMMIT_COLUMNS among its columns."""
    return CommitRef(**{each.name: row[each.name] for each in fields(CommitRef)})


def attribution_of(row: Row) -> LineAttribution:
    """Makes the attribution from a row that has ATTRIBUTION_COLUMNS among its columns."""
    return LineAttribution(
        **{each.name: row[each.name] for each in fields(LineAttribution) if each.name in row}
    )


class AttributedLines(NamedTuple):
    """Consecutive lines of a file, and what holds for them."""

    start: int
    end: int
    attribution: LineAttribution


def _span(row: Row) -> AttributedLines:
    return AttributedLines(row["start"], row["end"], attribution_of(row))


_SPANS = (
    f"SELECT o.path, o.start_line AS start, o.end_line AS end, {ATTRIBUTION_COLUMNS} FROM"
    " line_spans o JOIN commits c ON c.id = o.commit_id LEFT JOIN sessions s ON s.id ="
    " o.session_id WHERE o.commit_id = ?"
)


class Attributions:
    """Commits and spans of one repository, each read once."""

    def __init__(self, opened: OpenRepo) -> None:
        self._store = opened.store
        self._repo_id = opened.repo_id
        self._waiting = dict.fromkeys(opened.newer, Reason.NOT_YET)
        self._waiting |= dict.fromkeys(opened.unmade, Reason.NOT_COMMITTED)
        self._commits: dict[str, CommitRef | None] = {}
        self._spans: dict[tuple[str, str], list[AttributedLines]] = {}

    def commit(self, sha: str) -> CommitRef | None:
        if sha not in self._commits:
            sql = f"SELECT {COMMIT_COLUMNS} FROM commits c WHERE c.repo_id = ? AND c.commit_sha = ?"
            self._commits[sha] = self._store.select_one(CommitRef, sql, (self._repo_id, sha))
        return self._commits[sha]

    def of_line(self, introduction: Introduction) -> LineAttribution:
        """Of a commit that no run has read, only what is sure already."""
        spans = self.spans(introduction.sha, introduction.path)
        found = (s.attribution for s in spans if s.start <= introduction.line <= s.end)
        of = next(found, LineAttribution())
        reason = self._waiting.get(introduction.sha)
        if reason is None:
            return of
        if not of.author or of.reason in (NOT_COMMITTED, NOT_YET):
            return LineAttribution(reason=reason)
        return replace(of, provisional=True)

    def spans(self, sha: str, path: str) -> list[AttributedLines]:
        key = (sha, printable(path))
        if key not in self._spans:
            commit = self.commit(sha)
            sql = f"{_SPANS} AND o.path = ? ORDER BY o.start_line"
            rows = self._store.rows(sql, (commit.id, key[1])) if commit is not None else []
            self._spans[key] = [_span(row) for row in rows]
        return self._spans[key]


def commit_spans(store: Store, commit: CommitRef) -> dict[str, list[AttributedLines]]:
    """The spans of all files of a commit, by path."""
    return group_pairs(
        (row["path"], _span(row))
        for row in store.rows(f"{_SPANS} ORDER BY o.path, o.start_line", (commit.id,))
    )


# --- where a line was before ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Move:
    """A commit that changed the line only in shape or place; where the line stands there."""

    sha: str
    path: str
    line: int
    how: str  # whitespace | reformatted | moved


@dataclass(frozen=True, slots=True)
class MoveHistory:
    """`first` is None when the line is older than the history that was followed."""

    first: Introduction | None
    moves: tuple[Move, ...] = ()  # oldest first
    origin: int = 0

    def words(self) -> str:
        return "; ".join(f"{move.how} in {move.sha[:SHORT]}" for move in self.moves)


class MoveHistories:
    """Lookups in one repository's line history; empty where none is stored."""

    def __init__(self, store: Store, repo_id: int) -> None:
        self._store = store
        self._repo_id = repo_id
        self._is_stored = (
            store.value("SELECT 1 FROM history_commits WHERE repo_id = ? LIMIT 1", (repo_id,))
            is not None
        )
        self._files: dict[tuple[str, str], list[Row]] = {}
        self._moves: dict[int, list[tuple[int, Move]]] | None = None

    def of(self, introduced: Introduction) -> MoveHistory | None:
        """What happened to a line before the commit where git blame stops; None when git blame
        follows it to its beginning.
        """
        spans = self._kept_spans(introduced) if self._is_stored else ()
        span = next((s for s in spans if s["start_line"] <= introduced.line <= s["end_line"]), None)
        if span is None:
            return None
        if not span["origin"]:
            return MoveHistory(
                None, (Move(introduced.sha, introduced.path, introduced.line, span["how"]),)
            )
        origin = span["origin"] + introduced.line - span["start_line"]
        moves = tuple(move for number, move in self._moves_of(origin) if number <= span["number"])
        return MoveHistory(self.first(origin), moves, origin)

    def _kept_spans(self, introduced: Introduction) -> list[Row]:
        """Lines that a commit moved or laid out differently; `origin` is 0 when they are older
        than the followed history.
        """
        key = (introduced.sha, printable(introduced.path))
        if key not in self._files:
            self._files[key] = self._store.rows(
                "SELECT t.start_line, t.end_line, t.how, t.origin, h.number FROM history_commits h"
                " JOIN line_moves t ON t.repo_id = h.repo_id AND t.commit_id = h.id WHERE h.repo_id"
                " = ? AND h.commit_sha = ? AND t.path = ?",
                (self._repo_id, *key),
            )
        return self._files[key]

    def first(self, origin: int) -> Introduction | None:
        """The commit that wrote the line first, and where the line stood there."""
        sql = (
            "SELECT h.commit_sha AS sha, l.path, l.start_line + ?1 - l.origin AS line FROM"
            " line_lifetimes l JOIN history_commits h ON h.id = l.birth WHERE l.repo_id = ?2 AND"
            " l.origin <= ?1 ORDER BY l.origin DESC LIMIT 1"
        )
        return self._store.select_one(Introduction, sql, (origin, self._repo_id))

    def _moves_of(self, origin: int) -> list[tuple[int, Move]]:
        """(number of the commit, move) of a line, oldest first."""
        if self._moves is None:
            self._moves = defaultdict(list)
            for span in self._store.rows(_MOVES, (self._repo_id,)):
                for n in range(span["end_line"] - span["start_line"] + 1):
                    move = Move(span["sha"], span["path"], span["start_line"] + n, span["how"])
                    self._moves[span["origin"] + n].append((span["number"], move))
        return self._moves.get(origin, [])


_MOVES = """
SELECT h.number, h.commit_sha AS sha, t.path, t.start_line, t.end_line, t.how, t.origin
  FROM line_moves t
JOIN history_commits h ON h.id = t.commit_id WHERE t.repo_id = ? AND t.origin > 0 ORDER BY h.number
"""
