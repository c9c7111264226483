"""The public interface: rows of a clone and of a database, data frames, errors."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.commands import Analysed, clone, run_rows

import whowrote
from attribution.demo import FILE


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Analysed:
    directory = tmp_path_factory.mktemp("face")
    repo = clone("example", directory)
    db = directory / "out.db"
    with whowrote.open(repo, db) as found:  # attributes it
        assert len(found.repositories()) == 1
        found.survival()
    return Analysed(repo, db)


def test_lines_are_those_of_the_commands(example: Analysed) -> None:
    repo, db = example
    with whowrote.open(repo, db) as of_clone, whowrote.open(db) as of_file:
        lines = of_clone.blame(FILE)
        assert lines == of_file.blame(FILE) and len(lines) > 10
        printed = run_rows("blame", repo, FILE, db=db)
        assert [line["class"] for line in lines.to_dicts()] == [row["class"] for row in printed]
        agent = next(line for line in lines if line.attribution.kind == "agent")
        why = of_file.explain(FILE, agent.line)
        assert why.line.attribution == agent.attribution and why.evidence and why.prompt


def test_lists_count_what_the_database_holds(example: Analysed) -> None:
    with whowrote.open(example.db) as db:
        sessions = db.sessions()
        turns = db.turns()
        assert (
            {session["id"] for session in sessions}
            >= {turn["session_id"] for turn in turns}
            != set()
        )
        assert db.turns(sessions[0]["key"]) == [
            turn for turn in turns if turn["session_id"] == sessions[0]["id"]
        ]
        with pytest.raises(whowrote.WhoWroteError, match="scanned"):
            db.findings()


def test_lines_are_chosen_by_keyword(example: Analysed) -> None:
    with whowrote.open(example.db) as db:
        every = db.lines()
        assert (
            sum(row["lines"] for row in every)
            == db.sql("SELECT SUM(lines) AS n FROM line_spans")[0]["n"]
        )
        agents = db.lines(cls="agent")
        assert agents == [row for row in every if row["class"] == "agent"] != []
        assert db.lines(cls=["agent", "human"], path=FILE) == [
            row for row in every if row["class"] in ("agent", "human") and row["path"] == FILE
        ]
        assert db.lines(repo=every[0]["repo"], kind=("source", "test")) == [
            row for row in every if row["kind"] in ("source", "test")
        ]
        assert db.lines(path="no/such/file") == []


def test_a_name_stands_where_several_may(example: Analysed) -> None:
    with whowrote.open(example.db) as db:
        assert db.report("month") == db.report(["month"]) != []
        assert db.survival("agent").groups == db.survival(["agent"]).groups
        assert repr(db) == f"<whowrote.Database {example.db}: example>"


def test_a_long_list_shows_its_beginning_and_its_length() -> None:
    long = whowrote.Rows(range(20_000))
    short = whowrote.Rows([1, 2])
    assert (repr(long), repr(short), repr(whowrote.Rows([]))) == (
        "[0, 1, 2, … 20,000 in all]",
        "[1, 2]",
        "[]",
    )
    assert str(long) == repr(long) and list(long) == list(range(20_000))


@pytest.mark.parametrize(
    "question",
    [
        lambda db: db.lines(cls="robot"),
        lambda db: db.lines(kind="poem"),
        lambda db: db.lines(repo="elsewhere"),
        lambda db: db.survival("weather"),
        lambda db: db.findings("severe"),
        lambda db: db.log(since="yesterday"),
        lambda db: db.stats(since="yesterday"),
        lambda db: db.report("month", since="yesterday"),
        lambda db: db.turns("no such session"),
        lambda db: db.explain(FILE, 0),
        lambda db: db.sql("SELECT ?"),
    ],
)
def test_every_failure_is_ours(
    example: Analysed, question: Callable[[whowrote.Database], object]
) -> None:
    with whowrote.open(example.db) as db, pytest.raises(whowrote.WhoWroteError):
        question(db)


def test_survival_follows_lines_first(tmp_path: Path, db: Path) -> None:
    repo = clone("example", tmp_path)
    with whowrote.open(repo, db) as found:
        report = found.survival()
    assert {"agent"} <= {group["name"] for group in report.groups}
    with whowrote.open(db) as found:
        assert found.survival().groups == report.groups
        assert whowrote.Rows(report.groups).to_dicts()


def test_sql_writes_nothing(example: Analysed) -> None:
    with whowrote.open(example.db) as db:
        assert db.sql("SELECT ? AS given", (3,)) == [{"given": 3}]
        with pytest.raises(whowrote.WhoWroteError):
            db.sql("DELETE FROM commits")
        assert len(db.commits()) > 3


def test_frames_where_a_library_is_installed(
    example: Analysed, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    with whowrote.open(example.db) as db:
        commits = db.commits()
        assert (
            list(commits.to_pandas().columns) == commits.to_arrow().column_names == list(commits[0])
        )
        assert commits.to_arrow().num_rows == len(commits)
        imported = builtins.__import__

        def hide_pandas(name: str, *more: Any) -> Any:
            if name == "pandas":
                raise ImportError(name)
            return imported(name, *more)

        monkeypatch.setattr(builtins, "__import__", hide_pandas)
        with pytest.raises(whowrote.WhoWroteError, match="pandas") as raised:
            commits.to_pandas()
        assert raised.value.hint.endswith("pip install pandas")


def test_which_repository(tmp_path: Path, db: Path) -> None:
    for case in ("example", "two_sessions_one_file"):
        with whowrote.open(clone(case, tmp_path), db) as found:
            assert len(found.repositories()) == 1
    with whowrote.open(db) as found:
        names = [row.name for row in found.repositories()]
        assert len(names) == 2
        with pytest.raises(whowrote.WhoWroteError, match="which repository") as raised:
            found.blame(FILE)
        assert all(name in raised.value.hint for name in names)
        assert found.blame(FILE, repo=names[0])


def test_what_is_not_there(tmp_path: Path, db: Path) -> None:
    with pytest.raises(whowrote.WhoWroteError, match="there is no database"):
        whowrote.open(db)
    with pytest.raises(whowrote.WhoWroteError, match="git repository"):
        whowrote.open(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "query", ["SELEKT 1", "SELECT * FROM nothing", "SELECT nothing FROM commits"]
)
def test_a_wrong_query_is_to_be_corrected_not_run_again(example: Analysed, query: str) -> None:
    with whowrote.open(example.db) as db, pytest.raises(whowrote.WhoWroteError) as raised:
        db.sql(query)
    assert raised.value.hint.startswith("Correct the query")
