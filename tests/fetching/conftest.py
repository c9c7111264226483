from __future__ import annotations

import pytest
from support.tasks_here import run_tasks_here


@pytest.fixture(autouse=True)
def _tasks_here(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is tested is what tasks do; a process for each takes longer than the task. Tests marked `workers` start them."""
    if request.node.get_closest_marker("workers") is None:
        run_tasks_here(monkeypatch)
