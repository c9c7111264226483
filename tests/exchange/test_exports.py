"""Our results in the formats of others: valid, and the same lines when they are read back."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
import shutil
import uuid
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from support.answers import pick, value
from support.builder import git
from support.claim_notes import lines_of, put_notes
from support.commands import Analysed, analyse, analyse_case, clone, run
from support.histories import Build

from attribution.exchange.exports import Share, commit_shares, exports
from attribution.exchange.exports.agent_trace import model_id
from attribution.exchange.exports.git_ai import note
from attribution.exchange.exports.swe_chat import tables as swe_chat_tables
from attribution.exchange.producers import agent_trace, git_ai
from attribution.exchange.producers.model import ClaimRecord, ClaimSource
from collector.git import ranges
from collector.json_values import JsonObject, Row
from collector.runtime.version import install_command
from collector.storage import tablefiles
from collector.storage.store import Store
from collector.vocabulary.agents import agents

CASES = ("example", "two_sessions_one_file", "human_between_edits", "odd_files", "squash")
Lines = dict[tuple[str, str], dict[str, set[int]]]  # (commit, session) -> path -> lines


@pytest.fixture(scope="module", params=CASES)
def attributed(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Analysed:
    return analyse_case(request.param, tmp_path_factory.mktemp("case"))


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Analysed:
    return analyse_case("example", tmp_path_factory.mktemp("case"))


def ours(db: Path, people: bool) -> Lines:
    """What the database says, straight from the spans."""
    found: Lines = {}
    with Store(db) as store:
        for row in store.rows(
            "SELECT l.*, s.key FROM line_spans l LEFT JOIN sessions s ON s.id = l.session_id WHERE"
            " l.evidence <> 'declared' AND (l.class = 'agent' OR (l.class = 'human' AND ?))",
            (people,),
        ):
            file = found.setdefault((row["commit_sha"], row["key"] or ""), {}).setdefault(
                row["path"], set()
            )
            file |= set(range(row["start_line"], row["end_line"] + 1))
    return found


def read_back(records: Iterator[ClaimRecord] | list[ClaimRecord]) -> Lines:
    found: Lines = {}
    for record in records:
        assert record.state == "own" and not record.problems
        for path, claims in lines_of(record).items():
            for _, session, written in claims:
                numbers = {
                    n for first, last in ranges.parse(written)[0] for n in range(first, last + 1)
                }
                found.setdefault((record.commit, session), {}).setdefault(path, set()).update(
                    numbers
                )
    return found


def source(kind: str, place: str, commit: str = "") -> ClaimSource:
    return ClaimSource(kind, "refs/notes/x" if kind == "note" else "", place, "0" * 40, commit)


# --- round trips ----------------------------------------------------------------------------------


def test_agent_trace_is_read_back(attributed: Analysed, tmp_path: Path) -> None:
    _, db = attributed
    out = tmp_path / "t.jsonl"
    run("data", "export", "agent-trace", "-o", out, db=db)
    assert read_back(
        agent_trace.read(source("file", ".agent-trace/t.jsonl"), out.read_bytes())
    ) == ours(db, people=True)
    for line in out.read_text("utf-8").splitlines():
        check_agent_trace(json.loads(line))


def test_git_ai_notes_are_read_back(attributed: Analysed, tmp_path: Path) -> None:
    _, db = attributed
    run("data", "export", "git-ai", "-o", tmp_path / "notes", db=db)
    records = [
        r
        for file in (tmp_path / "notes").iterdir()
        for r in git_ai.read(source("note", "", file.stem), file.read_bytes())
    ]
    assert read_back(records) == ours(db, people=False)


# --- what the formats ask for ---------------------------------------------------------------------


def check_agent_trace(record: JsonObject) -> None:
    """The specification of 0.1.0, and no key that it does not name."""
    assert set(record) <= {"version", "id", "timestamp", "vcs", "tool", "files", "metadata"}
    assert {"version", "id", "timestamp", "files"} <= set(record)
    assert (
        re.fullmatch(r"[0-9]+\.[0-9]+\.[0-9]+", record["version"])
        and str(uuid.UUID(record["id"])) == record["id"]
    )
    assert datetime.fromisoformat(record["timestamp"]).tzinfo is not None
    assert record["vcs"]["type"] == "git" and re.fullmatch(
        "[0-9a-f]{40}", record["vcs"]["revision"]
    )
    for file in record["files"]:
        assert (
            set(file) == {"path", "conversations"}
            and not file["path"].startswith("/")
            and file["conversations"]
        )
        for talk in file["conversations"]:
            assert set(talk) == {"contributor", "ranges"} and talk["ranges"]
            assert talk["contributor"]["type"] in ("human", "ai", "mixed", "unknown")
            assert len(talk["contributor"].get("model_id", "")) <= 250
            for one in talk["ranges"]:
                assert (
                    set(one) == {"start_line", "end_line"}
                    and 1 <= one["start_line"] <= one["end_line"]
                )


def share(*spans: Row) -> Share:
    return list(spans)


def span(path: str, start: int, end: int, turn: int = 1) -> Row:
    return {
        "repo": "o/n",
        "commit": "a" * 40,
        "author_at": "2026-01-01T00:00:00.000Z",
        "committer": "Ann <a@x.org>",
        "session": "talk",
        "agent": "claude-code",
        "agent_version": "2",
        "path": path,
        "start_line": start,
        "end_line": end,
        "lines": end - start + 1,
        "author": "agent",
        "how": "exact",
        "evidence": "observed",
        "turn": turn,
        "model": "claude-opus-4-6",
    }


def test_a_git_ai_note_as_the_format_has_it() -> None:
    text_ = note(
        "a" * 40,
        [
            share(
                span("b c.py", 4, 4),
                span("b c.py", 1, 2),
                span("b c.py", 3, 3),
                span("a.py", 9, 9, 2),
            )
        ],
    )
    head, _, body = text_.partition("---\n")
    session = "s_5cb83655d46459"  # sha256("claude:talk")
    assert session in body
    assert head == f'a.py\n  {session}::t_{_turn(2)} 9\n"b c.py"\n  {session}::t_{_turn(1)} 1-4\n'
    meta = json.loads(body)
    assert list(meta) == [
        "schema_version",
        "git_ai_version",
        "base_commit_sha",
        "prompts",
        "sessions",
    ]
    assert meta["sessions"][session] == {
        "agent_id": {"tool": "claude", "id": "talk", "model": "claude-opus-4-6"},
        "human_author": "Ann <a@x.org>",
    }
    assert body == json.dumps(meta, indent=2, ensure_ascii=False) + "\n"


def _turn(number: int) -> str:
    return hashlib.sha256(f"talk:{number}".encode()).hexdigest()[:14]


def test_a_path_that_git_ai_cannot_say_is_left_out() -> None:
    assert note("a" * 40, [share(span('a"b', 1, 1))]).startswith("---\n")


@pytest.mark.parametrize(
    ("model", "expected"),
    {
        "claude-opus-4-6": "anthropic/claude-opus-4-6",
        "gpt-5.5": "openai/gpt-5.5",
        "anthropic/x": "anthropic/x",
        "Claude Opus 4.6": "anthropic/claude-opus-4.6",
        "nobody-knows": "",
        "": "",
        "<synthetic>": "",
    }.items(),
)
def test_models_as_provider_and_model(model: str, expected: str) -> None:
    assert model_id(model) == expected


def test_lines_nobody_observed_are_not_exported(example: Analysed) -> None:
    with Store(example.db) as store:
        spans = [span for share in commit_shares(store, 1) for span in share]
        assert all(
            span["author"] == "agent"
            for share in commit_shares(store, 1, people=False)
            for span in share
        )
    assert "declared" not in {span["evidence"] for span in spans} and {
        span["author"] for span in spans
    } == {"agent"}


def test_lines_of_tools_and_of_people_without_a_witness_pass_for_nobody(
    example: Analysed, tmp_path: Path
) -> None:
    with Store(example.db) as store:
        classes = {
            row["class"]: row["n"]
            for row in store.rows("SELECT class, SUM(lines) AS n FROM line_spans GROUP BY 1")
        }
    assert classes["tool"] and classes["likely_human"]
    shown = run("data", "export", "agent-trace", "-o", tmp_path / "t.jsonl", db=example.db)
    assert (
        f"{classes['likely_human']} likely human, {classes['tool']} tool"
        in shown.stderr + shown.stdout
    )
    run(
        "data",
        "export",
        "csv",
        "-o",
        tmp_path / "c",
        "--table",
        "line_spans",
        db=example.db,
    )
    rows = list(csv.DictReader(io.StringIO((tmp_path / "c" / "line_spans.csv").read_text("utf-8"))))
    assert {row["tool"] for row in rows if row["class"] == "tool"} == {"deps[bot]"}


# --- notes in git ---------------------------------------------------------------------------------


def test_notes_go_where_they_are_asked_to_and_nowhere_else(
    example: Analysed, tmp_path: Path
) -> None:
    repo, db = example
    before = {p: p.stat().st_mtime_ns for p in repo.rglob("*")}
    target = tmp_path / "target.git"
    git(tmp_path, "clone", "-q", "--bare", str(repo), str(target))
    for _ in range(2):  # a second export takes the place of the first
        run("data", "export", "git-ai", repo, "--into", target, db=db)
    listed = git(target, "notes", "--ref", "whowrote", "list").decode().strip().split("\n")
    commit = listed[0].split()[1]
    assert git(target, "notes", "--ref", "whowrote", "show", commit).count(b"whowrote:") == 1
    with Store(db) as store:
        assert len(listed) == len(
            {share[0]["commit"] for share in commit_shares(store, 1, people=False)}
        )
    assert {p: p.stat().st_mtime_ns for p in repo.rglob("*")} == before


def test_never_over_a_note_of_somebody_else(example: Analysed, tmp_path: Path) -> None:
    repo, db = example
    target = tmp_path / "target.git"
    git(tmp_path, "clone", "-q", "--bare", str(repo), str(target))
    put_notes(target, "refs/notes/ai", {"a" * 40: b"theirs\n"})
    refused = run(
        "data",
        "export",
        "git-ai",
        repo,
        "--into",
        target,
        "--ref",
        "refs/notes/ai",
        code=2,
        db=db,
    )
    assert "notes of other tools" in refused.stderr and "Nothing was written" in refused.stderr
    assert git(target, "ls-tree", "-r", "--name-only", "refs/notes/ai").split() == [
        b"aa/" + b"a" * 38
    ]
    run(
        "data",
        "export",
        "git-ai",
        repo,
        "--into",
        target,
        "--ref",
        "refs/heads/main",
        code=2,
        db=db,
    )


# --- tables ---------------------------------------------------------------------------------------


def test_csv_of_every_table(example: Analysed, tmp_path: Path) -> None:
    run("data", "export", "csv", "-o", tmp_path / "csv", db=example.db)
    with Store(example.db) as store:
        for row in store.rows(
            "SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE"
            " 'sqlite_%'"
        ):
            file = tmp_path / "csv" / f"{row['name']}.csv"
            assert file.exists() != row["name"].startswith("check_")
            if file.exists():
                with file.open(encoding="utf-8", newline="") as opened:
                    assert len(list(csv.reader(opened))) - 1 == store.value(
                        f"SELECT COUNT(*) FROM {row['name']}"
                    )


def test_cells_that_a_spreadsheet_would_run(tmp_path: Path) -> None:
    tablefiles.write_csv(
        tmp_path / "t.csv",
        [tablefiles.Column("a", "str")],
        [["=1+1"], ["plain"], [None], ["\x1b[31m"]],
    )
    assert (tmp_path / "t.csv").read_text() == 'a\n\'=1+1\nplain\n""\n\\x1b[31m\n'


def test_one_table(example: Analysed, tmp_path: Path) -> None:
    run(
        "data",
        "export",
        "csv",
        "-o",
        tmp_path / "one",
        "--table",
        "line_spans",
        db=example.db,
    )
    assert [file.name for file in (tmp_path / "one").iterdir()] == ["line_spans.csv"]
    wrong = run(
        "data",
        "export",
        "csv",
        "-o",
        tmp_path / "none",
        "--table",
        "nothing",
        code=2,
        db=example.db,
    )
    assert "no such table: nothing" in wrong.stderr


def test_parquet_has_types(example: Analysed, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    run("data", "export", "parquet", "-o", tmp_path / "pq", db=example.db)
    found = parquet.read_table(tmp_path / "pq" / "line_spans.parquet")
    with Store(example.db) as store:
        assert found.to_pylist() == store.rows("SELECT * FROM line_spans")
    assert (
        str(found.schema.field("lines").type) == "int64"
        and str(found.schema.field("path").type) == "string"
    )


def test_swe_chat_without_pyarrow(
    example: Analysed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tablefiles, "find_spec", lambda name: None)
    shown = run("data", "export", "swe-chat", "-o", tmp_path / "s", db=example.db)
    assert install_command("parquet") in shown.stderr
    run("data", "export", "parquet", "-o", tmp_path / "p", code=2, db=example.db)
    files = (tmp_path / "s").glob("*.csv")
    tables = {
        file.stem: list(csv.DictReader(io.StringIO(file.read_text("utf-8"), newline="")))
        for file in files
    }
    assert set(tables) == set(swe_chat_tables())
    for name, (columns, _) in swe_chat_tables().items():
        assert tables[name] and list(tables[name][0]) == [column for column, _ in columns]


def test_the_data_set_has_every_line_and_edit_and_a_card_that_says_what_it_is(
    example: Analysed, tmp_path: Path
) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    run("data", "export", "dataset", "-o", tmp_path / "d", db=example.db)
    own = {
        name: parquet.read_table(tmp_path / "d" / f"{name}.parquet").to_pylist()
        for name in swe_chat_tables("dataset.sql")
    }
    assert {file.stem for file in (tmp_path / "d").glob("*.parquet")} == {*swe_chat_tables(), *own}
    with Store(example.db) as store:
        assert len(own["lines"]) == store.value("SELECT COUNT(*) FROM line_spans")
        assert len(own["edits"]) == store.value("SELECT COUNT(*) FROM edits")
        assert len(own["statements"]) == store.value("SELECT COUNT(*) FROM commit_statements")
        counted = {
            row["class"]: row["n"]
            for row in store.rows("SELECT class, SUM(nonblank) AS n FROM line_spans GROUP BY 1")
        }
        sessions = {row["key"] for row in store.rows("SELECT key FROM sessions")}
    assert {
        name: sum(row["nonblank"] for row in own["lines"] if row["class"] == name)
        for name in counted
    } == counted
    assert {row["session_id"] for table in ("lines", "edits") for row in own[table]} <= {
        None,
        *sessions,
    }
    assert sum(row["sessions"] for row in own["provenance"]) == len(sessions)
    card = (tmp_path / "d" / "README.md").read_text("utf-8")
    for heading in (
        "Tables",
        "Sources",
        "Licences",
        "Selection",
        "Error rates",
        "Removals",
        "Personal details",
    ):
        assert f"## {heading}\n" in card
    assert (
        f"`lines`: {len(own['lines']):,} rows" in card
        and "Version 1.0" in card
        and "agent " in card.partition("## Error rates")[2]
    )


def test_the_card_says_what_was_removed_and_what_is_kept_of_texts(
    example: Analysed, tmp_path: Path, db: Path
) -> None:
    shutil.copy(example.db, db)
    with Store(db) as store, store.transaction() as connection:
        connection.execute("INSERT INTO forgotten VALUES ('0', '2026-01-01T00:00:00.000Z')")
        connection.execute("INSERT OR REPLACE INTO settings VALUES ('content', 'none')")
    run("data", "export", "dataset", "-o", tmp_path / "d", db=db)
    card = (tmp_path / "d" / "README.md").read_text("utf-8")
    assert "1 repositories were removed on request" in card and "Text of transcripts: none" in card


def test_swe_chat_tables_point_to_each_other(example: Analysed, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    run("data", "export", "swe-chat", "-o", tmp_path / "s", db=example.db)
    tables = {
        name: parquet.read_table(tmp_path / "s" / f"{name}.parquet").to_pylist()
        for name in swe_chat_tables()
    }
    assert len(tables["sessions"]) == value(example.db, "SELECT COUNT(*) FROM sessions")
    calls = value(example.db, "SELECT COUNT(*) FROM tool_calls")
    repositories = {row["repo_id"] for row in tables["repositories"]}
    checkpoints = {row["checkpoint_pk"] for row in tables["checkpoints"]}
    sessions = {row["session_id"]: row for row in tables["sessions"]}
    assert {row["repo_id"] for row in tables["sessions"]} == repositories
    assert {
        key for row in tables["sessions"] for key in json.loads(row["checkpoint_ids"])
    } <= checkpoints
    assert {row["canonical_checkpoint_pk"] for row in tables["sessions"]} <= checkpoints
    assert {row["checkpoint_pk"] for row in tables["commits"]} <= checkpoints
    said = tables["conversations"]
    assert {row["session_id"] for row in said} == set(sessions)
    assert len({row["turn_id"] for row in said}) == len(said)
    assert sum(row["turn_type"] == "tool_use" for row in said) == calls
    assert sum(row["turn_type"] == "user_prompt" for row in said) == sum(
        row["prompt_count"] for row in sessions.values()
    )
    for row in sessions.values():
        assert row["agent_percentage"] is None or 0 <= row["agent_percentage"] <= 100
        assert row["created_at"].tzinfo is not None and row["agent"] == "Claude Code"
    types = {
        f.name: str(f.type) for f in parquet.read_schema(tmp_path / "s" / "conversations.parquet")
    }
    assert types["timestamp"] == "timestamp[us, tz=UTC]" and types["turn_number"] == "int64"
    assert types["conversation_turn_number"] == "double" and types["is_conversational"] == "bool"


def test_commits_of_records_without_checkpoints_are_those_a_session_took_part_in(
    example: Analysed, tmp_path: Path, db: Path
) -> None:
    """As Aider's and SpecStory's are; a commit of no session is in no table of commits."""
    parquet = pytest.importorskip("pyarrow.parquet")
    shutil.copy(example.db, db)
    with Store(db) as store, store.transaction() as connection:
        connection.execute("DELETE FROM commit_checkpoint_links")
        took_part = store.rows(
            "SELECT DISTINCT commit_sha FROM commit_sessions x JOIN commits c ON c.id = x.commit_id"
        )
        every = store.value("SELECT COUNT(*) FROM commits")
    run("data", "export", "swe-chat", "-o", tmp_path / "s", db=db)
    rows = parquet.read_table(tmp_path / "s" / "commits.parquet").to_pylist()
    assert {row["commit_sha"] for row in rows} == {
        row["commit_sha"] for row in took_part
    } and 0 < len(rows) < every
    assert {pick(row, "checkpoint_pk", "commit_index", "num_commits") for row in rows} == {
        (None, None, None)
    }
    (repository,) = parquet.read_table(tmp_path / "s" / "repositories.parquet").to_pylist()
    assert repository["num_commits"] == len(rows)


# --- what can go wrong ----------------------------------------------------------------------------


def test_nothing_is_written_over_unasked(example: Analysed, tmp_path: Path) -> None:
    out = tmp_path / "t.jsonl"
    out.write_text("mine")
    run("data", "export", "agent-trace", "-o", out, code=2, db=example.db)
    assert out.read_text() == "mine"
    run("data", "export", "agent-trace", "-o", out, "--force", db=example.db)
    assert out.read_text() != "mine"
    run("data", "export", "csv", "-o", tmp_path / "no" / "where", code=2, db=example.db)
    run("data", "export", "csv", code=2, db=example.db)
    run(
        "data",
        "export",
        "csv",
        "-o",
        tmp_path / "x",
        "--into",
        tmp_path,
        code=2,
        db=example.db,
    )


def test_a_repository_without_sessions(tmp_path: Path, db: Path) -> None:
    build = Build(tmp_path / "plain.git")
    build.commit("one", {"a": ["x"]})
    build.done()
    git(build.where, "symbolic-ref", "HEAD", "refs/heads/x1")
    analyse(build.where, db)
    for one in exports():
        if one.NAME != "parquet":
            run("data", "export", one.NAME, build.where, "-o", tmp_path / one.NAME, db=db)


def test_agents_are_called_something_else_only_in_exports_that_exist() -> None:
    assert {export for agent in agents() for export in agent.exported} <= {
        export.NAME for export in exports()
    }


def test_what_cost_somebodys_reading_is_taken_along(tmp_path: Path) -> None:
    repo = clone("example", tmp_path)
    old = tmp_path / "old.db"
    new = tmp_path / "new.db"
    out = tmp_path / "carried.jsonl"
    for db in (old, new):
        analyse(repo, db)
    with Store(old) as store, store.transaction() as connection:
        connection.execute("INSERT INTO forgotten VALUES ('o/gone', '2026-01-01T00:00:00.000Z')")
        connection.execute("PRAGMA user_version = 99")  # of another schema
    run("data", "export", "carried", "-o", out, db=old)
    assert '"o/gone"' in out.read_text("utf-8")
    imported = run("data", "import", out, db=new)
    assert "forgotten: 1 row added" in imported.stderr
    assert value(new, "SELECT COUNT(*) FROM forgotten") == 1
    out.write_text("no row\n")
    run("data", "import", out, code=2, db=new)
