"""The adapter for multiprocessing: a small scheduler of worker processes.

A worker lives for many tasks, since starting one costs as much as a small repository. It is
replaced when it dies, takes too long or has grown large; the task it had is tried once more in a
new one. A task is a function of a module and its arguments; whatever it writes must be of use, or
harmless, if it is killed in the middle. A task says how far it is with `tell_parent`.
"""

from __future__ import annotations

import ctypes
import re
import signal
import sys
import threading
import time
import traceback
import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple
from weakref import WeakSet

from collector.errors import (
    EXIT_DATABASE,
    EXIT_KILLED,
    EXIT_PARTIAL,
    DatabaseUnusable,
    WhoWroteError,
    device_failure,
)
from collector.runtime.progress import Progress, no_progress
from collector.text import error_text

if sys.platform != "win32":
    import resource

_TASKS = 200  # after so many a worker is replaced
# bytes; one that has held more is replaced when no limit is set: what is freed often stays its own
_LARGE = 1_000_000_000
_POLL = 0.5
_PATIENCE = 5.0  # seconds in which a worker that is told to stop removes its temporary files
_SELDOM = 0.2  # seconds between two reports of progress
_STARTING = threading.Lock()
_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of Linux: a worker ends with its parent, however that ends


Work = Callable[..., Any]
"""What a worker does; its arguments are those of a task."""


@dataclass(frozen=True)
class TaskLimits:
    """What a task may use; 0 is no limit."""

    seconds: float = 0
    memory: int = 0  # bytes of private memory of its process
    attempts: int = 2

    def with_grace(self) -> TaskLimits:
        """Limits for the process of a task that keeps these limits by itself, with time to stop
        and to store why.
        """
        return replace(self, seconds=self.seconds and self.seconds * 1.05 + 5)


class Task(NamedTuple):
    key: str
    args: tuple[Any, ...]


@dataclass
class TaskResult:
    key: str
    value: Any = None
    error: str = ""  # '' when there is a value
    hint: str = ""
    exit_code: int = EXIT_PARTIAL  # of a command that fails with this error
    expected: bool = True  # False: a bug or a death of the process, with its traceback in `trace`
    trace: str = ""
    attempts: int = 1
    seconds: float = 0.0
    cpu: float = 0.0
    peak: int = 0  # bytes of the largest memory of this task, or of a larger child than any before

    def take(self, kind: str, value: Any) -> None:
        """What `attempt` gives."""
        if kind == "done":
            self.value = value
        elif kind == "failed":
            self.error, self.hint, self.exit_code = value
        else:
            (self.error, self.trace) = value
            self.expected = False

    def raise_error(self) -> None:
        """Raises, in the process that asked, what the task raised; a bug with its traceback as a
        note.
        """
        if self.trace:
            bug = RuntimeError(self.error)
            bug.add_note(self.trace)
            raise bug
        if self.error:
            kind = DatabaseUnusable if self.exit_code == EXIT_DATABASE else WhoWroteError
            error = kind(self.error, self.hint)
            error.exit_code = self.exit_code
            raise error

    def fail(self, error: str, hint: str, exit_code: int = EXIT_PARTIAL) -> None:
        """The process ended before the task did."""
        self.error = error
        self.hint = hint
        self.expected = False
        self.exit_code = exit_code


def run(
    work: Work,
    tasks: Iterable[Task],
    jobs: int,
    limits: TaskLimits,
    progress: Progress = no_progress,
) -> Iterator[TaskResult]:
    """`work(*task.args)` for each task, `jobs` at a time, in the order in which they end.

    Tasks are taken when they can begin.

    `progress` hears what the tasks tell.
    """
    source = iter(tasks)
    again = list[tuple[Task, int]]()
    idle: list[_Worker] = []
    busy: dict[Any, _Worker] = {}
    more = True
    try:
        while more or again or busy:
            while len(busy) < max(1, jobs) and (more or again):
                task, attempt = again.pop() if again else (next(source, None), 1)
                if task is None:
                    more = False
                    break
                worker = idle.pop() if idle else _Worker(work, limits)
                worker.begin(task, attempt)
                busy[worker.connection] = worker
            for worker in _finished_workers(busy, progress):
                result = worker.end()
                if worker.usable():
                    idle.append(worker)
                else:
                    worker.stop()
                assert worker.task is not None
                if result.error and not result.expected and result.attempts < limits.attempts:
                    again.append((worker.task, result.attempts + 1))
                else:
                    yield result
    finally:
        for worker in [*idle, *busy.values()]:
            worker.ask_to_stop()
        for worker in [*idle, *busy.values()]:
            worker.stop()


