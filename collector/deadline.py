"""A moment by which something has to end. It holds for all that is done inside `until`, on this thread: whatever may wait asks
`current()`: connections, pauses between tries, pauses that a server asks for, programs.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Deadline:
    """`at`: seconds of the monotonic clock, which never jumps. `seconds`: how long there was, for messages."""

    at: float = math.inf
    seconds: float = math.inf

    @classmethod
    def from_now(cls, seconds: float) -> Deadline:
        """The deadline in so many seconds; 0 is never."""
        return cls(time.monotonic() + seconds, seconds) if seconds else NEVER

    def seconds_left(self) -> float:
        """Seconds, 0 when it has passed."""
        return max(0.0, self.at - time.monotonic())

    @property
    def has_passed(self) -> bool:
        return time.monotonic() >= self.at


NEVER = Deadline()
_CURRENT: ContextVar[Deadline] = ContextVar("deadline", default=NEVER)


def current() -> Deadline:
    """The earliest of those that hold here."""
    return _CURRENT.get()


@contextmanager
def deadline_until(deadline: Deadline) -> Iterator[Deadline]:
    """Sets the deadline of this thread inside the block, unless an outer deadline is earlier; yields the deadline that holds."""
    token = _CURRENT.set(min(current(), deadline, key=lambda d: d.at))
    try:
        yield current()
    finally:
        _CURRENT.reset(token)
