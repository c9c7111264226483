from __future__ import annotations

from pathlib import Path

import pytest

from collector.agents.machine.model import Machine


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home directory of this machine."""
    place = tmp_path / "home" / "ada"
    place.mkdir(parents=True)
    monkeypatch.setattr(Machine, "here", lambda: Machine(place))
    return place
