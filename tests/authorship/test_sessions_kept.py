"""The cache of sessions that were read: the same rows as without it, never more than it may
keep, and nothing that it has to be.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from pathlib import Path
from typing import Any

import pytest
from support.answers import column
from support.builder import World
from support.commands import clone
from support.dumps import Dump, dump, same
from support.truth import cases

from attribution.authorship.options import AttributeOptions
from attribution.shell import effects
from attribution.stages import kept, sessions
from attribution.stages.lines import attribute_repo
from collector.discovery.mirrors.table import forget
from collector.load import read_session
from collector.storage import archive, session_cache
from collector.storage.retention import Policy, Redaction
from collector.storage.store import Store

# the same commits with another key: everything is done again but what is kept
_AGAIN = AttributeOptions(since=1.0)


@pytest.fixture
def where(tmp_path: Path) -> Path:
    return tmp_path / "repo"


def _run(
    repository: Path,
    database: Path,
    options: AttributeOptions | None = None,
    policy: Policy | None = None,
) -> Dump:
    with Store(database) as store:
        if policy is not None:
            with store.transaction():
                store.keep(policy)
        attribute_repo(store, repository, options or AttributeOptions())
        return dump(store)


def _cache() -> Path:
    path = session_cache.path()
    assert path is not None
    return path


def _kept() -> list[str]:
    """Sessions; "" are the lines that the files of a history share. The parts of a run, which are
    kept when they took long, do not count.
    """
    sessions = "SELECT session FROM sessions_read WHERE part = '' AND session NOT LIKE 'run/%'"
    with Store(_cache(), is_cache=True) as store:
        return column(store, sessions)


def _never(*_: object, **__: object) -> Any:
    raise AssertionError("a session was read again")


def _world(tmp_path: Path) -> tuple[World, Path]:
    world = World("kept", "v1")
    world.human_write("README.md", "# Kept\n")
    world.commit("Start")
    session = world.session(prompt="Add a mean")
    session.write("mean.py", "def mean(rows):\n    return sum(rows) / len(rows)\n")
    session.end_turn()
    world.commit("Add mean", [session])
    return world, world.build(tmp_path / "repo", True)


def _counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Sessions that are read from here on."""
    found: list[str] = []

    def noted(repo: Any, files: Any, known: Any) -> Any:
        found.append(files.key)
        return read_session(repo, files, known)

    monkeypatch.setattr(sessions, "read_session", noted)
    return found


