"""Whether a witness shows that a person wrote a line. Pure.

What the replay leaves over is not yet a person's: a session that was not recorded, a formatter or a generator leaves the same
trace. A line is called a person's only when its text is in nothing that an agent produced before (`agent_text`), when its file is
of a kind that people type, and when something saw it appear: two sightings with nobody at work in between, or a notice.
Where the commit is the only thing that shows the line, a person and an unrecorded session look alike but for their size: such lines
are `inferred`, that is `likely_human`, and only a few of them in one commit are believed, none while agents work unrecorded.
docs/decisions/0002-when-human.md numbers the conditions of `human` and `likely_human`, each with its function.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import Protocol

from attribution.authorship.agent_text import MIN_LENGTH, without_layout
from attribution.authorship.conclude import CommitVerdict, VerdictSpan, append_span
from attribution.authorship.diffs import FileDiff
from attribution.authorship.judge import STATED_DOUBTS, Verdict
from attribution.authorship.windows import SLACK
from collector.files.kinds import BY_HAND
from collector.model import Commit
from collector.vocabulary.lines import Author, Evidence, FileKind, How, Reason, RunBy, Witness

MAX_INFERRED = 6
"""Lines with text in one commit that may be a person's although only the commit shows them. Measured by forgetting sessions
(docs/accuracy.md): with more lines the rest is a lost session more and more often."""
UNRECORDED = 86_400.0
"""Seconds around a commit in which another one shows that agents worked unrecorded: it declares an agent without a session, or
has a hole."""
MIN_HOLE = 50
"""Lines with text in one commit of recorded sessions that nothing on record can have written: more than a person adds beside an
agent, so that the few unexplained lines of the commits around it are as likely that agent's (docs/accuracy.md)."""
MAX_TYPING = 5.0
"""Characters a second that a person may have typed between two sightings; what comes faster was pasted, or another agent's."""

_CODE = frozenset({FileKind.SOURCE, FileKind.TEST})
_OPAQUE = frozenset({Reason.OPAQUE_SHELL, Reason.GIT_OPERATION})  # beside git, which is the greater doubt, a command may have run
_DOUBTS = _OPAQUE | {Reason.FORMATTER}
_UNSEEN = frozenset({Reason.UNCAPTURED, Reason.UNOBSERVED, Reason.UNEXPLAINED})  # nothing on record did it
_BETWEEN = re.compile(r"[,;]|(?<=[\"'}])\s+(?=[\w-]+=)")  # between members of a list and attributes of an element
_DIGITS = re.compile(r"\d+")
_WORD = re.compile(r"[^\W\d_]{4,}")
# What formatters and linters write again as whole lines.
_IMPORT = re.compile(r"\s*(?:import\b|from\b|export\s*[*{]|use\b|using\b|require\b|#\s*include\b|\w*\s*\"[^\"]*\"\s*$)")
# Words that formatters and linters put in: `import type`, `else`, `const` for `let`, `node:fs`, `X | None`, `list[X]`.
_TOOL_WORDS = frozenset(
    (
        "annotations", "async", "await", "break", "case", "const", "dict", "elif", "else", "export", "extern", "false", "final",
        "finally", "from", "frozenset", "future", "import", "list", "node", "None", "null", "Number", "override", "pass", "raise",
        "readonly", "return", "self", "static", "super", "suppress", "true", "tuple", "type", "typeof", "typing", "undefined",
        "void", "with", "yield",
    )
)  # fmt: skip


class Texts(Protocol):
    """The texts of a changed file."""

    def lines(self, file: FileDiff) -> Sequence[str]:
        """The lines of the new version."""
        ...

    def before(self, file: FileDiff) -> str:
        """The old version; "" when there is none."""
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

    @cached_property
    def numberless(self) -> str:
        return _DIGITS.sub("", self.bare)

    def has_with_other_number(self, text: str) -> bool:
        bare = without_layout(text)
        remainder = _DIGITS.sub("", bare)
        return MIN_LENGTH <= len(remainder) < len(bare) and remainder in self.numberless


