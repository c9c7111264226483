"""Lines whose author the sightings of their file tell, whatever the replay made of them. Pure.

The replay follows files that agents change, and judges the whole time from the last text that it
knows to the commit. Here only the time between two sightings counts, of any file that an agent
looked at: where the file was seen without and then with a line, and nothing that can write ran in
between, a person wrote it. What stood there before a program ran or an agent wrote the file again
is neither's, and what stood there at a session's first look is not that session's.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from attribution.authorship.agent_text import MIN_LENGTH, lines_without_layout, without_layout
from attribution.authorship.case import SLACK, AttributionWindow, CandidateAuthor
from attribution.authorship.diffs import FileDiff
from attribution.authorship.edits import normal_text
from attribution.authorship.people import (
    PARTING,
    count_unknown,
    is_attended,
    is_person,
    person_verdict,
)
from attribution.authorship.person_lines import Texts
from attribution.authorship.sightings import (
    Appearance,
    FileEdit,
    Sighting,
    Version,
    appearances,
    events_of,
    every_event,
)
from attribution.authorship.span_lines import spans_of, verdicts_by_line
from attribution.authorship.timeline import Timeline
from attribution.authorship.verdicts import (
    UNSEEN,
    CommitVerdict,
    SightingPair,
    Span,
    Verdict,
    unknown,
)
from collector.files.kinds import BY_HAND
from collector.model import Commit, Edit
from collector.vocabulary.lines import Author, Evidence, Reason, Witness

# Reasons for which nothing is known of the line itself, so that a sighting tells more.
_OPEN = frozenset(
    {
        Reason.NO_SESSION,
        Reason.UNEXPLAINED,
        Reason.UNCAPTURED,
        Reason.UNOBSERVED,
        Reason.OPAQUE_SHELL,
        Reason.GIT_OPERATION,
        Reason.FORMATTER,
        Reason.INVISIBLE_SUBAGENT,
        Reason.BASE_UNKNOWN,
        Reason.REWRITTEN,
        Reason.OTHER_BRANCH,
        Reason.COMMON_LINE,
    }
)
# characters without layout from which a line that was seen before an agent wrote it is the same
# line
_TELLING = 8
# seconds from a commit's author time to its last change after which it was made again
_AMENDED = 60.0


class LinkedCommit(NamedTuple):
    """A commit with what is known of it."""

    commit: Commit
    verdict: CommitVerdict
    since: float  # author time of its latest parent
    complete: bool  # it is linked to sessions by name, and all that took part are known
    lacking: bool  # some that took part are known not to be on record
    # paths that a record of a session names although no call of it changed them
    claimed: Collection[str] = ()

    @property
    def is_redone(self) -> bool:
        """Whether it was amended or rebased."""
        return self.commit.commit_time > self.commit.author_time + _AMENDED


LastVersion = Callable[[str, float], tuple[float, str]]
"""`CommitHistory.last_version`."""


@dataclass(frozen=True)  # without slots: what is derived is kept
class SeenFiles:
    """All worktrees with what was seen there."""

    timelines: Mapping[str, Timeline]
    texts: Texts
    last_version: LastVersion
    _made: dict[tuple[str, str], Sequence[Sighting | FileEdit]] = field(default_factory=dict)

    @cached_property
    def _edits(self) -> dict[str, list[tuple[str, float, int, Edit]]]:
        """Path -> root, moment, order and edit of every step that changed the file."""
        result: dict[str, list[tuple[str, float, int, Edit]]] = defaultdict(list)
        for root, line in self.timelines.items():
            for step in line.steps:
                for path in {step.path, step.new_path} - {""}:
                    result[path].append((root, step.at, step.order, step.edit))
        return result

    def looks(
        self, item: LinkedCommit, file: FileDiff, requested: Iterable[int]
    ) -> Iterator[FileSeen]:
        """What each worktree of the commit's author or sessions showed of a file.

        `requested`: numbers of lines.
        """
        path = file.change.path
        commit = item.commit
        sessions = item.verdict.sessions | item.verdict.named
        mine = (
            line
            for line in self.timelines.values()
            if commit.author_email in line.emails or sessions & line.sessions
        )
        lines = [line for line in mine if path in line.sightings]
        if not lines:
            return
        last, blob = max(
            self.last_version(name, commit.author_time) for name in (path, file.change.old_path)
        )
        until = commit.author_time + SLACK
        shown = [(line, events_of(self._events(line, path), last, until)) for line in lines]
        if not any(isinstance(event, Sighting) for _, events in shown for event in events):
            return  # edits alone do not show when a line appeared
        added = frozenset(index for start, end, _ in file.added for index in range(start, end))
        version = Version(self.texts.lines(file), added)
        before = self.texts.before(file)
        lines_asked = (line - 1 for line in requested)
        if not (telling := [i for i in lines_asked if len(version.bares[i]) >= MIN_LENGTH]):
            return
        edits = self._edits.get(path, ())
        bare_before = frozenset(lines_without_layout(before))
        committed = Sighting(last, -1, normal_text(before), True, committed=True)
        for line, events in shown:
            moments = line.windows.moments
            if blob == file.change.old and bisect_left(moments, last - PARTING) < bisect_left(
                moments, last + SLACK
            ):
                events = sorted((committed, *events), key=lambda event: (event.at, event.order))
            seen = appearances(events, version, telling, bare_before)
            elsewhere = [at for root, at, _, _ in edits if root != line.root]
            yield FileSeen(self.texts, item, file, version, before, line, seen, last, elsewhere)

    def _events(self, line: Timeline, path: str) -> Sequence[Sighting | FileEdit]:
        """What was seen of a file of a worktree and what its edits show, made once: each text is
        cut into lines for all commits.
        """
        key = (line.root, path)
        if key not in self._made:
            own = (
                (at, order, edit)
                for root, at, order, edit in self._edits.get(path, ())
                if root == line.root
            )
            self._made[key] = every_event(line.sightings[path], own)
        return self._made[key]


@dataclass(frozen=True)  # without slots: what is derived is kept
class FileSeen:
    """What one worktree showed of the lines that a commit adds to a file."""

    texts: Texts
    item: LinkedCommit
    file: FileDiff
    version: Version
    before: str
    line: Timeline
    appearances: Mapping[int, Appearance]
    last: float  # author time of the last commit of the file before
    elsewhere: Collection[float]  # when the file was edited in other worktrees
    # by moment: what git had of the file before it, without layout
    _brought: dict[float, str] = field(default_factory=dict)

    def verdict(self, index: int, existing: Verdict) -> Verdict | None:
        """What the sightings say of a line; None: nothing more than `existing`."""
        appearance = self.appearances.get(index)
        if appearance is None:
            return None
        witness = self._witness(index, appearance)
        if witness is not None and (
            existing.author != Author.AGENT or self._is_refuted(index, appearance, existing)
        ):
            return witness
        if witness is not None and existing.is_persons:  # an agent's line that a person changed
            return replace(existing, witness=witness.witness)
        person = self._inferred(index, appearance) if existing.author == Author.UNKNOWN else None
        if person is not None or not self._is_refuted(index, appearance, existing):
            return person
        return self._nobody(index, appearance)

    def stood_before(self, index: int) -> Verdict | None:
        """Nobody's, where a line stood in the file before anything on record could have written
        it; None: it need not have.
        """
        appearance = self.appearances.get(index)
        return (
            self._nobody(index, appearance)
            if appearance is not None and self._is_first(appearance)
            else None
        )

    def _witness(self, index: int, appearance: Appearance) -> Verdict | None:
        """A person's line that was seen to appear."""
        seen = appearance.seen
        without = appearance.committed or appearance.without
        committed = appearance.committed is not None
        if (
            seen is None
            or without is None
            or (appearance.untold and not committed)
            or seen.at <= self.last
        ):
            return None
        if not without.whole and self.version.bares.count(self.version.bares[index]) > 1:
            return None  # it may be another one that was seen
        if committed and not any(
            start <= without.at and seen.at <= end for start, end in self.line.windows.spans
        ):
            # a session of which only the end is on record may have written it after the commit
            return None
        kind = Witness.NOTICE if seen.outside_edit else Witness.RECORDED
        pair = SightingPair(kind, without.at, seen.at)
        window = AttributionWindow(self.file.change.path, without.at, seen.at)
        verdict = self._person(index, pair, window)
        return (
            verdict
            if not committed or (verdict is not None and verdict.evidence is Evidence.OBSERVED)
            else None
        )

    def _inferred(self, index: int, appearance: Appearance) -> Verdict | None:
        """A person's line of which only the commit, or the first look at the file, is a
        sighting.
        """
        commit = self.item.commit
        path = self.file.change.path
        if (
            self.item.is_redone
            or not self.item.complete
            or path in self.item.claimed
            or appearance.untold
        ):
            return None
        seen = appearance.seen
        without = appearance.without
        until = commit.author_time + SLACK
        if seen is None and without is not None and without.at > self.item.since:
            window = AttributionWindow(path, without.at, until, last=True, unseen=True)
            return self._person(index, SightingPair(Witness.COMMIT, without.at), window)
        if (
            seen is not None
            and without is None
            and not appearance.edited
            and seen.at > max(self.last, self.item.since)
        ):
            window = AttributionWindow(path, self.item.since, seen.at)
            return self._person(
                index, SightingPair(Witness.FIRST_READ, self.item.since, seen.at), window
            )
        return None

    def _person(
        self, index: int, witness: SightingPair, window: AttributionWindow
    ) -> Verdict | None:
        cause = self._cause(witness, window)
        elsewhere = any(window.after < at < window.before for at in self.elsewhere)
        if cause is None or elsewhere or self._was_there(index):
            return None
        moment = window.before if witness.seen else self.item.commit.author_time
        if moment not in self._brought:
            self._brought[moment] = without_layout(self.texts.elsewhere(self.file, moment))
        if self.version.bares[index] in self._brought[moment]:
            return None  # git may have brought it
        return person_verdict(cause, witness, layout=False)

    def _cause(self, witness: SightingPair, window: AttributionWindow) -> CandidateAuthor | None:
        """The answer of the window, if nobody but a person is left; where nothing was recorded
        for a time it says so.
        """
        cause = self.line.windows.cause(window)
        moments = self.line.windows.moments
        if (
            witness.seen_to_appear
            and cause.reason == Reason.NONE
            and not is_attended(window, moments)
        ):
            cause = replace(cause, reason=Reason.UNCAPTURED, watched=False)
        unwatched = (
            cause.author == Author.HUMAN
            and cause.reason == Reason.UNCAPTURED
            and witness.seen_to_appear
        )
        return cause if is_person(cause) or (unwatched and not self.item.lacking) else None

    def _was_there(self, index: int) -> bool:
        """Whether the version before has the line, in whatever layout."""
        return self.version.bares[index] in self._bare_before

    @cached_property
    def _bare_before(self) -> str:
        return without_layout(self.before)

    def _is_refuted(self, index: int, appearance: Appearance, existing: Verdict) -> bool:
        """Whether the line stood in the file before the call was made that is said to have
        written it.
        """
        seen = appearance.seen
        call = existing.call
        if seen is None or call is None or seen.at <= self.last or appearance.edited:
            return False
        started = next(
            (
                action.at
                for action in self.line.windows.actions
                if action.call.call_id == call.call_id
            ),
            call.at,
        )
        older = existing.author == Author.AGENT and self._was_there(index)
        return seen.at < started and not older and self._is_same(index, seen)

    def _is_same(self, index: int, seen: Sighting) -> bool:
        """Whether the line that was seen is this one, in this layout, and not one that the
        version before has.
        """
        bare = self.version.bares[index]
        text = self.version.lines[index].rstrip()
        if len(bare) < _TELLING or self.version.bares.count(bare) > 1:
            return False
        return text not in self.before.split("\n") and any(
            text == line.rstrip() for line in seen.text.split("\n")
        )

    def _is_first(self, appearance: Appearance) -> bool:
        seen = appearance.seen
        if (
            seen is None
            or appearance.without is not None
            or appearance.edited
            or seen.at <= self.last
        ):
            return False
        cause = self.line.windows.cause(
            AttributionWindow(self.file.change.path, max(self.last, self.item.since), seen.at)
        )
        return cause.author == Author.HUMAN and cause.reason in (Reason.NONE, Reason.UNCAPTURED)

    def _nobody(self, index: int, appearance: Appearance) -> Verdict | None:
        """Of a line that whoever is said to have written it cannot have written; None: the
        agents still may have.
        """
        without = appearance.without
        seen = appearance.seen
        after = without.at if without is not None else max(self.last, self.item.since)
        before = seen.at if seen is not None else self.item.commit.author_time
        was_there = self._was_there(index)
        window = AttributionWindow(self.file.change.path, after, before, layout=was_there)
        cause = self.line.windows.cause(window)
        if was_there:  # in another layout: the formatter's that ran until it was seen
            return unknown(Reason.FORMATTER, cause.call)
        if cause.author in (Author.AGENT, Author.TOOL):
            return None
        return unknown(cause.reason or Reason.UNEXPLAINED, cause.call)


