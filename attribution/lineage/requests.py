"""How the lines of a repository are to be followed, and what a run did. Pure."""

from dataclasses import dataclass, field

from collector.limits import FOLLOWED_BYTES


@dataclass(frozen=True, slots=True)
class HistoryRequest:
    # True: the whole history; False: from the first commit of an agent on; None: as it is stored
    full: bool | None = False
    # whether lines that changed only in shape or place stay the lines they were; None: as it is
    # stored
    keep: bool | None = True
    max_file: int = FOLLOWED_BYTES  # bytes; the lines of larger files are not followed


@dataclass(slots=True)
class HistoryUpdate:
    """What a run did."""

    state: str  # unchanged | continued | new | again
    after: str  # the window: its past is not followed; "" for everything
    commits: int  # followed now
    notes: list[str] = field(default_factory=list)
