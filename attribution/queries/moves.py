"""Where a line was before git blame loses it, as the stored history knows: moves, new layout, the commit that wrote it first."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from attribution.lineage.git_blame import Introduction
from attribution.queries.open_repo import SHORT
from collector.text import printable

if TYPE_CHECKING:
    from collector.storage.store import Store


@dataclass(frozen=True, slots=True)
class Move:
    """A commit that changed the line only in shape or place; where the line stands there."""

    sha: str
    path: str
    line: int
    how: str  # whitespace | reformatted | moved


@dataclass(frozen=True, slots=True)
class MoveHistory:
    """`first` is None when the line is older than the history that was followed."""

    first: Introduction | None
    moves: tuple[Move, ...] = ()  # oldest first
    origin: int = 0

    def words(self) -> str:
        return "; ".join(f"{move.how} in {move.sha[:SHORT]}" for move in self.moves)


class MoveHistories:
    """Lookups in one repository's line history; empty where none is stored."""

    def __init__(self, store: Store, repo_id: int) -> None:
        self._store, self._repo_id = store, repo_id
        self._is_stored = store.value("SELECT 1 FROM history_commits WHERE repo_id = ? LIMIT 1", (repo_id,)) is not None
        self._files: dict[tuple[str, str], list[dict[str, Any]]] = {}
        self._moves: dict[int, list[tuple[int, Move]]] | None = None

    def of(self, introduced: Introduction) -> MoveHistory | None:
        """What happened to a line before the commit where git blame stops; None when git blame follows it to its beginning."""
        spans = self._kept_spans(introduced) if self._is_stored else ()
        span = next((s for s in spans if s["start_line"] <= introduced.line <= s["end_line"]), None)
        if span is None:
            return None
        if not span["origin"]:
            return MoveHistory(None, (Move(introduced.sha, introduced.path, introduced.line, span["how"]),))
        origin = span["origin"] + introduced.line - span["start_line"]
        moves = tuple(move for number, move in self._moves_of(origin) if number <= span["number"])
        return MoveHistory(self.first(origin), moves, origin)

    def _kept_spans(self, introduced: Introduction) -> list[dict[str, Any]]:
        """Lines that a commit moved or laid out differently; `origin` is 0 when they are older than the followed history."""
        key = (introduced.sha, printable(introduced.path))
        if key not in self._files:
            self._files[key] = self._store.rows(
                "SELECT t.start_line, t.end_line, t.how, t.origin, h.number FROM history_commits h JOIN line_moves t "
                "ON t.repo_id = h.repo_id AND t.commit_id = h.id WHERE h.repo_id = ? AND h.commit_sha = ? AND t.path = ?",
                (self._repo_id, *key),
            )
        return self._files[key]

    def first(self, origin: int) -> Introduction | None:
        """The commit that wrote the line first, and where the line stood there."""
        sql = (
            "SELECT h.commit_sha AS sha, l.path, l.start_line + ?1 - l.origin AS line FROM line_lifetimes l JOIN history_commits h "
            "ON h.id = l.birth WHERE l.repo_id = ?2 AND l.origin <= ?1 ORDER BY l.origin DESC LIMIT 1"
        )
        return self._store.select_one(Introduction, sql, (origin, self._repo_id))

    def _moves_of(self, origin: int) -> list[tuple[int, Move]]:
        """(number of the commit, move) of a line, oldest first."""
        if self._moves is None:
            self._moves = defaultdict(list)
            for span in self._store.rows(_MOVES, (self._repo_id,)):
                for n in range(span["end_line"] - span["start_line"] + 1):
                    move = Move(span["sha"], span["path"], span["start_line"] + n, span["how"])
                    self._moves[span["origin"] + n].append((span["number"], move))
        return self._moves.get(origin, [])


_MOVES = """
SELECT h.number, h.commit_sha AS sha, t.path, t.start_line, t.end_line, t.how, t.origin FROM line_moves t
JOIN history_commits h ON h.id = t.commit_id WHERE t.repo_id = ? AND t.origin > 0 ORDER BY h.number
"""
