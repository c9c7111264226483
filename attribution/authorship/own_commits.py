"""Commits that sessions made themselves, by what their calls ran and printed. Pure.

The id that a call printed for its commit is a fact, whatever the clocks say. A quiet commit is the
one whose id the calls after it show, else the one of that very moment, if author, message and files
fit.
"""

import math
import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from attribution.authorship.case import SLACK
from attribution.authorship.commit_calls import CommitCall
from attribution.authorship.session_edits import SessionEdits
from collector.groups import group_pairs, only
from collector.model import Commit
from collector.text import file_name

_NAMES_MESSAGE = re.compile(r"\s(?:-[a-zA-Z]*m|--message|--subject)\b|\"message\"")
_SHORT = 7  # characters of an abbreviated id, at least
_CLOCKS = 86_400.0  # seconds by which the clocks of a machine and of its git may differ at all
_DRIFT = 3600.0  # the same where the message of the commit is not known
_FEW_WORDS = 3  # of a subject that two people may choose
_KEEPS_AUTHOR_TIME = re.compile(r"--amend\b|\b(?:cherry-pick|rebase|am)\b")
_WORD = re.compile(r"[\w.-]+")  # of a command, as the name of a file
_NUMBER = re.compile(r"\s*\(#\d+\)$")  # of a pull request, as servers put it behind its title

Paths = Callable[[str], Collection[str]]
"""Paths that a commit changed, by its id."""


class OwnCommit(NamedTuple):
    """The session and the call that made a commit."""

    session: str
    made: CommitCall
    printed: bool  # the call printed the id: no matter what else fits

    def on_its_clock(self, commit: Commit) -> Commit:
        """The commit with times of the session's clock, where neither of its own is of the call:
        git's clock is off by the rest.

        A commit that was amended or rebased since has one of them; one that the call amended and
        somebody rebased since has none. Git cuts off parts of a second:
        what the session did in the same second before the call began was before the commit, too.
        """
        started, ended = self.made.started, self.made.call.at
        if not started or any(
            started - SLACK <= at <= ended + SLACK
            for at in (commit.author_time, commit.commit_time)
        ):
            return (
                replace(commit, author_time=started)
                if int(started) == commit.author_time
                else commit
            )
        if _KEEPS_AUTHOR_TIME.search(self.made.text):
            return replace(commit, author_time=ended)
        return delay_commit(commit, ended - commit.commit_time)


def delay_commit(commit: Commit, seconds: float) -> Commit:
    """A commit with times so many seconds later."""
    later = commit.author_time + seconds
    return replace(commit, author_time=later, commit_time=commit.commit_time + seconds)


def own_commits(
    commits: Iterable[Commit], sessions: Iterable[SessionEdits], paths: Paths
) -> dict[str, OwnCommit]:
    """Commit id -> the session and call that made it."""
    search = _Search(list(commits), paths)
    calls = [(session, made) for session in sessions for made in session.commits]
    for session, made in calls:
        for commit in search.named(made.printed):
            search.found.setdefault(commit.sha, OwnCommit(session.key, made, True))
    for session, made in calls:
        search.add_quiet(session, made)
    return search.found


