"""By how much the clocks of sessions were off, by the commits that hold what they wrote. Pure.

Nobody commits lines before they are written, and nobody sees them before. Where rare lines of a
session say otherwise by an hour or more, its clock was off, most likely by a whole number of
quarters of an hour.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from attribution.authorship.case import SLACK
from attribution.authorship.clock_offsets import Added, lines_before, rare_lines
from attribution.authorship.commits import CommitHistory
from attribution.authorship.own_commits import OwnCommit
from attribution.authorship.session_edits import SessionEdits
from attribution.authorship.verdicts import CallRef
from collector.files.kinds import BY_HAND
from collector.model import Status
from collector.text import file_name

_QUARTER = 900.0  # seconds: by multiples of it, clocks and time zones are set wrong
_LEAST = 3600.0  # seconds: less is how far apart people's clocks are
_ENOUGH = 3  # rare lines that tell


class _Lines(NamedTuple):
    """Rare lines of a session with the moments of its clock."""

    written: dict[str, float]  # which it had not seen before
    seen: dict[str, float]  # first
    changed: frozenset[str]  # written into a text that is on record


def put_sessions_on_clock(
    history: CommitHistory,
    own: Mapping[str, OwnCommit],
    sessions: Sequence[SessionEdits],
    added: Added,
) -> None:
    """Moves the times of sessions whose clocks were off by an hour or more to git's clock.

    The clock of a session that made commits is known by them: it stays.
    """
    committed = _commit_times(history, sessions, added)
    makers = {made.session for made in own.values()}
    lines = {session.session_id: _lines_of(session, committed) for session in sessions}
    for find in (_ahead, _behind):
        for session in sessions:
            if session.key in makers or not session.edits:
                continue
            others = [item for key, item in lines.items() if key != session.session_id]
            offset = find(lines[session.session_id], others, committed)
            if offset:
                _shift(session, offset)
                lines[session.session_id] = _lines_of(session, committed)


def _commit_times(
    history: CommitHistory, sessions: Iterable[SessionEdits], added: Added
) -> dict[str, float]:
    """Line -> author time of the only commit that adds it, in files that sessions edited."""
    names = {file_name(raw.edit.path) for session in sessions for raw in session.edits}
    first: dict[str, float] = {}
    again: set[str] = set()  # taken out and added anew: either commit may hold what was written
    for commit in history.commits:
        touched = {file_name(path) for path in history.touched(commit.sha)}
        if commit.is_merge or names.isdisjoint(touched):
            continue
        diff = history.diffs[commit.sha]
        by_hand = [file for file in diff.files or () if file.kind in BY_HAND]
        for file in added(replace(diff, files=by_hand)):
            lines = rare_lines(file, history.rarity)
            again |= lines & first.keys()
            first |= dict.fromkeys(lines, commit.author_time)
    return {line: at for line, at in first.items() if line not in again}


def _lines_of(session: SessionEdits, committed: Mapping[str, float]) -> _Lines:
    events = [(item.at, 0, item.text, "seen") for _, item in session.sightings if item.at]
    events += [(at, 0, text, "seen") for at, text in session.shown]
    for raw in session.edits:
        old = list(lines_before(raw))
        events += [(raw.at, 1, text, "seen") for text in old]
        if raw.status is Status.OK:
            # what is put into a known text, or into a file that is not there, is not there yet
            is_new = raw.edit.before_known and raw.edit.before is None
            kind = "changed" if old or is_new else "written"
            events += [(raw.at, 2, text, kind) for text in raw.edit.new_texts()]
    found = _Lines({}, {}, frozenset())
    changed: set[str] = set()
    for at, _, text, kind in sorted(events):
        for line in committed.keys() & map(str.strip, text.split("\n")):
            if line in found.seen or line in found.written:
                continue
            if kind == "seen":
                found.seen[line] = at
            else:
                found.written[line] = at
                changed.update([line] if kind == "changed" else [])
    return found._replace(changed=frozenset(changed))


def _ahead(lines: _Lines, others: Sequence[_Lines], committed: Mapping[str, float]) -> float:
    """Seconds, negative, to its commits from what a session wrote after them; else 0."""
    late = {line for line, at in lines.written.items() if at > committed[line] + SLACK}
    seen = {
        line
        for other in others
        for line in late & other.seen.keys()
        if other.seen[line] < lines.written[line] - SLACK
    }
    if len(late & (lines.changed | seen)) < _ENOUGH:
        return 0.0
    if any(not late.isdisjoint(other.written) for other in others):
        return 0.0
    least = max(lines.written[line] - committed[line] for line in late)
    # what it saw of other commits was there before
    own = {committed[line] for line in late}
    seen_since = [
        lines.seen[line] - at
        for line, at in committed.items()
        if at not in own and line in lines.seen
    ]
    most = min((since for since in seen_since if since > 0), default=float("inf"))
    offset = -(-least // _QUARTER) * _QUARTER
    if offset > most:
        offset = least
    return -offset if _LEAST <= offset <= most else 0.0


def _behind(lines: _Lines, others: Sequence[_Lines], committed: Mapping[str, float]) -> float:
    """Seconds to the commits of what a session wrote, where it had seen what others wrote only
    later by the clocks, and committed only later; else 0.
    """
    least: dict[str, float] = {}
    for other in others:
        for line in lines.seen.keys() & other.written.keys():
            wrote, at = other.written[line], lines.seen[line]
            if at + SLACK < wrote <= committed[line] + SLACK:
                least[line] = max(committed[line], wrote) - at
    if len(least) < _ENOUGH or len(lines.written) < _ENOUGH:
        return 0.0
    after = max(least.values())
    most = min(committed[line] - at for line, at in lines.written.items())
    offset = most // _QUARTER * _QUARTER
    if offset < after:
        offset = after
    return offset if max(after, _LEAST) <= offset <= most else 0.0


def _shift(session: SessionEdits, offset: float) -> None:
    """Moves all that has a moment of the session's clock."""

    def moved(at: float) -> float:
        return at + offset if at else at  # 0: not known

    def called(call: CallRef) -> CallRef:
        return replace(call, at=moved(call.at))

    session.started, session.ended = moved(session.started), moved(session.ended)
    session.moments = [at + round(offset) for at in session.moments]
    session.edits = [replace(raw, at=moved(raw.at), call=called(raw.call)) for raw in session.edits]
    session.sightings = [
        (order, item if item.at is None else replace(item, at=moved(item.at)))
        for order, item in session.sightings
    ]
    session.actions = [
        replace(item, at=moved(item.at), until=moved(item.until), call=called(item.call))
        for item in session.actions
    ]
    session.commits = [
        replace(item, call=called(item.call), started=moved(item.started))
        for item in session.commits
    ]
    session.listed = [(moved(at), item) for at, item in session.listed]
    session.prompts = [replace(item, at=moved(item.at)) for item in session.prompts]
    session.shown = [(moved(at), text) for at, text in session.shown]
    session.produced = [replace(item, at=moved(item.at)) for item in session.produced]
