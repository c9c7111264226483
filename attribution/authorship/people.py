"""When a line is `human` or `likely_human`. Pure.

What the replay leaves over is not yet a person's: a session that nobody recorded, a formatter or a
generator leaves the same trace. A line is a person's only if every condition of
docs/decisions/0002-when-human.md holds, whose numbers the docstrings have. Most are in this module;
`conclude`, `judge` and `seen_lines` have the others. `PASSES` in passes.py has the order of asking.

1. While a commit is compared with a worktree, the answer of a window (`is_watched`, `is_person`),
  the sightings and
   `person_verdict` make a verdict.
2. `without_person` takes it back where not all sessions of the commit are known (`conclude`).
3. `confirm` asks for each line whether an agent or a program may have written its text (`passes`).

A line is `human` when both of its sightings are on record. Where only the commit shows it, a person
and an unrecorded session look alike but for their size: such a line is `inferred`, that is
`likely_human`, and only a few of them in one commit are believed.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise

from attribution.authorship.agent_text import MIN_LENGTH, without_layout
from attribution.authorship.case import SLACK, AttributionWindow, CandidateAuthor, Case
from attribution.authorship.inline_scripts import narrow_to_text
from attribution.authorship.person_lines import PersonLines, pieces, telling_words
from attribution.authorship.replay import LineOrigin
from attribution.authorship.tools import NAME_AND_VERSION
from attribution.authorship.verdicts import (
    STATED_DOUBTS,
    CommitVerdict,
    SightingPair,
    Span,
    Verdict,
    append_span,
    unknown,
)
from collector.files.kinds import BY_HAND
from collector.model import Commit
from collector.vocabulary.lines import Author, Evidence, FileKind, How, Reason, RunBy, Witness

# seconds without any recorded session after which somebody unrecorded may have been at work
QUIET = 1800.0
PARTING = 600.0  # the same between the last event of a session and a commit
STRANGE = 120.0  # the same for a file that no session ever worked on
MAX_INFERRED = 6
"""Lines with text in one commit that may be a person's although only the commit shows them.
Measured by forgetting sessions (docs/accuracy.md): the more lines, the more often they are those
of a lost session."""
MAX_TYPING = 5.0
"""Characters a second that a person may have typed between two sightings; what comes faster was
pasted, or another agent's.
"""

_CODE = frozenset({FileKind.SOURCE, FileKind.TEST})
# beside git, which is the greater doubt, a command may have run
_OPAQUE = frozenset({Reason.OPAQUE_SHELL, Reason.GIT_OPERATION})
# What formatters and linters write again as whole lines.
_IMPORT = re.compile(
    r"\s*(?:import\b|from\b|export\s*[*{]|use\b|using\b|require\b|#\s*include\b|\w*\s*\"[^\"]*\"\s*$)"
)


# --- who may have acted ---------------------------------------------------------------------------


def is_person(cause: CandidateAuthor) -> bool:
    """Whether nobody else can have done it, as far as sessions are recorded (5)."""
    return cause.author == Author.HUMAN and cause.watched and cause.reason not in _OPAQUE


def is_watched(
    window: AttributionWindow, sessions: Sequence[tuple[float, float]], events: Sequence[float]
) -> bool:
    """Whether sessions were being recorded in that time, so that an agent at work would be known
    (5).

    `sessions`: first and last event of each in this worktree; `events`: all of them, in order.
    """
    if window.last:
        # Of a file that no session touched, only one that is still going on or just over can tell.
        return is_active(window.before, STRANGE if window.unseen else PARTING, sessions, events)
    if window.before - window.after <= QUIET:
        return True
    return any(
        start <= window.after + QUIET and end >= window.before - SLACK for start, end in sessions
    )


def is_active(
    commit: float, parting: float, sessions: Sequence[tuple[float, float]], events: Sequence[float]
) -> bool:
    """Whether a session was at work shortly before the commit, and one was not over for longer
    than `parting`.
    """
    next_event = bisect_left(events, commit - QUIET)
    near = next_event < len(events) and events[next_event] <= commit + PARTING
    return near and any(start <= commit and end >= commit - parting for start, end in sessions)


def is_attended(window: AttributionWindow, events: Sequence[float]) -> bool:
    """Whether something was recorded at least every half hour between two sightings; a session
    may stay open overnight (5).
    """
    moments = [
        window.after,
        *events[bisect_left(events, window.after) : bisect_left(events, window.before)],
        window.before,
    ]
    return all(later - earlier <= QUIET for earlier, later in pairwise(moments))


def limit_to_known(case: Case, cause: CandidateAuthor) -> CandidateAuthor:
    """A person's answer where parts of the file are not on record (3), or the commit was made
    again since (3, 9).
    """
    if case.alignment.state is not None and case.alignment.state.sparse:
        return CandidateAuthor(Author.UNKNOWN, reason=Reason.BASE_UNKNOWN)
    if case.alignment.state is not None and case.alignment.state.known_at > case.when.authored:
        # the commit may have had the line when it was made first
        return CandidateAuthor(Author.UNKNOWN, reason=Reason.REWRITTEN)
    if case.when.redone:
        # A rebase merges other people's text, and whoever resolved the conflicts did so after the
        # last moment we know.
        return replace(
            cause,
            reason=Reason.REWRITTEN if cause.watched and not cause.reason else cause.reason,
            watched=False,
        )
    return cause


# --- sightings: what saw the line appear (3) ------------------------------------------------------


def sighting_on_record(case: Case, origin: LineOrigin) -> SightingPair | None:
    """Both texts, without and with the line, must have been seen; where the one before was only
    computed, nothing saw it.
    """
    if origin.in_dialog:
        return SightingPair(Witness.NOTICE, origin.after, origin.before)
    if not origin.seen_without or origin.seen_without > case.when.authored:
        return None
    window = AttributionWindow(case.path, origin.seen_without, origin.before)
    if origin.seen_without < origin.after and not is_person(case.ask(window)):
        return None
    return SightingPair(Witness.RECORDED, origin.seen_without, origin.before)


def sighting_since_parent(case: Case, index: int) -> SightingPair | None:
    """The parent of the commit lacks the line, the commit has it: witnesses if nobody can have
    written to the file in between.
    """
    window = AttributionWindow(case.path, case.when.since, case.when.commit, last=True)
    cause = narrow_to_text(case, case.ask(window), index)
    by_person = cause.author == Author.HUMAN and cause.reason != Reason.GIT_OPERATION
    return SightingPair(Witness.COMMIT, case.when.since) if by_person else None


def sighting_by_commit(case: Case, index: int) -> SightingPair | None:
    """The commit is the second sighting; whether an earlier one shows the line, `seen_lines`
    finds out.
    """
    state = case.alignment.state
    if state is None:
        return SightingPair(Witness.COMMIT, case.when.since)
    since = state.seen_at
    return SightingPair(Witness.COMMIT, since) if since else sighting_since_parent(case, index)


def sighting_by_first_read(case: Case, line: int) -> SightingPair | Reason:
    """Of a line that stood in the file when an agent first saw it, but in no parent of the
    commit; or why nothing saw it (3).
    """
    tree = case.tree
    when = case.when
    if case.path in tree.partly:
        return Reason.BASE_UNKNOWN
    sighted = tree.first_seen.get(case.path, when.commit)
    if when.redone or sighted < when.since or case.path in tree.from_git:
        # The file was first seen on another base than the commit's parent: the text may come from
        # any commit.
        return Reason.OTHER_BRANCH
    if tree.origin(line).evidence:  # it was not in the file when that was first seen
        return Reason.BASE_UNKNOWN
    return SightingPair(Witness.FIRST_READ, when.since, sighted)


def person_verdict(cause: CandidateAuthor, witness: SightingPair | None, layout: bool) -> Verdict:
    """`human` if both sightings are on record, else `likely_human`; unknown without any.

    `cause` names no agent.

    `layout`: the line differs from an older one in its layout alone, as an editor or a hook leaves
    it: nobody's words (1).
    """
    if layout:
        return unknown(Reason.FORMATTER, cause.call)
    if witness is None:
        return (
            unknown(cause.reason, cause.call)
            if cause.reason in _OPAQUE
            else unknown(Reason.BASE_UNKNOWN)
        )
    if not is_person(cause):
        witness = replace(witness, kind=Witness.UNWATCHED)
    evidence = Evidence.OBSERVED if witness.seen_to_appear else Evidence.INFERRED
    return Verdict(Author.HUMAN, How.NONE, evidence, cause.reason, cause.call, witness=witness)


def downgrade_unplaced(verdicts: dict[int, Verdict]) -> None:
    """An edit of this file, made for this commit, could not be replayed: its lines would look
    like a human's (5).
    """
    for index, verdict in verdicts.items():
        if verdict.author == Author.HUMAN:
            verdicts[index] = unknown(Reason.EDIT_UNPLACED)


def without_person(verdict: Verdict, nobody: Verdict) -> Verdict:
    """The verdict where not all sessions that took part are known (5): a person's line becomes
    `nobody`'s, with its own doubt.
    """
    if verdict.edited_by == RunBy.HUMAN:
        return replace(verdict, edited_by=RunBy.UNKNOWN, witness=None)
    if verdict.author != Author.HUMAN:
        return verdict
    return (
        replace(nobody, reason=verdict.reason, call=verdict.call)
        if verdict.reason in STATED_DOUBTS
        else nobody
    )


# --- the last word --------------------------------------------------------------------------------


def confirm(
    commit: Commit,
    verdict: CommitVerdict,
    lines: Sequence[PersonLines],
    produced: Mapping[str, float],
    is_own: bool = False,
) -> None:
    """Keeps a person's lines that have a witness; the others become unknown, with the reason (1, 2,
    4 and 6 to 9).

    `lines` are the `person_lines` of the commit; `produced`: line without layout, or word -> when
    an agent first produced it; `is_own`: a session on record made the commit.
    """
    if not any(span.verdict.is_persons for _, spans in verdict.files for span in spans):
        return
    until = max(commit.author_time, commit.commit_time) + SLACK
    checked = {
        (id(item.file), item.span.start): _check_lines(item, produced, until) for item in lines
    }
    verdict.files = [
        (
            file,
            [
                part
                for span in spans
                for part in checked.get((id(file), span.start))
                or (replace(span, verdict=_not_by_hand(span.verdict)),)
            ],
        )
        for file, spans in verdict.files
    ]
    # (4): a hook, a filter of git or an encoding may have changed the text in between
    if is_own:
        verdict.change(_doubt_own)
    _not_faster_than_typed(commit, verdict, lines)
    inferred = sum(
        span.nonblank for _, spans in verdict.files for span in spans if _is_inferred(span.verdict)
    )
    if inferred > MAX_INFERRED:
        _disbelieve(verdict)
    verdict.change(_clear_doubts)


def count_unknown(verdict: CommitVerdict, reasons: Container[Reason]) -> int:
    """Lines with text, in files that people type, that have no author for one of the reasons."""
    spans = (span for file, spans in verdict.files if file.kind in BY_HAND for span in spans)
    return sum(
        span.nonblank
        for span in spans
        if span.verdict.author == Author.UNKNOWN and span.verdict.reason in reasons
    )


def _is_inferred(verdict: Verdict) -> bool:
    """Whether only the commit shows a person's line."""
    return (
        verdict.is_unseen
        and verdict.witness is not None
        and verdict.witness.kind is not Witness.BEFORE_EDITS
    )


