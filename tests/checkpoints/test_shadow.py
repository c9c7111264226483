"""Shadow branches: sessions that no checkpoint holds, and what a worktree held at the end of a
turn.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support.answers import analysed_store
from support.builder import import_stream
from support.truth import REPOS

from attribution.authorship.replay import ReplayStep
from attribution.authorship.timeline import Timeline, add_snapshots
from attribution.authorship.verdicts import CallRef
from collector.checkpoints import read_all, shadow
from collector.git.repository import GitRepo
from collector.model import Edit


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    return import_stream((REPOS / "shadow_branch" / "history.fi").read_bytes(), tmp_path / "repo")


def test_each_turn_is_a_checkpoint_of_its_session(clone: Path) -> None:
    first, second = sorted(read_all(GitRepo(clone)), key=lambda c: c.created_at or 0.0)
    assert (first.store, second.store) == ("shadow", "shadow")
    assert first.author_email == "ada@example.com"
    (a,), (b,) = first.sessions, second.sessions
    assert a.session_id == b.session_id
    assert (a.transcript_state, len(a.transcript)) == ("present", 1)
    assert a.transcript != b.transcript


def test_other_branches_of_the_namespace_are_left_alone(clone: Path) -> None:
    repo = GitRepo(clone)
    tip = repo.refs()["refs/heads/main"]
    names = (
        "entire/checkpoints/v1",
        "entire/abc",
        "entire/1234567-e3b0c4-x",
        "other/1234567-e3b0c4",
    )
    assert list(shadow.find(repo, {f"refs/heads/{name}": tip for name in names})) == []
    # no snapshot: its message names no session
    assert list(shadow.find(repo, {"refs/heads/entire/1234567-e3b0c4": tip})) == []


def test_session_of_a_shadow_branch_explains_a_commit_that_names_nothing(
    clone: Path, db: Path
) -> None:
    with analysed_store(clone, db) as store:
        found = store.rows(
            "SELECT DISTINCT author FROM line_spans l JOIN commits c USING (commit_sha) WHERE"
            " c.subject LIKE 'Months%'"
        )
        assert [row["author"] for row in found] == ["agent"]


def _line(root: str, session: int, *paths: str) -> Timeline:
    steps = [
        ReplayStep(1.0, n, path, Edit(path, "edit"), CallRef(session, "c", 1, 1.0))
        for n, path in enumerate(paths)
    ]
    return Timeline(root, steps, sessions={session})


def test_snapshot_is_a_sighting_of_every_followed_file() -> None:
    lines = {"/w": _line("/w", 1, "a.py", "gone.py")}
    add_snapshots(
        lines,
        [(5.0, 1, "c1")],
        lambda commit, path: f"{commit} {path}" if path != "gone.py" else None,
    )
    sighted = [
        (path, item.at, item.text, item.whole)
        for path, several in lines["/w"].sightings.items()
        for item in several
    ]
    assert sighted == [("a.py", 5.0, "c1 a.py\n", True)]


def test_snapshot_of_a_session_with_two_worktrees_says_nothing() -> None:
    lines = {
        "/w": _line("/w", 1, "a.py"),
        "/x": _line("/x", 1, "a.py"),
        "/y": _line("/y", 2, "a.py"),
    }
    add_snapshots(lines, [(5.0, 1, "c1"), (6.0, 3, "c2")], lambda commit, path: "text")
    assert not any(line.sightings for line in lines.values())
