"""fetch, load, attribute and merge as a whole: killed, disturbed, run twice, spread over
processes, the database is the same.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from click.testing import Result
from support import ROOT
from support.answers import column, pick, select, value
from support.commands import analyse, check, collect, run
from support.dumps import Dump, dump, same
from support.git_server import Fault, GitServer
from support.served import add_file, git, noise, publish
from support.tasks import work

from attribution.ensure.lines import AttributeRequest, attribute_clone
from attribution.features.nulls import REASONS
from attribution.stages import outcomes as aftermath
from collector.console.options import exclusive_store
from collector.discovery.commands import running
from collector.discovery.mirrors.table import fetch, forget, items, read_list
from collector.errors import DatabaseUnusable
from collector.json_values import Numbers
from collector.repository_names import tombstone
from collector.runtime import shards, workers
from collector.runtime.runner import RunOptions
from collector.runtime.stages import StageName
from collector.runtime.workers import Task, TaskLimits, TaskResult
from collector.storage import store as store_module
from collector.storage.connection import cache_path
from collector.storage.merge import MergeSchema, extract, forget_rows, merge
from collector.storage.schema import MAIN, schema_sql, statements
from collector.storage.store import Store

CASES = {
    "o/one": "example",
    "o/two": "per_checkpoint_refs",
    "p/three": "visible_subagent",
    "p/none": "no_session",
}
OWN = ("mirrors", "jobs", "settings", "forgotten")  # of the run, not of the repositories


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, impatient: None) -> Iterator[GitServer]:
    root = tmp_path / "served"
    root.mkdir()
    for name, case in CASES.items():
        repo = publish(root, name, case)
        if name == "p/none":
            for ref in git(repo, "for-each-ref", "--format=%(refname)").split():
                if "entire/" in ref:
                    git(repo, "update-ref", "-d", ref)
    add_file(
        root / "o/one.git", "refs/heads/entire/checkpoints/v1", "zz/big/full.jsonl", noise(100_000)
    )
    with GitServer(root) as server:
        monkeypatch.setenv("GITHUB_SERVER_URL", server.base)
        yield server


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "all.db"


def at(server: GitServer, db: Path) -> list[str]:
    return ["--db", str(db)]


def filled(server: GitServer, db: Path, *more: str, code: int | None = 0) -> list[Result]:
    """`collect run` and `whowrote db`."""
    return [
        collect("run", *CASES, *at(server, db), *more, code=code),
        run("db", db, code=code),
    ]


def facts(db: Path) -> Dump:
    """What a database says about the repositories, without its numbers."""
    with Store(db, create=False) as store:
        return {name: rows for name, rows in dump(store).items() if name not in OWN}


@pytest.fixture(scope="module")
def direct(tmp_path_factory: pytest.TempPathFactory) -> Callable[[GitServer], Dump]:
    """What `whowrote repo` on ordinary clones says; made once."""
    known: list[Dump] = []

    def make(server: GitServer) -> Dump:
        if not known:
            place = tmp_path_factory.mktemp("direct")
            for name in CASES:
                clone = place / f"{name}.git"
                subprocess.run(
                    [
                        "git",
                        "clone",
                        "-q",
                        "--mirror",
                        str(server.root / f"{name}.git"),
                        str(clone),
                    ],
                    check=True,
                )
                git(clone, "config", "remote.origin.url", f"http://x/{name}.git")
                attribute_clone(AttributeRequest(str(clone), place / "all.db"))
            known.append(facts(place / "all.db"))
        return {
            table: [row.replace("http://x/", f"{server.base}/") for row in rows]
            for table, rows in known[0].items()
        }

    return make


# --- the whole way --------------------------------------------------------------------------------


@pytest.mark.workers
def test_the_result_is_that_of_attributing_each_clone(
    served: GitServer, tmp_path: Path, db: Path, direct: Callable[[GitServer], Dump]
) -> None:
    filled(served, db)
    same(facts(db), direct(served))
    assert not shards.directory(db).exists() and not (tmp_path / "all.db.lock").exists()
    check(db)
    served.reset()
    again = filled(served, db)
    assert "no new repositories were loaded" in again[0].output
    assert "no new repositories were attributed" in again[1].output
    assert served.requests == {"POST git-upload-pack": len(CASES)}  # one check for each repository
    same(facts(db), direct(served))


def test_the_cache_can_be_deleted_between_runs(served: GitServer, db: Path) -> None:
    filled(served, db)
    before = facts(db)
    assert not before.keys() & {"jobs"}
    cache_path(db).unlink()
    check(db)
    filled(served, db)
    same(facts(db), before)
    again = filled(served, db)
    assert (
        "no new repositories were loaded" in again[0].output
        and "no new repositories were attributed" in again[1].output
    )


def test_a_cache_that_knows_more_than_the_database_is_not_believed(
    served: GitServer, tmp_path: Path
) -> None:
    """The cache says that everything is done, but the database was lost, or is an older copy."""
    db = tmp_path / "all.db"
    older = tmp_path / "older.db"
    collect("run", "o/one", *at(served, db))
    with Store(db) as store:
        store.connection.execute("VACUUM INTO ?", (str(older),))
    filled(served, db)
    before = facts(db)
    for start in (None, older):
        for suffix in ("", "-wal", "-shm"):
            db.with_name(db.name + suffix).unlink(missing_ok=True)
        if start is not None:
            shutil.copyfile(start, db)
        assert cache_path(db).is_file()
        filled(served, db)
        same(facts(db), before)


def test_facts_alone_are_those_of_attribution(
    served: GitServer, db: Path, direct: Callable[[GitServer], Dump]
) -> None:
    collect("run", *CASES, *at(served, db))
    found = facts(db)
    wanted = direct(served)
    for table in ("checkpoints", "checkpoint_sessions", "turns", "tool_calls"):
        assert found[table] == wanted[table] and found[table], table
    assert not found["spans"] and not found["edits"]
    assert set(column(db, "SELECT transcript FROM sessions")) >= {"present"}
    rows = json.loads(collect("status", "--json", db=db).stdout)
    stages = {r["name"]: r["stage"] for r in rows}
    assert stages == {
        "o/one": "loaded",
        "o/two": "loaded",
        "p/three": "loaded",
        "p/none": "loaded",
    }
    check(db)


def test_what_is_new_on_the_server_is_taken_in(served: GitServer, db: Path) -> None:
    filled(served, db)
    tip = add_file(served.root / "o/one.git", "refs/heads/main", "by_hand.txt", b"one\ntwo\n")
    results = filled(served, db)
    assert "1 loaded" in results[0].output and "1 attributed" in results[1].output
    assert value(db, "SELECT head_sha FROM repos WHERE name = 'o/one'") == tip
    assert value(db, "SELECT COUNT(*) FROM line_spans WHERE commit_sha = ?", tip) == 1


def test_what_discovery_confirmed_is_fetched(
    served: GitServer, tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From nothing to facts in two commands, against a stand-in for GitHub."""
    from support.github_server import GitHubServer, Repo, World

    repos = [
        Repo("o/one", git_dir=served.root / "o/one.git", licence="MIT"),
        Repo("o/two", git_dir=served.root / "o/two.git", licence="GPL-3.0"),
        Repo("p/none", git_dir=served.root / "p/none.git"),
    ]
    with GitHubServer(World(repos)) as server:
        monkeypatch.setenv("GITHUB_API_URL", server.api_url)
        monkeypatch.setenv("GITHUB_SERVER_URL", server.url)
        names = tmp_path / "names"
        names.write_text("o/one\no/two\np/none\n")
        listing = ["discover", "listing", "--list", str(names), "--db", str(db)]
        collect(*listing, "--licence", "mit")
        one = collect("run", db=db)
        assert "1 fetched" in one.output and "1 loaded" in one.output, one.output
        collect("probe", db=db)  # all licences are taken now
        both = collect("run", db=db)
        assert "1 fetched, 1 unchanged" in both.output or "1 unchanged, 1 fetched" in both.output, (
            both.output
        )
        collect("forget", "o/two", "--yes", db=db)
        collect(*listing, "--refresh")
    assert column(db, "SELECT full_name FROM candidates ORDER BY 1") == ["o/one", "p/none"]
    assert column(db, "SELECT name FROM repos") == ["o/one"]