def _doubt_own(verdict: Verdict) -> Verdict:
    """Nobody's, where nothing but a session's own commit shows the line."""
    witness = verdict.witness
    if witness is None or witness.seen is not None or not _is_inferred(verdict):
        return verdict
    return _take_back(verdict, verdict.reason or Reason.UNEXPLAINED)


def _disbelieve(verdict: CommitVerdict) -> None:
    """What only the commit shows is nobody's."""
    verdict.change(lambda one: _take_back(one, _doubt(one)) if _is_inferred(one) else one)


def _doubt(verdict: Verdict) -> Reason:
    if verdict.reason in (Reason.OPAQUE_SHELL, Reason.GIT_OPERATION, Reason.REWRITTEN):
        return verdict.reason
    unwatched = verdict.witness is not None and verdict.witness.kind is Witness.UNWATCHED
    return Reason.UNCAPTURED if unwatched else Reason.UNOBSERVED


def _take_back(verdict: Verdict, reason: Reason) -> Verdict:
    # it stays the agent's, and nobody can be named who changed it
    if verdict.author == Author.AGENT:
        return replace(verdict, edited_by=RunBy.UNKNOWN, witness=None, reason=Reason.NONE)
    return unknown(reason, verdict.call if reason == verdict.reason else None)


def _clear_doubts(verdict: Verdict) -> Verdict:
    """What else might have written a person's line is ruled out by now, and it is nobody's call."""
    if not verdict.is_persons:
        return verdict
    call = verdict.call if verdict.author == Author.AGENT else None
    return replace(verdict, reason=Reason.NONE, call=call)


