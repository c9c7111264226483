"""The lines of the tip by who wrote them: the origins of a file's lines joined to the fates of
those lines. Pure.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple


class WrittenLines(NamedTuple):
    """Consecutive origins with one author, as `line_fates` has them."""

    origin: int  # of the first line
    lines: int
    origin_id: int | None  # who wrote them; None: the birth was not attributed
    birth: int  # commit
    path: str  # where the first one stands in that commit
    line: int


class TipPiece(NamedTuple):
    """Consecutive lines of a file with one author and one birth.

    `written` is None for lines from before the window.
    """

    start: int
    end: int
    nonblank: int
    written: WrittenLines | None


class Authors:
    """Who wrote each origin.

    `written` is in order of origins; `blank` says by origin whether the line has no text.
    """

    def __init__(self, written: Sequence[WrittenLines], blank: Sequence[int]) -> None:
        self._written = written
        self._firsts = [w.origin for w in written]
        self._blank = blank

    def pieces(self, rows: Iterable[tuple[int, int]]) -> Iterator[TipPiece]:
        """A file cut where author or birth change, from its (first origin, lines) from top to
        bottom.

        Origin 0 stands for lines from before the window. They count as blank: nobody looked.
        """
        line = 1
        for first, lines in rows:
            for count, piece in self._cut(first, lines):
                with_text = (
                    count - sum(self._blank[piece.origin : piece.origin + count])
                    if piece is not None
                    else 0
                )
                yield TipPiece(line, line + count - 1, with_text, piece)
                line += count

    def _cut(self, first: int, lines: int) -> Iterator[tuple[int, WrittenLines | None]]:
        origin = first
        end = first + lines
        while first and origin < end:
            index = bisect_right(self._firsts, origin) - 1
            span = self._written[index] if index >= 0 else None
            if span is None or origin >= span.origin + span.lines:
                break
            count = min(end, span.origin + span.lines) - origin
            yield (
                count,
                span._replace(origin=origin, lines=count, line=span.line + origin - span.origin),
            )
            origin += count
        if origin < end:
            yield end - origin, None


def join_neighbours(ordered: Iterable[TipPiece]) -> list[TipPiece]:
    """Joins neighbours that one commit wrote in sequence, by the same author."""
    joined: list[TipPiece] = []
    for piece in ordered:
        if joined and _continues(joined[-1], piece):
            joined[-1] = joined[-1]._replace(
                end=piece.end, nonblank=joined[-1].nonblank + piece.nonblank
            )
        else:
            joined.append(piece)
    return joined


def _continues(a: TipPiece, b: TipPiece) -> bool:
    if a.written is None or b.written is None:
        return a.written is b.written
    same = (a.written.origin_id, a.written.birth, a.written.path) == (
        b.written.origin_id,
        b.written.birth,
        b.written.path,
    )
    return same and b.written.line == a.written.line + b.start - a.start
