"""What each commit did, in numbers, and which lines it kept in another shape or place: an
observer beside `lifetimes`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from attribution.lineage.model import (
    BEFORE,
    CommitStep,
    Fingerprint,
    KeptLines,
    count_lines,
    numbers,
)
from collector.groups import positions
from collector.json_values import Numbers


class Count(NamedTuple):
    """One commit; its parent is the index of the first one, -1 when that is outside."""

    sha: str
    parents: int
    parent: int
    mainline: bool
    born: int
    gone: int
    came: int
    present: int
    patch: Fingerprint | None


class Relocation(NamedTuple):
    """Consecutive lines that a commit kept: `path` in the commit, from 1-based `line` on;
    `origin` of the first, or BEFORE.
    """

    commit: int
    path: str
    line: int
    lines: int
    how: str
    origin: int


@dataclass(slots=True)
class CommitNotes:
    """An observer that counts. `counts` are in the order of the commits, from index `first` on."""

    counts: list[Count] = field(default_factory=list)
    moves: list[Relocation] = field(default_factory=list)
    # commit, path: content is missing or too large
    unread: list[tuple[str, str]] = field(default_factory=list)
    _index: Numbers = field(default_factory=dict)

    def know(self, shas: Sequence[str]) -> None:
        """Commits of an earlier run."""
        self._index = positions(shas)

    def step(self, step: CommitStep) -> None:
        self._index[step.sha] = step.index
        parent = self._index.get(step.parents[0], -1) if step.parents else -1
        born = sum(b.lines for b in step.born)
        if step.merge:
            gone = sum(count_lines(old) for old, _ in step.swapped)
            came = sum(count_lines(new) for _, new in step.swapped) - born
        else:
            gone = sum(count_lines(removed.origins) for removed in step.gone)
            came = sum(map(count_lines, step.again))
        self.counts.append(
            Count(
                step.sha,
                len(step.parents),
                parent,
                step.mainline,
                born,
                gone,
                came,
                step.present,
                step.patch,
            )
        )
        self.unread += [(step.sha, path) for path in step.unread]
        self.moves.extend(_join_relocations(step.index, step.kept))


def _join_relocations(commit: int, lines: Sequence[KeptLines]) -> list[Relocation]:
    """Single lines put together where places and numbers go on."""
    joined: list[Relocation] = []
    for line in sorted(lines, key=lambda k: (k.path, k.line)):
        origin = numbers(line.origins)[0]
        if joined and _goes_on(joined[-1], line, origin):
            joined[-1] = joined[-1]._replace(lines=joined[-1].lines + 1)
        else:
            joined.append(Relocation(commit, line.path, line.line, 1, line.how, origin))
    return joined


def _goes_on(last: Relocation, line: KeptLines, origin: int) -> bool:
    following = last.origin + last.lines if last.origin != BEFORE else BEFORE
    return (line.path, line.line, line.how, origin) == (
        last.path,
        last.line + last.lines,
        last.how,
        following,
    )