@dataclass(frozen=True, slots=True)
class PersonLines:
    """Consecutive added lines of a file that nothing but a person is left for, and their texts."""

    file: FileDiff
    span: VerdictSpan
    texts: Sequence[str]  # of the span
    before: VersionBefore = VersionBefore("")
    is_typed: bool = True  # the file stood before, or an edit wrote a part of it: no program made the whole
    elsewhere: str = ""  # where git may have brought the lines: other versions of the file, without layout
    renumbers: bool = False  # several lines of the file differ from the version before in their numbers alone

    @property
    def doubt(self) -> Reason:
        """What may have brought the lines: a formatter, an opaque command, git; NONE for nothing."""
        reason = self.span.verdict.reason
        return reason if reason in _DOUBTS else Reason.NONE

    @property
    def novel(self) -> set[str]:
        """Words, and pieces of lines, that the program cannot have taken from the version before."""
        if not self.doubt:
            return set()
        words = {word for text in self.texts for word in _words(text)} - self.before.words
        return words.union(piece for text in self.texts for piece in _pieces(text) if piece not in self.before.bare)

    @property
    def bare(self) -> list[str]:
        """The texts without layout."""
        return [without_layout(text) for text in self.texts]


def _words(text: str) -> set[str]:
    """Words of a text that no formatter adds."""
    return set(_WORD.findall(text)) - _TOOL_WORDS


def _pieces(text: str) -> list[str]:
    """What a formatter keeps whole when it sorts keys, attributes or members: without layout, if they say something."""
    return [bare for piece in _BETWEEN.split(text) if len(bare := without_layout(piece)) >= MIN_LENGTH]


Elsewhere = Callable[[FileDiff], str]
"""A changed file -> its versions that git held on any branch before the commit, joined."""


def nowhere(file: FileDiff) -> str:
    """For a file whose repository is not at hand."""
    return ""


def person_lines(verdict: CommitVerdict, texts: Texts, elsewhere: Elsewhere = nowhere) -> Iterator[PersonLines]:
    """The spans of a commit that need a witness."""
    for file, spans in verdict.files:
        if any(_is_persons(span.verdict) for span in spans) and file.kind in BY_HAND:
            lines = texts.lines(file)
            typed = any(span.verdict.author == Author.AGENT and span.verdict.evidence != Evidence.INFERRED for span in spans)
            before, was_there = VersionBefore(texts.before(file)), file.change.old is not None
            persons = [(span, lines[span.start - 1 : span.end]) for span in spans if _is_persons(span.verdict)]
            renumbers = sum(before.has_with_other_number(text) for _, ours in persons for text in ours) > 1
            by_git = any(span.verdict.reason == Reason.GIT_OPERATION for span, _ in persons)
            others = without_layout(elsewhere(file)) if by_git else ""
            for span, ours in persons:
                yield PersonLines(file, span, ours, before, typed or was_there, others, renumbers)


def confirm(
    commit: Commit,
    verdict: CommitVerdict,
    existing: Sequence[PersonLines],
    produced: Mapping[str, float],
    unrecorded: Sequence[float] = (),
) -> None:
    """Keeps a person's lines that have a witness; the others become unknown, with the reason.

    `existing` are the `person_lines` of the commit; `produced`: line without layout, or word -> when an agent first produced it;
    `unrecorded`: when commits were made that declare an agent without a session, in order.
    """
    if not any(_is_persons(span.verdict) for _, spans in verdict.files for span in spans):
        return
    until = max(commit.author_time, commit.commit_time) + SLACK
    checked = {(id(item.file), item.span.start): _check_lines(item, produced, until) for item in existing}
    verdict.files = [
        (file, [part for span in spans for part in checked.get((id(file), span.start), (_not_by_hand(file, span),))])
        for file, spans in verdict.files
    ]
    _not_faster_than_typed(verdict, existing)
    inferred = sum(s.nonblank for _, spans in verdict.files for s in spans if _is_inferred(s.verdict))
    if inferred > MAX_INFERRED or len(commit.parents) > 1 or _is_near(commit.author_time, unrecorded):
        _disbelieve(verdict)
    for _, spans in verdict.files:
        spans[:] = [_clear_doubts(span) if _is_persons(span.verdict) else span for span in spans]


