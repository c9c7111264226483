"""Unexplained lines of a commit that are an agent's text from elsewhere: moved, or of an edit that could not be placed. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from attribution.authorship.align import neighbour, tokens
from attribution.authorship.case import AddedFile, StateAlignment
from attribution.authorship.replay import Worktree
from attribution.authorship.verdicts import CallRef, Verdict
from collector.vocabulary.lines import Author, Evidence, How

_RUN = 3  # lines that must follow each other before text found elsewhere counts as moved


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


class _Run(NamedTuple):
    """Lines in a row that reappear in a row; the strongest of several is the greatest."""

    strength: int = 0
    length: int = 0
    source: int = 0
    position: int = 0  # of its first line in the source


def moved_lines(
    files: Sequence[tuple[AddedFile, dict[int, Verdict]]], sources: Sequence[MoveCandidates], is_common: Callable[[str], bool]
) -> list[MovedLine]:
    """Unexplained lines that are agent text from elsewhere.

    Three or more lines in a row must reappear in a row, at least one of them rare in the repository.
    """
    waiting = [[i for i in file.added if _is_open(verdicts.get(i))] for file, verdicts in files]
    if not any(waiting):
        return []
    positions: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for number, source in enumerate(sources):
        for position, (text, _) in enumerate(source.lines):
            key = _key(text)
            if key and len(positions[key]) < 50:
                positions[key].append((number, position))
    result = []
    for number, ((file, _), open_lines) in enumerate(zip(files, waiting, strict=True)):
        for start, run in _runs(file, open_lines, sources, positions, is_common):
            source = sources[run.source]
            for offset, (_, call) in enumerate(source.lines[run.position : run.position + run.length]):
                result.append(MovedLine(number, start + offset, Verdict(Author.AGENT, source.how, Evidence.MATCHED, call=call)))
    return result


@lru_cache(maxsize=50_000)  # texts that found no place are looked for in every commit
def _key(text: str) -> str:
    """What is left of a line when its layout is taken away: moved blocks are often indented again."""
    return " ".join(tokens(text)) or text.strip()


def _is_open(verdict: Verdict | None) -> bool:
    return verdict is not None and (verdict.author != Author.AGENT or verdict.evidence == Evidence.INFERRED)


def _runs(
    file: AddedFile,
    open_lines: Sequence[int],
    sources: Sequence[MoveCandidates],
    positions: Mapping[str, Sequence[tuple[int, int]]],
    is_common: Callable[[str], bool],
) -> Iterator[tuple[int, _Run]]:
    """First line, and the strongest run from there on."""
    allowed = set(open_lines)
    done = -1
    for start in open_lines:
        if start <= done:
            continue
        best = _Run()
        for number, position in positions.get(_key(file.lines[start]), ()):
            source = sources[number]
            if source.path in ("", file.path):
                length = _run_length(file, start, allowed, source, position)
                best = max(best, _Run(_strength(file, start, length, source, position), length, number, position))
        lines = file.lines[start : start + best.length]
        telling = (line not in file.before and line.strip() and not is_common(line.strip()) for line in lines)
        if best.strength >= _RUN and any(telling):
            yield start, best
            done = start + best.length - 1


def _strength(file: AddedFile, start: int, length: int, source: MoveCandidates, position: int) -> int:
    """Lines with text in the run; in its old file also the neighbours that are the same as they were."""
    strength = sum(1 for line in file.lines[start : start + length] if line.strip())
    if not source.path:
        return strength
    is_first, is_last = position == 0, position + length == len(source.lines)
    same_above = is_first and source.before and neighbour(file.lines, start, -1).strip() == source.before
    same_below = is_last and source.after and neighbour(file.lines, start + length - 1, 1).strip() == source.after
    return strength + bool(same_above) + bool(same_below)


def _run_length(file: AddedFile, start: int, allowed: set[int], source: MoveCandidates, position: int) -> int:
    length = 0
    for index, (text, _) in enumerate(source.lines[position:], start):
        if index not in allowed or _key(file.lines[index]) != _key(text):
            break
        length += 1
    return length


def sources_of(tree: Worktree, alignments: Sequence[StateAlignment]) -> list[MoveCandidates]:
    """What the commit's files lack of the agents' text, and the text of edits that could not be placed."""
    result = []
    for alignment in alignments:
        lines = [(text, call) for line, text in alignment.lost if (call := tree.origin(line).call) is not None]
        if lines:
            result.append(MoveCandidates(tuple(lines)))
    for path in {path for alignment in alignments for path in (alignment.file.path, alignment.file.old_path)}:
        for buried in tree.buried.get(path, ()):
            result.append(MoveCandidates(buried.lines, How.EXACT, path, buried.before, buried.after))
    for _, call, texts in tree.fragments:
        result.append(MoveCandidates(tuple((text, call) for text in texts), How.EXACT))
    return result
