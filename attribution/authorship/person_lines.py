"""Lines that nothing but a person is left for, with the texts that speak for and against that.

Pure.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

from attribution.authorship.agent_text import MIN_LENGTH, without_layout
from attribution.authorship.diffs import FileDiff
from attribution.authorship.verdicts import CommitVerdict, Span
from collector.files.kinds import BY_HAND
from collector.model import Commit
from collector.vocabulary.lines import Author, Evidence, Reason

_DOUBTS = frozenset({Reason.OPAQUE_SHELL, Reason.GIT_OPERATION, Reason.FORMATTER})
# between members of a list and attributes of an element
_BETWEEN = re.compile(r"[,;]|(?<=[\"'}])\s+(?=[\w-]+=)")
# What editors of games and interfaces save: an agent may write it as text, but nobody types it.
_SAVED = re.compile(
    r"\.(?:godot|tscn|tres|import|unity|prefab|asset|meta|mat|anim|controller|sln|vcxproj(?:\.filters)?|iml|ui)$",
    re.I,
)
_WORD = re.compile(r"[^\W\d_]{4,}")
# Words that formatters and linters put in: `import type`, `else`, `const` for `let`, `node:fs`,
# `X | None`, `list[X]`.
_TOOL_WORDS = frozenset(
    (
        "annotations",
        "async",
        "await",
        "break",
        "case",
        "const",
        "dict",
        "elif",
        "else",
        "export",
        "extern",
        "false",
        "final",
        "finally",
        "from",
        "frozenset",
        "future",
        "import",
        "list",
        "node",
        "None",
        "null",
        "Number",
        "override",
        "pass",
        "raise",
        "readonly",
        "return",
        "self",
        "static",
        "super",
        "suppress",
        "true",
        "tuple",
        "type",
        "typeof",
        "typing",
        "undefined",
        "void",
        "with",
        "yield",
    )
)


class Texts(Protocol):
    """The texts of a changed file."""

    def lines(self, file: FileDiff) -> Sequence[str]:
        """The lines of the new version."""
        ...

    def before(self, file: FileDiff) -> str:
        """The old version; "" when there is none."""
        ...

    def elsewhere(self, file: FileDiff, moment: float, aside: bool = True) -> str:
        """The versions that git held of it before the moment, joined; `aside`: on any branch."""
        ...


@dataclass(frozen=True)  # without slots: what is derived from the text is kept
class VersionBefore:
    """The version before the commit of a file that a program may have written to."""

    text: str

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(_WORD.findall(self.text))

    @cached_property
    def bare(self) -> str:
        """Without layout."""
        return without_layout(self.text)


@dataclass(frozen=True, slots=True)
class PersonLines:
    """Consecutive added lines of a file that nothing but a person is left for, and their texts."""

    file: FileDiff
    span: Span
    texts: Sequence[str]  # of the span
    before: VersionBefore = VersionBefore("")
    # the file stood before, or an edit wrote a part of it: no program made the whole
    is_typed: bool = True
    # older versions, without layout; those of other branches, as a squash has, only where git ran
    elsewhere: str = ""

    @property
    def doubt(self) -> Reason:
        """What may have brought the lines: a formatter, an opaque command, git; NONE for
        nothing.
        """
        reason = self.span.verdict.reason
        return reason if reason in _DOUBTS else Reason.NONE

    @property
    def novel(self) -> set[str]:
        """Words, and pieces of lines, that the program cannot have taken from the version
        before.
        """
        if not self.doubt:
            return set()
        words = {word for text in self.texts for word in telling_words(text)} - self.before.words
        return words.union(
            piece for text in self.texts for piece in pieces(text) if piece not in self.before.bare
        )

    @property
    def bare(self) -> list[str]:
        """The texts without layout."""
        return [without_layout(text) for text in self.texts]


def telling_words(text: str) -> set[str]:
    """Words of a text that no formatter adds."""
    return set(_WORD.findall(text)) - _TOOL_WORDS


def pieces(text: str) -> list[str]:
    """What a formatter keeps whole when it sorts keys, attributes or members: without layout, if
    they say something.
    """
    return [
        bare for piece in _BETWEEN.split(text) if len(bare := without_layout(piece)) >= MIN_LENGTH
    ]


def person_lines(commit: Commit, verdict: CommitVerdict, texts: Texts) -> Iterator[PersonLines]:
    """The spans of a commit that need a witness."""
    for file, spans in verdict.files:
        persons = [span for span in spans if span.verdict.is_persons]
        if not persons or file.kind not in BY_HAND or _SAVED.search(file.change.path):
            continue
        lines = texts.lines(file)
        before = VersionBefore(texts.before(file))
        was_there = file.change.old is not None
        typed = any(
            span.verdict.author == Author.AGENT and span.verdict.evidence != Evidence.INFERRED
            for span in spans
        )
        ours = [(span, lines[span.start - 1 : span.end]) for span in persons]
        items = [
            PersonLines(file, span, several, before, typed or was_there) for span, several in ours
        ]
        by_git = {
            item.doubt == Reason.GIT_OPERATION
            for item in items
            if item.span.verdict.is_unseen or item.doubt
        }
        others = {
            aside: without_layout(texts.elsewhere(file, commit.author_time, aside))
            for aside in by_git
        }
        yield from (
            replace(item, elsewhere=others.get(item.doubt == Reason.GIT_OPERATION, ""))
            for item in items
        )
