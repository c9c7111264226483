"""What a breakdown of a database reads: added lines, their lives, prompts and weaknesses, each
with the place where it belongs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

from attribution.hooks import plugins
from attribution.lineage.survival import BY_AGENTS, LifetimeRecord
from attribution.queries.survival import records_of
from attribution.stats.rates import RateCell
from collector.storage.store import Store
from collector.vocabulary import sql_list
from collector.vocabulary.lines import HEADLINE, line_class_sql


class Place(NamedTuple):
    """Where lines belong."""

    day: str  # 2026-03-09, by the author time of the commit or the time of the prompt
    repository: str
    directory: str  # of the top: "src/", or "." for its files
    agent: str  # "" for lines that no agent is known to have written
    name: str  # git author
    email: str
    # what sent most prompts of the session that wrote them; "" for lines without a session
    driver: str
    release: str  # the first tag that has the commit; "" for none


@dataclass(frozen=True, slots=True)
class BreakdownOptions:
    """Which lines, in which groups.

    Dates are ISO days of the commits' author times, `until` included.
    """

    by: tuple[str, ...] = ("month",)
    since: str = ""
    until: str = ""
    # pattern of e-mail addresses -> team; the first that fits counts
    teams: Mapping[str, str] = field(default_factory=dict)
    fold: bool = False  # months without agents side by side are one group, and not in `months`
    repository: str = ""  # only of this one

    @property
    def parameters(self) -> tuple[str, str, str]:
        """Of a statement with `asked_for`."""
        return self.since, self.until, self.repository


class LineCell(NamedTuple):
    """Added lines of one class in one commit and place."""

    place: Place
    commit_id: int
    line_class: str
    signed: int  # the commit has a session, or names an agent or a checkpoint
    lines: int


class CommitSign(NamedTuple):
    """Whether a commit has a session, or names an agent or a checkpoint."""

    place: Place  # without a directory and an agent
    commit_id: int
    signed: int


class Life(NamedTuple):
    place: Place
    record: LifetimeRecord


class Prompt(NamedTuple):
    place: Place
    cost_usd: float | None


class Weak(NamedTuple):
    """Scanned lines of agents, or findings in them."""

    place: Place
    cell: RateCell


AGENT = "COALESCE(NULLIF(s.agent, ''), s.agent_label, '')"


def asked_for(moment: str) -> str:
    """The condition that a time is in the days of the options and `r` their repository: the
    parameters of a statement.
    """
    return (
        f"(?1 = '' OR {moment} >= ?1) AND (?2 = '' OR substr({moment}, 1, 10) <= ?2)"
        " AND ?3 IN ('', r.name)"
    )


def place_columns(path: str, agent: str) -> str:
    """SQL of the columns of a place, from a path and an agent; `c` is the commit, `r` its
    repository, `s` the session.
    """
    return (
        "COALESCE(substr(c.author_at, 1, 10), '') AS day, r.name AS repository,"
        f" CASE instr({path}, '/') WHEN 0 THEN '.' ELSE substr({path}, 1, instr({path}, '/')) END"
        f" AS directory, {agent} AS agent, COALESCE(c.author_name, '') AS name,"
        " lower(COALESCE(c.author_email, '')) AS email, COALESCE(s.driver, '') AS driver,"
        " COALESCE(c.release, '') AS release"
    )


_CLASS = line_class_sql("o")
_AGENT_OF_LINE = (
    f"CASE {_CLASS} WHEN 'agent' THEN {AGENT}"
    " WHEN 'declared' THEN COALESCE(c.declared_agent, '') ELSE '' END"
)
_SIGNED = (
    "c.declared_agent IS NOT NULL OR c.checkpoint_ids > 0"
    " OR EXISTS (SELECT 1 FROM commit_sessions cs WHERE cs.commit_id = c.id)"
)
_SIGNS = f"""
SELECT {place_columns("''", "''")}, c.id AS commit_id, {_SIGNED} AS signed
FROM commits c JOIN repos r ON r.id = c.repo_id LEFT JOIN sessions s ON FALSE
WHERE {asked_for("c.author_at")} ORDER BY c.id
"""
_CELLS = f"""
SELECT {place_columns("f.path", _AGENT_OF_LINE)}, c.id AS commit_id, {_CLASS} AS line_class,
  {_SIGNED} AS signed,
  SUM(p.nonblank) AS lines
