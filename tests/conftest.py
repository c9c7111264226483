"""Shared guards: tests see no configuration and no transcripts of the person who runs them, and
no network.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from support.commands import Analysed

_HERE = Path(__file__).parent
sys.path[:0] = [str(_HERE), str(_HERE.parent), str(_HERE.parent / "docs")]

from support.tasks_here import tasks_here  # noqa: E402

from collector.agents.machine.model import Machine  # noqa: E402
from collector.runtime import runner  # noqa: E402

_RUN = runner.run
# How long a machine takes to make an example says nothing of the program.
settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("any machine")


def pytest_configure() -> None:
    """Programs that tests start react to signals also where pytest was started with them ignored:
    in the background, by nohup.

    An ignored signal stays ignored in a child; one with a handler does not.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, lambda number, frame: None)


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    for name in [n for n in os.environ if n.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("WHOWROTE_SESSIONS", str(tmp_path / "cache" / "sessions.db"))
    monkeypatch.setenv("WHOWROTE_ARCHIVE", str(tmp_path / "archive.sqlite"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setattr(Machine, "here", lambda: Machine(tmp_path / "nobody"))
    monkeypatch.setattr(socket.socket, "connect", _only_loopback(socket.socket.connect))
    yield


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """Where the database of a test goes."""
    return tmp_path / "out.db"


@pytest.fixture(scope="session", autouse=True)
def _tasks_here() -> Iterator[None]:
    """What is tested is what tasks do; a process for each takes longer than the task."""
    with tasks_here():
        yield


@pytest.fixture(autouse=True)
def _tasks_in_workers(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests marked `workers` start them."""
    if request.node.get_closest_marker("workers"):
        monkeypatch.setattr(runner, "run", _RUN)


Connect = Callable[[socket.socket, Any], None]


def _only_loopback(connect: Connect) -> Connect:
    def guarded(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and not str(address[0]).startswith(
            ("127.", "::1", "localhost")
        ):
            raise AssertionError(f"a test tried to reach {address}")
        return connect(self, address)

    return guarded


@pytest.fixture
def branch(tmp_path: Path, db: Path) -> Analysed:
    """Two sessions on a branch, one of which ran the tests; attributed on main."""
    from support.builder import World, git
    from support.commands import Analysed, analyse

    world = World()
    world.human_write("app.py", "a = 1\n")
    world.human_write("CONTRIBUTING.md", "Assisted-by: AGENT_NAME:MODEL_VERSION\n")
    old = world.commit("Start")
    tested = world.session()
    other = world.session()
    tested.prompt("Add the sum")
    tested.write("sum.py", "def total(prices):\n    return sum(prices)\n")
    tested.bash("pytest -q", stdout="1 passed")
    world.commit("Sum", [tested])
    other.prompt("Add the mean")
    other.write("mean.py", "def mean(prices):\n    return sum(prices) / len(prices)\n")
    new = world.commit("Mean", [other])
    repo = world.build(tmp_path / "repo")
    git(repo, "update-ref", "refs/heads/main", old.sha)
    analyse(repo, db)
    work = tmp_path / "work"
    git(repo, "worktree", "add", "-q", "-b", "feature", str(work), new.sha)
    return Analysed(work, db)
