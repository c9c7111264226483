"""Unexplained lines of a commit that are an agent's text from elsewhere: moved, or of an edit
that could not be placed. Pure.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, islice
from typing import NamedTuple

from attribution.authorship.align import neighbour, tokens
from attribution.authorship.case import AddedFile, StateAlignment
from attribution.authorship.replay import Worktree
from attribution.authorship.verdicts import CallRef, Verdict
from collector.vocabulary.lines import Author, Evidence, How

_RUN = 3  # lines that must follow each other before text found elsewhere counts as moved
_MOST_PLACES = 50  # of one text


@dataclass(frozen=True, slots=True)
class MoveCandidates:
    """Agent text that is no longer where the agent put it: candidates for moves."""

    lines: tuple[tuple[str, CallRef], ...]  # consecutive
    how: How = How.MOVED
    path: str = ""  # only in this file, and with the neighbours counted
    before: str = ""  # text of the line before, when it was there
    after: str = ""


class MovedLine(NamedTuple):
    """An added line whose text an agent wrote elsewhere."""

    file: int  # number in the files that were asked about
    line: int
    verdict: Verdict


class MoveIndex:
    """Candidates for moves, whose lines are found by their text without layout."""

    def __init__(self, sources: Iterable[MoveCandidates] = ()) -> None:
        self.sources: list[MoveCandidates] = []
        self._places: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for source in sources:
            self.add(source)

    def add(self, source: MoveCandidates) -> None:
        for position, (text, _) in enumerate(source.lines):
            key = _key(text)
            if key and len(self._places[key]) < _MOST_PLACES:
                self._places[key].append((len(self.sources), position))
        self.sources.append(source)

    def places(self, text: str) -> Iterator[tuple[MoveCandidates, int, int]]:
        """The candidates that hold the line, with their numbers and its position in each."""
        return (
            (self.sources[number], number, position)
            for number, position in self._places.get(_key(text), ())
        )


class UnplacedText:
    """What agents wrote in a worktree and took out again, and what could not be placed: indexed
    once, as it grows.
    """

    def __init__(self, tree: Worktree) -> None:
        self._tree = tree
        self._fragments = MoveIndex()
        self._buried = defaultdict[str, MoveIndex](MoveIndex)

    def indexes(self, path: str) -> Sequence[MoveIndex]:
        buried = self._buried[path]
        fragments = self._fragments
        for hunk in self._tree.buried.get(path, [])[len(buried.sources) :]:
            buried.add(MoveCandidates(hunk.lines, How.EXACT, path, hunk.before, hunk.after))
        for _, call, texts in self._tree.fragments[len(fragments.sources) :]:
            fragments.add(MoveCandidates(tuple((text, call) for text in texts), How.EXACT))
        return buried, fragments


class _Run(NamedTuple):
    """Lines in a row that reappear in a row; the strongest of several is the greatest."""

    strength: int = 0
    length: int = 0
    group: int = 0  # which of the indexes has the source
    source: int = 0
    position: int = 0  # of its first line in the source


def moved_lines(
    files: Sequence[tuple[AddedFile, dict[int, Verdict]]],
    lost: Sequence[MoveCandidates],
    is_common: Callable[[str], bool],
    indexes_of: Callable[[str], Sequence[MoveIndex]] = lambda _: (),
) -> list[MovedLine]:
    """Unexplained lines that are agent text from elsewhere: `lost` by the commit, or of what
    `indexes_of` has for the path.

    Three or more lines in a row must reappear in a row, at least one of them rare in the
    repository.
    """
    waiting = [[i for i in file.added if _is_open(verdicts.get(i))] for file, verdicts in files]
    index = MoveIndex(lost if any(waiting) else ())
    result = []
    for number, ((file, _), open_lines) in enumerate(zip(files, waiting, strict=True)):
        indexes = (
            [item for item in (index, *indexes_of(file.path)) if item.sources] if open_lines else []
        )
        for start, run in _runs(file, open_lines, indexes, is_common) if indexes else ():
            source = indexes[run.group].sources[run.source]
            for offset, (_, call) in enumerate(
                source.lines[run.position : run.position + run.length]
            ):
                result.append(
                    MovedLine(
                        number,
                        start + offset,
                        Verdict(Author.AGENT, source.how, Evidence.MATCHED, call=call),
                    )
                )
    return result


@lru_cache(maxsize=50_000)  # texts that found no place are looked for in every commit
def _key(text: str) -> str:
    """What is left of a line when its layout is taken away: moved blocks are often indented
    again.
    """
    return " ".join(tokens(text)) or text.strip()


def _is_open(verdict: Verdict | None) -> bool:
    return verdict is not None and (
        verdict.author != Author.AGENT or verdict.evidence == Evidence.INFERRED
    )


def _runs(
    file: AddedFile,
    open_lines: Sequence[int],
    indexes: Sequence[MoveIndex],
    is_common: Callable[[str], bool],
) -> Iterator[tuple[int, _Run]]:
    """First line, and the strongest run from there on."""
    search = _RunSearch(file, set(open_lines), indexes)
    done = silent = -1
    for start in open_lines:
        if start <= done:
            continue
        best = max(search.runs_from(start), default=_Run())
        if best.strength < _RUN:
            continue
        # lines from here up to `silent` tell nothing: they are not asked about again
        silent = max(silent, start)
        end = start + best.length
        while silent < end and not _tells(file, file.lines[silent], is_common):
            silent += 1
        if silent < end:
            yield start, best
            done = end - 1


def _tells(file: AddedFile, line: str, is_common: Callable[[str], bool]) -> bool:
    return line not in file.before and bool(line.strip()) and not is_common(line.strip())


class _RunSearch:
    """The runs of one file. Each pairing of its lines with those of a source is followed once,
    however many lines are alike.
    """

    def __init__(self, file: AddedFile, allowed: set[int], indexes: Sequence[MoveIndex]) -> None:
        self._file = file
        self._allowed = allowed
        self._indexes = indexes
        self._texts = [*accumulate((bool(line.strip()) for line in file.lines), initial=0)]
        self._ends: dict[tuple[int, int, int], int] = {}  # index, source, distance -> line

    def runs_from(self, start: int) -> Iterator[_Run]:
        places = (
            (group, *place)
            for group, index in enumerate(self._indexes)
            for place in index.places(self._file.lines[start])
        )
        for group, source, number, position in islice(places, _MOST_PLACES):
            if source.path in ("", self._file.path):
                pairing = (group, number, position - start)
                if self._ends.get(pairing, start) <= start:
                    self._ends[pairing] = self._end(start, source, position)
                length = self._ends[pairing] - start
                strength = self._strength(start, length, source, position)
                yield _Run(strength, length, group, number, position)

    def _end(self, start: int, source: MoveCandidates, position: int) -> int:
        """The first line after `start` that is not the source's."""
        lines = self._file.lines
        for index in range(start, start + len(source.lines) - position):
            text, _ = source.lines[position + index - start]
            if index not in self._allowed or _key(lines[index]) != _key(text):
                return index
        return start + len(source.lines) - position

    def _strength(self, start: int, length: int, source: MoveCandidates, position: int) -> int:
        """Lines with text in the run; in its old file also the neighbours that are the same as
        they were.
        """
        strength = self._texts[start + length] - self._texts[start]
        if not source.path:
            return strength
        lines = self._file.lines
        end = position + length
        same_above = (
            position == 0 and source.before and neighbour(lines, start, -1).strip() == source.before
        )
        same_below = (
            end == len(source.lines)
            and source.after
            and neighbour(lines, start + length - 1, 1).strip() == source.after
        )
        return strength + bool(same_above) + bool(same_below)


def lost_sources(tree: Worktree, alignments: Sequence[StateAlignment]) -> list[MoveCandidates]:
    """What the commit's files lack of the agents' text."""
    lost = (
        [(text, call) for line, text in item.lost if (call := tree.origin(line).call) is not None]
        for item in alignments
    )
    return [MoveCandidates(tuple(lines)) for lines in lost if lines]
