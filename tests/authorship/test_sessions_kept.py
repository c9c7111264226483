"""The cache of sessions that were read: the same rows as without it, never more than it may
keep, and nothing that it has to be.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builder import World, import_stream
from support.dumps import Dump, dump, same
from support.truth import REPOS, cases

from attribution.authorship.options import AttributeOptions
from attribution.authorship.session_edits import SessionEdits
from attribution.shell import effects
from attribution.stages import sessions
from attribution.stages.lines import attribute_repo
from collector.discovery.mirrors.table import forget
from collector.load import read_session
from collector.model import Turn
from collector.storage import session_cache
from collector.storage.retention import Policy, Redaction
from collector.storage.session_cache import NotPacked, pack, unpack
from collector.storage.store import Store

# the same commits with another key: everything is done again but what is kept
_AGAIN = AttributeOptions(since=1.0)


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


def _parts() -> list[tuple[Any, ...]]:
    with Store(_cache(), is_cache=True) as store:
        return [
            tuple(row.values())
            for row in store.rows(
                "SELECT session, part, content FROM sessions_read ORDER BY session, part"
            )
        ]


def _kept() -> list[str]:
    return [session for session, part, _ in _parts() if session and not part]


def _never(*_: object, **__: object) -> Any:
    raise AssertionError("a session was read again")


def _world(tmp_path: Path) -> tuple[World, Path]:
    world = World("kept", "v1")
    world.human_write("README.md", "# Kept\n")
    world.commit("Start")
    session = world.session()
    session.prompt("Add a mean")
    session.write("mean.py", "def mean(rows):\n    return sum(rows) / len(rows)\n")
    session.end_turn()
    world.commit("Add mean", [session])
    return world, world.build(tmp_path / "repo", True)


@pytest.mark.parametrize("name", cases())
def test_rows_are_those_of_a_fresh_run_on_every_fixture(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = import_stream((REPOS / name / "history.fi").read_bytes(), tmp_path / "repo")
    _run(repository, tmp_path / "out.db", AttributeOptions())
    again = AttributeOptions(since=1.0)
    fresh = _run(repository, tmp_path / "fresh.db", again)
    read = _counted(monkeypatch)
    same(_run(repository, tmp_path / "out.db", again), fresh)
    unreadable = sum(
        "transcript='present'" not in row and "transcript='partial'" not in row
        for row in fresh["sessions"]
    )
    assert len(read) <= unreadable


def _counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Sessions that are read from here on."""
    found: list[str] = []

    def noted(repo: Any, files: Any, known: Any) -> Any:
        found.append(files.key)
        return read_session(repo, files, known)

    monkeypatch.setattr(sessions, "read_session", noted)
    return found


def test_only_the_session_that_went_on_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, _ = _world(tmp_path)
    other = world.session()
    other.prompt("Add a median")
    other.write("median.py", "def median(rows):\n    return sorted(rows)[len(rows) // 2]\n")
    other.end_turn()
    world.commit("Add median", [other])
    (tmp_path / "repo").rename(tmp_path / "gone")
    _run(world.build(tmp_path / "repo", True), tmp_path / "out.db")
    other.prompt("Add a mode")
    other.write("mode.py", "def mode(rows):\n    return max(set(rows), key=rows.count)\n")
    other.end_turn()
    world.commit("Add mode", [other])
    (tmp_path / "repo").rename(tmp_path / "gone too")
    repository = world.build(tmp_path / "repo", True)
    fresh = _run(repository, tmp_path / "fresh.db")
    read = _counted(monkeypatch)
    same(_run(repository, tmp_path / "out.db"), fresh)
    assert read == [other.id]


def test_a_session_that_is_stored_and_kept_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, repository = _world(tmp_path)
    _run(repository, tmp_path / "out.db")
    assert len(_kept()) == 1
    monkeypatch.setattr(sessions, "read_session", _never)
    _run(repository, tmp_path / "out.db", _AGAIN)


@pytest.mark.parametrize("with_session", [True, False])
def test_lines_that_files_share_are_kept_only_where_they_were_counted(
    with_session: bool, tmp_path: Path
) -> None:
    world = World("kept", "v1")
    for name in ("one.py", "two.py"):
        world.human_write(name, "import shared\n")
    world.commit("Start")
    session = world.session()
    session.prompt("Add a mean")
    session.write("mean.py", "import shared\n")
    world.commit("Add mean", [session] if with_session else [])
    _run(world.build(tmp_path / "repo", True), tmp_path / "out.db", AttributeOptions())
    assert [key for key, *_ in _parts() if not key] == [""] * with_session


