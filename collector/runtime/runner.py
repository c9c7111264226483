"""The one way in which work on repositories runs: each in a process of its own.

A process that dies, hangs or exceeds its memory costs the repository it worked on, and nothing
else.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from collector.runtime import workers
from collector.runtime.progress import Progress, no_progress
from collector.runtime.workers import Task, TaskLimits, TaskResult, Work


@dataclass(frozen=True)
class RunOptions:
    """With what limits tasks run."""

    jobs: int = 1
    limits: TaskLimits = field(default_factory=TaskLimits)
    retry: bool = False  # also what was given up


def run(
    work: Work,
    tasks: Iterable[Task],
    options: RunOptions,
    progress: Progress = no_progress,
) -> Iterator[TaskResult]:
    """`work(*task.args)` for each task, in the order in which they end.

    `progress` hears what tasks tell.
    """
    return workers.run(work, tasks, options.jobs, options.limits, progress)
