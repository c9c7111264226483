from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from collector.discovery.commands import running
from collector.discovery.mirrors.table import FetchPlan
from collector.json_values import JsonObject


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run tries again at once where a server does not answer."""
    plan = running._plan

    def without_pauses(db: Path, given: JsonObject) -> FetchPlan:
        found = plan(db, given)
        return replace(found, options=replace(found.options, pauses=()))

    monkeypatch.setattr(running, "_plan", without_pauses)
