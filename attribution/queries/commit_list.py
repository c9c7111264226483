"""Commits of a repository as a list with pages: lines by class, sessions, the pull request that the subject names."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from collector.files.kinds import HEADLINE
from collector.storage.store import Store
from collector.vocabulary import sql_list

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


@dataclass(frozen=True, slots=True)
class ListedCommit:
    sha: str
    subject: str
    author_name: str
    author_at: str
    parents: int
    declared_agent: str
    lines: Mapping[str, int]  # class -> added source and test lines with text, those that it has
    sessions: int
    pull: int | None  # number of the pull request that the subject names


class CommitList(NamedTuple):
    commits: list[ListedCommit]
    every: int  # on all pages
    first: int


class _Row(NamedTuple):
    id: int
    sha: str
    subject: str
    author_name: str
    author_at: str
    parents: int
    declared_agent: str
    sessions: int


def commit_list(store: Store, repo_id: int, wanted: CommitFilter, first: int = 0) -> CommitList:
    """Latest first."""
    where, values = _where(repo_id, wanted)
    every = store.value(f"SELECT COUNT(*) FROM commits c WHERE {where}", values)
    rows = store.select(
        _Row,
        "SELECT c.id, c.commit_sha AS sha, COALESCE(c.subject, '') AS subject, COALESCE(c.author_name, '') AS author_name, "
        "c.author_at, c.parents, COALESCE(c.declared_agent, '') AS declared_agent, "
        "(SELECT COUNT(*) FROM commit_sessions cs WHERE cs.commit_id = c.id) AS sessions "
        f"FROM commits c WHERE {where} ORDER BY c.position DESC LIMIT ? OFFSET ?",
        (*values, PAGE, first),
    )
    lines: dict[int, dict[str, int]] = defaultdict(dict)
    marks = ", ".join("?" * len(rows))
    for row in store.rows(
        f"SELECT commit_id, class, SUM(nonblank) AS lines FROM line_spans WHERE commit_id IN ({marks}) "
        f"AND kind IN ({sql_list(sorted(HEADLINE))}) GROUP BY 1, 2",
        [row.id for row in rows],
    ):
        if row["lines"]:
            lines[row["commit_id"]][row["class"]] = row["lines"]
    listed = [
        ListedCommit(
            row.sha, row.subject, row.author_name, row.author_at, row.parents, row.declared_agent, lines[row.id], row.sessions,
            pull_request(row.subject),
        )
        for row in rows
    ]  # fmt: skip
    return CommitList(listed, every, first)


def _where(repo_id: int, wanted: CommitFilter) -> tuple[str, list[Any]]:
    conditions, values = ["c.repo_id = ?"], [repo_id]
    found: list[Any] = list(values)
    if wanted.words:
        conditions.append("instr(lower(COALESCE(c.subject, '')), lower(?)) > 0")
        found.append(wanted.words)
    if wanted.person:
        conditions.append("c.author_name = ?")
        found.append(wanted.person)
    if wanted.agent:
        conditions.append(
            "(c.declared_agent = ? OR EXISTS (SELECT 1 FROM commit_sessions cs JOIN sessions s ON s.id = cs.session_id "
            "WHERE cs.commit_id = c.id AND s.agent = ?))"
        )
        found += [wanted.agent, wanted.agent]
    if wanted.line_class:
        conditions.append("EXISTS (SELECT 1 FROM line_spans l WHERE l.commit_id = c.id AND l.class = ? AND l.nonblank > 0)")
        found.append(wanted.line_class)
    return " AND ".join(conditions), found


def pull_request(subject: str) -> int | None:
    """The number that GitHub and Gitea put into the subject of a merged pull request."""
    found = _MERGED.search(subject) or _SQUASHED.search(subject)
    return int(found[1]) if found and len(found[1]) < 10 else None
