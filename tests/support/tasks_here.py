"""Stands in for worker processes: tasks run in the process of the test, where a worker would be started for each command."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from collector.fetching import many
from collector.runtime import shards
from collector.runtime.workers import Task, TaskLimits, TaskResult, attempt


def run_tasks_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fetching, loading and attributing many repositories start no process."""
    monkeypatch.setattr(many, "run_here", _run)
    monkeypatch.setattr(shards, "run_here", _run)


def _run(work: Callable[..., Any], tasks: Iterable[Task], jobs: int, limits: TaskLimits) -> Iterator[TaskResult]:
    """As `collector.runtime.workers.run`, one after the other and once; no limit holds."""
    for task in tasks:
        done = TaskResult(task.key)
        kind, value = attempt(work, task.args)
        if kind == "done":
            done.value = value
        elif kind == "failed":
            done.error, done.hint = value
        else:
            (done.error, done.trace), done.expected = value, False
        yield done