@pytest.mark.parametrize(
    ("command", "parsed"),
    [("go build ./...", 0), ("git stash pop", 0), ("rm -f old.txt", 0), ("npm run fix", 1)],
)
def test_what_a_command_did_is_kept_but_for_tasks_whose_file_may_be_known_now(
    command: str, parsed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, _ = _world(tmp_path)
    other = world.session()
    other.prompt("Go on")
    other.bash(command)
    other.write("median.py", "def median(rows):\n    return sorted(rows)[len(rows) // 2]\n")
    other.end_turn()
    world.human_write("README.md", "# Kept\n\nFor good\n")
    world.commit("Add median", [other])
    (tmp_path / "repo").rename(tmp_path / "gone")
    repository = world.build(tmp_path / "repo", True)
    _run(repository, tmp_path / "out.db")
    fresh = _run(repository, tmp_path / "fresh.db", _AGAIN)
    asked: list[str] = []

    def noted(text: str, *rest: Any) -> Any:
        asked.append(text)
        return effects(text, *rest)

    for module in ("session_edits", "windows"):
        monkeypatch.setattr(f"attribution.authorship.{module}.effects", noted)
    same(_run(repository, tmp_path / "out.db", _AGAIN), fresh)
    assert asked == [command] * parsed


def test_another_version_of_the_attribution_reads_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, repository = _world(tmp_path)
    _run(repository, tmp_path / "out.db")
    monkeypatch.setattr("attribution.stages.lines.VERSION", "another")
    monkeypatch.setattr("attribution.stages.lines_due.VERSION", "another")
    read = _counted(monkeypatch)
    _run(repository, tmp_path / "out.db", _AGAIN)
    assert len(read) == 1


def test_without_a_cache_sessions_are_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(session_cache.ENVIRONMENT, session_cache.OFF)
    _, repository = _world(tmp_path)
    _run(repository, tmp_path / "out.db")
    read = _counted(monkeypatch)
    same(
        _run(repository, tmp_path / "out.db", _AGAIN),
        _run(repository, tmp_path / "fresh.db", _AGAIN),
    )
    assert len(read) == 2


def test_the_cache_is_its_owner_s_alone(tmp_path: Path) -> None:
    _run(_world(tmp_path)[1], tmp_path / "out.db")
    assert stat.S_IMODE(_cache().stat().st_mode) == 0o600


@pytest.mark.parametrize("content", ["none", "prompts"])
def test_a_database_that_keeps_less_has_nothing_kept_for_it(content: str, tmp_path: Path) -> None:
    _, repository = _world(tmp_path)
    _run(repository, tmp_path / "out.db")
    _run(repository, tmp_path / "out.db", policy=Policy(content))
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


def test_no_secret_is_in_the_bytes_of_the_cache_or_beside_the_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository, database = _planted(tmp_path), tmp_path / "db" / "out.db"
    database.parent.mkdir()
    fresh = _run(repository, database)
    assert len(_kept()) == len(fresh["sessions"]) == 1 + len(_SECRETS)
    _no_secret_in(_cache().parent, database.parent)
    monkeypatch.setattr(sessions, "read_session", _never)
    again = _run(repository, database, _AGAIN)
    monkeypatch.undo()
    same(again, _run(repository, tmp_path / "fresh.db", _AGAIN))


def test_a_secret_is_not_kept_either_where_nothing_tells_that_it_is_one(tmp_path: Path) -> None:
    _run(_planted(tmp_path, again="I use ({}) for it"), tmp_path / "out.db")
    assert len(_kept()) == 1 + len(_SECRETS)
    _no_secret_in(_cache().parent)


def test_a_key_of_which_the_middle_was_shown_before_is_not_kept(tmp_path: Path) -> None:
    lines = [
        f"{number}aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5bC7dE9fG1hJ3kL5mN7p{number}9w"
        for number in range(10, 18)
    ]
    world = World("secret", "v1")
    session = world.session()
    session.prompt("Show the key")
    session.bash("sed -n 3,7p deploy.pem", stdout="\n".join(lines[1:6]))
    session.write(
        "keys.py",
        "\n".join(
            ['KEY = """-----BEGIN PRIVATE KEY-----', *lines, '-----END PRIVATE KEY-----"""', ""]
        ),
    )
    session.end_turn()
    world.commit("Add keys", [session])
    _run(world.build(tmp_path / "repo", True), tmp_path / "out.db")
    kept = b"".join(zlib.decompress(content) for *_, content in _parts())
    assert _kept() and not [line for line in lines if line.encode() in kept]
    assert not [line for line in lines if line.encode() in (tmp_path / "out.db").read_bytes()]


def _no_secret_in(*directories: Path) -> None:
    files = [path for directory in directories for path in directory.iterdir() if path.is_file()]
    contents = [path.read_bytes() for path in files] + [
        zlib.decompress(content) for *_, content in _parts()
    ]
    for secret in _SECRETS.values():
        assert not any(
            part.encode() in content
            for content in contents
            for part in (secret, secret[:12], secret[-12:])
        )


def test_a_session_whose_secret_is_in_no_transcript_in_the_same_characters_is_not_kept() -> None:
    parts = {"": pack(list[str], ["one", f"token {_SECRETS['token']}"])}
    assert session_cache.seal(parts, ["a"], {"a": b"ghp_ another"}.get) is None
    transcript = f"... {_SECRETS['token']}".encode()
    sealed = session_cache.seal(parts, ["gone", "a"], {"a": transcript}.get)
    assert (
        sealed is not None and session_cache.unseal(sealed[""], {"a": transcript}.get) == parts[""]
    )
    assert session_cache.unseal(sealed[""], lambda _: None) is None


@given(
    st.lists(st.text("(é \n\"\\'", max_size=20), min_size=1),
    st.sampled_from(sorted(_SECRETS.values())),
)
def test_a_sealed_value_comes_back_to_the_byte_and_has_no_secret(
    texts: list[str], secret: str
) -> None:
    content = pack(
        list[str],
        [f"{text} {secret} {text}" for text in texts] + [f"password = '{secret}' # {secret}"],
    )
    # where it stands alone it need not look like one
    parts = {"": content, "alone": pack(list[str], [secret, *texts])}
    blobs = {"a": f'{{"text": "{secret}"}}'.encode()}
    sealed = session_cache.seal(parts, ["a"], blobs.get)
    assert (
        sealed is not None
        and {part: session_cache.unseal(value, blobs.get) for part, value in sealed.items()}
        == parts
    )
    assert all(secret.encode() not in zlib.decompress(value) for value in sealed.values())


def test_a_database_that_was_moved_finds_its_sessions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, repository = _world(tmp_path)
    _run(repository, tmp_path / "out.db")
    (tmp_path / "out.db").rename(tmp_path / "moved.db")
    monkeypatch.setattr(sessions, "read_session", _never)
    _run(repository, tmp_path / "moved.db", _AGAIN)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no zlib",
        zlib.compress(b"no JSON"),
        zlib.compress(b"[]"),
        zlib.compress(b'["present",1.0,false,{"py/object":"os.system"}]'),
        zlib.compress(b'["present",1.0,0,null]'),
        zlib.compress(b"[" * 100_000),
        zlib.compress(b'["present",1.0,false,null]')[:-4],
    ],
)
def test_damaged_entries_are_read_again(content: bytes, tmp_path: Path) -> None:
    _, repository = _world(tmp_path)
    _run(repository, tmp_path / "out.db")
    with sqlite3.connect(_cache()) as connection:
        connection.execute("UPDATE sessions_read SET content = ?", (content,))
    same(
        _run(repository, tmp_path / "out.db", _AGAIN),
        _run(repository, tmp_path / "fresh.db", _AGAIN),
    )