# --- faults and kills -----------------------------------------------------------------------------


def spawn(server: GitServer, db: Path, stage: str) -> subprocess.Popen[bytes]:
    given = {
        "run": [
            "run",
            *CASES,
            "--db",
            str(db),
            "--jobs",
            "2",
            "-q",
        ],
        "db": ["db", str(db), "--jobs", "2", "-q"],
    }[stage]
    package = {"run": "collector", "db": "attribution"}[stage]
    program = f"import sys; from {package}.cli import main; main()"
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, "-c", program, *given],
        env=environment,
        cwd=ROOT,
        stderr=subprocess.DEVNULL,
    )


def kill_when(process: subprocess.Popen[bytes], reached: Callable[[], bool]) -> None:
    """Kills a process that cannot defend itself, as soon as something is so; or lets it end
    before.
    """
    while process.poll() is None and not reached():
        time.sleep(0.002)
    if process.poll() is None:
        process.send_signal(signal.SIGKILL)
    process.wait()


def test_killed_at_any_moment_the_database_is_the_same(
    served: GitServer, db: Path, direct: Callable[[GitServer], Dump]
) -> None:
    place = shards.directory(db)
    for requests in (2, 6):  # in the middle of a transfer
        served.reset()
        kill_when(spawn(served, db, "run"), lambda requests=requests: len(served.log) >= requests)  # type: ignore[misc]
    # a shard is begun
    kill_when(spawn(served, db, "run"), lambda: bool(list(place.glob("*.part"))))
    # one is finished, not merged
    kill_when(spawn(served, db, "run"), lambda: bool(list(place.glob("*.db"))))
    assert spawn(served, db, "run").wait() == 0
    kill_when(spawn(served, db, "db"), lambda: bool(list(place.glob("*.part"))))
    kill_when(spawn(served, db, "db"), lambda: bool(list(place.glob("*.db"))))
    assert spawn(served, db, "db").wait() == 0
    same(facts(db), direct(served))
    assert not place.exists()


