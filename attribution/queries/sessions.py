"""Sessions as rows for people and programs: their counts, features, rounds of edits."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from collector.errors import WhoWroteError
from collector.storage.views import Table, read_view

if TYPE_CHECKING:
    from attribution.queries.features import SessionFeatures
    from collector.storage.store import Store


class _SessionKey(NamedTuple):
    id: int
    key: str


def find_session(store: Store, key: str, repo: int | None = None) -> int:
    """Number of the session whose key is `key` or begins with it, or whose number it is. Raises WhoWroteError."""
    number = int(key) if key.isascii() and key.isdigit() and len(key) < 10 else -1
    matching = store.select(
        _SessionKey,
        "SELECT id, key FROM sessions WHERE (? IS NULL OR repo_id = ?) AND (key = ? OR substr(key, 1, ?) = ? OR id = ?)",
        (repo, repo, key, max(len(key), 4), key, number),
    )
    sessions = [session for session in matching if session.key == key] or matching
    if not sessions:
        raise WhoWroteError(f"no such session: {key}", "List the sessions with: whowrote sessions --json")
    if len(sessions) > 1:
        raise WhoWroteError(f"{key} is ambiguous: it matches {len(sessions)} session keys", "Use more characters of the key")
    return sessions[0].id


def session_list(store: Store, repo: int | None = None) -> Table:
    """All sessions, subagents' included, latest first."""
    return read_view(store, "session_list", {"repo_id": repo}, "repo, started_at DESC, id")


def families(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same sessions, each followed by the subagents that it spawned."""
    children: dict[tuple[int, str], list[dict[str, Any]]] = defaultdict(list)
    every = list(rows)
    keys = {(row["repo_id"], row["key"]) for row in every}
    for row in every:
        children[row["repo_id"], row["parent"]].append(row)
    heads = [row for row in every if (row["repo_id"], row["parent"]) not in keys]
    return [member for head in heads for member in (head, *children[head["repo_id"], head["key"]])]


def feature_rows(store: Store, repo: int | None = None, key: str = "", only: Sequence[str] = ()) -> list[SessionFeatures]:
    """All features of each session, or of the one that `key` names; `only`: some features, by name.

    Raises WhoWroteError when none were computed.
    """
    from attribution.queries.features import features_ready, session_features

    if not features_ready(store):
        raise WhoWroteError(
            "the database has no session features computed by this version", "Compute them with: whowrote repo PATH --db FILE"
        )
    return session_features(store, repo, find_session(store, key, repo) if key else None, only)


# --- regions ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RegionEdit:
    """One edit of a region: a row of `region_edits`, and the function or class it is in."""

    round: int
    turn_index: int
    at: str | None
    tool: str
    call_id: str
    start_line: int
    end_line: int
    lines_added: int
    lines_removed: int
    removed: str | None
    added: str | None
    symbol: str | None


@dataclass(frozen=True, slots=True)
class Region:
    """A place that a session edited more than once: a row of `regions`, with its edits in order."""

    id: int
    repo: str
    session: str  # its key
    label: str
    path: str
    start_line: int
    end_line: int
    hunks: int
    rounds: int
    convergence: str | None
    returned_to: int | None
    sizes: list[int]  # lines changed in each round
    first_at: str | None
    last_at: str | None
    edits: list[RegionEdit]

    def edit_rows(self) -> list[dict[str, Any]]:
        """Plain values of each edit, for --csv."""
        return [{"region": self.id, "session": self.session, "path": self.path, **asdict(edit)} for edit in self.edits]


class _RegionRow(NamedTuple):
    id: int
    repo: str
    session: str
    label: str
    path: str
    start_line: int
    end_line: int
    hunks: int
    rounds: int
    convergence: str | None
    returned_to: int | None
    sizes: str  # JSON
    first_at: str | None
    last_at: str | None


_REGIONS = """
SELECT g.id, r.name AS repo, s.key AS session, s.label, g.path, g.start_line, g.end_line, g.hunks, g.rounds,
  g.convergence, g.returned_to, g.sizes, g.first_at, g.last_at FROM regions g JOIN sessions s ON s.id = g.session_id
JOIN repos r ON r.id = s.repo_id
"""
_REGION_EDITS = """
SELECT e.round, e.turn_index, e.at, e.tool, e.call_id, e.start_line, e.end_line, e.lines_added, e.lines_removed,
  e.removed, e.added, y.symbol FROM region_edits e LEFT JOIN region_symbols y ON y.region_id = e.region_id
AND y.call_id = e.call_id AND y.start_line = e.start_line WHERE e.region_id = ? ORDER BY e.round, e.at, e.start_line
"""


class RegionChoice(NamedTuple):
    """Which re-edited regions."""

    repo: int | None = None  # None: of all repositories
    session: int | None = None  # its number; None: of all sessions
    oscillating: bool = False  # only those

    def where(self) -> tuple[str, tuple[int, ...]]:
        """The condition, and its values: an optional one would keep SQLite from its indexes."""
        chosen = {"s.repo_id = ?": self.repo, "s.id = ?": self.session}
        known = {condition: value for condition, value in chosen.items() if value is not None}
        always = ["g.rounds > 1", *(["g.convergence = 'oscillating'"] if self.oscillating else [])]
        return " AND ".join([*always, *known]), tuple(known.values())


EVERY_REGION = RegionChoice()


def region_rows(store: Store, choice: RegionChoice = EVERY_REGION, most: int | None = None) -> list[Region]:
    """Re-edited regions, the most often edited first, `most` of them, each with its edits in order."""
    where, values = choice.where()
    sql = f"{_REGIONS} WHERE {where} ORDER BY g.rounds DESC, g.id LIMIT ?"
    rows = store.select(_RegionRow, sql, (*values, -1 if most is None else most))
    return [_region(row, store.select(RegionEdit, _REGION_EDITS, (row.id,))) for row in rows]


def region_counts(store: Store, choice: RegionChoice) -> dict[str | None, int]:
    """Convergence -> number of regions."""
    where, values = choice.where()
    sql = f"SELECT g.convergence, COUNT(*) AS n FROM regions g JOIN sessions s ON s.id = g.session_id WHERE {where} GROUP BY 1"
    return {row["convergence"]: row["n"] for row in store.rows(sql, values)}


def _region(row: _RegionRow, edits: list[RegionEdit]) -> Region:
    return Region(
        row.id, row.repo, row.session, row.label, row.path, row.start_line, row.end_line, row.hunks, row.rounds, row.convergence,
        row.returned_to, json.loads(row.sizes), row.first_at, row.last_at, edits,
    )  # fmt: skip
