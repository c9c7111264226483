"""The commits of a database, with their added lines by author."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collector.storage.store import Store


class CommitRow(NamedTuple):
    """A commit; added lines, blank ones included."""

    repo: str
    sha: str
    author_at: str
    author_name: str
    subject: str
    lines_added: int | None  # as git counts them; None when the clone lacks the content
    agent_lines: int
    declared_lines: int
    human_lines: int
    likely_human_lines: int
    tool_lines: int
    unknown_lines: int
    sessions: int  # linked to the commit


def commit_rows(store: Store, repo: int | None = None) -> list[CommitRow]:
    """Of a repository or of all, in order of history."""
    return store.select(
        CommitRow,
        "SELECT r.name AS repo, c.commit_sha AS sha, c.author_at, COALESCE(c.author_name, '') AS author_name, "
        "COALESCE(c.subject, '') AS subject, l.lines_added, l.agent_lines, l.declared_lines, l.human_lines, l.likely_human_lines, "
        "l.tool_lines, l.unknown_lines, l.sessions FROM commits c JOIN repos r ON r.id = c.repo_id "
        "JOIN commit_lines l ON l.commit_id = c.id WHERE ?1 IS NULL OR c.repo_id = ?1 ORDER BY r.name, c.position",
        (repo,),
    )