def settle_seen_lines(item: LinkedCommit, files: SeenFiles) -> None:
    """Gives lines to people who were seen to write them, and takes those back that stood there
    before their author came.
    """
    if item.commit.is_merge:
        return
    opened = count_unknown(item.verdict, _OPEN)
    for file, spans in item.verdict.files:
        requested = _open_lines(spans, _is_open) if file.kind in BY_HAND else {}
        changes: dict[int, Verdict] = {}
        for seen in files.looks(item, file, requested) if requested else ():
            for line in requested.keys() - changes.keys():
                verdict = seen.verdict(line - 1, requested[line])
                if verdict is not None:
                    changes[line] = verdict
        persons = {line: verdict for line, verdict in changes.items() if verdict.is_persons}
        _put(file, spans, changes, persons, (Author.UNKNOWN, Author.HUMAN), files.texts)
    if opened and count_unknown(item.verdict, _OPEN):
        item.verdict.change(_doubt_commit)


def _doubt_commit(verdict: Verdict) -> Verdict:
    """Nobody's, where only the commit shows a person's line."""
    by_commit = verdict.witness is not None and verdict.witness.kind is Witness.COMMIT
    is_theirs = verdict.author == Author.HUMAN and by_commit
    return unknown(Reason.UNEXPLAINED) if is_theirs else verdict