def doubt_near_holes(verdicts: Sequence[tuple[Commit, CommitVerdict]]) -> None:
    """Takes back what only a commit shows within a day of a commit with `MIN_HOLE` lines or more that have no author.

    After all else that may name one was asked: whoever left so many lines in commits of recorded sessions may have left those too.
    """
    unmerged = [(commit, verdict) for commit, verdict in verdicts if len(commit.parents) < 2]
    holes = sorted(commit.author_time for commit, verdict in unmerged if _count_unexplained(verdict) >= MIN_HOLE)
    for commit, verdict in unmerged:
        if holes and _is_near(commit.author_time, holes):
            _disbelieve(verdict)


def _count_unexplained(verdict: CommitVerdict) -> int:
    spans = (span for file, spans in verdict.files if file.kind in BY_HAND for span in spans)
    return sum(span.nonblank for span in spans if span.verdict.author == Author.UNKNOWN and span.verdict.reason in _UNSEEN)


def _disbelieve(verdict: CommitVerdict) -> None:
    for _, spans in verdict.files:
        spans[:] = [_doubt(span) if _is_inferred(span.verdict) else span for span in spans]


def _is_near(moment: float, unrecorded: Sequence[float]) -> bool:
    after = bisect_left(unrecorded, moment - UNRECORDED)
    return after < len(unrecorded) and unrecorded[after] <= moment + UNRECORDED


def _doubt(span: VerdictSpan) -> VerdictSpan:
    witness = span.verdict.witness
    if span.verdict.reason in (Reason.OPAQUE_SHELL, Reason.GIT_OPERATION, Reason.REWRITTEN):
        return _without_person(span, span.verdict.reason)
    unwatched = witness is not None and witness.kind is Witness.UNWATCHED
    return _without_person(span, Reason.UNCAPTURED if unwatched else Reason.UNOBSERVED)


def _clear_doubts(span: VerdictSpan) -> VerdictSpan:
    """A person's line is nobody's call, and what else might have written it is ruled out."""
    verdict = span.verdict
    return replace(
        span, verdict=replace(verdict, reason=Reason.NONE, call=verdict.call if verdict.author == Author.AGENT else None)
    )


def _not_faster_than_typed(verdict: CommitVerdict, existing: Sequence[PersonLines]) -> None:
    """Of all files of the commit together: an agent that is not on record shows in several of them at once."""
    texts = {(id(item.file), item.span.start + n): text for item in existing for n, text in enumerate(item.texts)}
    typed: dict[float, list[tuple[float, int]]] = defaultdict(list)  # second sighting -> (first one, characters)
    for file, spans in verdict.files:
        for span in spans:
            witness = span.verdict.witness
            if witness is not None and witness.is_interval and _is_persons(span.verdict):
                length = sum(len(texts.get((id(file), line), "").strip()) for line in range(span.start, span.end + 1))
                typed[witness.seen or 0.0].append((witness.without, length))
    fast = {moment for moment, parts in typed.items() if _is_fast(moment, parts)}
    for _, spans in verdict.files:
        spans[:] = [_without_person(span, Reason.UNOBSERVED) if _seen_at(span.verdict) in fast else span for span in spans]


def _is_fast(sighted: float, parts: Sequence[tuple[float, int]]) -> bool:
    """Whether what came after one of the first sightings is more than a person types until the second one."""
    typed = 0
    for without, length in sorted(parts, reverse=True):  # the latest first sighting leaves the least time
        typed += length
        if typed > MAX_TYPING * max(1.0, sighted - without):
            return True
    return False


def _seen_at(verdict: Verdict) -> float | None:
    return verdict.witness.seen if verdict.witness is not None else None


def _is_persons(verdict: Verdict) -> bool:
    """Written by a person, or an agent's line that a person changed."""
    return Author.HUMAN in (verdict.author, verdict.edited_by)


def _is_inferred(verdict: Verdict) -> bool:
    """Whether only the commit shows a person's line."""
    witness = verdict.witness
    listing = witness is not None and (witness.seen_to_appear or witness.kind is Witness.TYPED)
    return _is_persons(verdict) and witness is not None and not listing


