"""Several runs on one database: nothing is mixed and nothing is lost, and whoever cannot go on
says so.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from hypothesis import example
from hypothesis import given as hypothesis_given
from hypothesis import strategies as st
from support import ROOT
from support.answers import value
from support.commands import analyse, clone, run, run_json

from attribution.demo import FILE
from collector.errors import EXIT_CHECK_FAILED, EXIT_USAGE
from collector.json_values import Numbers
from collector.repository_names import public_url
from collector.runtime.locks import (
    InUse,
    file_lock,
    lock_path,
    writing_database,
    writing_repository,
)
from collector.storage.compare import compare
from collector.storage.store import Store


def wrong(folder: Path, schedules: int, seed: int) -> str:
    program = ROOT / "tests" / "support" / "interleaved.py"
    env = os.environ | {"PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "tests")))}
    done = subprocess.run(
        [sys.executable, program, folder, str(schedules), str(seed)],
        env=env,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_commands_at_the_same_time_give_what_they_give_in_order(tmp_path: Path) -> None:
    assert not wrong(tmp_path, 4, 1)


@pytest.mark.heavy
def test_hundreds_of_schedules(tmp_path: Path) -> None:
    assert not wrong(tmp_path, 400, 2)


SMALL = "two_sessions_one_file"  # a fixture with which a trial takes a second


def killed(
    folder: Path, trials: int | str, seed: int, program: str = "killed", *more: str
) -> list[dict[str, object]]:
    path = ROOT / "tests" / "support" / f"{program}.py"
    env = os.environ | {"PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "tests")))}
    done = subprocess.run(
        [sys.executable, path, folder, str(trials), str(seed), *more],
        env=env,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.skipif(sys.platform == "win32", reason="it forks")
@pytest.mark.parametrize("trials", [24, pytest.param(1000, marks=pytest.mark.heavy)])
def test_a_command_that_is_killed_or_loses_power_goes_on_as_if_nothing_had_been(
    tmp_path: Path, trials: int
) -> None:
    (result,) = killed(tmp_path, trials, 1, "killed", SMALL)
    counts = result["counts"]
    assert (
        isinstance(counts, dict) and sum(counts.values()) == trials and counts["without power"] >= 1
    )


@pytest.mark.heavy
def test_the_power_may_go_at_every_write(tmp_path: Path) -> None:
    (result,) = killed(tmp_path, "writes", 1, "killed", "cut_transcript")
    counts = result["counts"]
    assert isinstance(counts, dict) and len(counts) >= 6 and "wrong" not in counts


@pytest.mark.skipif(sys.platform != "linux", reason="workers are found in /proc")
@pytest.mark.parametrize(
    ("trials", "where"),
    [
        (2, ()),
        pytest.param(100, (), marks=pytest.mark.heavy),
        pytest.param(100, ("cluster",), marks=pytest.mark.heavy),
    ],
)
def test_a_run_that_loses_workers_ends_as_if_it_had_not(
    tmp_path: Path, trials: int, where: tuple[str, ...]
) -> None:
    (result,) = killed(tmp_path, trials, 1, "killed_workers", *where)
    counts = result["counts"]
    assert isinstance(counts, dict) and counts["killed"] >= 1 and "wrong" not in counts


def test_programs_that_begin_with_one_new_database_all_answer(tmp_path: Path) -> None:
    """Whoever comes first attributes the clone; the others wait for it, and nothing is there
    twice.
    """
    repo = clone("example", tmp_path)
    db = tmp_path / "new.db"
    called = {"name": "who_wrote", "arguments": {"file": FILE}}
    greeting = {
        "protocolVersion": "2024-11-05",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    requests = [
        {"jsonrpc": "2.0", "method": "initialize", "id": 1, "params": greeting},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "tools/call", "id": 2, "params": called},
    ]
    whowrote = [sys.executable, "-m", "whowrote"]
    commands = [
        [*whowrote, "blame", str(repo), FILE],
        [*whowrote, "repo", str(repo)],
        [*whowrote, "sessions", str(repo), "--json"],
        [*whowrote, "survival", str(repo)],
        [*whowrote, "serve", "mcp", str(repo)],
    ]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    processes = [
        subprocess.Popen([*command, "--db", str(db)], text=True, **pipes)  # type: ignore[call-overload]
        for command in commands
    ]
    server = processes[-1]
    assert server.stdin is not None and server.stdout is not None
    server.stdin.write("".join(f"{json.dumps(request)}\n" for request in requests))
    server.stdin.flush()
    # before the client goes, which ends what is still asked
    answers = [server.stdout.readline() for _ in (1, 2)]
    texts = [process.communicate("", timeout=120) for process in processes]
    assert [process.returncode for process in processes] == [0] * len(commands), texts
    assert all(out for out, _ in texts[:-1]) and "blocks" in answers[1]
    for command in ("repo", "survival"):
        run(command, repo, db=tmp_path / "alone.db")
    assert not [d for d in compare(db, tmp_path / "alone.db") if d.differs]


def test_clones_of_equal_directory_names_are_called_like_the_directories_above(
    tmp_path: Path,
    db: Path,
) -> None:
    paths = []
    for case, above in (
        ("example", "a/code"),
        ("squash", "b/code"),
        ("crlf", "c/code"),
        ("example", "d/code"),
    ):
        (tmp_path / above).mkdir(parents=True)
        paths.append(clone(case, tmp_path / above).rename(tmp_path / above / "app"))
    run("repo", *paths, db=db)
    before = commit_counts(db)
    # the two copies of one repository are one
    assert sorted(before.values()) == [2, 3, 11] and "app" in before
    assert {name for name in before if name != "app"} < {
        "code/app",
        *(f"{part}/code/app" for part in "abcd"),
    }
    for path in paths:  # each is known by its place
        run("survival", path, "--no-curves", db=db)
        analyse(path, db)
    assert commit_counts(db) == before


def test_a_namesake_can_be_given_a_name(tmp_path: Path, db: Path) -> None:
    (tmp_path / "b").mkdir()
    one = clone("example", tmp_path)
    other = clone("squash", tmp_path / "b").rename(tmp_path / "b" / "example")
    analyse(one, db)
    refused = run("repo", other, "--name", "example", code=EXIT_USAGE, db=db)
    assert "--name NAME" in refused.stderr
    analyse(other, db, "--name", "second")
    # it is known by its place
    for command in (
        ["survival", other, "--no-curves"],
        ["blame", other, "README.md"],
        ["repo", other],
    ):
        run(*command, db=db)
    assert commit_counts(db) == {"example": 11, "second": 2}


def commit_counts(db: Path) -> Numbers:
    with sqlite3.connect(db) as connection:
        counts = dict(
            connection.execute(
                "SELECT name, COUNT(*) FROM repos JOIN commits c ON c.repo_id = repos.id GROUP BY 1"
            )
        )
    connection.close()
    return counts


def test_a_moved_clone_is_the_same_repository(tmp_path: Path, db: Path) -> None:
    one = clone("example", tmp_path)
    analyse(one, db)
    (tmp_path / "new").mkdir()
    moved = one.rename(tmp_path / "new" / "example")
    (report,) = run_json("repo", moved, db=db)
    assert report["unchanged"]


def test_a_repository_without_commits_leaves_no_claim(tmp_path: Path, db: Path) -> None:
    plain = tmp_path / "plain"
    subprocess.run(["git", "init", "-q", "-b", "main", plain], check=True)
    run("repo", plain, code=2, db=db)
    with Store(db) as store:
        assert store.rows("SELECT * FROM repos") == []


MIXTURES = {
    "calls of another session": (
        "UPDATE tool_calls SET session_id = (SELECT MIN(id) FROM sessions) WHERE id IN "
        "(SELECT id FROM tool_calls ORDER BY id DESC LIMIT 3)"
    ),
    "prompts of a second run": (
        "INSERT INTO turns (session_id, turn_index, origin, driver, prompt) "
        "SELECT session_id, turn_index + 100, origin, driver, prompt FROM turns"
    ),
    "rows that were lost": "DELETE FROM line_fates",
    "a session that was never read": (
        "DELETE FROM stage_runs WHERE stage = 'session' AND subject = (SELECT MIN(key) FROM"
        " sessions)"
    ),
    "another head": "UPDATE repos SET head_sha = 'f' || substr(head_sha, 2)",
}


@pytest.mark.parametrize("name", MIXTURES)
def test_a_mixed_database_is_found_and_repaired(tmp_path: Path, name: str) -> None:
    one = clone("example", tmp_path)
    db = tmp_path / "x.db"
    run("survival", one, "--no-curves", db=db)
    sound = tmp_path / "sound.db"
    with sqlite3.connect(db) as connection, sqlite3.connect(sound) as copy:
        connection.backup(copy)
        connection.execute(MIXTURES[name])
    connection.close()
    copy.close()
    run("data", "check", code=EXIT_CHECK_FAILED, db=db)
    shown = run("data", "check", "--repair", db=db)
    assert "example was read again" in shown.stderr
    assert not [difference for difference in compare(db, sound) if difference.differs]
    assert "nothing to repair" in run("data", "check", "--repair", db=db).stderr


def test_a_number_is_never_given_twice(tmp_path: Path, db: Path) -> None:
    one = clone("example", tmp_path)
    analyse(one, db)
    with Store(db) as store:
        before = {
            table: store.next_id(table) for table in ("repos", "sessions", "commits", "checkpoints")
        }
        with store.transaction() as connection:
            connection.execute("DELETE FROM repos")
        assert {table: store.next_id(table) for table in before} == before and min(
            before.values()
        ) > 1
    analyse(one, db)
    assert value(db, "SELECT MIN(id) FROM sessions") == before["sessions"]


# --- locks ----------------------------------------------------------------------------------------


def test_a_second_writer_waits_and_says_so(tmp_path: Path, db: Path) -> None:
    said: list[str] = []
    entered = threading.Event()

    def second() -> None:
        tell = lambda what, *_: said.append(what)  # noqa: E731
        with (
            Store(db) as store,
            writing_database(store),
            writing_repository(store, 1, tell),
        ):
            entered.set()

    with Store(db) as store, writing_database(store):
        with writing_repository(store, 1):
            waiting = threading.Thread(target=second)
            waiting.start()
            while not said:
                time.sleep(0.01)
            assert not entered.is_set()
            with writing_repository(store, 2):  # another repository is free
                pass
        waiting.join(10)
    assert entered.is_set() and said[0] == "waiting for another run on this repository"
    assert [path.name for path in tmp_path.iterdir() if "lock" in path.name] == []


def test_who_fills_the_whole_database_waits_for_nobody(db: Path) -> None:
    path = lock_path(db)
    alone = file_lock(path, 0, "it")
    with (
        Store(db) as store,
        writing_database(store),
        writing_database(store),
        pytest.raises(InUse),
        alone,
    ):
        pass


# --- addresses ------------------------------------------------------------------------------------


GITHUB_TOKEN = "ghp_" + "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY2zA4"


@pytest.mark.parametrize(
    ("given", "stored"),
    {
        "https://github.com/o/r.git": "https://github.com/o/r.git",
        "https://ghp_secret@github.com/o/r": "https://github.com/o/r",
        "https://user:s3cr/et@host.example:8443/o/r": "https://host.example:8443/o/r",
        "https://host.example/o/r?private_token=s3cret#s3cret": "https://host.example/o/r",
        "https://host.example/@scope/r": "https://host.example/@scope/r",
        "git@github.com:o/r.git": "git@github.com:o/r.git",
        "s3cret@host.example:o/r": "host.example:o/r",
        "user:s3cret@host.example:o/r?t=s3cret": "host.example:o/r",
        "ssh://git@host.example/o/r": "ssh://git@host.example/o/r",
        "/srv/git/o/r.git": "/srv/git/o/r.git",
        "/srv/a@b/r.git": "/srv/a@b/r.git",
        "file:///srv/a@b/r.git": "file:///srv/a@b/r.git",
        "https://user:12/s3cret@host.example/o/r": "https://host.example/o/r",
        "https://s3c/ret@host.example/o/r": "https://host.example/o/r",
        "https://user:s3c?ret@host.example/o/r": "",
        "https://user:s3c://ret@host.example/o/r": "",
        "https://host.example:8443/o/r": "https://host.example:8443/o/r",
        f"https://host.example/{GITHUB_TOKEN}/o/r": "https://host.example/[secret]/o/r",
    }.items(),
)
def test_no_secret_of_an_address_is_stored(given: str, stored: str) -> None:
    assert public_url(given) == stored


_PASSWORD = st.text("0123456789abcXYZ/:@?#%&=.-_~", max_size=12).map(
    lambda noise: f"{noise}Zq{noise}"
)


@example("12/34@Zq")
@example("?Zq")
@example("a/?@Zq")
@hypothesis_given(_PASSWORD)
def test_whatever_a_password_contains_nothing_of_it_is_stored(password: str) -> None:
    for url in (
        f"https://user:{password}@host.example/o/r",
        f"https://user:{password}@host.example:8443/o/r",
        f"https://{password}@host.example/o/r",
        f"ssh://user:{password}@host.example/o/r",
        f"user:{password}@host.example:o/r",
        # git takes it for the path of a file
        *([] if "/" in password else [f"{password}@host.example:o/r"]),
        f"https://host.example/o/r?access_token={password}",
        f"https://host.example/o/r#{password}",
        f"https://user:{password}@host.example/o/r?access_token={password}",
        f"https://host.example/{GITHUB_TOKEN}/o/r",
        f"https://host.example/o/r/{GITHUB_TOKEN}",
    ):
        stored = public_url(url)
        assert "Zq" not in stored and GITHUB_TOKEN not in stored, (url, stored)
