"""The attributed lines of commits, by commit and session, as the formats that speak of lines need them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from collector.vocabulary.lines import LineClass, line_class_sql

if TYPE_CHECKING:
    from collector.storage.store import Store


@dataclass(frozen=True, slots=True)
class WrittenSpan:
    """Consecutive lines of one file with one origin."""

    path: str
    start: int
    end: int
    author: str  # agent | human
    how: str
    evidence: str
    turn: int | None
    call: str
    model: str

    @property
    def lines(self) -> int:
        return self.end - self.start + 1


@dataclass(slots=True)
class CommitShare:
    """What one session wrote into one commit; without a session: what people did."""

    repo: str
    url: str
    commit: str
    at: str  # author time of the commit
    committer: str  # Name <email> of its author
    session: str  # the agent's id, "" for people
    agent: str
    agent_version: str
    started_at: str
    ended_at: str
    spans: list[WrittenSpan] = field(default_factory=list)

    @property
    def files(self) -> dict[str, list[WrittenSpan]]:
        files: dict[str, list[WrittenSpan]] = {}
        for span in self.spans:
            files.setdefault(span.path, []).append(span)
        return dict(sorted(files.items()))

    @property
    def lines(self) -> int:
        return sum(span.lines for span in self.spans)


class _SpanRow(NamedTuple):
    repo: str
    url: str
    commit_sha: str
    at: str
    committer: str
    session: str
    agent: str
    agent_version: str
    started_at: str
    ended_at: str
    path: str
    start: int
    end: int
    author: str
    how: str
    evidence: str
    turn: int | None
    call: str
    model: str

    def share(self) -> CommitShare:
        """The share that the span is of, still without spans."""
        return CommitShare(*self[:10])

    def span(self) -> WrittenSpan:
        return WrittenSpan(*self[10:])


_CLASS = line_class_sql("o")
_SPANS = f"""
SELECT r.name AS repo, COALESCE(r.url, '') AS url, c.commit_sha, c.author_at AS at,
  trim(COALESCE(c.author_name, '') || ' <' || COALESCE(c.author_email, '') || '>') AS committer, COALESCE(n.key, '') AS session,
  COALESCE(n.agent, n.agent_label, '') AS agent, COALESCE(n.agent_version, '') AS agent_version,
  COALESCE(n.started_at, '') AS started_at, COALESCE(n.ended_at, '') AS ended_at, f.path, s.start_line AS start,
  s.end_line AS end, o.author, o.how, o.evidence, o.turn_index AS turn, COALESCE(o.call_id, '') AS call,
  COALESCE(o.model, CASE WHEN o.author = 'agent' THEN n.model END, '') AS model
FROM commits c JOIN repos r ON r.id = c.repo_id JOIN commit_files f ON f.commit_id = c.id JOIN spans s ON s.file_id = f.id
JOIN origins o ON o.id = s.origin_id LEFT JOIN sessions n ON n.id = o.session_id
WHERE c.repo_id = ? AND f.content = 'text' AND {_CLASS} IN ('{LineClass.AGENT}', '{LineClass.HUMAN}')
ORDER BY c.position, n.key, f.path, s.start_line
"""


def commit_shares(store: Store, repo_id: int, people: bool = True) -> Iterator[CommitShare]:
    """Commit by commit, session by session: lines that a recorded action wrote, and those of people with a witness.

    Lines that only a trailer gives to an agent, people's without a witness, those of tools and unknown ones are left out: the
    formats have no name for them, and none of them may pass for an agent's or a person's.
    """
    rows = (row for row in store.select(_SpanRow, _SPANS, (repo_id,)) if people or row.author != "human")
    for _, group in groupby(rows, lambda row: (row.commit_sha, row.session)):
        members = list(group)
        share = members[0].share()
        share.spans = [row.span() for row in members]
        yield share


class UnsharedLines(NamedTuple):
    """Added lines that are in no share, by class."""

    declared: int | None
    likely_human: int | None
    tool: int | None
    unknown: int | None
    undeclared: int | None


_UNSHARED = ", ".join(
    f"SUM(CASE WHEN {_CLASS} = '{name}' THEN s.end_line - s.start_line + 1 ELSE 0 END) AS {name}" for name in UnsharedLines._fields
)


def unshared_lines(store: Store, repos: Sequence[int]) -> UnsharedLines:
    ids = ", ".join(map(str, repos)) or "NULL"
    return store.select(
        UnsharedLines,
        f"SELECT {_UNSHARED} FROM commits c JOIN commit_files f ON f.commit_id = c.id JOIN spans s ON s.file_id = f.id "
        f"JOIN origins o ON o.id = s.origin_id WHERE c.repo_id IN ({ids})",
    )[0]
