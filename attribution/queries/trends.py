"""Added lines by class, month by month and group by group, of a whole database or of what a filter leaves of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

from collector.files.kinds import HEADLINE
from collector.storage.store import Store
from collector.vocabulary import sql_list
from collector.vocabulary.lines import LINE_CLASSES, line_class_sql

_KIND = line_class_sql("o")
_HEADLINE = f"f.kind IN ({sql_list(sorted(HEADLINE))})"
_MOST = 12  # groups
_CHOICES = 200  # values to choose from
_FROM = (
    "FROM commits c JOIN repos r ON r.id = c.repo_id JOIN commit_files f ON f.commit_id = c.id JOIN spans p ON p.file_id = f.id "
    "JOIN origins o ON o.id = p.origin_id LEFT JOIN sessions s ON s.id = o.session_id"
)
GROUPS: Mapping[str, str] = {
    "repository": "r.name",
    "agent": "COALESCE(s.agent, CASE WHEN o.evidence = 'declared' THEN c.declared_agent END)",
    "model": "COALESCE(o.model, s.model)",
    "kind of file": "f.kind",
}
"""What lines can be grouped by. Lines that no agent wrote belong to no agent and no model."""


@dataclass(frozen=True, slots=True)
class LineFilter:
    """Which added lines; empty: all of source and test files. Dates are those of commits, ISO."""

    repo: str = ""
    agent: str = ""
    model: str = ""
    person: str = ""  # name of the commit's author
    since: str = ""
    until: str = ""  # up to and with that day
    kind: str = ""  # of the file; without it source and test

    @property
    def is_empty(self) -> bool:
        return not any(getattr(self, field.name) for field in fields(self))


class LineGroup(NamedTuple):
    """Lines that have something in common."""

    name: str
    lines: Mapping[str, int]  # class -> lines, every class
    commits: int
    sessions: int

    @property
    def total(self) -> int:
        return sum(self.lines.values())


@dataclass(frozen=True, slots=True)
class Choices:
    """What a filter can ask for: the values that occur, most frequent first."""

    repos: list[str]
    agents: list[str]
    models: list[str]
    persons: list[str]
    kinds: list[str]


@dataclass(frozen=True, slots=True)
class Trends:
    """Lines that a filter leaves."""

    months: dict[str, dict[str, int]]  # 2026-03 -> class -> lines
    groups: dict[str, list[LineGroup]]  # name of a group of GROUPS -> most lines first
    lines: Mapping[str, int]  # class -> lines, every class


def _where(wanted: LineFilter) -> tuple[str, list[Any]]:
    conditions = [_HEADLINE] if not wanted.kind else ["f.kind = ?"]
    values: list[Any] = [wanted.kind] if wanted.kind else []
    for column, value in (
        ("r.name", wanted.repo), (GROUPS["agent"], wanted.agent), (GROUPS["model"], wanted.model), ("c.author_name", wanted.person),
    ):  # fmt: skip
        if value:
            conditions.append(f"{column} = ?")
            values.append(value)
    if wanted.since:
        conditions.append("c.author_at >= ?")
        values.append(wanted.since)
    if wanted.until:
        conditions.append("substr(c.author_at, 1, 10) <= ?")
        values.append(wanted.until)
    return " AND ".join(conditions), values


def trends(store: Store, wanted: LineFilter) -> Trends:
    """Months in order; groups without a name are left out."""
    where, values = _where(wanted)
    months: dict[str, dict[str, int]] = defaultdict(dict)
    for row in store.rows(
        f"SELECT substr(c.author_at, 1, 7) AS month, {_KIND} AS kind, SUM(p.nonblank) AS lines {_FROM} WHERE {where} GROUP BY 1, 2 "
        "ORDER BY 1",
        values,
    ):
        months[row["month"]][row["kind"]] = row["lines"]
    total = {name: sum(month.get(name, 0) for month in months.values()) for name in LINE_CLASSES}
    groups = {name: _groups(store, column, where, values) for name, column in GROUPS.items()}
    return Trends(dict(months), groups, total)


def _groups(store: Store, column: str, where: str, values: list[Any]) -> list[LineGroup]:
    lines: dict[str, dict[str, int]] = defaultdict(dict)
    for row in store.rows(
        f"SELECT {column} AS name, {_KIND} AS kind, SUM(p.nonblank) AS lines {_FROM} WHERE {where} GROUP BY 1, 2", values
    ):
        if row["name"]:
            lines[row["name"]][row["kind"]] = row["lines"]
    counts = {
        row["name"]: (row["commits"], row["sessions"])
        for row in store.rows(
            f"SELECT {column} AS name, COUNT(DISTINCT c.id) AS commits, COUNT(DISTINCT o.session_id) AS sessions {_FROM} "
            f"WHERE {where} GROUP BY 1",
            values,
        )
    }
    found = [
        LineGroup(name, {kind: of.get(kind, 0) for kind in LINE_CLASSES}, *counts.get(name, (0, 0))) for name, of in lines.items()
    ]
    return sorted(found, key=lambda one: (-one.total, one.name))[:_MOST]


def choices(store: Store) -> Choices:
    """The values that occur in the database."""

    def values(sql: str) -> list[str]:
        return [row["value"] for row in store.rows(f"{sql} ORDER BY COUNT(*) DESC, 1 LIMIT {_CHOICES}")]

    return Choices(
        values("SELECT name AS value FROM repos GROUP BY 1"),
        values("SELECT agent AS value FROM sessions WHERE agent IS NOT NULL GROUP BY 1"),
        values("SELECT model AS value FROM sessions WHERE model IS NOT NULL GROUP BY 1"),
        values("SELECT author_name AS value FROM commits WHERE COALESCE(author_name, '') <> '' GROUP BY 1"),
        values("SELECT kind AS value FROM commit_files GROUP BY 1"),
    )
