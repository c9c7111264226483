"""By how much git's clock was behind the agents', where commits hold what sessions wrote only
later. Pure.

Nobody commits lines before they are written. Where most rare lines of a file stand for the first
time, as far as any record shows, in edits of the hour after its commit, the clock of the commit was
behind by the time between at least; so was that of the same person's commits around it. A squash
holds files of earlier work as well.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import product
from typing import NamedTuple

from attribution.authorship.case import SLACK, AddedFile
from attribution.authorship.commits import CommitHistory
from attribution.authorship.diffs import CommitDiff
from attribution.authorship.own_commits import OwnCommit, delay_commit
from attribution.authorship.session_edits import RawEdit, SessionEdits, telling_lines
from collector.model import Commit, Status
from collector.text import file_name
from collector.vocabulary.lines import Reason

_NEVER = float("inf")
_LONGEST = 3600.0  # seconds by which a clock is taken to be behind at most
_AROUND = 3 * 3600.0  # seconds in which commits of the same person have the same clock
_ENOUGH = 10  # lines of a commit that were written only after it
_SHARE = 0.5  # of the rare lines of a file, for the file to count
_AFTER = 1.0  # seconds from an edit to its commit, at least

Added = Callable[[CommitDiff], Sequence[AddedFile]]


class _Evidence(NamedTuple):
    email: str
    at: float  # author time of the commit
    offset: float  # seconds


def on_session_clocks(
    history: CommitHistory,
    own: Mapping[str, OwnCommit],
    sessions: Iterable[SessionEdits],
    added: Added,
) -> Iterator[Commit]:
    """Commits with times of the sessions' clocks: those that sessions made (`own`), and those
    that hold what was written later.
    """
    yield from (
        own[commit.sha].on_its_clock(commit) for commit in history.commits if commit.sha in own
    )
    others = [commit for commit in history.commits if commit.sha not in own]
    # A session of which the beginning is missing may have seen anything there.
    whole = (
        s
        for s in sessions
        if not any(action.unseen == Reason.TRANSCRIPT_NOT_STORED for action in s.actions)
    )
    writers = [_Writer(session) for session in whole if session.edits]
    # by address of a person and name of a file
    by_file: dict[tuple[str, str], list[_Writer]] = defaultdict(list)
    for writer in writers:
        for key in writer.files():
            by_file[key].append(writer)
    evidence: list[_Evidence] = []
    for commit in others:
        names = {(commit.author_email, file_name(path)) for path in history.touched(commit.sha)}
        near = {
            id(writer): writer
            for key in names
            for writer in by_file.get(key, ())
            if writer.wrote_after(commit, key[1])
        }.values()
        files = added(history.diffs[commit.sha]) if near and not commit.is_merge else []
        offset = _offset(commit, near, writers, files, history.rarity)
        if offset:
            evidence.append(_Evidence(commit.author_email, commit.author_time, offset))
    for commit in others if evidence else ():
        same = (
            item
            for item in evidence
            if item.email == commit.author_email and abs(item.at - commit.author_time) <= _AROUND
        )
        offset = max((item.offset for item in same), default=0.0)
        if offset:
            late = delay_commit(commit, offset)
            # at least so much: that nothing else wrote to it before is not known
            yield replace(late, commit_time=late.commit_time + _LONGEST)


def _offset(
    commit: Commit,
    near: Collection[_Writer],
    writers: Iterable[_Writer],
    files: Iterable[AddedFile],
    rarity: Callable[[str], float],
) -> float:
    """Seconds from a commit to the last of the edits that wrote its lines; 0 where it cannot be
    told.
    """
    at = commit.author_time + SLACK
    later: dict[str, float] = {}
    for file in files:
        lines = rare_lines(file, rarity)
        since = dict(_lines_written_later(lines, near, at))
        if len(since) >= _SHARE * len(lines):
            later |= since
    if len(later) < _ENOUGH or any(writer.had_seen(later, at) for writer in writers):
        return 0.0
    last = max(later.values())
    return last + _AFTER - commit.author_time


def rare_lines(file: AddedFile, rarity: Callable[[str], float]) -> set[str]:
    """The lines that a commit adds to a file, and that no other file has."""
    text = "\n".join(file.lines[index] for index in file.added)
    return {line for line in telling_lines(text) if rarity(line) == 1}


def _lines_written_later(
    lines: Iterable[str], near: Collection[_Writer], at: float
) -> Iterator[tuple[str, float]]:
    """Of these lines, those that were first written in the hour after a moment, with when."""
    for line in lines:
        first = min((writer.first.get(line, _NEVER) for writer in near), default=_NEVER)
        if at < first <= at + _LONGEST:
            yield line, first


class _Writer:
    """A session with the lines that it was the first to write, as far as it shows."""

    def __init__(self, session: SessionEdits) -> None:
        self._session = session
        self._times: dict[str, list[float]] = defaultdict(list)  # by name of the file
        for raw in session.edits:
            self._times[file_name(raw.edit.path)].append(raw.at)

    def files(self) -> Iterator[tuple[str, str]]:
        """The addresses of its person, each with the name of every file that it wrote."""
        return product(self._session.emails, self._times)

    def wrote_after(self, commit: Commit, name: str) -> bool:
        """Whether it wrote a file of this name in the hour after a commit."""
        at = commit.author_time + SLACK
        return any(at < moment <= at + _LONGEST for moment in self._times[name])

    @cached_property
    def first(self) -> dict[str, float]:
        """Line -> when the session wrote it, of lines that it had not seen before."""
        result = dict[str, float]()
        seen = set[str]()
        for _, _, text, written in sorted(self._events(), key=lambda event: event[:2]):
            lines = set(telling_lines(text))
            result |= dict.fromkeys(lines - seen, written) if written else {}
            seen |= lines
        return result

    def had_seen(self, lines: Mapping[str, object], moment: float) -> bool:
        """Whether it had seen or written one of these telling lines until then."""
        texts = (text for at, _, text, _ in self._events() if at <= moment)
        return any(not lines.keys().isdisjoint(map(str.strip, text.split("\n"))) for text in texts)

    def _events(self) -> Iterator[tuple[float, int, str, float]]:
        """(when, order at that moment, text, when it was written or 0 if it was seen)."""
        for _, sighted in self._session.sightings:
            yield sighted.at or 0.0, 0, sighted.text, 0.0
        yield from ((at, 0, text, 0.0) for at, text in self._session.shown)
        for raw in self._session.edits:
            yield from ((raw.at, 1, text, 0.0) for text in lines_before(raw))
            timed = raw.at if raw.status is Status.OK else 0.0
            yield from ((raw.at, 2, text, timed) for text in raw.edit.new_texts())


def lines_before(raw: RawEdit) -> Iterator[str]:
    """What stood there before an edit."""
    yield from (
        text
        for text in (raw.edit.before, *(replacement.old for replacement in raw.edit.replacements))
        if text
    )
    yield from (
        line[1:] for hunk in raw.edit.hunks for line in hunk.lines if not line.startswith("+")
    )
