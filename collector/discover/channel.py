"""What a channel is given, and what it has to be: a function that names candidates, and one that says what that would cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from collector.discover.discovery_log import DiscoveryLog
from collector.github.client import Clock, GitHub
from collector.github.transport import Web
from collector.runtime.progress import Progress, no_progress

FIRST_DAY = datetime(2026, 1, 3, tzinfo=UTC)  # the producer's first public release


@dataclass(frozen=True, slots=True)
class DiscoverOptions:
    """What the user asked for. Times are UTC.

    `archives`: directories or addresses of hourly event files, none for the public ones; `heritage`: tables of Software Heritage;
    `forges`: addresses of other servers; `most_of_owner`: repositories of one owner that are probed, the latest first.
    """

    since: datetime | None = None
    until: datetime | None = None
    limit: int | None = None
    owners: tuple[str, ...] = ()
    archives: tuple[str, ...] = ()
    forks: bool = False
    heritage: tuple[Path, ...] = ()
    forges: tuple[str, ...] = ()
    most_of_owner: int = 300
    lists: tuple[Path, ...] = ()
    texts: tuple[tuple[str, bytes], ...] = ()  # lists from elsewhere: where from, content
    databases: tuple[Path, ...] = ()

    @property
    def names_repositories(self) -> bool:
        """Whether the user knows where to look."""
        return bool(self.lists or self.texts or self.databases or self.owners or self.heritage or self.forges)


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


class Scope(StrEnum):
    """What a channel looks at. Two that look at the same find and miss the same repositories: they are one witness, not two."""

    DEFAULT_BRANCH = "default branch"
    EVENTS = "events of pushes"
    ARCHIVE = "archived branches"
    DESCRIPTION = "descriptions"
    NOTHING = "nothing by itself"  # lists, and what follows from other finds


@dataclass(frozen=True, slots=True)
class Coverage:
    """What share of all repositories with checkpoints a channel is expected to find, and why. None: it cannot be said."""

    low: float | None
    high: float | None
    reasoning: str


@dataclass(frozen=True, slots=True)
class Channel:
    """`run` resumes where the cursors say; it raises WhoWroteError when it has to stop early, everything before is kept."""

    name: str
    about: str  # what it asks and what it needs, for people
    needs_token: bool
    scope: Scope
    coverage: Coverage
    run: Callable[[ChannelContext], None]
    plan: Callable[[ChannelContext], list[DryRunStep]]
    usual: Callable[[DiscoverOptions], bool] = searching  # whether it is asked when no channel is named
    expands: bool = False  # it begins with confirmed repositories, so it is asked after they were probed

    @property
    def independent(self) -> bool:
        """Whether it looks by itself: how much it finds that others miss says how much all of them miss."""
        return self.scope is not Scope.NOTHING
