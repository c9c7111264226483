from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext

import pytest
from support.tasks_here import tasks_here


@pytest.fixture(autouse=True)
def _tasks_here(request: pytest.FixtureRequest) -> Iterator[None]:
    """What is tested is what tasks do; a process for each takes longer than the task. Tests marked `workers` start them."""
    with nullcontext() if request.node.get_closest_marker("workers") else tasks_here():
        yield
