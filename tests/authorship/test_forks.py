"""Forks of sessions in a database: what both have counts once, and runs agree whatever is kept
of earlier ones.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support import numbered_text
from support.answers import analysed_store, column, pick
from support.builder import import_stream as imported
from support.builder.objects import git
from support.dumps import dump, same
from support.invariants import broken_checks

from attribution.authorship.options import AttributeOptions
from attribution.authorship.session_edits import SessionEdits
from attribution.stages import sessions
from attribution.stages.lines import attribute_repo
from collector.json_values import JsonObject, Texts
from collector.load import LoadedSession, load_repo
from collector.runtime.progress import no_progress
from collector.storage.store import Store

ONE = "11111111-1111-4111-8111-111111111111"
TWO = "22222222-2222-4222-8222-222222222222"
TEXT = numbered_text(10, "row_{n} = {n}\n")
START = 1_772_323_200


def _record(session: str, kind: str, second: int, message: JsonObject, **more: Any) -> JsonObject:
    at = f"2026-03-01T00:{second // 60:02d}:{second % 60:02d}.000Z"
    common = {
        "sessionId": session,
        "uuid": f"{session[:4]}-{second}",
        "timestamp": at,
        "cwd": "/home/ann/app",
    }
    return {"type": kind, **common, "message": {"role": kind, **message}, **more}


def _answer(session: str, second: int, *blocks: JsonObject, output: int = 50) -> JsonObject:
    usage = {
        "input_tokens": 100,
        "output_tokens": output,
        "cache_read_input_tokens": 1000,
        "cache_creation_input_tokens": 0,
    }
    message = {
        "id": f"msg_01Q9W8E7R6T5Y4U3I2{second}",
        "model": "claude-sonnet-4-5-20250929",
        "content": list(blocks),
        "usage": usage,
    }
    return _record(session, "assistant", second, message)


def _history(session: str, thanks: bool) -> str:
    write = {
        "type": "tool_use",
        "id": "toolu_01A9B8C7D6E5F4G3H2",
        "name": "Write",
        "input": {"file_path": "/home/ann/app/app.py", "content": TEXT},
    }
    done: JsonObject = {
        "type": "create",
        "filePath": "/home/ann/app/app.py",
        "content": TEXT,
        "structuredPatch": [],
        "originalFile": None,
    }
    result = {
        "content": [{"type": "tool_result", "tool_use_id": write["id"], "content": "File created"}]
    }
    rows = [
        _record(session, "user", 1, {"content": "Write ten rows"}),
        _answer(session, 10, write),
        _record(session, "user", 11, result, toolUseResult=done),
        _answer(session, 20, {"type": "text", "text": "Done."}),
    ]
    if thanks:
        rows += [
            _record(session, "user", 600, {"content": "thanks"}),
            _answer(session, 605, {"type": "text", "text": "Welcome."}),
        ]
    return "".join(json.dumps(row) + "\n" for row in rows)


def _stream(checkpoints: dict[str, list[str]]) -> bytes:
    """One commit that names the last checkpoint; `checkpoints`: id -> transcripts of its
    sessions.
    """

    def commit(ref: str, second: int, message: str, files: Texts) -> str:
        head = (
            f"commit {ref}\ncommitter Ann <ann@example.com> {START + second} +0000\ndata"
            f" {len(message)}\n{message}\n"
        )
        return head + "".join(
            f"M 100644 inline {path}\ndata {len(text.encode())}\n{text}\n"
            for path, text in files.items()
        )

    files: Texts = {}
    for key, transcripts in checkpoints.items():
        for number, text in enumerate(transcripts):
            session = json.loads(text.split("\n")[0])["sessionId"]
            about = {
                "checkpoint_id": key,
                "session_id": session,
                "agent": "Claude Code",
                "created_at": "2026-03-01T00:20:00Z",
            }
            files[f"{key[:2]}/{key[2:]}/{number}/metadata.json"] = json.dumps(about)
            files[f"{key[:2]}/{key[2:]}/{number}/full.jsonl"] = text
        files[f"{key[:2]}/{key[2:]}/metadata.json"] = json.dumps(
            {"checkpoint_id": key, "strategy": "manual-commit"}
        )
    code = commit(
        "refs/heads/main",
        1200,
        f"Add rows\n\nEntire-Checkpoint: {list(checkpoints)[-1]}",
        {"app.py": TEXT},
    )
    return (code + commit("refs/heads/entire/checkpoints/v1", 1205, "Checkpoint", files)).encode()


_BOTH = {"a" * 12: [_history(ONE, False), _history(TWO, True)]}
_APART = {"a" * 12: [_history(ONE, False)], "b" * 12: [_history(TWO, True)]}


@pytest.mark.parametrize("checkpoints", [_BOTH, _APART])
def test_a_copied_session_counts_once_and_the_copy_has_what_it_adds(
    checkpoints: dict[str, list[str]], tmp_path: Path, db: Path
) -> None:
    clone = imported(_stream(checkpoints), tmp_path / "repo")
    with analysed_store(clone, db) as store:
        rows = store.rows("SELECT * FROM sessions ORDER BY key")
        assert [pick(row, "turns", "tool_calls", "output_tokens") for row in rows] == [
            (1, 1, 100),
            (1, 0, 50),
        ]
        assert [row["forked_from"] for row in rows] == [None, ONE]
        assert pick(rows[1], "left_at", "copied_turns", "copied_calls") == (
            "2026-03-01T00:00:20.000Z",
            1,
            1,
        )
        assert column(store, "SELECT produced FROM session_stats ORDER BY session_id") == [10, 0]
        assert store.rows("SELECT DISTINCT author, session_id FROM line_spans") == [
            {"author": "agent", "session_id": rows[0]["id"]}
        ]
        features = store.rows(
            "SELECT output_tokens, prompt_underspecification AS vague FROM session_features ORDER"
            " BY session_id"
        )
        assert [(row["output_tokens"], row["vague"] is None) for row in features] == [
            (100, False),
            (50, True),
        ]
        assert not broken_checks(store)


@pytest.mark.parametrize(
    "checkpoints", [_BOTH, _APART, {"a" * 12: [_history(TWO, True), _history(ONE, False)]}]
)
def test_a_session_that_repeats_one_before_it_is_evaluated_once(
    checkpoints: dict[str, list[str]], tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether it comes first or last, in one checkpoint or in two: what it is asked for waits
    until all are read.
    """
    evaluated: list[str] = []

    def note(loaded: LoadedSession, session_id: int) -> SessionEdits | None:
        evaluated.append(loaded.files.key)
        return edits_of(loaded, session_id)

    edits_of = sessions.edits_of
    monkeypatch.setattr(sessions, "edits_of", note)
    clone = imported(_stream(checkpoints), tmp_path / "repo")
    with analysed_store(clone, db) as store:
        assert len(store.rows("SELECT 1 FROM sessions WHERE forked_from IS NULL")) == 1
    assert sorted(evaluated) == [ONE, TWO]


