"""Time and memory that work on one repository may use, in the process that does it.

What exceeds them is stopped where it is.

A timer interrupts Python wherever it is, between two statements as a person's interruption does: a
transaction is rolled back, what was stored stays. The system refuses memory beyond the limit. One
session may use a part of the time alone: it then counts as unreadable, and the work goes on.

A deadline holds for all that is done inside `deadline_until`, on this thread: whatever may wait
asks `current()`: connections, pauses between tries, pauses that a server asks for, programs.
"""

from __future__ import annotations

import math
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from collector.errors import EXIT_PARTIAL, WhoWroteError
from collector.runtime.progress import Progress
from collector.runtime.workers import TaskLimits


@dataclass(frozen=True)
class Deadline:
    """`at`: seconds of the monotonic clock, which never jumps.

    `seconds`: how long there was, for messages.
    """

    at: float = math.inf
    seconds: float = math.inf

    @classmethod
    def from_now(cls, seconds: float) -> Deadline:
        """The deadline in so many seconds; 0 is never."""
        if seconds:
            return cls(time.monotonic() + seconds, seconds)
        return NEVER

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
    """Sets the deadline of this thread inside the block, unless an outer deadline is earlier;
    yields the deadline that holds.
    """
    token = _CURRENT.set(min(current(), deadline, key=lambda d: d.at))
    try:
        yield current()
    finally:
        _CURRENT.reset(token)


if sys.platform != "win32":
    import resource

_SHARE = 0.25  # of the whole time, for one session
_OF_MACHINE = 0.75  # of its memory, unless another limit is given
_CGROUP = Path("/sys/fs/cgroup/memory.max")
_CAN_INTERRUPT = hasattr(signal, "setitimer")


class OverLimit(WhoWroteError):
    """The work on one repository met a limit and was stopped."""

    exit_code = EXIT_PARTIAL


class PartTooLong(Exception):
    """One part, as a session, took more than its share of the time."""


class _Late(BaseException):
    """The time of the whole is over. No handler of errors may hold it."""


# What costs one session, and no more, where sessions are read.
PART_ERRORS = (PartTooLong, MemoryError)
_WHOLE: ContextVar[Deadline | None] = ContextVar("whole", default=None)


def memory_share(jobs: int) -> int:
    """Bytes that each of so many jobs may use when nothing was said: three quarters of the
    machine's together; 0 if unknown.
    """
    try:
        whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return 0
    with suppress(OSError, ValueError):
        whole = min(whole, int(_CGROUP.read_text("ascii")))
    return int(whole * _OF_MACHINE) // max(1, jobs)


@contextmanager
def apply_limits(limits: TaskLimits, progress: Progress) -> Iterator[Progress]:
    """Stops the work inside when it exceeds the limits.

    Gives the progress to hand on. Raises OverLimit.

    Memory beyond the limit is refused by the system, as the worker process that does the work asks
    it to (`workers.py`).
    """
    step = ["starting"]

    def report(what: str, done: int, total: int) -> None:
        step[0] = what
        if deadline.has_passed:
            raise _Late
        progress(what, done, total)

    try:
        with deadline_until(Deadline.from_now(limits.seconds)) as deadline:
            token = _WHOLE.set(deadline)
            try:
                with _interrupt_at(deadline):
                    yield report
            finally:
                _WHOLE.reset(token)
    except _Late:
        raise _over(f"it took longer than {limits.seconds:,.0f} s, while {step[0]}") from None
    except MemoryError:
        raise _over(
            f"it needed more than {limits.memory >> 20:,} MiB of memory, while {step[0]}"
        ) from None


def _over(why: str) -> OverLimit:
    return OverLimit(
        f"stopped: {why}",
        "Sessions read so far are stored. No line was judged again: lines in the database are as of"
        " the last run that ended\n`whowrote db` and `collect run` take higher limits: --timeout,"
        " --memory; 0 is none",
    )


@contextmanager
def part_of_the_time() -> Iterator[None]:
    """One session, within `apply_limits`: raises PartTooLong when it takes more than its share.

    Outside there is no limit.
    """
    whole = _WHOLE.get()
    if whole is None or whole.seconds_left() == float("inf"):
        yield
        return
    with (
        deadline_until(Deadline.from_now(whole.seconds * _SHARE)) as deadline,
        _interrupt_at(deadline),
    ):
        yield


def memory_left(jobs: int) -> int:
    """Bytes that each of so many processes may use for the work inside `apply_limits`; 0 if
    unknown.
    """
    share = memory_share(jobs)
    if sys.platform != "linux":
        return share
    limit = resource.getrlimit(resource.RLIMIT_DATA)[0]
    if limit == resource.RLIM_INFINITY:
        return share
    return min(limit, share or limit)


def time_left() -> float:
    """Seconds that the work inside `apply_limits` still has; 0 when it has no limit."""
    whole = _WHOLE.get()
    if not whole or whole.seconds_left() == float("inf"):
        return 0.0
    return max(0.001, whole.seconds_left())


@contextmanager
def _interrupt_at(deadline: Deadline) -> Iterator[None]:
    """A timer, where the system has one, on the thread that hears it; elsewhere reports of
    progress look at the clock.
    """
    if (
        not _CAN_INTERRUPT
        or deadline.seconds_left() == float("inf")
        or threading.current_thread() is not threading.main_thread()
    ):
        yield
        return

    def ring(number: int, frame: FrameType | None) -> None:
        if not deadline.has_passed:  # what was left of a timer is never exact
            _alarm_in(deadline.seconds_left())
            return
        whole = _WHOLE.get()
        raise (
            _Late
            if whole is None or whole.has_passed
            else PartTooLong(f"longer than {deadline.seconds:,.0f} s")
        )

    before = signal.signal(signal.SIGALRM, ring)
    began = time.monotonic()
    left = _alarm_in(deadline.seconds_left())
    try:
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    # also when the timer rang in the block before, for the last time: the one outside goes on
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if left:
            _alarm_in(left - (time.monotonic() - began))


def _alarm_in(seconds: float) -> float:
    """Sets the timer; gives what was left of the one before, 0 when there was none."""
    return signal.setitimer(signal.ITIMER_REAL, max(0.001, seconds))[0]
