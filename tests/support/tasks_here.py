"""Stands in for worker processes: tasks run in this process, where a command would start some and load the program in each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from collector.fetching import many
from collector.runtime import shards
from collector.runtime.workers import Task, TaskLimits, TaskResult, attempt


@contextmanager
def tasks_here() -> Iterator[None]:
    """Fetching, loading and attributing many repositories start no process inside."""
    with patch.object(many, "run_here", _run), patch.object(shards, "run_here", _run):
        yield


def _run(work: Callable[..., Any], tasks: Iterable[Task], jobs: int, limits: TaskLimits) -> Iterator[TaskResult]:
    """As `collector.runtime.workers.run`, one after the other and once; no limit holds."""
    for task in tasks:
        done = TaskResult(task.key)
        done.take(*attempt(work, task.args))
        yield done
