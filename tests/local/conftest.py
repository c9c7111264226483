from __future__ import annotations

from pathlib import Path

import pytest
from support.local_clone import AgentSession, Clone

from collector.agents.machine.model import Machine


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home directory of this machine."""
    place = tmp_path / "home" / "ada"
    place.mkdir(parents=True)
    monkeypatch.setattr(Machine, "here", lambda: Machine(place))
    return place


@pytest.fixture
def clone(home: Path) -> Clone:
    """A person's clone with a first commit of their own."""
    made = Clone(home / "work" / "tally")
    made.person("src/app.py", "def total(rows):\n    return sum(rows)\n")
    made.commit("Start by hand")
    return made


@pytest.fixture
def session(clone: Clone) -> AgentSession:
    return clone.session("0197f3a1-5d2c-7b4e-8f60-1a2b3c4d5e6f", prompt="Write it and commit")
