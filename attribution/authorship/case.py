"""What a verdict on the lines of one file is made from: the file, its replayed state, and who may
have acted when. Pure.

`state_alignment` compares file and state, `windows` answers who may have acted, `judge` and
`people` decide.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from attribution.authorship.align import Kin, lines_of
from attribution.authorship.edits import normal_text
from attribution.authorship.replay import ReplayedFile, Worktree
from attribution.authorship.verdicts import CallRef, Verdict
from collector.vocabulary.lines import Author, How, Reason

SLACK = 5.0  # seconds by which clocks of a transcript and of git may differ
SECOND = 0.999  # what git cuts off a moment


def is_after(commit: float, moment: float) -> bool:
    """Whether a commit was made after a moment of a record, both in seconds.

    Git keeps whole seconds: a commit of the same second is later than the call before it.
    """
    return commit + SECOND > moment if commit.is_integer() else commit > moment


class LinesOf(Container[str]):
    """The lines of a text as a set, made when somebody asks for the first time."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _lines(self) -> frozenset[str]:
        return frozenset(lines_of(self._text))

    def __contains__(self, line: object) -> bool:
        return line in self._lines


@dataclass(frozen=True, slots=True)
class AddedFile:
    """The part of a commit that concerns one file.

    `lines` are those of the new version, decoded as agents see them.
    """

    path: str
    old_path: str
    lines: tuple[str, ...]
    added: tuple[int, ...]  # 0-based numbers of the added lines
    # texts of the lines of the version before, where there is one
    before: Container[str] = frozenset()
    text: str = ""  # the lines joined, each with its newline; "" when the caller has none
    # author time of the commit before this one that changed the file; 0: there is none
    last_commit: float = 0.0
    before_text: str = ""  # the version before, joined
    by_hand: bool = True  # of a kind that people type


def added_file(
    path: str,
    old_path: str,
    text: str,
    ranges: Iterable[tuple[int, int]],
    before: str = "",
    by_hand: bool = True,
) -> AddedFile:
    """The added lines of a decoded text, given as half-open ranges; `before` is the text of the
    version before.
    """
    lines = tuple(lines_of(text))
    added = tuple(i for a, b in ranges for i in range(a, b) if i < len(lines))
    return AddedFile(
        path,
        old_path,
        lines,
        added,
        LinesOf(before),
        normal_text(text),
        before_text=before,
        by_hand=by_hand,
    )


@dataclass(slots=True)
class StateAlignment:
    """Where the lines of a file version stand in the replayed state of the file."""

    file: AddedFile
    state: ReplayedFile | None
    ids: list[int] = field(default_factory=list)  # per line of the version: id in the state, or -1
    # line -> (id it replaced, how they are related)
    kin: dict[int, tuple[int, Kin]] = field(default_factory=dict)
    was: dict[int, str] = field(default_factory=dict)  # line -> text of the line it replaced
    # agent lines of the state that the version lacks, in order
    lost: list[tuple[int, str]] = field(default_factory=list)
    # Of those, the ones whose place other text took: the lines of the version that did, and whether
    # they say the same.
    overwritten: dict[int, tuple[range, bool]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AttributionWindow:
    """The question who changed a file between two moments at which its text is known, in seconds
    since the epoch.
    """

    path: str
    after: float
    before: float
    # only the layout differs, which is what formatters do; for other changes they are no
    # explanation
    layout: bool = False
    last: bool = False  # `before` is the moment of a commit, not of an event of a session
    # the whole file is new and nobody saw it before; what changes files in place did not make it
    made: bool = False
    unseen: bool = False  # no session ever worked on the file
    gone: bool = False  # the question is who took lines away, not who wrote them


class InlineScript(NamedTuple):
    """A command whose text says what it writes, and the call that ran it."""

    text: str
    call: CallRef


@dataclass(frozen=True, slots=True)
class CandidateAuthor:
    """The answer: for `agent` the call that did it, for `tool` the call that ran it, for `unknown`
    the reason.

    `human` says no more than that no agent is known to have done it. Its reason may be `formatter`:
    one ran, which adds braces, parentheses and `import type` but no word of its own;
    `opaque_shell`: a command ran of which nobody knows what it writes, so that only the words of a
    line can tell; `git_operation`: git took the text of a commit, in which such a line may stand;
    or `uncaptured`: for a part of the time no session was being recorded.
    """

    author: Author
    how: How = How.NONE
    reason: Reason = Reason.NONE
    call: CallRef | None = None
    tool: str = ""  # the program, for author = tool
    fills_directory: bool = False  # it made whatever is in a directory, which names no file
    watched: bool = True  # False: for a part of the time no session was being recorded
    # latest first; where there are any, only lines that they explain are the agent's
    scripts: tuple[InlineScript, ...] = ()
    otherwise: CandidateAuthor | None = None  # the answer for the other lines


Asker = Callable[[AttributionWindow], CandidateAuthor]
"""`AttributionWindows.cause`."""

Committed = Callable[[int, str | None], bool]
"""(line id, text) -> whether an ancestor already committed that agent line, with that text
(None: with any).
"""


@dataclass(frozen=True, slots=True)
class Moments:
    """Times that matter for one commit: when it was made, and from when on its changes can date."""

    commit: float
    since: float
    redone: bool = False  # rebased, amended or squashed since
    # when it was first made: what is known from later is no witness of what it lacked
    authored: float = math.inf


@dataclass(frozen=True, slots=True)
class Case:
    """One file of one commit that is being judged."""

    tree: Worktree
    alignment: StateAlignment
    ask: Asker
    when: Moments
    committed: Committed
    # of the state without one moment's lines
    words: dict[tuple[str, float, float], frozenset[str]] = field(default_factory=dict)
    # only the layout differs? -> the answer, if lines share it
    causes: dict[bool, CandidateAuthor] = field(default_factory=dict)
    # the one verdict on its lines, where nothing was known of the file before
    shared: list[Verdict] = field(default_factory=list)

    @property
    def path(self) -> str:
        return self.alignment.file.path

    def text(self, index: int) -> str:
        return self.alignment.file.lines[index]