def _without_person(span: VerdictSpan, reason: Reason) -> VerdictSpan:
    if span.verdict.author == Author.AGENT:  # it stays the agent's, and nobody can be named who changed it
        return replace(span, verdict=replace(span.verdict, edited_by=RunBy.UNKNOWN, witness=None, reason=Reason.NONE))
    call = span.verdict.call if reason == span.verdict.reason else None
    return replace(span, verdict=Verdict(Author.UNKNOWN, How.NONE, Evidence.INFERRED, reason, call))


def _not_by_hand(file: FileDiff, span: VerdictSpan) -> VerdictSpan:
    """Nobody types lock files, generated ones or records."""
    if not _is_persons(span.verdict) or file.kind in BY_HAND:
        return span
    stated = span.verdict.reason if span.verdict.reason in STATED_DOUBTS else Reason.UNEXPLAINED
    return _without_person(span, stated)


def _check_lines(item: PersonLines, produced: Mapping[str, float], until: float) -> list[VerdictSpan]:
    """The span cut into what stays a person's and what does not."""
    reasons = [_reason(item, text, produced, until) for text in item.texts]
    _weak_follow(reasons, item.doubt or Reason.COMMON_LINE)
    verdict = item.span.verdict
    spans: list[VerdictSpan] = []
    for offset, reason in enumerate(reasons):
        text = item.texts[offset]
        line = item.span.start + offset
        part = VerdictSpan(line, line, 1 if text.strip() else 0, verdict)
        append_span(spans, _without_person(part, reason) if reason else part)
    return spans


def _reason(item: PersonLines, text: str, produced: Mapping[str, float], until: float) -> Reason | None:
    """Why a line is not a person's; NONE when it is; None when its neighbours decide."""
    bare = without_layout(text)
    if len(bare) < MIN_LENGTH:
        return None
    if produced.get(bare, until + 1) <= until:
        return Reason.AGENT_TEXT
    if item.renumbers and _is_inferred(item.span.verdict) and item.before.has_with_other_number(text):
        return item.doubt or Reason.UNEXPLAINED  # a list is counted again by a script as often as by hand
    if _is_inferred(item.span.verdict) and bare in item.before.bare:
        return item.doubt or Reason.FORMATTER  # the file had it in another layout: an editor or a hook of git may have changed it
    if not item.doubt:
        return Reason.NONE
    return _reason_beside_program(item, text, bare, lambda part: produced.get(part, until + 1) <= until)


def _reason_beside_program(item: PersonLines, text: str, bare: str, is_produced: Callable[[str], bool]) -> Reason | None:
    """The same where a formatter or an opaque command ran: what it writes comes from the file and from agents' texts."""
    if item.doubt == Reason.GIT_OPERATION and bare in item.elsewhere:
        return item.doubt
    if item.doubt in _OPAQUE and not (item.is_typed and item.file.kind in _CODE):
        return item.doubt  # converters and generators write whole files, and pages and lists again and again
    if any(word not in item.before.words and not is_produced(word) for word in _words(text)):
        return Reason.NONE
    if bare in item.before.bare or _IMPORT.match(text):
        return item.doubt
    is_sorted = all(piece in item.before.bare or is_produced(piece) for piece in _pieces(text))
    return item.doubt if is_sorted else None


def _weak_follow(reasons: list[Reason | None], otherwise: Reason) -> None:
    """A line that says nothing is a person's between two lines of that person, else nobody's."""
    above = list(accumulate(reasons, _last_strong))
    below = list(accumulate(reversed(reasons), _last_strong))[::-1]
    for index, reason in enumerate(reasons):
        if reason is None:
            sides = {above[index], below[index]} - {None}
            reasons[index] = Reason.NONE if sides == {Reason.NONE} else otherwise


def _last_strong(existing: Reason | None, reason: Reason | None) -> Reason | None:
    return existing if reason is None else reason


__all__ = ["MAX_INFERRED", "MIN_HOLE", "PersonLines", "confirm", "doubt_near_holes", "person_lines"]
