"""Which lines of a fix say where a defect came from, and which commit that was. Pure.

The rules were chosen on one project and measured on others (docs/culprit.md).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence
from typing import NamedTuple

from attribution.authorship.symbols import enclosing
from attribution.culprit.words import RepairOutcome
from collector.vocabulary.lines import FileKind

CODE_KINDS = frozenset({FileKind.SOURCE, FileKind.CONFIG})
"""Kinds of files whose lines count first."""
OTHER_KINDS = frozenset({FileKind.TEST, FileKind.DOCS, FileKind.DATA})
"""Kinds that count where a fix changed no other: a fix of a test repairs the test."""

_HASH = re.compile(
    r"\.(?:pyi?|sh|bash|zsh|rb|p[lm]|r|ya?ml|toml|cfg|conf|ini|mk|cmake|tf|exs?|jl|nix)$|(?:^|/)Makefile$", re.IGNORECASE
)
_DASHES = re.compile(r"\.(?:sql|lua|hs|elm|ad[bs])$", re.IGNORECASE)
_SLASHES = re.compile(r"//|/\*|\*(?:$|[\s/*])")
_WORD = re.compile(r"\w")
_REACH = 15  # lines above and below an added one among which a neighbour is looked for


def is_code(path: str, text: str) -> bool:
    """Whether a line says something to a computer: neither blank nor a comment nor brackets alone."""
    line = text.strip()
    if not _WORD.search(line):
        return False
    if _HASH.search(path):
        return not line.startswith("#")
    if _DASHES.search(path):
        return not line.startswith("--")
    return not _SLASHES.match(line) and not line.startswith("<!--")


def is_inner_test(path: str, texts: Sequence[str], line: int) -> bool:
    """Whether a line, counted from 1, stands in the tests at the end of a source file, as Rust has them."""
    return path.endswith(".rs") and any(text.startswith("#[cfg(test)]") for text in texts[:line])


class AddedBlock(NamedTuple):
    """Consecutive lines that a commit added to a file: numbers of the first and the last, from 1."""

    first: int
    last: int


def neighbours(path: str, texts: Sequence[str], added: AddedBlock, new: Container[int]) -> list[int]:
    """Numbers of the nearest lines above and below a block that stood there before and belong to the same function or class.

    `new`: all lines of the file that the commit added. None where the block stands in no function, or says nothing.
    """
    code = next((n for n in range(added.first, added.last + 1) if is_code(path, texts[n - 1])), None)
    if code is None or not texts[code - 1][:1].isspace():  # what is not indented stands in nothing
        return []
    head = _head_of(path, texts[: code - 1])
    if not head:
        return []
    above = range(added.first - 1, max(0, added.first - 1 - _REACH), -1)
    below = range(added.last + 1, min(len(texts), added.last + _REACH) + 1)
    sides = (_first_of(path, texts, side, new) for side in (above, below))
    return [n for n in sides if n is not None and _head_of(path, texts[:n]) == head]


def _first_of(path: str, texts: Sequence[str], side: Iterable[int], new: Container[int]) -> int | None:
    return next((n for n in side if n not in new and is_code(path, texts[n - 1])), None)


def _head_of(path: str, texts: Sequence[str]) -> str:
    """The head of the function or class in which the last line stands, which may be that line."""
    text = "".join(f"{line}\n" for line in texts)
    return enclosing(path, text, len(text))


class TracedLines(NamedTuple):
    """Consecutive lines by which a fix is traced: where they were written first."""

    origin: int  # number of the first one in the line history
    commit: int  # place of the commit that wrote them in the order of commits
    sha: str  # its id
    path: str
    line: int  # number of the first one there
    lines: int  # of them, lines of code
    kind: str  # FileKind


class Answer(NamedTuple):
    """What a fix was traced by."""

    outcome: RepairOutcome
    lines: list[TracedLines]


def first_answer(removed: Sequence[TracedLines], around: Callable[[], Sequence[TracedLines]]) -> Answer | None:
    """The lines that count: removed code, else its neighbours, else removed lines of other files, else their neighbours.

    `around` looks for neighbours, which takes longer. None where there is nothing of all this.
    """
    for kinds in (CODE_KINDS, OTHER_KINDS):
        if counted := [each for each in removed if each.kind in kinds]:
            return Answer(RepairOutcome.REMOVED, counted)
        if counted := [each for each in around() if each.kind in kinds]:
            return Answer(RepairOutcome.NEIGHBOURS, counted)
    return None


def likeliest(lines: Iterable[TracedLines]) -> str:
    """The commit that wrote most of the lines; of several, the latest; "" without lines."""
    votes: Counter[tuple[int, str]] = Counter()
    for each in lines:
        votes[each.commit, each.sha] += each.lines
    return max(votes, key=lambda commit: (votes[commit], commit[0]), default=(0, ""))[1]


class FixedLines(NamedTuple):
    """Repaired lines, as the table `fixed_lines` has them."""

    origin: int  # row of line_fates
    line: int  # number of the first one in the commit that wrote them
    lines: int  # of code


class TracedFix(NamedTuple):
    """A fix and the lines that it repaired; the values are those of the table `fixes`."""

    repo_id: int
    sha: str
    subject: str
    fixed_at: str
    tier: str
    names: str
    outcome: str
    culprit_sha: str | None
    basis: str
    lines: tuple[FixedLines, ...] = ()
    by_agents: bool = False  # whether recorded lines of an agent are among them; known of stored fixes