FROM commits c JOIN repos r ON r.id = c.repo_id
JOIN commit_files f ON f.commit_id = c.id JOIN spans p ON p.file_id = f.id
JOIN origins o ON o.id = p.origin_id LEFT JOIN sessions s ON s.id = o.session_id
WHERE f.kind IN ({sql_list(sorted(HEADLINE))}) AND {asked_for("c.author_at")}
GROUP BY c.id, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11 HAVING SUM(p.nonblank) > 0 ORDER BY c.id, 3, 4, 10
"""


def placed(
    store: Store, sql: str, options: BreakdownOptions
) -> Iterator[tuple[Place, tuple[Any, ...]]]:
    """Rows whose first columns are a place, with the columns behind it."""
    for row in store.rows(sql, options.parameters):
        values = tuple(row.values())
        yield Place(*values[: len(Place._fields)]), values[len(Place._fields) :]


_BIRTHS = f"""
SELECT h.id, h.repo_id, r.name AS repository, substr(h.author_at, 1, 10) AS day,
  COALESCE(c.author_name, '') AS name, lower(COALESCE(c.author_email, '')) AS email,
  COALESCE(c.release, '') AS release
FROM history_commits h JOIN repos r ON r.id = h.repo_id
LEFT JOIN commits c ON c.repo_id = h.repo_id AND c.commit_sha = h.commit_sha
WHERE {asked_for("h.author_at")}
"""


def _lives(store: Store, options: BreakdownOptions) -> list[Life]:
    births = {row["id"]: row for row in store.rows(_BIRTHS, options.parameters)}
    drivers = store.pairs("SELECT id, driver FROM sessions")
    result = []
    for record in records_of(store, sorted({birth["repo_id"] for birth in births.values()})):
        if birth := births.get(record.birth):
            agent = record.agent if record.author in BY_AGENTS else ""
            top, slash, _ = record.path.partition("/")
            directory = top + slash if slash else "."
            driver = drivers.get(record.session, "")
            by = (birth["name"], birth["email"], driver, birth["release"])
            result.append(
                Life(Place(birth["day"], birth["repository"], directory, agent, *by), record)
            )
    return result


_PROMPTS = f"""
SELECT COALESCE(substr(t.at, 1, 10), '') AS day, r.name AS repository, '' AS directory,
  COALESCE(t.agent, '') AS agent, '' AS name,
  '' AS email, s.driver, '' AS release, t.cost_usd
FROM turn_outcomes t JOIN repos r ON r.id = t.repo_id JOIN sessions s ON s.id = t.session_id
  WHERE {asked_for("t.at")}
ORDER BY t.session_id, t.turn_index
"""


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything that belongs to one group, or to all."""

    cells: list[LineCell] = field(default_factory=list)
    lives: list[Life] = field(default_factory=list)
    prompts: list[Prompt] = field(default_factory=list)
    weak: list[Weak] = field(default_factory=list)
    signs: list[CommitSign] = field(default_factory=list)

    def grouped(self, key: Callable[[Place], tuple[str, ...]]) -> dict[tuple[str, ...], Facts]:
        """A dictionary that makes a group without facts of every other key."""
        result: dict[tuple[str, ...], Facts] = defaultdict(Facts)
        for part in fields(self):
            for item in getattr(self, part.name):
                getattr(result[key(item.place)], part.name).append(item)
        return result


def line_cells(store: Store, options: BreakdownOptions) -> list[LineCell]:
    return [LineCell(place, *values) for place, values in placed(store, _CELLS, options)]


def commit_signs(store: Store, options: BreakdownOptions) -> list[CommitSign]:
    """Of every commit, also of those without a line of source or tests."""
    return [CommitSign(place, *values) for place, values in placed(store, _SIGNS, options)]


def facts(store: Store, options: BreakdownOptions) -> Facts:
    """All of a database that the options leave."""
    return Facts(
        line_cells(store, options),
        _lives(store, options),
        [Prompt(place, *values) for place, values in placed(store, _PROMPTS, options)],
        [
            Weak(place, RateCell(*values))
            for plugin in plugins()
            for sql in plugin.events()
            for place, values in placed(store, sql, options)
        ],
        commit_signs(store, options),
    )