def _open_lines(spans: Iterable[Span], is_open: Callable[[Verdict], bool]) -> dict[int, Verdict]:
    """Line -> its verdict, of those that are open."""
    return {line: s.verdict for s in spans if is_open(s.verdict) for line in s.lines}


def _put(
    file: FileDiff,
    spans: list[Span],
    changes: dict[int, Verdict],
    followed: Mapping[int, Verdict],
    others: Collection[Author],
    texts: Texts,
) -> None:
    """Gives lines other verdicts; those of `others` beside them that say nothing share the
    `followed` ones.
    """
    if changes:
        lines = texts.lines(file)
        verdicts = verdicts_by_line(spans) | changes
        weak = {line for line, verdict in verdicts.items() if verdict.author in others}
        spans[:] = spans_of(verdicts | _followers(file, followed, weak, lines), lines)


def _followers(
    file: FileDiff, changes: Mapping[int, Verdict], others: Collection[int], lines: Sequence[str]
) -> dict[int, Verdict]:
    """Which of the others say nothing: beside lines that got a verdict, and none that got
    another one, they share it.
    """
    result: dict[int, Verdict] = {}
    for start, end, _ in file.added if changes else ():
        block = range(start + 1, end + 1)
        strong = [line for line in block if len(without_layout(lines[line - 1])) >= MIN_LENGTH]
        for line in (line for line in block if line not in strong and line in others):
            below = bisect_left(strong, line)
            sides = strong[max(0, below - 1) : below + 1]
            if sides and all(
                changes.get(side) == changes.get(sides[0]) is not None for side in sides
            ):
                result[line] = changes[sides[0]]
    return result


def _is_open(verdict: Verdict) -> bool:
    """Whether a sighting may tell more than the verdict."""
    if verdict.is_persons:
        return verdict.is_unseen
    if verdict.author == Author.UNKNOWN:
        return verdict.reason in _OPEN
    if verdict.call is None or verdict.evidence == Evidence.OBSERVED:
        return False
    # an edit that was replayed shows what it found
    return verdict.evidence != Evidence.REPLAYED or verdict.call.by_shell


def take_back_declarations(item: LinkedCommit, files: SeenFiles) -> None:
    """A commit's trailer names the agent of its sessions: what stood in a file before they wrote
    anything is not theirs.
    """
    if not item.complete or item.is_redone or item.commit.is_merge:
        return
    for file, spans in item.verdict.files:
        requested = _open_lines(spans, _is_declared)
        for seen in files.looks(item, file, requested) if requested else ():
            nobody = {line: seen.stood_before(line - 1) for line in requested}
            changes = {line: verdict for line, verdict in nobody.items() if verdict is not None}
            _put(file, spans, changes, changes, (Author.DECLARED,), files.texts)


def _is_declared(verdict: Verdict) -> bool:
    return verdict.author == Author.DECLARED and verdict.reason in UNSEEN
