"""Stands in for worker processes: tasks run in this process, where a command would start some
and load the program in each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from collector.runtime import runner
from collector.runtime.progress import Progress, no_progress
from collector.runtime.runner import RunOptions
from collector.runtime.workers import Task, TaskResult, attempt


@contextmanager
def tasks_here() -> Iterator[None]:
    """Loading and attributing repositories start no process inside."""
    with patch.object(runner, "run", run_tasks):
        yield


def run_tasks(
    work: Callable[..., Any],
    tasks: Iterable[Task],
    options: RunOptions,
    progress: Progress = no_progress,
) -> Iterator[TaskResult]:
    """As `collector.runtime.runner.run`, one after the other and once; no limit of a process
    holds.
    """
    for task in tasks:
        result = TaskResult(task.key)
        result.take(*attempt(work, task.args))
        yield result
