"""What a breakdown of a database reads: added lines, their lives, prompts and weaknesses, each with the place where it belongs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from attribution.lineage.survival import LifetimeRecord
from attribution.queries import lifetimes
from attribution.stats.rates import RateCell
from collector.files.kinds import HEADLINE
from collector.plugins import hooks
from collector.storage.store import Store
from collector.vocabulary import sql_list
from collector.vocabulary.lines import LineClass, line_class_sql


class Place(NamedTuple):
    """Where lines belong."""

    month: str  # 2026-03, by the author time of the commit
    repository: str
    directory: str  # of the top: "src/", or "." for its files
    agent: str  # "" for lines that no agent is known to have written
    name: str  # git author
    email: str


@dataclass(frozen=True, slots=True)
class BreakdownOptions:
    """Which lines, in which groups. Dates are ISO days of the commits' author times, `until` included."""

    by: tuple[str, ...] = ("month",)
    since: str = ""
    until: str = ""
    teams: Mapping[str, str] = field(default_factory=dict)  # pattern of e-mail addresses -> team; the first that fits counts
    anonymous: bool = False  # persons, teams and repositories get pseudonyms


class LineCell(NamedTuple):
    """Added lines of one class in one commit and place."""

    place: Place
    commit_id: int
    line_class: str
    signed: int  # the commit has a session, or names an agent or a checkpoint
    lines: int


class Life(NamedTuple):
    place: Place
    record: LifetimeRecord


class Prompt(NamedTuple):
    place: Place
    cost_usd: float | None
    present: int | None


class Weak(NamedTuple):
    """Scanned lines of agents, or findings in them."""

    place: Place
    cell: RateCell


AGENT = "COALESCE(NULLIF(s.agent, ''), s.agent_label, '')"


def days(moment: str) -> str:
    """The condition that a time is in the days of the options, which are the first two parameters of a statement."""
    return f"(?1 = '' OR {moment} >= ?1) AND (?2 = '' OR substr({moment}, 1, 10) <= ?2)"


def place_columns(path: str, agent: str) -> str:
    """SQL of the columns of a place, from a path and an agent; `c` is the commit, `r` its repository."""
    return (
        f"COALESCE(substr(c.author_at, 1, 7), '') AS month, r.name AS repository, CASE instr({path}, '/') WHEN 0 THEN '.' "
        f"ELSE substr({path}, 1, instr({path}, '/')) END AS directory, {agent} AS agent, COALESCE(c.author_name, '') AS name, "
        "lower(COALESCE(c.author_email, '')) AS email"
    )


_CLASS = line_class_sql("o")
_CELLS = f"""
SELECT {
    place_columns(
        "f.path", f"CASE {_CLASS} WHEN 'agent' THEN {AGENT} WHEN 'declared' THEN COALESCE(c.declared_agent, '') ELSE '' END"
    )
}, c.id AS commit_id, {_CLASS} AS line_class,
  c.declared_agent IS NOT NULL OR c.checkpoint_ids > 0
    OR EXISTS (SELECT 1 FROM commit_sessions cs WHERE cs.commit_id = c.id) AS signed, SUM(p.nonblank) AS lines
FROM commits c JOIN repos r ON r.id = c.repo_id JOIN commit_files f ON f.commit_id = c.id JOIN spans p ON p.file_id = f.id
JOIN origins o ON o.id = p.origin_id LEFT JOIN sessions s ON s.id = o.session_id
WHERE f.kind IN ({sql_list(sorted(HEADLINE))}) AND {days("c.author_at")}
GROUP BY c.id, 1, 2, 3, 4, 5, 6, 8, 9 HAVING SUM(p.nonblank) > 0 ORDER BY c.id, 3, 4, 8
"""


def placed(store: Store, sql: str, options: BreakdownOptions, *more: object) -> Iterator[tuple[Place, tuple[Any, ...]]]:
    """Rows whose first columns are a place, with the columns behind it."""
    for row in store.rows(sql, (options.since, options.until, *more)):
        values = tuple(row.values())
        yield Place(*values[: len(Place._fields)]), values[len(Place._fields) :]


def _line_cells(store: Store, options: BreakdownOptions) -> list[LineCell]:
    return [LineCell(group_place, *values) for group_place, values in placed(store, _CELLS, options)]


class _Birth(NamedTuple):
    """The commit that wrote lines."""

    id: int
    repo_id: int
    month: str
    name: str
    email: str


def _lives(store: Store, options: BreakdownOptions) -> list[Life]:
    births = _births(store, options)
    names = {row["id"]: row["name"] for row in store.rows("SELECT id, name FROM repos")}
    result = []
    for record in lifetimes.records_of(store, sorted({birth.repo_id for birth in births.values()})):
        if birth := births.get(record.birth):
            agent = record.agent if record.author in (LineClass.AGENT, LineClass.DECLARED) else ""
            top, slash, _ = record.path.partition("/")
            group_place = Place(birth.month, names[birth.repo_id], top + slash if slash else ".", agent, birth.name, birth.email)
            result.append(Life(group_place, record))
    return result


def _births(store: Store, options: BreakdownOptions) -> dict[int, _Birth]:
    rows = store.select(
        _Birth,
        "SELECT h.id, h.repo_id, substr(h.author_at, 1, 7) AS month, COALESCE(c.author_name, '') AS name, "
        "lower(COALESCE(c.author_email, '')) AS email FROM history_commits h LEFT JOIN commits c ON c.repo_id = h.repo_id "
        f"AND c.commit_sha = h.commit_sha WHERE {days('h.author_at')}",
        (options.since, options.until),
    )
    return {row.id: row for row in rows}


_PROMPTS = f"""
SELECT COALESCE(substr(t.at, 1, 7), '') AS month, r.name AS repository, '' AS directory, COALESCE(t.agent, '') AS agent, '' AS name,
  '' AS email, t.cost_usd, t.present
FROM turn_outcomes t JOIN repos r ON r.id = t.repo_id WHERE {days("t.at")}
ORDER BY t.session_id, t.turn_index
"""


def _prompts(store: Store, options: BreakdownOptions) -> list[Prompt]:
    return [Prompt(group_place, *values) for group_place, values in placed(store, _PROMPTS, options)]


def _weak(store: Store, options: BreakdownOptions) -> list[Weak]:
    return [Weak(group_place, cell) for read in hooks("event_counts") for group_place, cell in read(store, options)]


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything that belongs to one group, or to all."""

    cells: list[LineCell] = field(default_factory=list)
    lives: list[Life] = field(default_factory=list)
    prompts: list[Prompt] = field(default_factory=list)
    weak: list[Weak] = field(default_factory=list)

    def grouped(self, key: Callable[[Place], tuple[str, ...]]) -> dict[tuple[str, ...], Facts]:
        result: dict[tuple[str, ...], Facts] = defaultdict(Facts)
        for cell in self.cells:
            result[key(cell.place)].cells.append(cell)
        for life in self.lives:
            result[key(life.place)].lives.append(life)
        for prompt in self.prompts:
            result[key(prompt.place)].prompts.append(prompt)
        for weak in self.weak:
            result[key(weak.place)].weak.append(weak)
        return result


def facts(store: Store, options: BreakdownOptions) -> Facts:
    """All of a database that the options leave."""
    return Facts(_line_cells(store, options), _lives(store, options), _prompts(store, options), _weak(store, options))
