"""A verdict on a line, spans of lines that share one, and the verdict on a commit. Pure.

Every step of attribution ends in these words: `judge` makes verdicts, `conclude` makes spans of
them, the passes (`passes`) change the spans, and `attribution.stages.line_rows` stores them.
"""

from collections.abc import Callable, Set
from dataclasses import dataclass, replace
from functools import lru_cache

from attribution.authorship.diffs import AddedLines, FileDiff
from collector.vocabulary.lines import Author, Evidence, How, Reason, RunBy, Witness

STATED_DOUBTS = frozenset(
    {Reason.FORMATTER, Reason.OPAQUE_SHELL, Reason.GIT_OPERATION, Reason.REWRITTEN}
)
"""What may stand beside a person's line until its witness is asked: what else may have written
it.
"""

UNSEEN = frozenset({Reason.UNCAPTURED, Reason.UNOBSERVED, Reason.UNEXPLAINED})
"""Nothing on record did it."""


@dataclass(frozen=True, slots=True)
class CallRef:
    """The tool call behind a line."""

    session_id: int  # number of the session in the database
    call_id: str
    turn: int
    at: float
    model: str = ""
    agent_id: str = ""
    by_shell: bool = False


@dataclass(frozen=True, slots=True)
class SightingPair:
    """What saw a person's line appear. Times in seconds since the epoch."""

    kind: Witness
    # when the file was last known to be without the line; None: the date of the commit is the
    # witness
    without: float | None
    seen: float | None = None  # when the line was first seen; None: only the commit shows it

    @property
    def seen_to_appear(self) -> bool:
        """Whether both sightings lie within what was recorded."""
        return self.kind in (Witness.RECORDED, Witness.NOTICE)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Who wrote one line.

    `reason`: why it is unknown; of a person's line what to doubt, until a witness is asked.
    """

    author: Author
    how: How
    evidence: Evidence
    reason: Reason = Reason.NONE
    call: CallRef | None = None
    edited_by: RunBy | None = None  # a person or unknown, of a line that was edited
    similarity: float | None = None
    model: str = ""  # declared: the model that the commit names
    tool: str = ""
    run_by: RunBy | None = None  # of a tool
    witness: SightingPair | None = None  # of a human line

    @property
    def is_persons(self) -> bool:
        """Written by a person, or an agent's line that a person changed."""
        return Author.HUMAN in (self.author, self.edited_by)

    @property
    def is_unseen(self) -> bool:
        """Whether a person's line was not seen to appear: a commit shows it, or an agent's word
        that it stood there.
        """
        return self.is_persons and self.witness is not None and not self.witness.seen_to_appear


def unknown(reason: Reason, call: CallRef | None = None) -> Verdict:
    """Nobody can be named; `call`: the call that may have written the line."""
    return Verdict(Author.UNKNOWN, How.NONE, Evidence.INFERRED, reason, call)


@dataclass(frozen=True, slots=True)
class Span:
    """Consecutive added lines with one verdict; 1-based, inclusive."""

    start: int
    end: int
    nonblank: int
    verdict: Verdict

    @property
    def lines(self) -> range:
        """The numbers of its lines."""
        return range(self.start, self.end + 1)


@lru_cache(maxsize=100_000)  # few of them differ in a history without sessions: each is kept once
def uniform_span(lines: AddedLines, verdict: Verdict) -> Span:
    """A run of added lines that all have this verdict."""
    start, end, nonblank = lines
    return Span(start + 1, end, nonblank, verdict)


def append_span(spans: list[Span], span: Span) -> None:
    """Adds a span that follows the others, or lengthens the last one when it goes on with the
    same verdict.
    """
    last = spans[-1] if spans else None
    verdict = last.verdict if last is not None and last.end + 1 == span.start else None
    if last is not None and (verdict is span.verdict or verdict == span.verdict):
        spans[-1] = Span(last.start, span.end, last.nonblank + span.nonblank, last.verdict)
    else:
        spans.append(span)


def change_verdicts(spans: list[Span], change: Callable[[Verdict], Verdict]) -> None:
    """Puts `change` of each verdict in its place."""
    for number, span in enumerate(spans):
        verdict = change(span.verdict)
        if verdict is not span.verdict:
            spans[number] = replace(span, verdict=verdict)


@dataclass(slots=True)
class CommitVerdict:
    """All added lines of one commit."""

    files: list[tuple[FileDiff, list[Span]]]
    # a word of commit_sessions.method; "" without a session
    method: str = ""
    confidence: float = 0.0
    sessions: Set[int] = frozenset()  # sessions whose calls wrote lines
    named: Set[int] = frozenset()  # sessions that the commit is linked to by name

    def change(self, change: Callable[[Verdict], Verdict]) -> None:
        """Puts `change` of each verdict in its place."""
        for _, spans in self.files:
            change_verdicts(spans, change)

    def note_sessions(self) -> None:
        """Notes whose calls wrote lines: these alone link a commit that nothing else does."""
        verdicts = [span.verdict for _, spans in self.files for span in spans]
        self.sessions = {
            verdict.call.session_id
            for verdict in verdicts
            if verdict.author == Author.AGENT and verdict.call
        }
        self.method = self.method or ("content" if self.sessions else "")