@pytest.mark.parametrize("seed", range(2))
def test_whatever_the_network_does_the_database_is_the_same(
    seed: int, served: GitServer, tmp_path: Path, direct: Callable[[GitServer], Dump]
) -> None:
    rng = random.Random(seed)
    db = tmp_path / "all.db"

    def trouble(path: str) -> Fault:
        # No 429: it is waited out for a minute; tests with a clock of their own see to that.
        kinds: Sequence[Fault] = (500, 503, 404, ("cut", rng.choice((3, 50, 2000, 20000))))
        return rng.choice(kinds) if rng.random() < 0.4 else None

    served.faults = trouble
    for _ in range(2):
        for result in filled(served, db, code=None):
            assert result.exit_code in (0, 2, 3), result.output
    served.faults = lambda path: None
    filled(served, db)
    same(facts(db), direct(served))


def test_a_repository_that_goes_away_keeps_its_rows(served: GitServer, db: Path) -> None:
    filled(served, db)
    before = facts(db)
    shutil.rmtree(served.root / "o/two.git")
    results = filled(served, db, code=None)
    assert results[0].exit_code == 3 and "o/two: gone" in results[0].output
    same(facts(db), before)
    [row] = json.loads(collect("status", "--failed", "--json", db=db).stdout)
    assert row["name"] == "o/two" and row["stage"] == "attributed" and "404" in row["failure"]