def _not_by_hand(verdict: Verdict) -> Verdict:
    """Nobody types lock files, generated ones or records (2)."""
    if not verdict.is_persons:
        return verdict
    return _take_back(
        verdict, verdict.reason if verdict.reason in STATED_DOUBTS else Reason.UNEXPLAINED
    )


def _not_faster_than_typed(
    commit: Commit, verdict: CommitVerdict, lines: Sequence[PersonLines]
) -> None:
    """Of all files of the commit together (6): an agent that is not on record shows in several
    of them at once.
    """
    texts = {
        (id(item.file), line): text
        for item in lines
        for line, text in zip(item.span.lines, item.texts, strict=False)
    }
    # second sighting -> (first one, characters)
    typed: dict[float, list[tuple[float, int]]] = defaultdict(list)
    for file, spans in verdict.files:
        for span in spans:
            seen = _first_sighting(span.verdict, commit)
            without = span.verdict.witness.without if span.verdict.witness else None
            # a change of a proposal is seen in one moment
            if without is not None and seen > without and span.verdict.is_persons:
                typed[seen].append(
                    (
                        without,
                        sum(len(texts.get((id(file), line), "").strip()) for line in span.lines),
                    )
                )
    fast = {moment for moment, parts in typed.items() if _is_fast(moment, parts)}
    verdict.change(
        lambda one: (
            _take_back(one, Reason.UNOBSERVED)
            if one.witness and _first_sighting(one, commit) in fast
            else one
        )
    )


