"""Added lines by class, month by month and group by group, of a whole database or of what a filter leaves of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

from collector.files.kinds import HEADLINE
from collector.storage.store import Store
from collector.storage.views import Column, Table, described_view
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
_NAMES = ", ".join(f'{column} AS "{name}"' for name, column in GROUPS.items())


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


@dataclass(frozen=True, slots=True)
class Trends:
    """Lines that a filter leaves."""

    months: dict[str, dict[str, int]]  # 2026-03 -> class -> lines
    groups: dict[str, Table]  # name of a group of GROUPS -> a row each, most lines first
    lines: Mapping[str, int]  # class -> lines, every class


def _where(line_filter: LineFilter) -> tuple[str, list[Any]]:
    conditions = [_HEADLINE] if not line_filter.kind else ["f.kind = ?"]
    values: list[Any] = [line_filter.kind] if line_filter.kind else []
    for column, value in (
        ("r.name", line_filter.repo), (GROUPS["agent"], line_filter.agent), (GROUPS["model"], line_filter.model),
        ("c.author_name", line_filter.person),
    ):  # fmt: skip
        if value:
            conditions.append(f"{column} = ?")
            values.append(value)
    if line_filter.since:
        conditions.append("c.author_at >= ?")
        values.append(line_filter.since)
    if line_filter.until:
        conditions.append("substr(c.author_at, 1, 10) <= ?")
        values.append(line_filter.until)
    return " AND ".join(conditions), values


class _Added(NamedTuple):
    """Lines that a commit added to files of a kind, with one verdict."""

    month: str
    commit: int
    session: int | None
    class_name: str
    names: tuple[str | None, ...]  # one for each of GROUPS
    lines: int


def _added_lines(store: Store, line_filter: LineFilter) -> list[_Added]:
    """One pass over all spans, which are many; everything else is added up from these."""
    targets, values = _where(line_filter)
    rows = store.rows(
        f"SELECT substr(c.author_at, 1, 7) AS month, c.id AS number, o.session_id, {_KIND} AS class_name, {_NAMES}, "
        f"SUM(p.nonblank) AS lines {_FROM} WHERE {targets} GROUP BY c.id, f.kind, o.id",
        values,
    )
    return [
        _Added(row["month"], row["number"], row["session_id"], row["class_name"], tuple(row[name] for name in GROUPS), row["lines"])
        for row in rows
    ]


def trends(store: Store, line_filter: LineFilter) -> Trends:
    """Months in order; groups without a name are left out."""
    added = _added_lines(store, line_filter)
    months: dict[str, dict[str, int]] = defaultdict(dict)
    for item in sorted(added, key=lambda item: (item.month, item.class_name)):
        of = months[item.month]
        of[item.class_name] = of.get(item.class_name, 0) + item.lines
    total = {name: sum(month.get(name, 0) for month in months.values()) for name in LINE_CLASSES}
    groups = {name: _groups(added, number) for number, name in enumerate(GROUPS)}
    return Trends(dict(months), groups, total)


def _groups(added: Iterable[_Added], number: int) -> Table:
    """Adds up lines by the name with that number."""
    members: dict[str, list[_Added]] = defaultdict(list)
    for item in added:
        if name := item.names[number]:
            members[name].append(item)
    counted = described_view("daily_lines")
    columns = [Column("name", "", "what the lines have in common"), Column("sessions", "", "sessions that wrote some of them")]
    rows = [_group(name, of) for name, of in members.items()]
    rows.sort(key=lambda row: (-row["lines"], row["name"]))
    return Table("groups", "Lines that have something in common.", columns + counted.columns[2:], rows[:_MOST])


def _group(name: str, members: Iterable[_Added]) -> dict[str, Any]:
    every = list(members)
    lines = {kind: sum(item.lines for item in every if item.class_name == kind) for kind in LINE_CLASSES}
    commits, sessions = len({item.commit for item in every}), len({item.session for item in every} - {None})
    return {"name": name, "sessions": sessions, "lines": sum(lines.values()), **lines, "commits": commits}


_CHOSEN = {
    "repos": "SELECT name AS value FROM repos",
    "agents": "SELECT agent AS value FROM sessions WHERE agent IS NOT NULL",
    "models": "SELECT model AS value FROM sessions WHERE model IS NOT NULL",
    "persons": "SELECT author_name AS value FROM commits WHERE COALESCE(author_name, '') <> ''",
    "kinds": "SELECT kind AS value FROM commit_files",
}


def choices(store: Store) -> dict[str, list[str]]:
    """What a filter can ask for: the values that occur in the database, most frequent first."""
    order = f"GROUP BY 1 ORDER BY COUNT(*) DESC, 1 LIMIT {_CHOICES}"
    return {name: [row["value"] for row in store.rows(f"{sql} {order}")] for name, sql in _CHOSEN.items()}
