"""What a channel gets, and what it has to be: a function that names candidates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from collector.discovery.channels.log import DiscoveryLog
from collector.discovery.github.client import GitHub
from collector.discovery.records import CHECKPOINTS
from collector.runtime.progress import Progress, no_progress

FIRST_DAY = datetime(2026, 1, 3, tzinfo=UTC)  # the producer's first public release


@dataclass(frozen=True, slots=True)
class DiscoverOptions:
    """What the user asked for. Times are UTC. `archive`: directory or address of hourly event files, "" for the public ones."""

    since: datetime | None = None
    until: datetime | None = None
    owners: tuple[str, ...] = ()
    archive: str = ""
    forks: bool = False
    lists: tuple[Path, ...] = ()
    records: tuple[str, ...] = (CHECKPOINTS,)  # names of `records()`
    texts: tuple[tuple[str, bytes], ...] = ()  # lists from elsewhere: their source and content

    @property
    def names_repositories(self) -> bool:
        """Whether the user knows where to look."""
        return bool(self.lists or self.texts or self.owners)


def is_search_wanted(options: DiscoverOptions) -> bool:
    """Whether a search is worth asking when no channel is named."""
    return not options.names_repositories


@dataclass(slots=True)
class ChannelContext:
    """What a channel works with."""

    github: GitHub
    log: DiscoveryLog
    request: DiscoverOptions = field(default_factory=DiscoverOptions)
    tell: Callable[[str], None] = lambda text: None
    progress: Progress = no_progress
    new: int = 0  # candidates that were new in this run

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.github.clock.now(), UTC)


class Scope(StrEnum):
    """What a channel looks at. Two channels that look at the same find and miss the same repositories: they are one witness."""

    DEFAULT_BRANCH = "default branch"
    EVENTS = "events of pushes"
    NOTHING = "nothing by itself"  # lists, and what follows from other finds


@dataclass(frozen=True, slots=True)
class Channel:
    """`run` resumes at the cursors; it raises WhoWroteError when it has to stop early, and everything before is kept."""

    name: str
    about: str  # what it asks and what it needs, for people
    needs_token: bool
    scope: Scope
    run: Callable[[ChannelContext], None]
    is_usual: Callable[[DiscoverOptions], bool] = is_search_wanted  # whether it is asked when no channel is named

    @property
    def is_independent(self) -> bool:
        """Whether it looks by itself: how much it finds that others miss says how much all of them miss."""
        return self.scope is not Scope.NOTHING
