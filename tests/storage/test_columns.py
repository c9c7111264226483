"""A corpus as columns: `collect columns`, and every question over it answered as over the merged database."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.commands import clone, run

from attribution.queries.tables import table_names
from collector.cli import cli as collect
from collector.errors import DatabaseUnusable, WhoWroteError
from collector.runtime.columns import write_columns
from collector.runtime.corpus import LEFT_OUT, database_at
from collector.storage import columns
from collector.storage.columns import ColumnStore
from collector.storage.dataset import MANIFEST, NUMBERS, folder_of, read_manifest
from collector.storage.store import SCHEMA_VERSION, Store
from whowrote import open as open_database
from whowrote.database import Database

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")

ROOT = Path(__file__).parent.parent.parent
CASES = {
    "example": "acme/it's=100%?",
    "squash": "größe/日本",
    "cherry_pick": "acme/cherry_pick",
    "revert_by_human": "acme/reverted",
}


def _row(store: Store, table: str, **values: Any) -> None:
    """A row with something in every column that needs a value."""
    columns = store.rows("SELECT name, type, [notnull] AS needed FROM pragma_table_info(?)", (table,))
    row = {c["name"]: 0 if c["type"] == "INTEGER" else "x" for c in columns if c["needed"]} | values
    store.connection.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})", tuple(row.values()))


def _scanned(store: Store, rules: int) -> None:
    """Files that were scanned, with findings. `rules`: number of the rule set, which is the same in each database otherwise."""
    _row(store, "rule_sets", id=rules, hash="h", engine="semgrep 1", name="own", rules=1, languages="python")
    _row(store, "scan_rules", rule_set_id=rules, rule_id="r.one", cwe="CWE-89")
    for file in store.rows("SELECT id FROM commit_files ORDER BY id"):
        _row(store, "scan_files", file_id=file["id"], rule_set_id=rules, place="source", language="python", status="ok", scanned=1)
    commits = store.rows("SELECT c.id, c.repo_id, c.commit_sha, f.path FROM commits c JOIN commit_files f ON f.commit_id = c.id")
    session = store.value("SELECT MIN(id) FROM sessions")
    for number, commit in enumerate(commits):
        _row(
            store, "findings", repo_id=commit["repo_id"], rule_set_id=rules, fingerprint=f"f{number}", rule_id="r.one",
            cwe="CWE-89", severity="ERROR", confidence=("HIGH", "MEDIUM", "LOW")[number % 3], status="introduced",
            commit_id=commit["id"],
            commit_sha=commit["commit_sha"], path=commit["path"], language="python", place="source", author="agent",
            author_class="agent", session_id=session, agent="claude-code", fixed_by=commits[0]["id"] if number % 2 else None,
        )  # fmt: skip


def _judged(store: Store, answer: int) -> None:
    _row(
        store, "judgements", id=answer, model="m", prompt="turns", prompt_version="1", schema_hash="h", input_hash=f"i{answer % 2}",
        output="{}", at="2026",
    )  # fmt: skip
    for session in store.rows("SELECT id FROM sessions"):
        for turn, value in enumerate(("correction", "none", "failure_report", None), 1):
            _row(
                store, "judge_labels", session_id=session["id"], turn_index=turn, label="pushback", value=value, model="m",
                prompt_version="1", judgement_id=answer,
            )  # fmt: skip
    store.connection.execute("UPDATE sessions SET agent = 'claude-code'")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Databases of one repository each, the one that merging makes of them, and the data set."""
    place = tmp_path_factory.mktemp("columns")
    (place / "shards").mkdir()
    for number, (case, name) in enumerate(CASES.items()):
        file = place / "shards" / f"{number}.db"
        done = run("repo", clone(case, place), "--name", name, "--db", file, "-q", "--history", "--allow-no-checkpoints")
        assert done.exit_code == 0, done.output
        with Store(file) as store, store.transaction():
            store.connection.make("weaknesses")
            store.connection.make("judge")
            _scanned(store, number + 1)
            _judged(store, number + 5)
    shards = sorted((place / "shards").glob("[0-9].db"))
    assert run("merge", *shards, "-o", place / "merged.db", program=collect).exit_code == 0
    done = run("columns", place / "shards", "--to", place / "data", "-q", program=collect)
    assert (done.exit_code, done.output) == (0, "")
    return place


