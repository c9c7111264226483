"""A session whose last copies can only be read in their compact form."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from support.builder import git
from support.builder.objects import Blob, History, import_stream

from collector.agents.common.stored_copies import continued
from collector.checkpoints import read_all
from collector.git.repository import GitRepo
from collector.json_values import JsonObject
from collector.load import LoadedSession, read_session, session_files
from collector.model import Session, Status, ToolCall, Turn, Usage

AT = 1_000_000.0
ADA = "Ada Example <ada@example.com>"


def _call(key: str, at: float, turn: int = 1) -> ToolCall:
    return ToolCall(key, "Write", turn, at, status=Status.OK)


def test_only_what_came_after_the_last_readable_copy_is_added() -> None:
    full = Session(
        "s",
        "claude-code",
        turns=(Turn(1, AT, "one"),),
        calls=(_call("a", AT + 1),),
        ended_at=AT + 5,
    )
    compact = Session(
        "s",
        "entire-compact",
        turns=(Turn(1, AT, "one"), Turn(2, AT + 10, "two")),
        calls=(
            _call("a", AT + 1),
            _call("b", AT + 4),
            _call("c", AT + 6),
            _call("d", AT + 11, turn=2),
        ),
        usage=(Usage("m1", AT + 1, 1, ""), Usage("m2", AT + 12, 2, "")),
        ended_at=AT + 20,
    )
    found = continued(full, compact)
    assert found.agent == "claude-code"
    assert [(c.call_id, c.turn) for c in found.calls] == [("a", 1), ("c", 1), ("d", 2)]
    assert [(t.index, t.text) for t in found.turns] == [(1, "one"), (2, "two")]
    assert [u.message_id for u in found.usage] == ["m2"]
    assert found.ended_at == AT + 20


def test_call_known_by_its_id_is_not_added_again() -> None:
    full = Session("s", "claude-code", calls=(_call("a", AT),), ended_at=AT)
    assert (
        len(
            continued(
                full, Session("s", "entire-compact", calls=(_call("a", AT + 9),), ended_at=AT + 9)
            ).calls
        )
        == 1
    )


def test_turns_are_counted_on_where_the_compact_form_is_a_delta() -> None:
    full = Session(
        "s", "claude-code", turns=tuple(Turn(n, AT + n, "") for n in (1, 2, 3)), ended_at=AT + 5
    )
    compact = Session(
        "s",
        "entire-compact",
        turns=(Turn(1, AT + 9, "four"),),
        calls=(_call("x", AT + 10),),
        ended_at=AT + 10,
    )
    found = continued(full, compact)
    assert [t.index for t in found.turns] == [1, 2, 3, 4]
    assert found.calls[0].turn == 4


# --- from a repository ----------------------------------------------------------------------------

FULL: list[JsonObject] = [
    {
        "type": "user",
        "uuid": "u1",
        "sessionId": "s",
        "timestamp": "2026-07-01T10:00:00Z",
        "cwd": "/w",
        "message": {"role": "user", "content": "go"},
    }
]
COMPACT: list[JsonObject] = [
    {
        "v": 1,
        "agent": "claude-code",
        "type": "user",
        "ts": "2026-07-01T10:00:00Z",
        "content": [{"text": "go"}],
    },
    {
        "v": 1,
        "agent": "claude-code",
        "type": "assistant",
        "ts": "2026-07-01T10:05:00Z",
        "id": "m1",
        "content": [
            {
                "type": "tool_use",
                "id": "t1",
                "name": "Write",
                "input": {"file_path": "/w/a.py", "content": "A = 1\n"},
                "result": {"output": "ok", "status": "success"},
            }
        ],
    },
]


def _lines(records: Sequence[Mapping[str, Any]]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def _loaded(tmp_path: Path, sessions: Mapping[str, bytes], *, drop: bytes = b"") -> LoadedSession:
    """A checkpoint branch with these session directories; the blob `drop` is listed and absent."""
    files = {"aa/bbccddeeff/metadata.json": Blob(b'{"sessions": []}')}
    for path, data in sessions.items():
        files[f"aa/bbccddeeff/{path}"] = Blob(data)
        folder = path.partition("/")[0]
        files[f"aa/bbccddeeff/{folder}/metadata.json"] = Blob(
            b'{"session_id": "s", "created_at": "2026-07-01T10:06:00Z"}'
        )
    history = History()
    history.refs["refs/heads/entire/checkpoints/v1"] = history.commit(
        files, [], ADA, int(AT), "Checkpoint: aabbccddeeff\n"
    )
    clone = import_stream(history.stream(), tmp_path / "repo")
    if drop:
        _remove(clone, Blob(drop).sha())
    (one,) = session_files(read_all(GitRepo(clone)))
    return read_session(GitRepo(clone), one)


def _remove(clone: Path, oid: str) -> None:
    """Takes one object out of a clone, as a partial clone lacks it."""
    for pack in sorted((clone / "objects" / "pack").glob("*.pack")):
        data = pack.read_bytes()
        for file in pack.parent.glob(pack.stem + ".*"):
            file.unlink()
        git(clone, "unpack-objects", "-q", stdin=data)
    (clone / "objects" / oid[:2] / oid[2:]).unlink()


@pytest.mark.parametrize("earlier", [False, True], ids=["nothing else", "an earlier copy"])
def test_missing_transcript_is_replaced_by_its_compact_form(tmp_path: Path, earlier: bool) -> None:
    lost = _lines(FULL) + b"\n"
    sessions = {"1/full.jsonl": lost, "1/transcript.jsonl": _lines(COMPACT)}
    if earlier:
        sessions["0/full.jsonl"] = _lines(FULL)
    found = _loaded(tmp_path, sessions, drop=lost)
    assert (found.state, found.compact) == ("partial", True)
    assert found.session is not None
    assert [c.call_id for c in found.session.calls] == ["t1"]
    assert found.session.agent == "claude-code"
    assert [p.code for p in found.problems] == ["compact_transcript"]


def test_readable_transcript_is_never_replaced(tmp_path: Path) -> None:
    found = _loaded(tmp_path, {"0/full.jsonl": _lines(FULL), "0/transcript.jsonl": _lines(COMPACT)})
    assert (found.state, found.compact) == ("present", False)
    assert found.session is not None and found.session.calls == ()


def test_without_a_compact_form_the_copy_stays_missing(tmp_path: Path) -> None:
    lost = _lines(FULL) + b"\n"
    found = _loaded(tmp_path, {"0/full.jsonl": lost}, drop=lost)
    assert (found.state, found.session) == ("missing_blob", None)
