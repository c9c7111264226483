"""The one way in which work on repositories runs: each in a process of its own, on this machine or on the workers of a cluster.

A process that dies, hangs or exceeds its memory costs the repository it worked on, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from collector.runtime import workers
from collector.runtime.progress import Progress, no_progress
from collector.runtime.workers import Task, TaskLimits, TaskResult


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Where and with what limits tasks run."""

    jobs: int = 1
    scheduler: str = ""  # address of a dask scheduler; '' is this machine
    limits: TaskLimits = field(default_factory=TaskLimits)
    retry: bool = False  # also what was given up


def run(
    work: Callable[..., Any], tasks: Iterable[Task], options: RunOptions, progress: Progress = no_progress
) -> Iterator[TaskResult]:
    """`work(*task.args)` for each task, in the order in which they end. `progress` hears what tasks on this machine tell."""
    if options.scheduler:
        from collector.runtime import cluster

        return cluster.run(work, tasks, options.scheduler, options.limits)
    return workers.run(work, tasks, options.jobs, options.limits, progress)
