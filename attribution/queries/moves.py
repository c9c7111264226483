"""Where a line was before git blame loses it, as the stored history knows: moves, new layout, the commit that wrote it first."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from attribution.lineage.git_blame import Introduction
from attribution.queries.open_repo import SHORT
from collector.storage.store import Store
from collector.text import printable


@dataclass(frozen=True, slots=True)
class Move:
    """A commit that changed the line only in shape or place; where the line stands there."""

    sha: str
    path: str
    line: int
    how: str  # whitespace | reformatted | moved


@dataclass(frozen=True, slots=True)
class MoveHistory:
    """`first` is None when the line is older than the window."""

    first: Introduction | None
    travels: tuple[Move, ...] = ()
    origin: int = 0

    def words(self) -> str:
        return "; ".join(f"{t.how} in {t.sha[:SHORT]}" for t in self.travels)


class MoveHistories:
    """Lookups in one repository's history; empty where no history is stored."""

    def __init__(self, store: Store, repo_id: int) -> None:
        self._store, self._repo = store, repo_id
        self._files: dict[tuple[str, str], list[dict[str, Any]]] = {}
        self._all: dict[int, list[tuple[int, Move]]] | None = None

    def of(self, birth: Introduction) -> MoveHistory | None:
        """The journey that ends where git blame stops; None for a line that git blame follows to its beginning."""
        row = next((r for r in self._kept(birth) if r["start_line"] <= birth.line <= r["end_line"]), None)
        if row is None:
            return None
        if not row["origin"]:
            return MoveHistory(None, (Move(birth.sha, birth.path, birth.line, row["how"]),))
        origin = row["origin"] + birth.line - row["start_line"]
        travels = [t for t in self._travels(origin) if t[0] <= row["number"]]
        return MoveHistory(self.first(origin), tuple(t for _, t in travels), origin)

    def _kept(self, birth: Introduction) -> list[dict[str, Any]]:
        key = (birth.sha, printable(birth.path))
        if key not in self._files:
            self._files[key] = self._store.rows(
                "SELECT t.start_line, t.end_line, t.how, t.origin, h.number FROM history_commits h JOIN line_travels t "
                "ON t.repo_id = h.repo_id AND t.commit_id = h.id WHERE h.repo_id = ? AND h.commit_sha = ? AND t.path = ?",
                (self._repo, *key),
            )
        return self._files[key]

    def first(self, origin: int) -> Introduction | None:
        rows = self._store.rows(
            "SELECT h.commit_sha, l.path, l.start_line, l.origin FROM line_lives l JOIN history_commits h ON h.id = l.birth "
            "WHERE l.repo_id = ? AND l.origin <= ? ORDER BY l.origin DESC LIMIT 1",
            (self._repo, origin),
        )
        return (
            Introduction(rows[0]["commit_sha"], rows[0]["path"], rows[0]["start_line"] + origin - rows[0]["origin"])
            if rows
            else None
        )

    def _travels(self, origin: int) -> list[tuple[int, Move]]:
        """(number of the commit, travel) of a line, oldest first."""
        if self._all is None:
            self._all = defaultdict(list)
            for r in self._store.rows(_TRAVELS, (self._repo,)):
                for n in range(r["end_line"] - r["start_line"] + 1):
                    travel = Move(r["commit_sha"], r["path"], r["start_line"] + n, r["how"])
                    self._all[r["origin"] + n].append((r["number"], travel))
        return self._all.get(origin, [])


_TRAVELS = """
SELECT h.number, h.commit_sha, t.path, t.start_line, t.end_line, t.how, t.origin FROM line_travels t
JOIN history_commits h ON h.id = t.commit_id WHERE t.repo_id = ? AND t.origin > 0 ORDER BY h.number
"""