class _Search:
    def __init__(self, commits: list[Commit], paths: Paths) -> None:
        self._paths = paths
        self._by_time = sorted(
            (moment, c.sha, c) for c in commits for moment in {c.author_time, c.commit_time}
        )
        self._by_id = group_pairs((commit.sha[:_SHORT], commit) for commit in commits)
        self.found: dict[str, OwnCommit] = {}

    def add_quiet(self, session: SessionEdits, made: CommitCall) -> None:
        if not any(True for _ in self.named(made.printed)):
            commit = self._shown_commit(session, made) or self._commit_at_that_moment(session, made)
            if commit is not None:
                self.found[commit.sha] = OwnCommit(session.key, made, False)

    def named(self, ids: Iterable[str]) -> Iterator[Commit]:
        """The commits with these ids."""
        return (
            commit
            for short in ids
            for commit in self._by_id.get(short[:_SHORT], ())
            if commit.sha.startswith(short)
        )

    def _shown_commit(self, session: SessionEdits, made: CommitCall) -> Commit | None:
        """Of the commits that were shown for the first time after the call, the one that it made.

        That is the one with its message; where the call names none, the newest of the same hour
        that fits the session.
        """
        shown = [
            c
            for c in self.named(made.shown)
            if c.sha not in self.found and self._is_within(_CLOCKS, c, made)
        ]
        named = next(
            (
                c
                for c in shown
                if _has_message(c, made) and (not made.on_server or self._is_on_files(c, session))
            ),
            None,
        )
        if (
            named is not None
            or _NAMES_MESSAGE.search(made.text)
            or made.on_server
            or not made.started
        ):
            return named
        fitting = (c for c in shown if self._is_within(_DRIFT, c, made) and self._fits(c, session))
        return max(fitting, key=lambda commit: commit.commit_time, default=None)

    def _is_within(self, seconds: float, commit: Commit, made: CommitCall) -> bool:
        return not made.started or abs(commit.commit_time - made.call.at) <= seconds + SLACK

    def _commit_at_that_moment(self, session: SessionEdits, made: CommitCall) -> Commit | None:
        """The commit that was made while the call ran: with its message, else the only one that
        fits the session.
        """
        during = list(self._during(made))
        if _NAMES_MESSAGE.search(made.text):
            return next(
                (commit for commit in during if _has_message(commit, made)), None
            ) or self._commit_with_that_message(session, made)
        fitting = [commit for commit in during if self._fits(commit, session)]
        return only(fitting)

    def _commit_with_that_message(self, session: SessionEdits, made: CommitCall) -> Commit | None:
        """The only commit of the same hour, else of the same day, with the message of the call
        and a file of the session: git's clock was off, or it was amended and rebased since. Under
        another address the message has to tell.
        """
        for seconds in (_DRIFT, _CLOCKS) if made.started else ():
            around = self._commits_between(made.call.at - seconds, made.call.at + seconds)
            near = {commit.sha: commit for _, commit in around if _has_message(commit, made)}
            fitting = [
                commit
                for commit in near.values()
                if self._fits(commit, session)
                or (_is_telling(commit.subject) and self._is_on_files(commit, session))
            ]
            if fitting:
                return only(fitting)
        return None

    def _during(self, made: CommitCall) -> Iterator[Commit]:
        """Commits that nobody claimed and that were authored, or amended, while the call ran."""
        renewed = _KEEPS_AUTHOR_TIME.search(made.text)
        started = made.started or math.inf
        for moment, commit in self._commits_between(started - SLACK, made.call.at + SLACK):
            if moment == (commit.commit_time if renewed else commit.author_time):
                yield commit

    def _commits_between(self, begin: float, end: float) -> Iterator[tuple[float, Commit]]:
        """Commits that nobody claimed, with the moment at which they were authored or made."""
        first = bisect_left(self._by_time, begin, key=lambda item: item[0])
        for moment, sha, commit in self._by_time[first:]:
            if moment > end:
                return
            if sha not in self.found:
                yield moment, commit

    def _fits(self, commit: Commit, session: SessionEdits) -> bool:
        return commit.author_email in session.emails and self._is_on_files(commit, session)

    def _is_on_files(self, commit: Commit, session: SessionEdits) -> bool:
        """Whether a commit changed a file that the session edited, or named in a command."""
        paths = {raw.edit.path for raw in session.edits}
        changed = self._paths(commit.sha)
        if any(path == own or path.endswith("/" + own) for own in changed for path in paths):
            return True
        named = {word for action in session.actions for word in _WORD.findall(action.command)}
        return any(file_name(own) in named for own in changed)


def _is_telling(subject: str) -> bool:
    """Whether nobody else writes the same subject by chance on the same day, as "Fix tests"."""
    return len(subject.split()) > _FEW_WORDS


def _has_message(commit: Commit, made: CommitCall) -> bool:
    """Whether the call names the subject of the commit, quotes and backslashes aside."""
    title = _NUMBER.sub("", commit.subject) if made.on_server else commit.subject
    subject, text = (re.sub(r"[\s\\'\"]+", " ", value).strip() for value in (title, made.text))
    return bool(
        subject and subject in text and re.search(rf"(?<!\w){re.escape(subject)}(?!\w)", text)
    )
