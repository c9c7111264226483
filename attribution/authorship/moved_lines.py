"""Unexplained lines of a commit that are an agent's text from elsewhere: moved, or of an edit that could not be placed. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from attribution.authorship.align import tokens
from attribution.authorship.case import AddedFile, StateAlignment
from attribution.authorship.replay import Worktree
from attribution.authorship.verdicts import CallRef, Verdict
from collector.vocabulary.lines import Author, Evidence, How

_RUN = 3  # lines that must follow each other before text found elsewhere counts as moved


@dataclass(frozen=True, slots=True)
class MoveCandidates:
    """Agent text that is no longer where the agent put it: candidates for moves."""

    lines: tuple[tuple[str, CallRef], ...]  # consecutive
    evidence: Evidence = Evidence.MATCHED
    how: How = How.MOVED
    path: str = ""  # only in this file, and with the neighbours counted
    before: str = ""  # text of the line before, when it was there
    after: str = ""


class MovedLine(NamedTuple):
    """An added line whose text an agent wrote elsewhere."""

    file: int  # number in the files that were asked about
    line: int
    verdict: Verdict


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
        for start, length, (location, position) in _runs(file, open_lines, sources, positions, is_common):
            for offset in range(length):
                _, call = sources[location].lines[position + offset]
                verdict = Verdict(Author.AGENT, sources[location].how, sources[location].evidence, call=call)
                result.append(MovedLine(number, start + offset, verdict))
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
    positions: dict[str, list[tuple[int, int]]],
    is_common: Callable[[str], bool],
) -> list[tuple[int, int, tuple[int, int]]]:
    allowed = set(open_lines)
    result = []
    done = -1
    for start in open_lines:
        if start <= done:
            continue
        best: tuple[int, int, tuple[int, int]] = (0, 0, (0, 0))
        for location in positions.get(_key(file.lines[start]), ()):
            source = sources[location[0]]
            if source.path in ("", file.path):
                length = _run_length(file, start, allowed, source, location[1])
                best = max(best, (_strength(file, start, length, source, location[1]), length, location))
        strength, length, location = best
        texts = [file.lines[start + i].strip() for i in range(length)]
        telling = (file.lines[start + i] not in file.before and texts[i] and not is_common(texts[i]) for i in range(length))
        if strength >= _RUN and any(telling):
            result.append((start, length, location))
            done = start + length - 1
    return result


def _strength(file: AddedFile, start: int, length: int, source: MoveCandidates, position: int) -> int:
    """Lines with text in the run; in its old file also the neighbours that are the same as they were."""
    strength = sum(1 for i in range(length) if file.lines[start + i].strip())
    if source.path and position == 0 and source.before and _neighbour(file, start, -1) == source.before:
        strength += 1
    if (
        source.path
        and position + length == len(source.lines)
        and source.after
        and _neighbour(file, start + length - 1, 1) == source.after
    ):
        strength += 1
    return strength


def _neighbour(file: AddedFile, index: int, step: int) -> str:
    """The next line with text in that direction, stripped."""
    index += step
    while 0 <= index < len(file.lines):
        if file.lines[index].strip():
            return file.lines[index].strip()
        index += step
    return ""


def _run_length(file: AddedFile, start: int, allowed: set[int], source: MoveCandidates, position: int) -> int:
    length = 0
    while (
        start + length in allowed
        and position + length < len(source.lines)
        and _key(file.lines[start + length]) == _key(source.lines[position + length][0])
    ):
        length += 1
    return length


def sources_of(tree: Worktree, alignments: Sequence[StateAlignment]) -> list[MoveCandidates]:
    """What the commit's files lack of the agents' text, and the text of edits that could not be placed."""
    result = []
    for alignment in alignments:
        lines = []
        for line, text in alignment.lost:
            call = tree.origin(line).call
            if call is not None:
                lines.append((text, call))
        if lines:
            result.append(MoveCandidates(tuple(lines)))
    paths = {alignment.file.path for alignment in alignments} | {alignment.file.old_path for alignment in alignments}
    for path in paths:
        for buried in tree.buried.get(path, ()):
            result.append(MoveCandidates(buried.lines, Evidence.MATCHED, How.EXACT, path, buried.before, buried.after))
    for _, call, texts in tree.fragments:
        result.append(MoveCandidates(tuple((text, call) for text in texts), Evidence.MATCHED, How.EXACT))
    return result
