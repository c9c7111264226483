"""What the database says about a line of a commit: author, evidence, session, call."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from attribution.lineage.git_blame import Introduction
from attribution.queries.open_repo import OpenRepo
from collector.storage.store import Store
from collector.text import printable
from collector.vocabulary.lines import line_class

_SPANS = (
    "SELECT l.*, s.key, s.label, s.agent, s.model AS session_model FROM line_spans l LEFT JOIN sessions s ON s.id = l.session_id "
    "WHERE l.commit_id = ?"
)


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


@dataclass(frozen=True, slots=True)
class LineAttribution:
    """What the database says about one line. `author` is "" when it says nothing."""

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

    @property
    def kind(self) -> str:
        """agent, declared, human, unknown, undeclared, or "" for lines outside the attributed history."""
        return line_class(self.author, self.evidence, self.reason) if self.author else ""

    def row(self) -> dict[str, Any]:
        """Plain values, for data."""
        return {
            "author": self.author, "class": self.kind, "how": self.how, "evidence": self.evidence, "reason": self.reason,
            "agent": self.agent, "model": self.model, "session": self.session, "turn": self.turn, "call": self.call_id,
            "edited_by": self.edited_by, "similarity": self.similarity,
        }  # fmt: skip


Span = tuple[int, int, LineAttribution]
"""First line, last line, and what holds for them."""


class Attributions:
    """Commits and spans of one repository, each read once."""

    def __init__(self, where: OpenRepo) -> None:
        self._store, self._repo = where.store, where.repo_id
        self._commits: dict[str, CommitRef | None] = {}
        self._spans: dict[tuple[str, str], list[Span]] = {}

    def commit(self, sha: str) -> CommitRef | None:
        if sha not in self._commits:
            rows = self._store.rows("SELECT * FROM commits WHERE repo_id = ? AND commit_sha = ?", (self._repo, sha))
            self._commits[sha] = commit_ref(rows[0]) if rows else None
        return self._commits[sha]

    def said(self, birth: Introduction) -> LineAttribution:
        return next((s for a, b, s in self.spans(birth.sha, birth.path) if a <= birth.line <= b), LineAttribution())

    def spans(self, sha: str, path: str) -> list[Span]:
        key = (sha, printable(path))
        if key not in self._spans:
            commit = self.commit(sha)
            sql = f"{_SPANS} AND l.path = ? ORDER BY l.start_line"
            rows = self._store.rows(sql, (commit.id, key[1])) if commit is not None else []
            self._spans[key] = [(r["start_line"], r["end_line"], _said(r, commit)) for r in rows]
        return self._spans[key]


def commit_spans(store: Store, commit: CommitRef) -> dict[str, list[Span]]:
    """The spans of all files of a commit, by path."""
    spans: dict[str, list[Span]] = defaultdict(list)
    for r in store.rows(f"{_SPANS} ORDER BY l.path, l.start_line", (commit.id,)):
        spans[r["path"]].append((r["start_line"], r["end_line"], _said(r, commit)))
    return spans


def commit_ref(row: Mapping[str, Any]) -> CommitRef:
    names = ("subject", "author_name", "author_at", "declared_agent", "automation")
    return CommitRef(row["id"], row["commit_sha"], *(row[n] or "" for n in names))


def _said(row: Mapping[str, Any], commit: CommitRef | None) -> LineAttribution:
    declared = commit.declared_agent if commit is not None and row["evidence"] == "declared" else ""
    return LineAttribution(
        row["author"], row["how"], row["evidence"], row["reason"], row["session_id"], row["key"] or "", row["label"] or "",
        row["agent"] or declared, row["model"] or row["session_model"] or "", row["turn_index"], row["call_id"] or "",
        row["edited_by"] or "", row["similarity"],
    )  # fmt: skip
