"""Where a command works when it is told neither a clone nor a database."""

from __future__ import annotations

import stat
import subprocess
from pathlib import Path

import pytest
from support.answers import value
from support.commands import analyse, clone, run

from attribution.demo import FILE
from collector.storage.places import clone_around, database_of, default_database, file_in_clone
from collector.storage.store import Store


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path


def test_a_clone_has_a_database_outside_of_it(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    top = home / "shop"
    (top / ".git").mkdir(parents=True)
    (top / "src").mkdir()
    monkeypatch.chdir(top / "src")
    assert clone_around(".") == top and file_in_clone(top, "a.py") == "src/a.py"
    db = default_database({})
    assert (
        db == database_of(top)
        and db.parent == home / "data" / "whowrote"
        and db.name.startswith("shop-")
    )
    assert default_database({"path": str(home)}) == Path("whowrote.db"), (
        "outside of any clone it is in the current directory"
    )
    assert (
        default_database({"paths": (str(top),)})
        == default_database({"place": (str(top), "a.py")})
        == db
    )
    assert default_database({"place": ("a.py",)}) == db
    Store(db).close()
    assert stat.S_IMODE(db.parent.stat().st_mode) == 0o700
    (top / "src" / "whowrote.db").touch()
    assert default_database({}) == Path("whowrote.db"), "one that is there already comes first"


def test_worktrees_share_a_database_and_namesakes_do_not(home: Path) -> None:
    top = home / "a" / "shop"
    other = home / "tree"
    bare = home / "b" / "shop.git"
    (top / ".git" / "worktrees" / "tree").mkdir(parents=True)
    other.mkdir()
    (other / ".git").write_text(f"gitdir: {top}/.git/worktrees/tree\n")
    for name in ("objects", "refs"):
        (bare / name).mkdir(parents=True)
    (bare / "HEAD").touch()
    assert database_of(other) == database_of(top) != database_of(bare)
    assert database_of(bare).name.startswith("shop-") and clone_around(bare) == bare


def test_inside_a_clone_no_place_needs_a_name(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    top = clone("example", home, bare=False)
    before = sorted(path.name for path in top.iterdir())
    folder, _, name = FILE.rpartition("/")
    monkeypatch.chdir(top)
    run("repo", "-q")
    monkeypatch.chdir(top / folder)
    named = run("blame", top, FILE).stdout
    short = run("blame", name).stdout
    assert named == short and "Claude Code" in short
    assert "introduced" in run("why", f"{name}:3", "--history").stdout
    assert run("log", "--show", "HEAD").stdout == run("log", "--show", "HEAD", top).stdout != ""
    assert "Claude Code" in run("sessions").stdout
    assert sorted(path.name for path in top.iterdir()) == before, "nothing lands in the worktree"


def test_outside_of_a_clone_a_place_is_asked_for(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home)
    for command in (("repo",), ("blame", "a.py")):
        result = run(*command, code=2)
        assert "PATH" in result.output, result.output
    assert not list(home.iterdir())


def test_an_address_is_mirrored_and_the_clone_stays_as_it_is(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    origin = clone("per_checkpoint_refs", home / "owner")
    db = home / "a.db"
    monkeypatch.chdir(home)
    address = f"file://{origin}"
    analyse(address, db)
    plain = home / "plain"
    subprocess.run(["git", "clone", "-q", "--no-local", address, plain], check=True)
    refs = subprocess.run(
        ["git", "-C", plain, "for-each-ref"], check=True, capture_output=True
    ).stdout
    run("repo", plain, "--local", "never", "-q", db=home / "b.db")
    assert value(home / "b.db", "SELECT COUNT(*) FROM sessions") == 0
    analyse(address, db)
    assert (
        subprocess.run(["git", "-C", plain, "for-each-ref"], check=True, capture_output=True).stdout
        == refs
    )
    assert value(db, "SELECT COUNT(*) FROM line_spans WHERE class = 'agent'") > 0
    assert value(db, "SELECT COUNT(*) FROM repos") == 1
    assert (home / "data" / "whowrote" / "mirrors").is_dir()
