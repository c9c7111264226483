"""What a channel is given, and what it has to be: a function that names candidates, and one that says what that would cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from collector.discover.discovery_log import DiscoveryLog
from collector.github.client import Clock, GitHub
from collector.github.transport import Web
from collector.runtime.progress import Progress, no_progress

FIRST_DAY = datetime(2026, 1, 3, tzinfo=UTC)  # the producer's first public release


@dataclass(frozen=True, slots=True)
class DiscoverOptions:
    """What the user asked for. Times are UTC; `archive` is a directory or an address, "" for the public one."""

    since: datetime | None = None
    until: datetime | None = None
    limit: int | None = None
    owners: tuple[str, ...] = ()
    archive: str = ""
    lists: tuple[Path, ...] = ()
    texts: tuple[tuple[str, bytes], ...] = ()  # lists from elsewhere: where from, content
    databases: tuple[Path, ...] = ()

    @property
    def names_repositories(self) -> bool:
        """Whether the user knows where to look."""
        return bool(self.lists or self.texts or self.databases or self.owners)


def searching(options: DiscoverOptions) -> bool:
    """Whether a search is worth asking when no channel is named."""
    return not options.names_repositories


@dataclass(slots=True)
class ChannelContext:
    """What a channel works with."""

    github: GitHub
    web: Web
    discovery_log: DiscoveryLog
    clock: Clock
    request: DiscoverOptions = field(default_factory=DiscoverOptions)
    tell: Callable[[str], None] = lambda text: None
    progress: Progress = no_progress
    new: int = 0  # candidates that were new in this run

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.clock.now(), UTC)

    def enough(self) -> bool:
        return self.request.limit is not None and self.new >= self.request.limit


@dataclass(frozen=True, slots=True)
class DryRunStep:
    """One line of a dry run: what would be asked, how often at least, of which resource, and how many bytes that is."""

    what: str
    requests: int
    resource: str = ""
    bytes: int = 0
    note: str = ""
    finished: int = 0  # slices that need not be asked again
    names: int = 0  # candidates it would name, as far as that is known


@dataclass(frozen=True, slots=True)
class Channel:
    """`run` resumes where the cursors say; it raises WhoWroteError when it has to stop early, everything before is kept."""

    name: str
    about: str  # what it asks and what it needs, for people
    needs_token: bool
    run: Callable[[ChannelContext], None]
    plan: Callable[[ChannelContext], list[DryRunStep]]
    usual: Callable[[DiscoverOptions], bool] = searching  # whether it is asked when no channel is named
    independent: bool = True  # it looks by itself: how much it finds that others miss says how much all of them miss