@pytest.mark.parametrize(
    "change", ["UPDATE sessions_read SET content = x'00'", "DELETE FROM sessions_read"]
)
@pytest.mark.parametrize("part", ["= ''", "<> ''"])
def test_a_session_of_which_a_part_is_damaged_or_gone_is_read_again(
    part: str, change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, repository = _world(tmp_path)
    _run(repository, tmp_path / "out.db")
    with sqlite3.connect(_cache()) as connection:
        connection.execute(f"{change} WHERE part {part}")
    read = _counted(monkeypatch)
    same(
        _run(repository, tmp_path / "out.db", _AGAIN),
        _run(repository, tmp_path / "fresh.db", _AGAIN),
    )
    assert len(read) >= 1


def test_an_entry_that_would_be_too_large_is_not_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, repository = _world(tmp_path)
    _run(repository, tmp_path / "out.db")
    monkeypatch.setattr(session_cache, "CACHED_BYTES", 10)
    read = _counted(monkeypatch)
    _run(repository, tmp_path / "out.db", _AGAIN)
    assert len(read) == 1


def test_a_file_that_is_no_cache_is_made_anew(tmp_path: Path) -> None:
    _, repository = _world(tmp_path)
    _cache().parent.mkdir()
    _cache().write_bytes(b"no database" * 1000)
    _run(repository, tmp_path / "out.db")
    assert len(_kept()) == 1


def test_a_full_cache_takes_nothing_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_cache, "CACHE_BYTES", 10)
    _run(_world(tmp_path)[1], tmp_path / "out.db")
    assert _kept() == []


