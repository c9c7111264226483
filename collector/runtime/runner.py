"""The one way in which work on repositories runs: each in a process of its own, on this machine or
on the workers of a cluster.

A process that dies, hangs or exceeds its memory costs the repository it worked on, and nothing
else.

With dask.distributed (extra `dask`) the tasks of `workers.py` run on the machines of a cluster,
which must see the mirrors and the shards under the same paths. A worker of the cluster does tasks
in a process of its own, as `--jobs` does, so that limits hold and a task that dies takes nobody
with it. A task whose worker dies is run again by another.
"""

import logging
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any

from collector.errors import WhoWroteError
from collector.runtime import workers
from collector.runtime.progress import Progress, no_progress
from collector.runtime.version import install_command
from collector.runtime.workers import Task, TaskLimits, TaskResult, Work


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Where and with what limits tasks run."""

    jobs: int = 1
    scheduler: str = ""  # address of a dask scheduler; '' is this machine
    limits: TaskLimits = field(default_factory=TaskLimits)
    retry: bool = False  # also what was given up


def run(
    work: Work,
    tasks: Iterable[Task],
    options: RunOptions,
    progress: Progress = no_progress,
) -> Iterator[TaskResult]:
    """`work(*task.args)` for each task, in the order in which they end.

    `progress` hears what tasks on this machine tell.
    """
    if options.scheduler:
        return run_on_cluster(work, tasks, options.scheduler, options.limits)
    return workers.run(work, tasks, options.jobs, options.limits, progress)


# --- on the workers of a cluster ------------------------------------------------------------------


_PATIENCE = 20.0  # seconds for the scheduler to answer
_AHEAD = 2  # tasks that wait at each thread of the cluster


def run_on_cluster(
    work: Work, tasks: Iterable[Task], address: str, limits: TaskLimits
) -> Iterator[TaskResult]:
    """As `workers.run`, on the cluster whose scheduler is at `address`.

    Raises WhoWroteError when there is none or it goes away.
    """
    client = _client(address)
    try:
        from distributed import as_completed

        source = iter(tasks)
        threads = max(
            1, sum(w["nthreads"] for w in client.scheduler_info(n_workers=-1)["workers"].values())
        )
        keys = {}

        def more() -> Any:
            task = next(source, None)
            if task is None:
                return None
            future = client.submit(
                _run, work, task, limits, pure=False, retries=limits.attempts - 1
            )
            keys[future.key] = (task, time.monotonic())
            return future

        first = [future for _ in range(threads * _AHEAD) if (future := more()) is not None]
        running = as_completed(first, loop=client.loop)
        for future in running:
            task, began = keys.pop(future.key)
            # no fault of the task: its shard goes on in the next run
            if future.status == "cancelled":
                raise _scheduler_lost(address)
            try:
                done = _result_of(future, task)
            except OSError as error:  # after the task ended and before its result was here
                raise _scheduler_lost(address) from error
            if future.status == "cancelled":
                raise _scheduler_lost(address)
            done.seconds = done.seconds or round(time.monotonic() - began, 3)
            future.release()
            if (following := more()) is not None:
                running.add(following)
            yield done
    finally:
        client.close()


def _scheduler_lost(address: str) -> WhoWroteError:
    return WhoWroteError(
        f"the scheduler at {address} disappeared",
        "Finished work is kept; run the same command again",
    )


def _client(address: str) -> Any:
    try:
        from distributed import Client
    except ImportError as error:
        raise WhoWroteError(
            "--scheduler needs dask.distributed", f"Install it with: {install_command('dask')}"
        ) from error
    # lost connections are said in our own words
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        return Client(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise WhoWroteError(
            f"no scheduler answers at {address}: {error}", "Start one with: dask scheduler"
        ) from error


# of each thread of a worker of the cluster: what it works with, and the process that does
_KEPT = threading.local()


def _run(work: Work, task: Task, limits: TaskLimits) -> TaskResult:
    """On a worker of the cluster. Its process lives for many tasks, as those of `--jobs` do."""
    if getattr(_KEPT, "does", None) != (work, limits):
        _KEPT.does, _KEPT.waiting = (work, limits), SimpleQueue[Task]()
        _KEPT.results = workers.run(work, iter(_KEPT.waiting.get, None), 1, limits)
    _KEPT.waiting.put(task)
    try:
        done: TaskResult = next(_KEPT.results)
    except BaseException:
        _KEPT.does = None
        raise
    return done


def _result_of(future: Any, task: Task) -> TaskResult:
    """Waits when the result was lost with its worker after the task had ended: another one does
    it again.
    """
    failed = future.exception()
    if failed is None:
        done: TaskResult = future.result()
        return done
    error = f"{type(failed).__name__}: {failed}"[:500]
    return TaskResult(
        task.key, error=error, hint="See the logs of the scheduler and its workers", expected=False
    )