def _first_sighting(verdict: Verdict, commit: Commit) -> float:
    """When a person's line was seen first: with its commit, if nothing showed it before."""
    return (verdict.witness and verdict.witness.seen) or commit.author_time


def _is_fast(sighted: float, parts: Sequence[tuple[float, int]]) -> bool:
    """Whether what came after one of the first sightings is more than a person types until the
    second one.
    """
    typed = 0
    # the latest first sighting leaves the least time
    for without, length in sorted(parts, reverse=True):
        typed += length
        if typed > MAX_TYPING * max(1.0, sighted - without):
            return True
    return False


def _check_lines(item: PersonLines, produced: Mapping[str, float], until: float) -> list[Span]:
    """The span cut into what stays a person's and what does not."""
    reasons = [
        _reason(item, text, lambda part: produced.get(part, until + 1) <= until)
        for text in item.texts
    ]
    _weak_follow(reasons, item.doubt or Reason.COMMON_LINE)
    spans: list[Span] = []
    for line, text, reason in zip(item.span.lines, item.texts, reasons, strict=False):
        verdict = item.span.verdict
        left = _take_back(verdict, reason) if reason else verdict
        append_span(spans, Span(line, line, int(bool(text.strip())), left))
    return spans


def _reason(item: PersonLines, text: str, is_produced: Callable[[str], bool]) -> Reason | None:
    """Why a line is not a person's; NONE when it is; None when its neighbours decide."""
    bare = without_layout(text)
    if len(bare) < MIN_LENGTH:
        return None
    if is_produced(bare):  # (1)
        return Reason.AGENT_TEXT
    if reason := _reason_of_file(item, text, bare):
        return item.doubt or reason
    return _reason_beside_program(item, text, bare, is_produced) if item.doubt else Reason.NONE


def _reason_of_file(item: PersonLines, text: str, bare: str) -> Reason:
    """What else leaves such a line in such a file, without a record of it; NONE for nothing."""
    if item.file.kind is FileKind.CONFIG and NAME_AND_VERSION.match(text):  # (2)
        return Reason.UNEXPLAINED  # a package manager's
    is_unseen = item.span.verdict.is_unseen
    if is_unseen and bare in item.before.bare:
        return Reason.FORMATTER  # (1): an editor or a hook of git may have changed the layout
    is_by_git = is_unseen or item.doubt == Reason.GIT_OPERATION  # (1): it may have been put back
    return Reason.GIT_OPERATION if is_by_git and bare in item.elsewhere else Reason.NONE


def _reason_beside_program(
    item: PersonLines, text: str, bare: str, is_produced: Callable[[str], bool]
) -> Reason | None:
    """The same where a formatter or an opaque command ran (4): what it writes comes from
    the file and from agents' texts.
    """
    if item.doubt in _OPAQUE and not (item.is_typed and item.file.kind in _CODE):
        # converters and generators write whole files, and pages and lists again and again
        return item.doubt
    if item.doubt == Reason.FORMATTER and _IMPORT.match(text):
        return item.doubt  # linters add and replace imports
    if any(word not in item.before.words and not is_produced(word) for word in telling_words(text)):
        return Reason.NONE
    if bare in item.before.bare or _IMPORT.match(text):
        return item.doubt
    is_sorted = all(piece in item.before.bare or is_produced(piece) for piece in pieces(text))
    return item.doubt if is_sorted else None


def _weak_follow(reasons: list[Reason | None], otherwise: Reason) -> None:
    """A line that says nothing is a person's between two lines of that person, else nobody's
    (7).
    """
    above = list(accumulate(reasons, _last_strong))
    below = list(accumulate(reversed(reasons), _last_strong))[::-1]
    for index, reason in enumerate(reasons):
        if reason is None:
            sides = {above[index], below[index]} - {None}
            reasons[index] = Reason.NONE if sides == {Reason.NONE} else otherwise


def _last_strong(existing: Reason | None, reason: Reason | None) -> Reason | None:
    return existing if reason is None else reason
