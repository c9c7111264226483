"""Labels of a judge in the study and in the tables of SWE-chat."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from support.answers import pick
from support.commands import analyse, clone, run

from attribution.evaluation.study import study
from collector.storage.store import Store


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("page")
    path = directory / "s.db"
    analyse(clone("example", directory), path, "--history")
    with Store(path) as store, store.transaction() as connection:
        connection.execute(
            "INSERT INTO judgements (id, model, prompt, prompt_version, input_hash, output,"
            " attempts, at) VALUES (1, 'local', 'turns', '2', '', '{}', 1, '2026-03-02T00:00:00Z')"
        )
        for session, turn, label, value, number in (
            (1, 1, "intent", "create", None),
            (1, 2, "intent", "debug", None),
            (2, 1, "intent", "create", None),
            (1, 2, "pushback", "correction", None),
            (1, 0, "paper_persona", "mind_changer", None),
            (1, 0, "paper_success_score", None, 71.0),
            (1, 0, "domain", "developer_tool", None),
            (2, 0, "domain", "application", None),
            (3, 0, "domain", "developer_tool", None),
        ):
            row = (session, turn, label, value, number)
            connection.execute(
                "INSERT INTO judge_labels VALUES (?, ?, ?, ?, ?, 'local', '2', 1)", row
            )
    return path


def test_labels_of_the_judge_stand_beside_the_paper(db: Path) -> None:
    with Store(db) as store:
        (table,) = (table for table in study(store) if table.name == "judge_labels")
    found = {pick(row, "label", "class"): row for row in table.rows}
    create = found["intent", "create"]
    assert pick(create, "n", "of", "share", "paper_v1") == (
        2,
        3,
        pytest.approx(2 / 3),
        0.134,
    )
    assert create["corrected"] is None and create["note"] == "not validated"
    assert found["paper_success_score", "mean"]["share"] == 71.0


def test_labels_reach_the_tables_of_swe_chat(db: Path, tmp_path: Path) -> None:
    run("data", "export", "swe-chat", "--out", tmp_path / "out", db=db)
    pytest.importorskip("pyarrow")
    from pyarrow import parquet

    def rows(name: str) -> list[dict[str, object]]:
        (file,) = (tmp_path / "out").rglob(f"{name}*")
        if file.suffix == ".csv":
            return list(csv.DictReader(file.open()))
        return list(parquet.read_table(file).to_pylist())

    personas = {
        row["user_persona"]: row["session_success"]
        for row in rows("sessions")
        if row["user_persona"]
    }
    assert list(personas) == ["mind_changer"] and float(str(personas["mind_changer"])) == 71.0
    turns = rows("conversations")
    assert sorted(str(row["prompt_intent"]) for row in turns if row["prompt_intent"]) == [
        "create",
        "create",
        "debug",
    ]
    assert {row["language"] for row in turns if row["turn_type"] == "user_prompt"} <= {
        "en",
        "other",
        None,
    }
    assert any(row["language"] == "en" for row in turns)
    (repository,) = rows("repositories")
    assert pick(repository, "repo_type_domain", "repo_type_audience") == (
        "developer_tool",
        None,
    )
    assert [row["prompt_pushback"] for row in turns if row["prompt_pushback"]] == ["correction"]
    assert sum(row["turn_type"] == "assistant_response" for row in turns) == 4
