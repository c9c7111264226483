"""Whose transcript it is: strict sniffers, and what becomes of a copy that nobody can read."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest
from support import jsonl

from collector import load
from collector.agents import reader_for, readers, readers_for
from collector.git.repository import GitRepo
from collector.json_values import JsonObject
from collector.load import LoadedSession, SessionFiles, read_session
from collector.model import SessionRecord
from collector.vocabulary.sessions import StoredTranscript

_TEXT = [{"type": "text", "text": "Hello"}]
_FOREIGN: dict[str, list[JsonObject]] = {
    "hermes": [{"v": 1, "agent": "hermes", "event": "UserPromptSubmit", "prompt": "Hello"}],
    "cline, as its command line writes it": [
        {"version": 1, "messages": [{"role": "user", "content": _TEXT}], "agent": "lead"}
    ],
    "a document of nobody's": [{"id": "1", "messages": [{"role": "user", "content": "Hello"}]}],
    "kimi, another form": [
        {"type": "context.append_loop_event", "time": 1.5, "data": {"event": {"type": "tool.call"}}}
    ],
}


@pytest.mark.parametrize("name", _FOREIGN)
def test_transcripts_of_agents_without_a_reader_are_nobodys(name: str) -> None:
    blob = jsonl(*_FOREIGN[name])
    assert [reader.NAME for reader in readers_for(blob)] == []
    assert reader_for(blob) is None


_PROJECTED = {
    "type": "user",
    "timestamp": "2026-05-04T10:00:00Z",
    "message": {"role": "user", "content": _TEXT},
}
_LINES: dict[str, JsonObject] = {
    "kiro": {
        "conversation_id": "c",
        "entry": 0,
        "user": {"content": {"Prompt": {"prompt": "Hello"}}},
    },
}


@pytest.mark.parametrize("name", _LINES)
def test_lines_that_a_plug_in_makes_look_like_claude_codes_are_their_agents(name: str) -> None:
    """Entire's plug-ins put `type` and `message` beside the agent's own fields, for a compact
    copy that is made of them.
    """
    for line in (_LINES[name], _LINES[name] | _PROJECTED):
        assert [reader.NAME for reader in readers_for(jsonl(line))] == [name]


_QWEN: dict[str, list[JsonObject]] = {
    "qwen": [
        {
            "uuid": "u",
            "parentUuid": None,
            "sessionId": "s",
            "timestamp": "2026-05-04T10:00:00Z",
            "type": "user",
            "cwd": "/w",
            "version": "0.21.14",
            "message": {"role": "user", "parts": [{"text": "Hello"}]},
        }
    ],
    "qwen, a system record first": [
        {
            "uuid": "u",
            "sessionId": "s",
            "type": "system",
            "subtype": "ui_telemetry",
            "systemPayload": {"uiEvent": {}},
        }
    ],
}


@pytest.mark.parametrize("name", _QWEN)
def test_qwen_code_is_not_claude_code(name: str) -> None:
    """They share the envelope of a record."""
    assert [reader.NAME for reader in readers_for(jsonl(*_QWEN[name]))] == ["qwen-code"]


# --- beside a compact copy ------------------------------------------------------------------------


_COMPACT = jsonl(
    {
        "v": 1,
        "agent": "amp",
        "cli_version": "0.11.3",
        "type": "user",
        "ts": "2026-05-04T10:00:00Z",
        "content": _TEXT,
    },
    {
        "v": 1,
        "agent": "amp",
        "cli_version": "0.11.3",
        "type": "assistant",
        "ts": "2026-05-04T10:00:01Z",
        "id": "m",
        "content": [{"type": "tool_use", "id": "c", "name": "Bash", "input": {"command": "make"}}],
    },
)


def _loaded(full: bytes, compact: bytes = b"") -> LoadedSession:
    blobs = {"full": full, "compact": compact}
    repo = SimpleNamespace(content=blobs.__getitem__, blob_size=lambda oid: len(blobs[oid]))
    record = SessionRecord(
        "c",
        0,
        "s",
        "s",
        transcript=("full",),
        transcript_state=StoredTranscript.PRESENT,
        compact="compact" if compact else "",
    )
    return read_session(cast(GitRepo, repo), SessionFiles("s", [record]))


def test_the_compact_copy_beside_an_unknown_format_is_read() -> None:
    found = _loaded(jsonl(*_FOREIGN["hermes"]), _COMPACT)
    assert (found.state, found.compact) == ("partial", True)
    assert [problem.code for problem in found.problems] == ["unknown_format", "compact_transcript"]
    assert found.session is not None and found.session.agent == "amp"
    assert [call.name for call in found.session.calls] == ["Bash"]
    alone = _loaded(jsonl(*_FOREIGN["hermes"]))
    assert (alone.state, alone.session) == ("unknown_format", None)


def test_the_compact_copy_beside_a_readable_one_is_not_needed() -> None:
    record = {
        "type": "user",
        "uuid": "u",
        "sessionId": "s",
        "timestamp": "2026-05-04T10:00:00Z",
        "message": {"content": "Hello"},
    }
    found = _loaded(jsonl(record), _COMPACT)
    assert (found.state, found.compact, found.problems) == ("present", False, [])
    assert found.session is not None and found.session.agent == "claude-code"


def test_a_reader_that_gets_nothing_says_so() -> None:
    nothing = jsonl({"sessionId": "s", "messages": []})
    found = _loaded(nothing)
    assert [problem.code for problem in found.problems] == ["nothing_read"]
    assert found.state == "present"
    instead = _loaded(nothing, _COMPACT)
    assert [problem.code for problem in instead.problems] == ["nothing_read", "compact_transcript"]
    assert instead.session is not None and (instead.session.agent, len(instead.session.calls)) == (
        "amp",
        1,
    )


def test_two_readers_that_know_a_format_are_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    def _both(blob: bytes, known: object) -> list[Any]:
        return [reader for reader in readers() if reader.NAME in ("gemini-cli", "claude-code")]

    patched: Callable[..., list[Any]] = _both
    monkeypatch.setattr(load, "readers_for", patched)
    found = _loaded(
        jsonl(
            {
                "messages": [
                    {
                        "id": "1",
                        "timestamp": "2026-05-04T10:00:00Z",
                        "type": "user",
                        "content": "Hello",
                    }
                ]
            }
        )
    )
    assert [(problem.code, problem.detail) for problem in found.problems] == [
        ("ambiguous_format", "read as the first of gemini-cli, claude-code")
    ]