def _finished_workers(busy: dict[Any, _Worker], progress: Progress) -> list[_Worker]:
    """Workers that have a result, have died, or have had their time."""
    from multiprocessing.connection import wait

    if not busy:
        return []
    ready = [c for c in wait(list(busy), _POLL) if busy[c].has_ended(progress)]
    late = [c for c, w in busy.items() if c not in ready and w.is_late()]
    for connection in late:
        busy[connection].late = True
    return [busy.pop(connection) for connection in ready + late]


class _Worker:
    """One process and the task it has."""

    def __init__(self, work: Work, limits: TaskLimits) -> None:
        from multiprocessing import get_context

        context: Any = get_context("fork" if _has_one_thread() else "spawn")
        self.connection, theirs = context.Pipe()
        _connections.add(self.connection)
        self._process = context.Process(target=_serve, args=(theirs, work, limits), daemon=True)
        with _as_parent(work):
            self._process.start()
        theirs.close()
        self.task: Task | None = None
        self.attempt = 1
        self.began = 0.0
        self.late = False
        self._doing = ""
        self._awake = False
        self._outcome: tuple[str, Any, float, int] | None = None
        self._tasks = 0
        self._peak = 0
        self._limits = limits

    def begin(self, task: Task, attempt: int) -> None:
        self.task = task
        self.attempt = attempt
        self.began = time.monotonic()
        self._outcome = None
        self._doing = ""
        self._tasks += 1
        with suppress(OSError):  # it died while it had nothing to do: `end` finds out
            self.connection.send(task.args)

    def has_ended(self, progress: Progress) -> bool:
        """Reads one message.

        Whether the task has ended, by a result or by the death of the process.

        The first message says that the process has started: from then on the time of its task
        counts.
        """
        try:
            kind, value, *usage = self.connection.recv()
        except (EOFError, OSError):
            return True
        if kind == "started":
            self._awake = True
            self.began = time.monotonic()
        elif kind == "doing":
            self._doing = value
        elif kind == "progress":
            progress(*value)
        else:
            self._outcome = (kind, value, *usage)
        return self._outcome is not None

    def end(self) -> TaskResult:
        """The result; of a worker that is dead or late, an error."""
        assert self.task is not None
        result = TaskResult(self.task.key, attempts=self.attempt)
        if self.late:
            result.fail(
                f"it took longer than {self._limits.seconds:.0f} s",
                "See --timeout; --retry tries repositories again that were given up",
            )
        elif self._outcome is None:
            self._process.join(_PATIENCE)
            doing = self._doing and f", while {self._doing}"
            result.fail(
                f"its process was killed{_cause(self._process.exitcode)}{doing}",
                "Fewer --jobs need less memory; --retry tries repositories again that were"
                " given up",
                EXIT_KILLED,
            )
        else:
            kind, value, result.cpu, result.peak = self._outcome
            self._peak = result.peak
            result.take(kind, value)
        result.seconds = round(time.monotonic() - self.began, 3)
        return result

    def is_late(self) -> bool:
        return self._awake and 0 < self._limits.seconds < time.monotonic() - self.began

    def usable(self) -> bool:
        large = self._peak > (self._limits.memory // 2 or _LARGE)
        return self._process.is_alive() and not self.late and self._tasks < _TASKS and not large

    def ask_to_stop(self) -> None:
        """Interrupts a task that has not ended, so that it removes what is temporary; a process
        without a task ends.
        """
        if self.task is None or self._outcome is not None:
            self.connection.close()
        elif self._process.is_alive():
            self._process.terminate()

    def stop(self) -> None:
        self.ask_to_stop()
        self._process.join(_PATIENCE)
        if self._process.is_alive():
            self._process.kill()
        self._process.join()
        self.connection.close()


def _has_one_thread() -> bool:
    """Whether a worker can begin with all that this process has loaded: fork copies no other
    thread, and a lock that one holds stays locked. Those of libraries are counted, too.
    """
    return sys.platform == "linux" and len([*Path("/proc/self/task").glob("*")]) == 1


@contextmanager
def _as_parent(work: Work) -> Iterator[None]:
    """Lets a daemon have children: multiprocessing forbids it, because they could outlive it, and
    workers of a cluster are daemons.

    Ours end with their parent (`_settle`), and are daemons themselves. They do not run the program
    that starts them once more, as multiprocessing lets them: a script without a guard would start
    workers itself.
    """
    from multiprocessing import process

    config = getattr(process.current_process(), "_config", {})
    with _STARTING:
        was = config.pop("daemon", None)
        main = sys.modules["__main__"]
        if work.__module__ != main.__name__:
            sys.modules["__main__"] = types.ModuleType("__main__")
        try:
            yield
        finally:
            sys.modules["__main__"] = main
            if was is not None:
                config["daemon"] = was


def _cause(code: int | None) -> str:
    """What an exit code says of the death of a process."""
    try:
        name = signal.Signals(-(code or 0)).name
    except ValueError:
        return f" (code {code})"
    return f" by {name}: " + (
        "out of memory?" if name == "SIGKILL" else "a library in machine code failed on its input"
    )


_connections = WeakSet[Any]()  # to the workers of this process
_parent: Any = None  # in a worker: the connection to the process that started it
_told_at = 0.0
_doing = ""


def tell_parent(what: str, done: int, total: int) -> None:
    """A `Progress` for tasks, which the process that runs them hears.

    In a process that is no worker, nobody does.
    """
    global _told_at
    note_input(what)
    if _parent is not None and time.monotonic() - _told_at > _SELDOM:
        _told_at = time.monotonic()
        with suppress(OSError):
            _parent.send(("progress", (what, done, total)))


def note_input(doing: str) -> None:
    """In a worker, tells the process that started it what is about to be read, which is named
    should the worker die of it.
    """
    global _doing
    if _parent is not None and doing != _doing:
        _doing = doing
        with suppress(OSError):
            _parent.send(("doing", doing))


def _serve(connection: Any, work: Work, limits: TaskLimits) -> None:
    """The life of a worker."""
    global _parent
    _parent = connection
    # by the thread that forked this process, which this process does not have
    if _STARTING.locked():
        _STARTING.release()
    # forked with this process: while it holds one open, no worker learns that the parent closed it
    for other in _connections:
        other.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends us
    # told to stop, or the parent is gone
    with suppress(KeyboardInterrupt, EOFError, OSError):
        signal.signal(signal.SIGTERM, _interrupt)
        _settle(limits)
        connection.send(("started", None))
        while True:
            args = connection.recv()
            _forget_peak()
            before = resource_usage()
            kind, value = attempt(work, args)
            after = resource_usage()
            peak = max(
                after.own_peak,
                after.children_peak if after.children_peak > before.children_peak else 0,
            )
            connection.send((kind, value, round(after.seconds - before.seconds, 3), peak))


def _interrupt(number: int, frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


_NO_MEMORY = "it exceeded the memory limit"


def attempt(work: Work, args: Sequence[Any]) -> tuple[str, Any]:
    """("done", value), ("failed", (message, hint, exit code)) of an expected failure, or ("bug",
    (message, traceback)).
    """
    try:
        return "done", work(*args)
    except MemoryError:
        return "bug", (_NO_MEMORY, "")  # no bug: nothing to report
    except SystemError as error:
        # how a C extension fails that got no memory
        if "error return without exception set" in str(error):
            return "bug", (_NO_MEMORY, "")
        return "bug", (f"SystemError: {error}", traceback.format_exc())
    except Exception as error:  # noqa: BLE001 (one failing repository must not stop the others)
        expected = error if isinstance(error, WhoWroteError) else device_failure(error)
        if expected is not None:
            return "failed", (str(expected), expected.hint, expected.exit_code)
        return "bug", (error_text(error), traceback.format_exc())


class Used(NamedTuple):
    """What this process took so far."""

    seconds: float  # of the processor, with those of children that ended
    # bytes of the largest memory since the last task began, where the system can tell; else since
    # the start
    own_peak: int
    children_peak: int  # bytes of the largest memory of any child that ended


def resource_usage() -> Used:
    """Processor time and memory of this process and its children; no memory on Windows."""
    if sys.platform == "win32":
        return Used(time.process_time(), 0, 0)
    process = resource.getrusage(resource.RUSAGE_SELF)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    unit = 1 if sys.platform == "darwin" else 1024
    seconds = process.ru_utime + process.ru_stime + children.ru_utime + children.ru_stime
    return Used(seconds, _high_water() or process.ru_maxrss * unit, children.ru_maxrss * unit)


def _high_water() -> int:
    """Bytes; 0 where /proc does not tell.

    `ru_maxrss` would begin with the size of the process that started this one.
    """
    try:
        status = Path("/proc/self/status").read_text("ascii", "replace")
    except OSError:
        return 0
    match = re.search(r"^VmHWM:\s+(\d+) kB$", status, re.MULTILINE)
    if match:
        return int(match[1]) * 1024
    return 0


def _forget_peak() -> None:
    """The next peak is that of the next task, not of an earlier one in the same worker (proc(5),
    clear_refs).
    """
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _settle(limits: TaskLimits) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_DEATH_SIGNAL, signal.SIGKILL)
    if sys.platform != "win32" and limits.memory:
        # On Linux private memory alone: packs that are mapped cost nothing.
        kind = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
        resource.setrlimit(kind, (limits.memory, limits.memory))
