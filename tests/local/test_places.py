"""Which directories are worktrees of a clone, however agents, git and people name them."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest
from support import local_layouts as layouts
from support.local_clone import AgentSession, Clone, attributed
from support.local_writers import short
from support.truth import program_lines

from attribution.authorship.options import AttributeOptions
from attribution.stages.lines import attribute_repo
from collector.agents.machine.model import Roots
from collector.git.repository import GitRepo
from collector.local import find_sessions
from collector.local.model import LocalChoice, LocalOptions
from collector.storage.store import Store
from collector.text import normal_path

TEXT = "def mean(rows):\n    return sum(rows) / len(rows)\n"


@pytest.fixture
def clone(home: Path) -> Clone:
    made = Clone(home / "work" / "tally")
    made.person("src/app.py", "import sys\n")
    made.commit("Start by hand")
    return made


def agent_lines(clone: Clone, db: Path, options: LocalOptions | None = None) -> tuple[int, int]:
    """(lines of agents that the program names, all of them)."""
    with Store(db) as store:
        done = attribute_repo(store, clone.path, AttributeOptions(local=options or LocalOptions()))
        return attributed(clone, program_lines(store, done.repo_id), "agent")


def found(clone: Clone, *former: str) -> dict[str, str]:
    """Session -> why it belongs."""
    options = LocalOptions(LocalChoice.ALWAYS, former_paths=former)
    return {key: session.why for key, session in find_sessions(GitRepo(clone.path), options).sessions.items()}


# --- how a path is written --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        "C:\\Users\\ada\\tally",
        "c:/Users/ada/tally",
        "/mnt/c/Users/ada/tally",
        "/cygdrive/c/Users/ada/tally",
        "\\\\?\\C:\\Users\\ada\\tally",
    ],
)
def test_a_drive_has_one_spelling(path: str) -> None:
    assert normal_path(path) == "/c/Users/ada/tally"
    assert Roots.of_paths(["C:\\Users\\ada\\tally"]).of(path) == "/c/users/ada/tally"


@pytest.mark.parametrize(
    "path", ["\\\\wsl$\\Ubuntu\\home\\ada", "\\\\wsl.localhost\\Ubuntu-24.04\\home\\ada", "//WSL$/Debian/home/ada"]
)
def test_files_of_linux_that_windows_sees_are_files_of_linux(path: str) -> None:
    assert normal_path(path) == "/home/ada"


@pytest.mark.parametrize("path", ["/mnt/data/tally", "/mnt", "//server/share/x", "src/C:x", "/home/c/x", "wsl$/x"])
def test_other_paths_stay(path: str) -> None:
    assert normal_path(path) == path.replace("//", "/")


def _on_windows(clone: Clone, home: Path, spelled: str, writer: str) -> None:
    """A session as it is recorded where the clone is named in another way."""
    session = clone.session("0197f3a1-5d2c-7b4e-8f60-1a2b3c4d5e6f")
    session.prompt("Add a mean")
    session.write("src/mean.py", TEXT)
    session.commit("Add mean")
    path = (layouts.claude_code if writer == "claude" else layouts.codex)(home, session)
    records = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    text = "".join(json.dumps(_respell(record, str(clone.path), spelled)) + "\n" for record in records)
    target = path.parents[1] / layouts.slug(spelled) / path.name if writer == "claude" else path
    path.unlink()
    layouts.put_text(target, text, session.ended)


def _respell(value: object, old: str, new: str) -> object:
    """A value of JSON with a directory under another name, also where text of JSON stands in it."""
    if isinstance(value, dict):
        return {key.replace(old, new): _respell(inner, old, new) for key, inner in value.items()}
    if isinstance(value, list):
        return [_respell(inner, old, new) for inner in value]
    if isinstance(value, str) and value.startswith("{"):
        return json.dumps(_respell(json.loads(value), old, new))
    return value.replace(old, new) if isinstance(value, str) else value


@pytest.mark.parametrize("writer", ["claude", "codex"])
@pytest.mark.parametrize(
    ("recorded", "said"),
    [
        ("C:\\Users\\ada\\tally", "C:\\Users\\ada\\tally"),
        ("C:\\Users\\ada\\tally", "/mnt/c/Users/ada/tally"),
        ("/mnt/c/Users/ada/tally", "c:\\Users\\Ada\\Tally"),
        ("\\\\wsl$\\Ubuntu\\srv\\tally", "\\\\wsl.localhost\\Ubuntu\\srv\\tally"),
    ],
)
def test_a_clone_of_windows_is_found_in_a_copy(
    clone: Clone, home: Path, tmp_path: Path, recorded: str, said: str, writer: str
) -> None:
    _on_windows(clone, tmp_path / "copy", recorded, writer)
    options = LocalOptions(LocalChoice.ALWAYS, (tmp_path / "copy",), (said,))
    assert agent_lines(clone, tmp_path / "out.db", options) == (2, 2)


def test_a_decomposed_name_is_the_same_name(home: Path) -> None:
    made = Clone(home / "work" / "caf\u00e9")
    decomposed = unicodedata.normalize("NFD", str(made.path))
    session = short(made, "one", decomposed)
    layouts.claude_code(home, session)
    assert found(made) == {"one": f"started in {decomposed}"}


def test_a_clone_that_is_reached_through_a_link_is_the_same_clone(clone: Clone, home: Path) -> None:
    (home / "code").symlink_to(home / "work")
    layouts.codex(home, _idle(clone, str(home / "code" / "tally")))
    layouts.codex(home, _idle(clone, str(home / "code"), "0197f3a1-5d2c-7b4e-8f60-1a2b3c4d5e70"))
    assert list(found(clone).values()) == [f"started in {home}/code/tally"]


def _idle(clone: Clone, cwd: str, key: str = "0197f3a1-5d2c-7b4e-8f60-1a2b3c4d5e6f") -> AgentSession:
    session = clone.session(key, cwd)
    session.prompt("What is here?")
    return session