@pytest.fixture
def own(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Copies of the databases to change, in `shards`, and a data set of them in `data`."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    shutil.copytree(built / "shards", tmp_path / "shards")
    write_columns(tmp_path / "shards", tmp_path / "data")
    return tmp_path


# --- the same answers -------------------------------------------------------------------------------------------------

WORDS: tuple[tuple[str, ...], ...] = (
    ("study", "--json"), ("study",), ("study", "--csv"), ("study", "--markdown", "FILE"), ("study", "--html", "FILE"),
    ("survival", "--json"), ("survival", "--by", "agent"), ("survival", "--all-files", "--no-curves", "--csv"),
    ("grades", "--min-n", "2", "--json"), ("grades",), ("grades", "--csv"),
    ("report",), ("report", "--html", "FILE"), ("report", "--by", "month,agent", "--json"), ("report", "--by", "directory"),
    ("report", "--by", "repository,person", "--since", "2020-01-01", "--csv"), ("report", "--by", "month", "--html", "FILE"),
)  # fmt: skip


def _said(words: tuple[str, ...], db: Path, file: Path) -> tuple[str, str]:
    file.unlink(missing_ok=True)
    done = run(*(file if word == "FILE" else word for word in words), "--db", db)
    assert done.exit_code == 0, done.output
    return done.stdout, file.read_text("utf-8") if file.exists() else ""


@pytest.mark.parametrize("words", WORDS, ids=" ".join)
def test_columns_say_what_the_merged_database_says(words: tuple[str, ...], built: Path, tmp_path: Path) -> None:
    together, apart = (_said(words, built / name, tmp_path / "file") for name in ("merged.db", "data"))
    assert apart == together and len("".join(apart)) > 100


@pytest.mark.parametrize("words", WORDS, ids=" ".join)
def test_no_answer_depends_on_the_order_of_rows_that_nobody_asked_for(
    words: tuple[str, ...], built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite can turn it round; what comes out of joins in DuckDB has none."""
    first = _said(words, built / "merged.db", tmp_path / "file")
    prepare = Store._prepare

    def reversed_rows(store: Store) -> None:
        prepare(store)
        store.connection.execute("PRAGMA reverse_unordered_selects = ON")

    monkeypatch.setattr(Store, "_prepare", reversed_rows)
    assert _said(words, built / "merged.db", tmp_path / "file") == first


def test_commits_are_reported_from_columns(built: Path, tmp_path: Path) -> None:
    with Store(built / "merged.db") as store:
        wanted = "".join(f"{row['commit_sha']}\n" for row in store.rows("SELECT commit_sha FROM commits ORDER BY 1"))
    (tmp_path / "commits").write_text(wanted)
    said = [
        run("report", "--commits", tmp_path / "commits", "--prompts", "--db", built / name).stdout for name in ("merged.db", "data")
    ]
    assert said[0] == said[1] and len(said[0]) > 500


def _plain(value: object) -> Any:
    """Values with their types: 1 is not True."""
    if dataclasses.is_dataclass(value):
        return [(field.name, _plain(getattr(value, field.name))) for field in dataclasses.fields(value)]
    if isinstance(value, dict):
        return [(name, _plain(of)) for name, of in value.items()]
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return type(value), value


QUESTIONS: dict[str, Callable[[Database], object]] = {
    "repositories": lambda db: db.repositories(),
    "commits": lambda db: db.commits(),
    "sessions": lambda db: db.sessions(),
    "turns": lambda db: db.turns(),
    "turns of one": lambda db: db.turns(db.sessions()[0].key),
    "findings": lambda db: db.findings(),
    "survival": lambda db: db.survival(("class", "model", "directory")),
    "report": lambda db: db.report(("month", "agent")),
    "study": lambda db: db.study(),
    "tables": lambda db: db.tables(),
    "sql": lambda db: db.sql("SELECT class, SUM(lines) AS lines FROM line_spans WHERE repo_id > ? GROUP BY 1 ORDER BY 1", (0,)),
    "blame": lambda db: db.blame("README.md", repo=CASES["example"]),
    "log": lambda db: db.log(repo=CASES["example"]),
    "stats": lambda db: db.stats(repo=CASES["example"]),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_python_asks_columns(name: str, built: Path) -> None:
    with open_database(built / "data") as apart, open_database(built / "merged.db") as together:
        found = _plain(QUESTIONS[name](apart))
        assert found == _plain(QUESTIONS[name](together)) and found


def _rows_of(store: Store, name: str) -> list[str]:
    """What is left out as NULL, in an order of its own."""
    found = store.rows(f'SELECT * FROM "{name}"')
    without = {column.partition(".")[2] for column in (*LEFT_OUT, "tip_states.state") if column.startswith(f"{name}.")}
    return sorted(json.dumps([None if column in without else value for column, value in row.items()]) for row in found)


def test_every_table_and_view_has_the_rows_of_the_merged_database(built: Path) -> None:
    filled = set()
    with ColumnStore(built / "data") as apart, Store(built / "merged.db") as together:
        names = [table.name for table in table_names(apart)]
        assert names == [table.name for table in table_names(together)]
        for name in names:
            expected = _rows_of(together, name)
            if name not in LEFT_OUT and name != "region_edit_history":
                assert _rows_of(apart, name) == expected, name
                filled |= {name} if expected else set()
        assert apart.value("SELECT COUNT(*) FROM messages") == 0
        assert apart.value("SELECT COUNT(input) + COUNT(output) FROM tool_calls") == 0
    assert filled >= {"spans", "line_fates", "findings", "scan_rules", "judge_labels", "confidence", "session_features", "judged"}


def test_a_database_of_several_repositories_is_taken_apart(built: Path, tmp_path: Path) -> None:
    assert run("columns", built / "merged.db", "--to", tmp_path / "data", "-q", program=collect).exit_code == 0
    manifest = read_manifest(tmp_path / "data")
    assert [one.folder for one in manifest.partitions] == sorted(["all", *map(folder_of, CASES.values())])
    with ColumnStore(tmp_path / "data") as apart, Store(built / "merged.db") as together:
        for table in ("origins", "spans", "sessions", "turns", "findings", "repos"):
            assert _rows_of(apart, table) == _rows_of(together, table)


def test_names_are_escaped_in_directories() -> None:
    names = ["a/b", "a%2Fb", "a=b", "..", ".", "'; DROP", "x" * 300, "x" * 299 + "y", "日" * 90, "", "a b", "a\nb"]
    folders = [folder_of(name) for name in names]
    assert len(set(folders)) == len(names)
    assert all("/" not in folder and "\n" not in folder and len(folder.encode()) < 255 for folder in folders)


# --- writing again ----------------------------------------------------------------------------------------------------


def _versions(data: Path) -> dict[str, str]:
    return {one.folder: one.version for one in read_manifest(data).partitions}


def test_only_what_changed_is_written_again(own: Path) -> None:
    before = _versions(own / "data")
    assert write_columns(own / "shards", own / "data").databases == 0
    assert _versions(own / "data") == before
    with Store(own / "shards" / "1.db") as changed, changed.transaction() as connection:
        connection.execute("UPDATE sessions SET model = 'another'")
    (own / "shards" / "2.db").unlink()
    done = write_columns(own / "shards", own / "data")
    assert (done.databases, done.repositories) == (1, 3)
    after = _versions(own / "data")
    assert folder_of(CASES["cherry_pick"]) not in after
    assert {folder for folder in after if after[folder] != before[folder]} == {"all", folder_of(CASES["squash"])}
    with ColumnStore(own / "data") as store:
        assert store.value("SELECT COUNT(*) FROM sessions WHERE model = 'another'") > 0
        assert store.value("SELECT COUNT(*) FROM spans s LEFT JOIN commit_files f ON f.id = s.file_id WHERE f.id IS NULL") == 0
    named = {str(own / "data" / file) for file in read_manifest(own / "data").files()}
    assert {str(file) for file in (own / "data").rglob("*.parquet*")} == named


def test_numbers_are_never_given_twice(own: Path) -> None:
    """What changed gets new ones, so that nothing that is elsewhere is taken for it."""
    with ColumnStore(own / "data") as store:
        repos, before = store.value("SELECT MAX(id) FROM repos"), store.value("SELECT MAX(id) FROM commits")
    with Store(own / "shards" / "0.db") as changed, changed.transaction() as connection:
        connection.execute("UPDATE commits SET subject = 'another'")
    write_columns(own / "shards", own / "data")
    with ColumnStore(own / "data") as store:
        assert store.value("SELECT id FROM repos WHERE name = ?", (CASES["example"],)) > repos
        assert store.value("SELECT MIN(id) FROM commits WHERE subject = 'another'") > before


def test_attempts_point_to_their_sessions_also_when_these_get_new_numbers(own: Path) -> None:
    with Store(own / "shards" / "0.db") as changed, changed.transaction() as connection:
        connection.make("attempts")
        _row(changed, "attempts", id=7, key="[1]", session_id=changed.value("SELECT MIN(id) FROM sessions"))
        _row(changed, "attempts", id=8, key="[2]", session_id=None)
    joined = "SELECT a.key, s.key AS session FROM attempts a LEFT JOIN sessions s ON s.id = a.session_id ORDER BY a.key"
    found = []
    for subject in ("once", "again"):
        with Store(own / "shards" / "0.db") as changed, changed.transaction() as connection:
            connection.execute("UPDATE commits SET subject = ?", (subject,))
        write_columns(own / "shards", own / "data")
        with ColumnStore(own / "data") as store:
            found.append(store.rows(joined))
    assert found[0] == found[1] and [bool(row["session"]) for row in found[0]] == [True, False]


def test_a_forgotten_repository_leaves_the_files(own: Path) -> None:
    name = CASES["cherry_pick"]
    assert run("forget", name, "--db", own / "shards" / "2.db", "--yes", program=collect).exit_code == 0
    write_columns(own / "shards", own / "data")
    assert list((own / "data").glob(f"*/{folder_of(name)}")) == []
    with ColumnStore(own / "data") as store:
        assert name not in {row["name"] for row in store.rows("SELECT name FROM repos")}
    with Store(own / "data" / NUMBERS) as store:
        assert store.value("SELECT COUNT(*) FROM repos") == 3


@pytest.mark.parametrize("table", ["commits", "spans", "repos"])
def test_a_run_that_is_killed_is_seen_by_nobody_and_goes_on(table: str, own: Path) -> None:
    with Store(own / "shards" / "1.db") as changed, changed.transaction() as connection:
        connection.execute("UPDATE sessions SET model = 'another'")
    with Store(own / "shards" / "3.db") as changed, changed.transaction() as connection:
        connection.execute("UPDATE sessions SET model = 'another'")
    before = _versions(own / "data")
    program = ROOT / "tests" / "support" / "killed_columns.py"
    command = [sys.executable, *map(str, (program, table, own / "shards", own / "data"))]
    done = subprocess.run(command, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert _versions(own / "data") == before
    with ColumnStore(own / "data") as store:
        assert store.value("SELECT COUNT(*) FROM sessions WHERE model = 'another'") == 0
    write_columns(own / "shards", own / "data")
    assert list((own / "data").rglob("*.part")) == []
    write_columns(own / "shards", own / "anew")
    with ColumnStore(own / "data") as store, ColumnStore(own / "anew") as anew:
        assert store.value("SELECT COUNT(*) FROM sessions WHERE model = 'another'") > 0
        for question in ("SELECT name FROM repos", "SELECT commit_sha, path, start_line, evidence FROM line_spans"):
            assert sorted(map(str, store.rows(question))) == sorted(map(str, anew.rows(question)))


def test_a_first_run_that_is_killed_says_so(own: Path) -> None:
    (own / "data" / MANIFEST).unlink()
    done = run("grades", "--db", own / "data")
    assert done.exit_code != 0 and "is not finished" in done.output and "collect columns" in done.output
    write_columns(own / "shards", own / "data")
    assert run("grades", "--db", own / "data").exit_code == 0


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0" + b"?" * 4000], ids=["empty", "text", "damaged"])
def test_what_the_writer_remembers_may_be_lost(content: bytes, own: Path) -> None:
    (own / "data" / NUMBERS).write_bytes(content)
    assert write_columns(own / "shards", own / "data").databases == len(CASES)
    assert run("grades", "--db", own / "data").exit_code == 0


def test_another_directory_is_left_alone(own: Path) -> None:
    with pytest.raises(WhoWroteError, match="is not empty"):
        write_columns(own / "shards", own)
    done = run("columns", own / "nothing", "--to", own / "other", program=collect)
    assert done.exit_code != 0 and "there is no" in done.output


def test_a_repository_in_two_databases_is_refused(own: Path) -> None:
    shutil.copy(own / "shards" / "0.db", own / "shards" / "4.db")
    before = _versions(own / "data")
    done = run("columns", own / "shards", "--to", own / "data", program=collect)
    assert done.exit_code != 0 and "collect merge" in done.output and _versions(own / "data") == before


# --- what cannot be read ----------------------------------------------------------------------------------------------


def _changed(data: Path, **values: object) -> None:
    manifest = json.loads((data / MANIFEST).read_text("utf-8"))
    (data / MANIFEST).write_text(json.dumps(manifest | values), "utf-8")


def test_another_version_is_refused_and_written_again(own: Path) -> None:
    _changed(own / "data", schema=SCHEMA_VERSION + 1)
    with pytest.raises(DatabaseUnusable, match="another version"):
        ColumnStore(own / "data")
    _changed(own / "data", schema=SCHEMA_VERSION - 1)
    with pytest.raises(DatabaseUnusable, match="another version"):
        ColumnStore(own / "data")
    with Store(own / "data" / NUMBERS) as store, store.transaction() as connection:
        connection.execute("UPDATE settings SET value = 'another' WHERE name = 'columns'")
    assert write_columns(own / "shards", own / "data").databases == len(CASES)
    assert run("grades", "--db", own / "data").exit_code == 0


@pytest.mark.parametrize(
    "partition",
    [
        {"folder": "repo=../../etc", "version": "0" * 32, "rows": {}},
        {"folder": "all", "version": "../../../x", "rows": {}},
        {"folder": "all", "version": "0" * 32, "rows": {"../../x": 1}},
        {"folder": "all"},
        "text",
    ],
    ids=["folder", "version", "table", "less", "other"],
)  # fmt: skip
def test_a_manifest_names_no_other_files(partition: object, own: Path) -> None:
    _changed(own / "data", partitions=[partition])
    with pytest.raises(DatabaseUnusable, match=MANIFEST):
        ColumnStore(own / "data")


@pytest.mark.parametrize("damage", ["cut", "text", "gone"])
def test_a_damaged_file_is_told_in_words(damage: str, own: Path) -> None:
    partition = next(one for one in read_manifest(own / "data").partitions if "spans" in one.rows and one.folder != "all")
    file = own / "data" / partition.file("spans")
    if damage == "gone":
        file.unlink()
    else:
        file.write_bytes(file.read_bytes()[:50] if damage == "cut" else b"no columns at all")
    done = run("report", "--by", "month", "--db", own / "data")
    assert done.exit_code != 0 and "Traceback" not in done.output
    assert ("is missing" if damage == "gone" else "is damaged") in done.output and "collect columns" in done.output


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_text('/etc/passwd')", "SELECT * FROM '/etc/passwd'", "COPY (SELECT 1) TO 'out.csv'", "SET threads = 1",
        "INSTALL httpfs", "LOAD httpfs", "ATTACH 'other.db'", "CREATE TABLE t (x INTEGER)", "SELECT 1; SELECT 2",
        "COPY (SELECT 1) TO '{data}/out.parquet'", "SELECT nothing", "",
    ],
)  # fmt: skip
def test_whoever_asks_reads_the_data_set_alone(sql: str, built: Path) -> None:
    with open_database(built / "data") as database, pytest.raises(DatabaseUnusable):
        database.sql(sql.replace("{data}", str(built / "data")))
    assert not (built / "data" / "out.parquet").exists()


def test_a_data_set_is_only_read(built: Path) -> None:
    with ColumnStore(built / "data") as store, pytest.raises(DatabaseUnusable, match="not up to date"), store.transaction():
        pass


def test_questions_about_one_repository_open_its_files_alone(own: Path) -> None:
    for folder in (folder_of(name) for case, name in CASES.items() if case != "example"):
        for file in (own / "data").glob(f"*/{folder}/*.parquet"):
            file.write_bytes(b"damaged")
    with ColumnStore(own / "data") as store:
        number = store.value("SELECT id FROM repos WHERE name = ?", (CASES["example"],))
        with store.of_repositories(number):
            assert store.value("SELECT COUNT(*) FROM spans") > 0
        with pytest.raises(DatabaseUnusable):
            store.value("SELECT COUNT(*) FROM spans")


def test_answers_may_be_read_at_the_same_time(built: Path) -> None:
    with ColumnStore(built / "data") as store, Store(built / "merged.db") as merged:
        cursor = iter(store._run("SELECT id FROM turns ORDER BY id"))
        first = next(cursor)
        assert store.value("SELECT COUNT(*) FROM repos") == len(CASES)
        assert [first, *cursor] == [(row["id"],) for row in merged.rows("SELECT id FROM turns ORDER BY id")]


def test_what_does_not_fit_into_memory_goes_to_the_cache(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(columns, "_MOST", 40 << 20)  # bytes
    with ColumnStore(built / "data") as store:
        (spilled,) = (tmp_path / "whowrote").iterdir()
        assert spilled.is_dir() and spilled.stat().st_mode & 0o077 == 0
        cursor = iter(store._run("SELECT md5(CAST(range AS VARCHAR)) AS sum FROM range(1000000) ORDER BY sum"))
        first = next(cursor)
        assert any(file.stat().st_size for file in spilled.iterdir())
        sums = [first, *cursor]
        assert sums == sorted(sums) and len(sums) == 1_000_000
    assert not spilled.exists()


@pytest.mark.parametrize("library", ["duckdb", "pyarrow"])
def test_without_the_extra_it_says_what_to_install(library: str, own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec

    def missing(name: str, *rest: Any) -> Any:
        return None if name == library else found(name, *rest)

    for module in ("collector.storage.columns", "collector.storage.parquet"):
        monkeypatch.setattr(f"{module}.find_spec", missing)
    done = run("columns", own / "shards", "--to", own / "data", program=collect) if library == "pyarrow" else None
    done = done or run("grades", "--db", own / "data")
    assert done.exit_code != 0 and "pip install 'whowrote[corpus]'" in done.output


def test_database_at_knows_a_data_set(built: Path) -> None:
    with database_at(built / "data") as store:
        assert isinstance(store, ColumnStore)
