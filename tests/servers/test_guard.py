"""whowrote data guard: databases and transcripts stay out of commits, whatever their names;
everything else passes.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from support.builder import git
from support.commands import analyse, clone, run

from attribution.cli import cli
from collector.checkpoints import read_all
from collector.git.repository import GitRepo


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a database and a transcript of the example."""
    directory = tmp_path_factory.mktemp("guard")
    bare = clone("example", directory)
    analyse(bare, directory / "notes.bin")
    repo = GitRepo(str(bare))
    record = next(
        record for point in read_all(repo) for record in point.sessions if record.transcript
    )
    (directory / "log.txt").write_bytes(
        b"".join(repo.blob(oid) or b"" for oid in record.transcript)
    )
    return directory


def _guard(*files: Path) -> tuple[int, str]:
    done = run("data", "guard", *files, program=cli, code=None)
    return done.exit_code, done.stdout


def test_a_database_and_a_transcript_are_refused_by_their_content(made: Path) -> None:
    assert _guard(made / "notes.bin") == (1, f"{made / 'notes.bin'}: a database of whowrote\n")
    assert _guard(made / "log.txt") == (1, f"{made / 'log.txt'}: a transcript of Claude Code\n")


def test_the_log_beside_a_database_is_refused_too(made: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    copy.write_bytes((made / "notes.bin").read_bytes())
    with sqlite3.connect(copy) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("UPDATE turns SET prompt = 'a secret plan'")
        connection.commit()
        log = tmp_path / "copy.db-wal"
        assert b"a secret plan" in log.read_bytes()
        assert _guard(log) == (1, f"{log}: a write-ahead log of a database\n")


def test_other_files_pass(made: Path, tmp_path: Path, db: Path) -> None:
    with sqlite3.connect(db) as connection:
        connection.execute("CREATE TABLE a (b)")
    (tmp_path / "package.json").write_text('{"name": "x", "version": "1.0.0", "type": "module"}')
    (tmp_path / "list.json").write_text("[1, 2, 3]")
    (tmp_path / "broken.json").write_text('{"type": "user", "message": ')
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "link").symlink_to(made / "notes.bin")
    assert _guard(*sorted(tmp_path.iterdir()), tmp_path / "missing") == (0, "")


def test_without_files_what_is_staged_is_looked_at(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    monkeypatch.chdir(tmp_path)
    assert _guard() == (0, "")
    (tmp_path / "whowrote.db").write_bytes((made / "notes.bin").read_bytes())
    (tmp_path / "a.py").write_text("a = 1\n")
    git(tmp_path, "add", "a.py")
    assert _guard() == (0, "")  # it is not staged
    git(tmp_path, "add", "whowrote.db")
    # what is staged counts, not what the worktree has by now
    (tmp_path / "whowrote.db").write_bytes(b"")
    assert _guard() == (1, "whowrote.db: a database of whowrote\n")
    git(
        tmp_path, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-qm", "too late"
    )
    assert _guard() == (0, "")
    (tmp_path / "session.jsonl").write_bytes((made / "log.txt").read_bytes())
    git(tmp_path, "add", "session.jsonl")
    git(tmp_path, "rm", "-q", "--cached", "a.py")
    assert _guard() == (1, "session.jsonl: a transcript of Claude Code\n")
