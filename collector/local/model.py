"""What the finder of local transcripts takes and hands on: which sessions may be read, and those
of one repository.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from collector.agents.machine.model import LocalSession, Trace
from collector.model import Problem
from collector.text import count_of

_LISTED = 3  # directories


class LocalChoice(StrEnum):
    """When transcripts on this machine are read."""

    AUTO = "auto"  # of a clone that has no checkpoints
    ALWAYS = "always"  # also beside checkpoints: sessions that are in both are one
    NEVER = "never"


@dataclass(frozen=True)
class LocalOptions:
    """Which transcripts of this machine may be read, as a person chooses it."""

    choice: LocalChoice = LocalChoice.AUTO
    # instead of the home directory: copies of one, or of an agent's directory in it
    directories: tuple[Path, ...] = ()
    former_paths: tuple[str, ...] = ()  # where the clone was when the agents worked in it
    anywhere: bool = False  # sessions of any directory: there is no clone


@dataclass(frozen=True)
class LocalSessions:
    """All that was found of one repository."""

    sessions: Mapping[str, LocalSession] = field(default_factory=dict)  # by the agent's id
    problems: tuple[Problem, ...] = ()
    emails: frozenset[str] = frozenset()  # under which commits are made in this clone
    # directories of the clone, as git lists them, and where it was before
    worktrees: tuple[str, ...] = ()
    traces: tuple[Trace, ...] = ()  # of sessions that worked here and cannot be read


def elsewhere_note(local: LocalSessions) -> str:
    """How many sessions were started outside of the clone's worktrees, and where; "" for none."""
    places = Counter(session.cwd for session in local.sessions.values() if session.elsewhere)
    listed = ", ".join(f"{place} ({count})" for place, count in places.most_common(_LISTED))
    more = f" and {len(places) - _LISTED} more" if len(places) > _LISTED else ""
    what = "session elsewhere is" if places.total() == 1 else "sessions elsewhere are"
    if places:
        return (
            f"{places.total()} {what} read too, by commits, files or the remote of this clone:"
            f" {listed}{more}"
        )
    return ""


def traces_note(local: LocalSessions) -> str:
    """How many sessions cannot be read; "" for none."""
    count = len({trace.session for trace in local.traces})
    if count:
        return f"{count_of(count, 'session')} left traces and no whole transcript"
    return ""


NOTHING_LOCAL = LocalSessions()