def test_only_the_session_that_went_on_is_read_again(
    tmp_path: Path, where: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, _ = _world(tmp_path)
    other = world.session(prompt="Add a median")
    other.write("median.py", "def median(rows):\n    return sorted(rows)[len(rows) // 2]\n")
    other.end_turn()
    world.commit("Add median", [other])
    (where).rename(tmp_path / "gone")
    _run(world.build(where, True), db)
    other.prompt("Add a mode")
    other.write("mode.py", "def mode(rows):\n    return max(set(rows), key=rows.count)\n")
    other.end_turn()
    world.commit("Add mode", [other])
    (where).rename(tmp_path / "gone too")
    repository = world.build(where, True)
    read = _counted(monkeypatch)
    same(_run(repository, db), _run(repository, tmp_path / "fresh.db"))
    assert read == [other.id]


def test_what_was_read_is_kept_before_all_is_read(
    tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_cache, "_WAIT", -1.0)
    repository, found = _planted(tmp_path), list[int]()

    def noted(repo: Any, files: Any, known: Any) -> Any:
        found.append(len(_kept()))
        return read_session(repo, files, known)

    monkeypatch.setattr(sessions, "read_session", noted)
    _run(repository, db)
    assert found == [*range(1 + len(_SECRETS))]


def test_a_session_that_is_stored_and_kept_is_not_read(
    tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, repository = _world(tmp_path)
    _run(repository, db)
    assert len(_kept()) == 1
    monkeypatch.setattr(sessions, "read_session", _never)
    _run(repository, db, _AGAIN)


@pytest.mark.parametrize("with_session", [True, False])
def test_lines_that_files_share_are_kept_only_where_they_were_counted(
    with_session: bool, where: Path, db: Path
) -> None:
    world = World("kept", "v1")
    for name in ("one.py", "two.py"):
        world.human_write(name, "import shared\n")
    world.commit("Start")
    session = world.session(prompt="Add a mean")
    session.write("mean.py", "import shared\n")
    world.commit("Add mean", [session] if with_session else [])
    _run(world.build(where, True), db, AttributeOptions())
    assert _kept().count("") == with_session


@pytest.mark.parametrize(
    ("command", "parsed"),
    {"go build ./...": 0, "git stash pop": 0, "rm -f old.txt": 0, "npm run fix": 1}.items(),
)
def test_what_a_command_did_is_kept_but_for_tasks_whose_file_may_be_known_now(
    command: str,
    parsed: int,
    tmp_path: Path,
    where: Path,
    db: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world, _ = _world(tmp_path)
    other = world.session(prompt="Go on")
    other.bash(command)
    other.write("median.py", "def median(rows):\n    return sorted(rows)[len(rows) // 2]\n")
    other.end_turn()
    world.human_write("README.md", "# Kept\n\nFor good\n")
    world.commit("Add median", [other])
    (where).rename(tmp_path / "gone")
    repository = world.build(where, True)
    _run(repository, db)
    fresh = _run(repository, tmp_path / "fresh.db", _AGAIN)
    asked: list[str] = []

    def noted(text: str, *rest: Any) -> Any:
        asked.append(text)
        return effects(text, *rest)

    for module in ("session_edits", "windows"):
        monkeypatch.setattr(f"attribution.authorship.{module}.effects", noted)
    same(_run(repository, db, _AGAIN), fresh)
    assert asked == [command] * parsed


def test_another_version_of_the_attribution_reads_again(
    tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, repository = _world(tmp_path)
    _run(repository, db)
    monkeypatch.setattr("attribution.stages.sessions.CONCLUDED", "another")
    monkeypatch.setattr("attribution.stages.lines_due.VERSION", "another")
    read = _counted(monkeypatch)
    _run(repository, db, _AGAIN)
    assert len(read) == 1


class _Stopped(BaseException):
    """A run ends in the middle, as a signal ends it."""


@pytest.mark.parametrize("name", ["two_sessions_one_file", "squash", "block_moved_to_other_file"])
def test_a_run_that_was_stopped_goes_on_from_there(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped when the lines are judged, then when rows are written: neither is done again, nor for
    another database.
    """
    repository = clone(name, tmp_path)
    monkeypatch.setattr(kept, "_WORTH", -1.0)
    monkeypatch.setenv(session_cache.ENVIRONMENT, str(tmp_path / "another.db"))
    fresh = _run(repository, tmp_path / "fresh.db")
    monkeypatch.setenv(session_cache.ENVIRONMENT, str(tmp_path / "stopped.db"))
    for step, done in (("judging.settle", "judging.Runner"), ("line_run._write", "judging.settle")):
        with monkeypatch.context() as patch, pytest.raises(_Stopped):
            patch.setattr(f"attribution.stages.{step}", _stop)
            _run(repository, tmp_path / "out.db")
        monkeypatch.setattr(f"attribution.stages.{done}", _never)
    same(_run(repository, tmp_path / "out.db"), fresh)
    same(_run(repository, tmp_path / "second.db"), fresh)


def _stop(*_: object, **__: object) -> Any:
    raise _Stopped


def test_the_cache_is_its_owner_s_alone(tmp_path: Path, db: Path) -> None:
    _run(_world(tmp_path)[1], db)
    assert stat.S_IMODE(_cache().stat().st_mode) == 0o600


@pytest.mark.parametrize("content", ["none", "prompts"])
def test_a_database_that_keeps_less_has_nothing_kept_for_it(
    content: str, tmp_path: Path, db: Path
) -> None:
    _, repository = _world(tmp_path)
    _run(repository, db)
    _run(repository, db, policy=Policy(content))
    assert _kept() == []


_SECRETS = {
    "token": "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
    "password": "qV7-mirabelle-42",
    "key": "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj",
    "header": (
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
    ),
}


def _planted(tmp_path: Path, again: str = "") -> Path:
    """A session without a secret, and others with one each: in a file, in a command, over two
    lines, in a prompt.

    `again`: what each says besides, with its secret.
    """
    world = World("secret", "v1")
    for name in ("clean", *_SECRETS):
        session, secret = world.session(), _SECRETS.get(name, "")
        session.prompt(
            f"Send it as Authorization: Bearer {secret}" if name == "header" else "Add a file"
        )
        if name == "password":
            session.bash(f"mysql -u root --password='{secret}' shop")
        text = (
            f"-----BEGIN PRIVATE KEY-----\n{secret}\n-----END PRIVATE KEY-----\n"
            if name == "key"
            else ""
        )
        text = text or (f'TOKEN = "{secret}"\n' if name == "token" else "rows = 1\n")
        session.write(f"{name}.py", text, say=again.format(secret))
        session.end_turn()
        world.commit(f"Add {name}", [session])
    return world.build(tmp_path / "repo", True)


def test_no_secret_can_be_read_from_the_cache_or_beside_the_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository, database = _planted(tmp_path), tmp_path / "db" / "out.db"
    database.parent.mkdir()
    _run(repository, database)
    with Store(_cache(), is_cache=True) as store:
        kept = column(store, "SELECT content FROM sessions_read")
    key = archive.own_key()
    assert key is not None and len(kept) > len(_SECRETS)
    assert all(session_cache.unseal(content, key) is not None for content in kept)
    assert not any(session_cache.unseal(content, key[::-1]) for content in kept)
    contents = [*kept, *(path.read_bytes() for path in database.parent.iterdir())]
    for secret in _SECRETS.values():
        parts = (secret.encode(), secret[:12].encode(), secret[-12:].encode())
        assert not any(part in content for content in contents for part in parts)


@pytest.mark.parametrize("off", [session_cache.ENVIRONMENT, archive.ENVIRONMENT])
def test_without_a_cache_or_its_key_sessions_are_read_again(
    off: str, tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(off, "off")
    _, repository = _world(tmp_path)
    _run(repository, db)
    read = _counted(monkeypatch)
    same(
        _run(repository, db, _AGAIN),
        _run(repository, tmp_path / "fresh.db", _AGAIN),
    )
    assert len(read) == 2


@pytest.mark.parametrize("name", cases())
def test_a_second_database_reads_nothing_again(
    name: str, tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = clone(name, tmp_path)
    fresh = _run(repository, db)
    read = _counted(monkeypatch)
    same(_run(repository, tmp_path / "second.db"), fresh)
    assert len(read) <= sum("transcript='present'" not in row for row in fresh["sessions"])


def test_a_database_that_was_moved_finds_its_sessions(
    tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, repository = _world(tmp_path)
    _run(repository, db)
    (db).rename(tmp_path / "moved.db")
    monkeypatch.setattr(sessions, "read_session", _never)
    _run(repository, tmp_path / "moved.db", _AGAIN)


@pytest.mark.parametrize("content", ["x''", "x'00'", "substr(content, 1, length(content) - 4)"])
def test_what_was_not_sealed_with_the_key_is_read_again(
    content: str, tmp_path: Path, db: Path
) -> None:
    _, repository = _world(tmp_path)
    _run(repository, db)
    with sqlite3.connect(_cache()) as connection:
        connection.execute(f"UPDATE sessions_read SET content = {content}")
    same(
        _run(repository, db, _AGAIN),
        _run(repository, tmp_path / "fresh.db", _AGAIN),
    )


def test_a_file_that_is_no_cache_is_made_anew(tmp_path: Path, db: Path) -> None:
    _, repository = _world(tmp_path)
    _cache().parent.mkdir()
    _cache().write_bytes(b"no database" * 1000)
    _run(repository, db)
    assert len(_kept()) == 1


def test_a_full_cache_takes_nothing_more(
    tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_cache, "CACHE_BYTES", 10)
    _run(_world(tmp_path)[1], db)
    assert _kept() == []


def test_what_was_not_used_for_a_month_goes(tmp_path: Path, db: Path) -> None:
    _run(_world(tmp_path)[1], db)
    with sqlite3.connect(_cache()) as connection:
        connection.execute("UPDATE sessions_read SET used_on = '2020-01-01'")
    with (
        Store(tmp_path / "other.db") as store,
        session_cache.sessions_of(store, 0),
    ):
        assert _kept() == []


def test_forgetting_a_repository_forgets_its_sessions(tmp_path: Path, db: Path) -> None:
    _run(_world(tmp_path)[1], db)
    with Store(db) as store:
        forget(store, str(store.value("SELECT name FROM repos")), tmp_path / "mirrors")
    assert _kept() == []


# --- in several processes -------------------------------------------------------------------------


@pytest.fixture
def worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "_WORTH_WORKERS", 0)


@pytest.mark.usefixtures("worth_it")
@pytest.mark.parametrize("name", ["squash_of_a_branch", "redacted_tokens", "delta_transcripts"])
@pytest.mark.parametrize("policy", [Policy(), Policy("prompts"), Policy("full", Redaction.EMAILS)])
def test_rows_are_the_same_whoever_reads(
    name: str, policy: Policy, tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = clone(name, tmp_path)
    alone = _run(repository, db, AttributeOptions(), policy)
    if len(alone["sessions"]) > 1:
        monkeypatch.setattr(sessions, "read_session", _never)  # not in this process
    same(
        _run(repository, tmp_path / "several.db", AttributeOptions(jobs=2), policy),
        alone,
    )


@pytest.mark.usefixtures("worth_it")
def test_a_worker_that_dies_costs_its_session_until_the_next_run(
    tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = clone("squash_of_a_branch", tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(sessions, "read_apart", die)
        broken = _run(repository, db, AttributeOptions(jobs=2))
    assert any("reading_stopped" in row for row in broken["problems"])
    same(
        _run(repository, db, _AGAIN),
        _run(repository, tmp_path / "fresh.db", _AGAIN),
    )


def die(*_: object) -> None:
    os._exit(9)


def test_a_transcript_with_halves_of_characters_is_read_each_time(
    tmp_path: Path, where: Path, db: Path
) -> None:
    world = World("halves", "v1")
    session = world.session(prompt="Write \ud83d")
    session.write("a.txt", "one\n")
    session.end_turn()
    world.commit("One", [session])
    repository = world.build(where, True)
    _run(repository, db)
    same(
        _run(repository, db, _AGAIN),
        _run(repository, tmp_path / "fresh.db", _AGAIN),
    )