def test_two_at_once_say_so(served: GitServer, db: Path) -> None:
    with exclusive_store(db):
        refused = filled(served, db, code=None)[0]
    assert refused.exit_code == 2 and "in use by another run" in refused.output
    filled(served, db)


# --- shards and merging ---------------------------------------------------------------------------


def made_shards(served: GitServer, tmp_path: Path) -> list[Path]:
    found = []
    for name in CASES:
        clone = tmp_path / f"clones/{name}.git"
        subprocess.run(
            ["git", "clone", "-q", "--mirror", str(served.root / f"{name}.git"), str(clone)],
            check=True,
        )
        git(clone, "config", "remote.origin.url", f"{served.base}/{name}.git")
        shard = tmp_path / f"{name.replace('/', '-')}.db"
        analyse(clone, shard)
        found.append(shard)
    return found


def test_an_array_job_gives_the_same(
    served: GitServer, tmp_path: Path, db: Path, direct: Callable[[GitServer], Dump]
) -> None:
    every = made_shards(served, tmp_path)
    collect("merge", *reversed(every), "-o", db)
    same(facts(db), direct(served))
    again = collect("merge", *every, "-o", db)
    assert "repositories kept: 4" in again.output
    forced = collect("merge", *every, "-o", db, "--force")
    assert "repositories replaced: 4" in forced.output
    same(facts(db), direct(served))
    check(db)


def test_databases_that_were_searched_can_be_merged_and_searched(
    served: GitServer, tmp_path: Path, db: Path
) -> None:
    """The index over prompts is no table to be copied; it is made anew when it is asked for."""
    every = made_shards(served, tmp_path)
    for shard in every[:2]:
        with Store(shard) as store:
            store.index_prompts()
    for some in (every[:1], every[1:]):
        collect("merge", *some, "-o", db)
        with Store(db) as store:
            store.index_prompts()
            prompts = store.value("SELECT COUNT(*) FROM turns WHERE prompt <> ''")
            found = store.value("SELECT COUNT(*) FROM turns_fts WHERE prompt <> ''")
            assert prompts == found > 0


def test_a_shard_of_an_older_run_is_replaced_not_doubled(served: GitServer, tmp_path: Path) -> None:
    [shard, *_] = made_shards(served, tmp_path)
    db = tmp_path / "all.db"
    old = tmp_path / "old.db"
    shutil.copy(shard, old)
    collect("merge", old, "-o", db)
    clone = tmp_path / "clones/o/one.git"
    add_file(clone, "refs/heads/main", "by_hand.txt", b"x\n")
    analyse(clone, shard)
    assert "repositories replaced: 1" in collect("merge", shard, "-o", db).output
    same(facts(db), facts(shard))
    # older than what is there
    assert "repositories kept: 1" in collect("merge", old, "-o", db).output
    same(facts(db), facts(shard))


def test_rows_go_out_and_come_back_the_same(served: GitServer, tmp_path: Path, db: Path) -> None:
    every = made_shards(served, tmp_path)
    collect("merge", *every, "-o", db)
    before = facts(db)
    with Store(db) as store:
        for name in ("o/two", "o/one", "o/two"):
            out = tmp_path / f"out-{name.replace('/', '-')}.db"
            Store(out).close()
            extract(store, out, [name])
            merge(store, out, force=True)
    same(facts(db), before)


def test_every_table_of_a_repository_is_reached_by_its_foreign_keys(db: Path) -> None:
    """A table that belongs to repositories and is not copied would be lost without a word."""
    with Store(db) as store:
        schema = MergeSchema(store.connection.execute)
        left = set(schema.tables) - set(schema.owner) - schema.named_tables - {"repos"}
        assert left == set()
        assert {"origins", "spans", "turns", "stage_runs"} <= set(schema.owner)


