"""What agents said and what their commands printed: stored once, in order, cut, and only where
the policy allows it.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support.answers import column
from support.commands import clone, run

from attribution.queries.session_page import session_page
from collector import load
from collector.checkpoints import read_all
from collector.git.repository import GitRepo
from collector.load import read_session, session_files
from collector.storage.store import Store


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return clone("example", tmp_path_factory.mktemp("said"))


def _filled(example: Path, db: Path, *options: str) -> Path:
    run("repo", example, "--db", db, "-q", *options)
    return db


def _read(example: Path) -> tuple[list[str], list[str]]:
    """What the readers found, without the database: texts of agents, outputs of commands."""
    repo = GitRepo(str(example))
    sessions = [read_session(repo, files).session for files in session_files(read_all(repo))]
    found = [session for session in sessions if session is not None]
    said = [
        m.text for session in found for m in session.messages if m.kind == "text" and m.text.strip()
    ]
    printed = [
        c.command.output
        for session in found
        for c in session.calls
        if c.command and c.command.output
    ]
    return said, printed


def test_everything_is_stored_and_reasoning_is_not(example: Path, db: Path) -> None:
    said, printed = _read(example)
    with Store(_filled(example, db)) as store:
        assert sorted(row["text"] for row in store.rows("SELECT text FROM messages")) == sorted(
            said
        )
        outputs = column(store, "SELECT output FROM tool_calls WHERE output IS NOT NULL")
        assert len(said) > 3 and printed and sorted(outputs) == sorted(printed)


@pytest.mark.parametrize("content", ["prompts", "none"])
def test_with_less_content_there_is_none(example: Path, db: Path, content: str) -> None:
    with Store(_filled(example, db, "--content", content)) as store:
        assert store.value("SELECT COUNT(*) FROM messages") == 0
        assert store.value("SELECT COUNT(*) FROM tool_calls WHERE output IS NOT NULL") == 0


def test_long_texts_are_cut_and_their_length_is_kept(
    example: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load, "_MAX_MESSAGE", 10)
    monkeypatch.setattr(load, "_MAX_OUTPUT", 3)
    with Store(_filled(example, db, "--jobs", "1")) as store:
        rows = store.rows("SELECT text, length FROM messages")
        assert (
            all(len(row["text"]) <= 10 for row in rows) and max(row["length"] for row in rows) > 10
        )
        assert all(
            len(row["output"]) <= 3
            for row in store.rows("SELECT output FROM tool_calls WHERE output IS NOT NULL")
        )


def test_the_page_has_them_in_the_order_of_time(example: Path, db: Path) -> None:
    with Store(_filled(example, db)) as store:
        number = store.value(
            "SELECT session_id FROM messages GROUP BY 1 ORDER BY COUNT(*) DESC LIMIT 1"
        )
        page = session_page(store, number)
    assert page is not None
    said = [part.said["text"] for turn in page.turns for part in turn.parts if part.said]
    assert said == column(db, "SELECT text FROM messages WHERE session_id = ? ORDER BY id", number)
    for turn in page.turns:
        assert [call for part in turn.parts for call in part.calls] == turn.calls
        rows = [
            row
            for part in turn.parts
            for row in ([part.said] if part.said else []) + [c.call for c in part.calls]
        ]
        times = [row["at"] for row in rows if row["at"]]
        assert times == sorted(times)
