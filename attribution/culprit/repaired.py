"""Which lines of a fix say where a defect came from, and which commit that was. Pure.

The rules were chosen on one project and measured on others (docs/culprit.md).
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Container, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from attribution.authorship.symbols import enclosing
from attribution.culprit.words import RepairOutcome
from collector.vocabulary.lines import FileKind

CODE_KINDS = frozenset({FileKind.SOURCE, FileKind.CONFIG})
"""Kinds of files whose lines count first."""
OTHER_KINDS = frozenset({FileKind.TEST, FileKind.DOCS, FileKind.DATA})
"""Kinds that count where a fix changed no other: a fix of a test repairs the test."""

_HASH = re.compile(
    r"(?:\.(?:pyi?|sh|bash|zsh|rb|p[lm]|r|ya?ml|toml|cfg|conf|ini|mk|cmake|tf|exs?|jl|nix|env)|(?:^|/)(?:Makefile|Dockerfile))"
    r"(?:\.(?:example|sample|template|dist|in))?$",
    re.IGNORECASE,
)
_DASHES = re.compile(r"\.(?:sql|lua|hs|elm|lean|ad[bs])$", re.IGNORECASE)
_SLASHES = re.compile(r"//|/\*|<!--|\*(?:$|[\s/*])")
_WORD = re.compile(r"\w+")
_SAYS = re.compile(r"\w|(['\"`])[^'\"`]+\1")  # a word, or a text of which every character counts
_IMPORT = re.compile(
    r"#\s*include\b|import\b|from\s+\S+\s+import\b|(?:pub\s+)?use\s+[\w:\\]+|using\s+[\w.]+\s*;|require(?:_relative)?\b|package\s+[\w.]+;?$"
    r"|export\s+(?:type\s+)?[*{][^=]*\sfrom\b|(?:const|let|var)\s[^=]*=\s*require\("
)
_HEAD = re.compile(
    r"(?:\w+\s+){0,4}(?:func?|fn|function|def|class|actor|interface|protocol|trait|type)\b|(?:public|private|protected|internal|export)\s"
)
_VERSIONS = re.compile(
    r"(?:^|/)(?:package\.json|go\.mod|Cargo\.toml|pyproject\.toml|requirements[^/]*\.txt|Gemfile|pom\.xml|build\.gradle(?:\.kts)?|composer\.json"
    r"|Package\.swift|[^/]+\.csproj)\n.*\d\.\d"
)
_STYLES = (".css", ".scss", ".sass", ".less")
# How comments of several lines and docstrings begin and end.
_BLOCKS = {"/*": "*/", "/-": "-/", "<!--": "-->", "{-": "-}", '"""': '"""', "'''": "'''"}
_REACH = 15  # lines above and below an added one among which a neighbour is looked for


def is_code(path: str, text: str) -> bool:
    """Whether a line says something to a computer: neither blank nor a comment nor brackets
    alone. A text in quotes does, whatever its characters.
    """
    line = text.strip()
    if not _SAYS.search(line):
        return False
    if _HASH.search(path):
        return not line.startswith("#")
    if _DASHES.search(path):
        return not line.startswith("--")
    return not _SLASHES.match(line)


def code_lines(path: str, texts: Sequence[str]) -> frozenset[int]:
    """Numbers, from 1, of the lines of a file that say something to a computer and stand in no
    block comment and no docstring.
    """
    code = set()
    end = ""
    above = ":"
    for number, text in enumerate(texts, 1):
        line = text.strip()
        begin = "" if end else next((mark for mark in _BLOCKS if line.startswith(mark)), "")
        if begin and (begin[0] not in "\"'" or above.endswith(":")):
            end = _BLOCKS[begin]
            line = line[len(begin) :]
        elif not end:
            above = line or above
            code |= {number} if is_code(path, text) else set()
        end = "" if end and end in line else end
    return frozenset(code)


def is_inner_test(path: str, texts: Sequence[str], line: int) -> bool:
    """Whether a line, counted from 1, stands in the tests at the end of a source file, as Rust
    has them.
    """
    return path.endswith(".rs") and any(text.startswith("#[cfg(test)]") for text in texts[:line])


class AddedBlock(NamedTuple):
    """Consecutive lines that a commit added to a file: numbers of the first and the last, from
    1.
    """

    first: int
    last: int


def neighbours(
    path: str, texts: Sequence[str], added: AddedBlock, new: Container[int]
) -> list[int]:
    """Numbers of the nearest lines above and below a block that stood there before and belong to
    the same function or class.

    `new`: all lines of the file that the commit added. None where the block stands in no function,
    or says nothing.
    """
    code = next(
        (n for n in range(added.first, added.last + 1) if is_code(path, texts[n - 1])), None
    )
    if code is None or not texts[code - 1][:1].isspace():  # what is not indented stands in nothing
        return []
    head = _head_of(path, texts[: code - 1])
    if not head:
        return []
    above = range(added.first - 1, max(0, added.first - 1 - _REACH), -1)
    below = range(added.last + 1, min(len(texts), added.last + _REACH) + 1)
    sides = (
        next((n for n in side if n not in new and is_code(path, texts[n - 1])), None)
        for side in (above, below)
    )
    return [n for n in sides if n is not None and _head_of(path, texts[:n]) == head]


def _head_of(path: str, texts: Sequence[str]) -> str:
    """The head of the function or class in which the last line stands, which may be that line."""
    text = "".join(f"{line}\n" for line in texts)
    return enclosing(path, text, len(text))


class Weight(NamedTuple):
    """What speaks for a line being at fault; compared in this order."""

    # 2: of a source file; 1: of another; 0: a side line; -1: the version of a dependency
    statement: int = 0
    names: int = 0  # names in the message of the fix that it has
    replaced: bool = False  # other lines took its place


def weight_of(
    path: str, kind: str, text: str, replacement: Sequence[str], names: AbstractSet[str]
) -> Weight:
    """`replacement`: the lines that the fix put in the place of the line; `names`: see `names_in`.

    A side line follows from others: an import, a rule of a style sheet, a head that only gained
    words.
    """
    words = _WORD.findall(text)
    after = iter(_WORD.findall("\n".join(replacement)))
    is_widened = _HEAD.match(text.strip()) and all(word in after for word in words)
    is_side = is_widened or _IMPORT.match(text.strip()) or path.lower().endswith(_STYLES)
    statement = (
        -1
        if _VERSIONS.search(f"{path}\n{text}")
        else 0
        if is_side
        else 1 + (kind == FileKind.SOURCE)
    )
    return Weight(statement, len(names & set(words)), bool(replacement))


class TracedLines(NamedTuple):
    """Consecutive lines by which a fix is traced: where they were written first."""

    origin: int  # number of the first one in the line history
    commit: int  # place of the commit that wrote them in the order of commits
    sha: str  # its id
    path: str
    line: int  # number of the first one there
    lines: int  # of them, lines of code
    kind: str  # FileKind; "" when not stored
    into_path: str = ""  # what the fix put in their place
    into_start: int = 1
    into_end: int = 0
    weight: Weight = Weight()


def first_answer(
    removed: Collection[TracedLines],
    around: Callable[[], Collection[TracedLines]],
    adds_code: Callable[[], bool],
) -> tuple[RepairOutcome | None, list[TracedLines]]:
    """What a fix is traced by, None for nothing, and its lines, the likeliest to be at fault first.

    Removed statements, else neighbours of what was added, else removed side lines; other files
    count where there is nothing of all this and the fix adds no code either. `around` looks for
    neighbours, `adds_code` for added code, which takes longer.
    """
    for kinds in (CODE_KINDS, OTHER_KINDS):
        gone = [each for each in removed if each.kind in kinds]
        near = list[TracedLines]()
        if gone and all(each.weight.statement < 0 for each in gone):
            return RepairOutcome.DEPENDENCY, []
        if not any(each.weight.statement > 0 for each in gone):
            near = [
                each
                for each in around()
                if each.kind in kinds and (each.weight.statement > 0 or not gone)
            ]
        if gone or near:
            outcome = RepairOutcome.NEIGHBOURS if near else RepairOutcome.REMOVED
            return outcome, sorted(near or gone, key=lambda each: each.weight, reverse=True)
        if adds_code():
            break
    return None, []


def likeliest(lines: Collection[TracedLines]) -> str:
    """The commit that wrote most of the statements that the message names best; of several, the
    latest; "" without lines.
    """
    votes: Counter[tuple[int, str]] = Counter()
    best = max((each.weight[:2] for each in lines), default=())
    for each in lines:
        votes[each.commit, each.sha] += each.lines if each.weight[:2] == best else 0
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
    # whether recorded lines of an agent are among them; known of stored fixes
    by_agents: bool = False