def test_tables_are_listed_without_those_of_an_index(db: Path) -> None:
    """As SQLite itself sorts them, which takes long where a view has many columns."""
    with Store(db) as store:
        store.index_prompts()
        run = store.connection.execute
        own = (
            "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_sqlite%' ESCAPE '\\'"
        )
        told = {
            name
            for (name,) in run(
                f"SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' {own}"
            )
        }
        assert store.has("turns_fts_data") and set(MergeSchema(run).tables) == told - {
            "settings",
            "forgotten",
        }


def test_the_second_shard_does_not_read_the_tables_again(
    served: GitServer, tmp_path: Path, db: Path
) -> None:
    first, second, *_ = made_shards(served, tmp_path)
    asked: list[str] = []
    with Store(db) as store:
        merge(store, first)
        store.connection.set_trace_callback(asked.append)
        merge(store, second)
    assert asked and not [
        sql for sql in asked if "pragma_table_info" in sql or "pragma_foreign_key_list" in sql
    ]


def test_a_part_that_the_disk_lost_is_begun_again(
    served: GitServer, tmp_path: Path, db: Path, direct: Callable[[GitServer], Dump]
) -> None:
    """What a power failure leaves: pages that were never written, or no database at all."""
    collect("run", *CASES, *at(served, db))
    shards.directory(db).mkdir()
    whole = tmp_path / "whole.db"
    with Store(db) as store:
        store.connection.execute("VACUUM INTO ?", (str(whole),))
    half = bytearray(whole.read_bytes())
    half[8192 : len(half) // 2] = bytes(len(half) // 2 - 8192)
    shards.part_of(shards.shard_path(db, "o/one")).write_bytes(half)
    shards.part_of(shards.shard_path(db, "o/two")).write_bytes(b"no database" * 1000)
    run("db", db)
    same(facts(db), direct(served))


@pytest.mark.workers
def test_tables_of_shards_are_made_once_for_all_repositories(
    served: GitServer, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []

    def noted(script: str) -> Iterator[str]:
        made.append(script)
        return statements(script)

    monkeypatch.setattr(store_module, "statements", noted)
    collect("run", *CASES, *at(served, db))
    assert made.count(schema_sql(MAIN)) == 2  # of the database and of what each shard is a copy of


def test_the_largest_repository_begins_first(served: GitServer, db: Path) -> None:
    for name in reversed(CASES):
        collect("run", name, *at(served, db))
    with Store(db) as store:
        sizes: Numbers = dict(select(store, "SELECT name, bytes FROM mirrors"))
        ordered = [item.name for item in items(store)]
    assert sorted(ordered) == sorted(CASES) and ordered != list(reversed(CASES))
    assert [sizes[name] for name in ordered] == sorted(sizes.values(), reverse=True)


def test_what_is_no_shard_is_refused_and_nothing_changed(
    served: GitServer, tmp_path: Path, db: Path
) -> None:
    [shard, *_] = made_shards(served, tmp_path)
    collect("merge", shard, "-o", db)
    before = facts(db)
    broken = tmp_path / "broken.db"
    shutil.copy(shard, broken)
    with Store(broken) as store:
        store.connection.execute("PRAGMA foreign_keys = OFF")
        store.connection.execute("DELETE FROM sessions")
    (tmp_path / "text.db").write_text("no database\n" * 100)
    for bad in (broken, tmp_path / "text.db", tmp_path / "absent.db"):
        result = collect("merge", bad, "-o", db, code=3)
        assert "error" in result.output, result.output
    with Store(db) as store, pytest.raises(DatabaseUnusable, match="rows that refer to nothing"):
        merge(store, broken)
    same(facts(db), before)


# --- forgetting, content --------------------------------------------------------------------------


def test_forgotten_is_gone_everywhere_and_stays_away(
    served: GitServer, tmp_path: Path, db: Path
) -> None:
    every = made_shards(served, tmp_path)
    filled(served, db)
    with Store(db) as store:
        store.index_prompts()
    collect("forget", "O/ONE", "--yes", db=db)
    with Store(db) as store:
        names = set(column(store, "SELECT name FROM repos UNION SELECT name FROM mirrors"))
        with store.cache() as cache:
            names |= set(column(cache, "SELECT name FROM jobs"))
        assert sorted(names) == ["o/two", "p/none", "p/three"]
        assert column(store, "SELECT name_hash FROM forgotten") == [tombstone("o/one")]
        # it has the words of prompts
        assert not store.rows("SELECT 1 FROM sqlite_master WHERE name = 'turns_fts'")
    assert (
        not (tmp_path / "all.db.mirrors/o/one.git").exists()
        and (tmp_path / "all.db.mirrors/o/two.git").exists()
    )
    assert b"o/one" not in db.read_bytes().replace(b"p/none", b"")
    served.reset()
    again = filled(served, db)
    assert "skipped: removed with collect forget" in again[0].output and not [
        path for _, path in served.log if "o/one" in path
    ]
    collect("merge", every[0], "-o", db, "--force")
    assert value(db, "SELECT COUNT(*) FROM repos WHERE name = 'o/one'") == 0


def test_a_clone_is_forgotten_by_the_name_that_its_directory_gave_it(
    served: GitServer, db: Path
) -> None:
    filled(served, db)  # so that there are mirrors
    with Store(db) as store, store.transaction() as connection:
        connection.execute("UPDATE repos SET name = 'My Clone; x' WHERE name = 'o/one'")
    collect("forget", "My Clone; x", "--yes", db=db)
    with Store(db) as store:
        assert not store.rows("SELECT 1 FROM repos WHERE name = 'My Clone; x'")
    collect("forget", "Other Clone", "--yes", code=2, db=db)


def test_removing_all_leaves_nothing(served: GitServer, tmp_path: Path, db: Path) -> None:
    every = made_shards(served, tmp_path)
    collect("merge", *every, "-o", db)
    with Store(db) as store:
        assert forget_rows(store, ["o/one", "o/two", "P/THREE", "p/none"]) > 100
    assert {name for name, rows in facts(db).items() if rows} == set()


def test_only_the_text_that_is_wanted_is_stored(
    served: GitServer, tmp_path: Path, db: Path
) -> None:
    content = "prompts"
    full = tmp_path / "full.db"
    filled(served, full)
    filled(served, db, "--content", content)
    with Store(db) as store, Store(full) as whole:
        assert (
            whole.value(
                "SELECT COUNT(*) FROM tool_calls WHERE input IS NOT NULL OR command IS NOT NULL"
            )
            > 0
        )
        assert (
            store.value(
                "SELECT COUNT(*) FROM tool_calls WHERE input IS NOT NULL OR command IS NOT NULL OR"
                " error IS NOT NULL"
            )
            == 0
        )
        prompts = "SELECT COUNT(*) FROM turns WHERE prompt IS NOT NULL"
        assert store.value(prompts) == whole.value(prompts) > 0
        lines = "SELECT author, SUM(lines) AS n FROM line_spans GROUP BY author ORDER BY author"
        assert store.rows(lines) == whole.rows(lines)
    check(db)
    # The choice stays until another is made; then the texts are read again.
    collect("run", "o/one", db=db)
    with Store(db) as store:
        assert store.policy.content == content
    collect("run", "o/one", "--content", "none", db=db)
    of_one = (
        "JOIN sessions s ON s.id = t.session_id JOIN repos r ON r.id = s.repo_id WHERE r.name ="
        " 'o/one'"
    )
    assert value(db, f"SELECT COUNT(*) FROM turns t {of_one}") > 0
    assert value(db, f"SELECT COUNT(*) FROM turns t {of_one} AND t.prompt IS NOT NULL") == 0
    # a stricter choice holds for all that is stored
    assert value(db, "SELECT COUNT(*) FROM turns WHERE prompt IS NOT NULL") == 0


def test_addresses_and_secrets_are_taken_out(monkeypatch: pytest.MonkeyPatch) -> None:
    from collector.storage import redaction
    from collector.storage.retention import Policy, Redaction, pseudonym

    monkeypatch.setattr(redaction, "secrets_out", lambda text: text.replace("hunter2", "[secret]"))
    policy = Policy("full", Redaction.EMAILS)
    assert (
        policy.text("mail jo@example.org, password hunter2") == "mail [e-mail], password [secret]"
    )
    rows = list(
        policy.rows(
            "commits",
            ("author_email", "subject", "position"),
            [("Jo@Example.org", "by jo@example.org", 3)],
        )
    )
    assert rows == [[pseudonym("jo@example.org"), "by [e-mail]", 3]]


def test_secrets_are_found() -> None:
    from collector.storage.redaction import secrets_out

    key = "AKIA" + "IOSFODNN7EXAMPLE"
    block = "-----BEGIN RSA PRIVATE " + "KEY-----\nMIIabc\n-----END RSA PRIVATE " + "KEY-----"
    text = (
        f"use {key} and\npassword = 'correcthorse'\n{block}\nghp_"
        + "a1B2" * 9
        + "\nplain words stay, import os"
    )
    out = secrets_out(text)
    assert (
        key not in out and "correcthorse" not in out and "MIIabc" not in out and "ghp_" not in out
    )
    assert "plain words stay, import os" in out and "use [secret] and" in out


# --- workers --------------------------------------------------------------------------------------


def run_all(
    tasks: Sequence[Sequence[str]], jobs: int = 2, limits: TaskLimits | None = None
) -> dict[str, TaskResult]:
    every = [Task(str(number), tuple(task)) for number, task in enumerate(tasks)]
    return {done.key: done for done in workers.run(work, every, jobs, limits or TaskLimits())}


def test_a_task_that_dies_harms_no_other(tmp_path: Path) -> None:
    found = run_all(
        [
            ("a",),
            ("die",),
            ("b",),
            ("die once", str(tmp_path / "mark")),
            ("raise",),
            ("refuse",),
            ("c",),
        ]
    )
    assert [found[k].value for k in "0263"] == ["a done", "b done", "c done", "die once done"]
    assert found["3"].attempts == 2 and found["1"].attempts == 2
    assert "SIGKILL" in found["1"].error and not found["1"].expected
    assert found["4"].error == "ValueError: broken" and "Traceback" in found["4"].trace
    assert (found["5"].error, found["5"].hint, found["5"].expected, found["5"].attempts) == (
        "no",
        "do this",
        True,
        1,
    )


def test_a_task_that_hangs_is_ended() -> None:
    found = run_all([("sleep",), ("a",)], limits=TaskLimits(seconds=2, attempts=1))
    assert "longer than 2 s" in found["0"].error and found["1"].value == "a done"


@pytest.mark.skipif(sys.platform != "linux", reason="private memory is limited on Linux alone")
def test_a_task_that_eats_memory_is_told() -> None:
    found = run_all([("eat",), ("a",)], limits=TaskLimits(memory=600 << 20, attempts=1))
    assert "memory limit" in found["0"].error and found["1"].value == "a done"


@pytest.mark.skipif(sys.platform == "win32", reason="memory is not told there")
def test_a_worker_that_has_grown_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len({done.value for done in run_all([("pid",)] * 3, jobs=1).values()}) == 1
    monkeypatch.setattr(workers, "_LARGE", 1)
    assert len({done.value for done in run_all([("pid",)] * 3, jobs=1).values()}) == 3


@pytest.mark.skipif(sys.platform != "linux", reason="a peak is forgotten on Linux alone")
def test_the_memory_of_a_task_is_neither_that_of_the_task_before_nor_of_this_process() -> None:
    held = bytearray(b"x") * (400 << 20)
    found = run_all([("hold 200 MB",), ("a",)], jobs=1)
    assert 200 << 20 < found["0"].peak < len(held)
    assert 0 < found["1"].peak < 150 << 20


@pytest.mark.workers
def test_what_fails_twice_is_given_up_until_it_changes(tmp_path: Path, db: Path) -> None:
    item = shards.ShardItem("o/r", "/nowhere", "key")
    with Store(db) as store:
        for _ in range(2):
            waiting = shards.pending(store, StageName.LOAD, [item], False)
            results = list(shards.run(store, StageName.LOAD, die, waiting, (), RunOptions()))
        with store.cache() as cache:
            assert not results and cache.rows("SELECT state, attempts FROM jobs") == [
                {"state": "given_up", "attempts": 2}
            ]
        told = store.rows("SELECT subject, code, detail FROM problems WHERE stage = 'repository'")
        assert [pick(row, "subject", "code") for row in told] == [
            ("o/r", "failed")
        ] and "SIGKILL" in told[0]["detail"]
        assert shards.pending(store, StageName.LOAD, [item], True) == [item]
        assert shards.pending(
            store, StageName.LOAD, [shards.ShardItem("o/r", "/nowhere", "other")], False
        )
        forget(store, "o/r", tmp_path / "mirrors")
        assert store.value("SELECT COUNT(*) FROM problems") == 0


def die(name: str, path: str, shard: str) -> str:
    os.kill(os.getpid(), signal.SIGKILL)
    return "done"


def test_a_repository_without_checkpoints_is_loaded_when_it_is_named(
    served: GitServer, db: Path
) -> None:
    with Store(db) as store:
        plan = running._plan(db, {"pulls": False, "max_size": 1 << 30, "timeout": 60.0})
        (mirrored,) = fetch(store, read_list(["p/none"], served.base)[0], plan)
        assert mirrored.state == "fetched"
    found = collect("run", code=4, db=db)
    assert "1 without checkpoints" in found.output
    assert "none of these repositories has a record of an agent" in found.output
    assert "0 of" not in run("db", db).output
    assert "1 loaded" in collect("run", "p/none", db=db).output
    add_file(served.root / "p/none.git", "refs/heads/main", "by_hand.txt", b"one\ntwo\n")
    assert "1 loaded" in collect("run", db=db).output  # it stays up to date
    assert "1 attributed" in run("db", db, "--allow-no-checkpoints").output
    assert value(db, "SELECT count(*) FROM spans") > 0
    for done in (collect("run", db=db), run("db", db)):
        assert "no new repositories" in done.output


def test_what_cannot_be_fetched_is_said_with_what_to_do(
    served: GitServer, tmp_path: Path, db: Path
) -> None:
    nothing = collect("run", "group/part/name", "name", *at(served, db), code=2)
    assert "https://HOST/group/part/name" in nothing.output and "nothing to fetch" in nothing.output
    some = collect("run", "o/one", "name", "o/away", *at(served, db), code=3)
    assert "Use owner/name" in some.output
    assert "1 gone" in some.output and "1 loaded" in some.output and "GITHUB_TOKEN" in some.output
    budget = collect("run", "o/two", *at(served, tmp_path / "other.db"), "--max-size", "4k", code=3)
    assert "(--max-size)" in budget.output and "next:" not in budget.output
    collect("forget", "o/one", "--yes", db=db)
    alone = collect("run", "o/one", *at(served, db))
    assert "1 repository skipped: removed with collect forget" in alone.output


def test_conclusions_made_anew_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reason = next(iter(REASONS))
    rows = (
        f"SELECT key, '{reason}' AS reason, 'turn_count' AS features FROM sessions WHERE"
        " repo_id = ?"
    )
    monkeypatch.setattr(aftermath, "problem_rows", lambda: rows)
    clone = publish(tmp_path, "o/one")
    db = tmp_path / "all.db"
    attribute_clone(AttributeRequest(str(clone), db))
    before = facts(db)
    assert [row for row in before["problems"] if "feature_null" in row]
    with Store(db) as store, store.transaction() as connection:
        connection.execute("DELETE FROM stage_runs WHERE stage = 'lines'")
    attribute_clone(AttributeRequest(str(clone), db))
    same(facts(db), before)
