"""Commits of a repository, filtered and in pages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from collector.storage.store import Store
from collector.storage.views import Table, read_view

PAGE = 100
_MERGED = re.compile(r"^Merge pull request #(\d+)")
_SQUASHED = re.compile(r"\(#(\d+)\)\s*$")


@dataclass(frozen=True, slots=True)
class CommitFilter:
    """Which commits; empty: all."""

    words: str = ""  # in the subject
    person: str = ""  # name of the author
    agent: str = ""  # of a linked session, or declared
    line_class: str = ""  # added at least one line of this class


def commit_page(store: Store, repo_id: int, commit_filter: CommitFilter, first: int = 0) -> tuple[Table, int]:
    """The latest commits from `first` on, as rows of the view commit_list, and how many there are on all pages."""
    where_sql, values = _where(repo_id, commit_filter)
    every = store.value(f"SELECT COUNT(*) FROM commits c WHERE {where_sql}", values)
    sql = f"SELECT c.id FROM commits c WHERE {where_sql} ORDER BY c.position DESC LIMIT ? OFFSET ?"
    numbers = [row["id"] for row in store.rows(sql, (*values, PAGE, first))]
    return read_view(store, "commit_list", {"commit_id": numbers}, "position DESC"), every


def _where(repo_id: int, commit_filter: CommitFilter) -> tuple[str, list[Any]]:
    conditions: list[str] = ["c.repo_id = ?"]
    result: list[Any] = [repo_id]
    if commit_filter.words:
        conditions.append("instr(lower(COALESCE(c.subject, '')), lower(?)) > 0")
        result.append(commit_filter.words)
    if commit_filter.person:
        conditions.append("c.author_name = ?")
        result.append(commit_filter.person)
    if commit_filter.agent:
        conditions.append(
            "(c.declared_agent = ? OR EXISTS (SELECT 1 FROM commit_sessions cs JOIN sessions s ON s.id = cs.session_id "
            "WHERE cs.commit_id = c.id AND s.agent = ?))"
        )
        result += [commit_filter.agent, commit_filter.agent]
    if commit_filter.line_class:
        conditions.append("EXISTS (SELECT 1 FROM line_spans l WHERE l.commit_id = c.id AND l.class = ? AND l.nonblank > 0)")
        result.append(commit_filter.line_class)
    return " AND ".join(conditions), result


def choices(store: Store, repo_id: int) -> dict[str, list[str]]:
    """What a filter can ask for: git authors and agents of the repository, most frequent first."""
    columns = {"persons": ("commits", "author_name"), "agents": ("sessions", "agent")}
    return {
        name: [row[column] for row in store.rows(_CHOICES.format(table=table, column=column), (repo_id,))]
        for name, (table, column) in columns.items()
    }


_CHOICES = (
    "SELECT {column} FROM {table} WHERE repo_id = ? AND COALESCE({column}, '') <> '' GROUP BY 1 ORDER BY COUNT(*) DESC, 1 LIMIT 200"
)


def pull_request(subject: str) -> int | None:
    """The number that GitHub and Gitea put into the subject of a merged pull request."""
    result = _MERGED.search(subject) or _SQUASHED.search(subject)
    return int(result[1]) if result and len(result[1]) < 10 else None