def test_what_was_not_used_for_a_month_goes(tmp_path: Path) -> None:
    _run(_world(tmp_path)[1], tmp_path / "out.db")
    with sqlite3.connect(_cache()) as connection:
        connection.execute("UPDATE sessions_read SET used_on = '2020-01-01'")
    with (
        Store(tmp_path / "other.db") as store,
        session_cache.sessions_of(store, "a/b", lambda _: None),
    ):
        assert _kept() == []


def test_forgetting_a_repository_forgets_its_sessions(tmp_path: Path) -> None:
    _run(_world(tmp_path)[1], tmp_path / "out.db")
    with Store(tmp_path / "out.db") as store:
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
    name: str, policy: Policy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = import_stream((REPOS / name / "history.fi").read_bytes(), tmp_path / "repo")
    alone = _run(repository, tmp_path / "alone.db", AttributeOptions(), policy)
    if len(alone["sessions"]) > 1:
        monkeypatch.setattr(sessions, "read_session", _never)  # not in this process
    same(
        _run(repository, tmp_path / "several.db", AttributeOptions(jobs=2), policy),
        alone,
    )


@pytest.mark.usefixtures("worth_it")
def test_a_worker_that_dies_costs_its_session_until_the_next_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = import_stream(
        (REPOS / "squash_of_a_branch" / "history.fi").read_bytes(), tmp_path / "repo"
    )
    with monkeypatch.context() as patch:
        patch.setattr(sessions, "read_apart", die)
        broken = _run(repository, tmp_path / "out.db", AttributeOptions(jobs=2))
    assert any("reading_stopped" in row for row in broken["problems"])
    same(
        _run(repository, tmp_path / "out.db", _AGAIN),
        _run(repository, tmp_path / "fresh.db", _AGAIN),
    )


def die(*_: object) -> None:
    os._exit(9)


# --- values as JSON -------------------------------------------------------------------------------


def test_what_json_cannot_hold_is_not_packed() -> None:
    track = SessionEdits(1, "key", "", (), 0.0, 0.0)
    track.said.append((0, "half \ud800"))
    with pytest.raises(NotPacked):
        pack(SessionEdits, track)
    for number in (float("inf"), float("nan")):
        with pytest.raises(NotPacked):
            pack(SessionEdits, SessionEdits(1, "key", "", (), number, 0.0))
        with pytest.raises(NotPacked):  # as null it would be no time at all
            pack(Turn, Turn(1, number, "text"))


def test_values_come_back_equal() -> None:
    track = SessionEdits(1, "key", "/w", ("/w",), 0.5, 1.0, emails=frozenset({"b", "a"}))
    assert unpack(SessionEdits, pack(SessionEdits, track)) == track
    with pytest.raises(NotPacked):
        unpack(SessionEdits, pack(SessionEdits, track).replace(b'"key"', b"7"))


def test_a_transcript_with_halves_of_characters_is_read_each_time(tmp_path: Path) -> None:
    world = World("halves", "v1")
    session = world.session()
    session.prompt("Write \ud83d")
    session.write("a.txt", "one\n")
    session.end_turn()
    world.commit("One", [session])
    repository = world.build(tmp_path / "repo", True)
    _run(repository, tmp_path / "out.db")
    same(
        _run(repository, tmp_path / "out.db", _AGAIN),
        _run(repository, tmp_path / "fresh.db", _AGAIN),
    )