@pytest.mark.parametrize("kept", [True, False])
def test_later_runs_and_runs_after_loading_say_the_same(
    kept: bool, tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not kept:
        monkeypatch.setenv("WHOWROTE_SESSIONS", "off")
    clone = imported(_stream(_BOTH), tmp_path / "repo")
    with Store(tmp_path / "loaded.db") as store:
        load_repo(store, str(clone), no_progress)
        assert column(store, "SELECT tool_calls FROM sessions ORDER BY key") == [1, 0]
        attribute_repo(store, clone, AttributeOptions())
        loaded = dump(store)
    with analysed_store(clone, db) as store:
        same(dump(store), loaded)
        git(clone, "update-ref", "-d", "refs/heads/entire/checkpoints/v1")
        git(
            clone,
            "fetch",
            "-q",
            str(imported(_stream(_APART), tmp_path / "more")),
            "refs/heads/*:refs/heads/*",
            "--force",
        )
        attribute_repo(store, clone, AttributeOptions())
        again = dump(store)
    with analysed_store(clone, tmp_path / "fresh.db") as store:
        same(again | {"gone_commits": []}, dump(store))


def test_an_empty_copy_has_no_tokens_of_its_own_rather_than_none_on_record(
    tmp_path: Path, db: Path
) -> None:
    clone = imported(
        _stream({"a" * 12: [_history(ONE, False), _history(TWO, False)]}), tmp_path / "repo"
    )
    with analysed_store(clone, db) as store:
        assert store.rows(
            "SELECT turns, tool_calls, output_tokens FROM sessions WHERE key = ?", (TWO,)
        ) == [{"turns": 0, "tool_calls": 0, "output_tokens": 0}]
        assert not broken_checks(store)
