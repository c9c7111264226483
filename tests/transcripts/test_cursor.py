"""Cursor records no time of a call: what is known of it comes from the prompts and from the
copies that checkpoints stored.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from support import ROOT
from support.answers import pick
from support.builder.objects import Blob, History, Node, import_stream
from support.commands import analyse

from attribution.authorship.session_edits import session_edits
from attribution.authorship.worktree_roots import WorktreeRoots
from collector.agents import cursor
from collector.agents.common.stored_copies import StoredCopy, bounded, is_undated
from collector.agents.cursor import written_time
from collector.git.repository import GitRepo
from collector.json_values import JsonObject
from collector.load import SessionFiles, read_session
from collector.model import Session, SessionRecord
from collector.storage.store import Store
from collector.text import resolve
from collector.vocabulary.sessions import StoredTranscript


def _at(hour: int, minute: int) -> float:
    return datetime(2026, 10, 4, hour, minute, tzinfo=UTC).timestamp()


def _asked(text: str, stamp: str = "") -> JsonObject:
    before = f"<timestamp>{stamp}</timestamp>\n" if stamp else ""
    content = [{"type": "text", "text": f"{before}<user_query>\n{text}\n</user_query>"}]
    return {"role": "user", "message": {"content": content}}


def _wrote(name: str, text: str) -> JsonObject:
    tool = {"type": "tool_use", "name": "Write", "input": {"path": f"/w/{name}", "contents": text}}
    return {"role": "assistant", "message": {"content": [tool]}}


def _ran(command: str) -> JsonObject:
    tool = {"type": "tool_use", "name": "Shell", "input": {"command": command}}
    return {"role": "assistant", "message": {"content": [tool]}}


def _lines(*records: JsonObject) -> bytes:
    return "".join(json.dumps(record, separators=(",", ":")) + "\n" for record in records).encode()


@pytest.mark.parametrize(
    ("text", "hour", "minute"),
    [
        ("Sunday, Oct 4, 2026, 11:54 PM (UTC+5:30)", 18, 24),
        ("Sunday, Oct 4, 2026, 7:41 AM (UTC-5)", 12, 41),
        ("Sunday, Oct 4, 2026, 12:05 AM (UTC)", 0, 5),
        ("Sunday, October 4, 2026 at 1:20\u202fPM (UTC+02:00)", 11, 20),
        ("Sunday, Oct 4, 2026, 13:20 (UTC+0)", 13, 20),
    ],
)
def test_a_time_as_the_prompt_has_it(text: str, hour: int, minute: int) -> None:
    assert written_time(text) == _at(hour, minute)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "now",
        "Sunday, Oct 4, 2026, 11:54 PM",
        "Foo, Oct 44, 2026, 1:00 PM (UTC)",
        "Sunday, Abc 4, 2026, 1:00 PM (UTC)",
    ],
)
def test_a_time_without_a_zone_or_a_day_is_none(text: str) -> None:
    assert written_time(text) is None


def _two_prompts() -> bytes:
    return _lines(
        _asked("first", "Sunday, Oct 4, 2026, 9:00 AM (UTC)"),
        _wrote("a.py", "a\n"),
        _asked("second", "Sunday, Oct 4, 2026, 11:00 AM (UTC)"),
        _wrote("b.py", "b\n"),
        _ran("make format"),
        _asked("third"),
        _wrote("c.py", "c\n"),
    )


def test_an_edit_is_not_older_than_its_prompt() -> None:
    session = cursor.read("s", [_two_prompts()])
    assert [turn.at for turn in session.turns] == [_at(9, 0), _at(11, 0), None]
    assert [call.at for call in session.calls] == [None] * 4
    assert [call.not_before for call in session.calls] == [_at(9, 0), *[_at(11, 0)] * 3]
    track = session_edits(session, 1)
    assert [(edit.edit.path, edit.at) for edit in track.edits] == [
        ("/w/a.py", _at(9, 0)),
        ("/w/b.py", _at(11, 0)),  # what was typed at 10:05 is not its work
        ("/w/c.py", _at(11, 0)),
    ]
    assert track.started == _at(9, 0)


def test_prompts_of_one_minute_keep_their_calls() -> None:
    stamp = "Sunday, Oct 4, 2026, 9:00 AM (UTC)"
    records = (
        _asked("one", stamp),
        _wrote("a.py", "a\n"),
        _asked("two", stamp),
        _wrote("b.py", "b\n"),
    )
    session = cursor.read("s", [_lines(*records)])
    assert [(turn.text, turn.at) for turn in session.turns] == [
        ("one", _at(9, 0)),
        ("two", _at(9, 0)),
    ]
    assert [call.turn for call in session.calls] == [1, 2]


def test_a_command_without_a_time_may_have_run_until_the_next_prompt() -> None:
    later = _asked("more", "Sunday, Oct 4, 2026, 1:00 PM (UTC)")
    session = cursor.read("s", [_two_prompts() + _lines(_ran("make build"), later)])
    first, second = session_edits(session, 1).actions
    assert (first.at, first.until) == (_at(11, 0), _at(13, 0))
    assert (second.at, second.until) == (_at(11, 0), _at(13, 0))


def test_a_copy_redacted_elsewhere_says_the_same_of_times() -> None:
    other = _two_prompts().replace(b"a\\n", b"[REDACTED]\\n") + _lines(_wrote("d.py", "d\n"))
    session = cursor.read("s", [_two_prompts(), other])
    assert [call.not_before for call in session.calls][-1] == _at(11, 0)
    assert [turn.at for turn in session.turns] == [_at(9, 0), _at(11, 0), None]


# --- copies ---------------------------------------------------------------------------------------


def _untimed(count: int) -> bytes:
    return _lines(_asked("go"), *(_wrote(f"{n}.py", f"{n}\n") for n in range(count)))


def _stored(session: Session, at: float) -> StoredCopy:
    return StoredCopy(at, frozenset(call.call_id for call in session.calls))


def test_calls_that_a_copy_lacks_were_made_after_it() -> None:
    whole = cursor.read("s", [_untimed(5)])
    assert is_undated(whole) and whole.started_at is None
    copies = [
        _stored(cursor.read("s", [_untimed(count)]), _at(hour, 0))
        for count, hour in ((4, 12), (1, 10), (5, 13))
    ]
    dated = bounded(whole, copies)
    # The record after a copy may have been in the making when the copy was stored.
    assert [call.not_before for call in dated.calls] == [
        None,
        None,
        _at(10, 0),
        _at(10, 0),
        _at(10, 0),
    ]
    assert dated.ended_at == _at(13, 0)
    assert bounded(whole, []) == whole


def test_a_copy_that_was_begun_anew_tells_nothing_of_what_earlier_ones_have() -> None:
    whole = cursor.read("s", [_untimed(5)])
    calls = [call.call_id for call in whole.calls]
    anew = StoredCopy(_at(13, 0), frozenset())
    dated = bounded(
        whole,
        [
            _stored(cursor.read("s", [_untimed(4)]), _at(12, 0)),
            StoredCopy(_at(10, 0), frozenset(calls[:1])),
            anew,
        ],
    )
    assert [call.not_before for call in dated.calls] == [
        None,
        None,
        _at(10, 0),
        _at(10, 0),
        _at(13, 0),
    ]
    assert dated.ended_at == _at(12, 0)


def test_the_copies_of_a_session_bound_its_times() -> None:
    records = [
        SessionRecord(
            "c1",
            0,
            "s",
            "s",
            created_at=_at(10, 0),
            transcript=("one",),
            transcript_state=StoredTranscript.PRESENT,
        ),
        SessionRecord(
            "c2",
            0,
            "s",
            "s",
            created_at=_at(11, 0),
            transcript=("three",),
            transcript_state=StoredTranscript.PRESENT,
        ),
    ]
    blobs = {"one": _untimed(1), "three": _untimed(3)}
    repo = SimpleNamespace(content=blobs.__getitem__, blob_size=lambda oid: len(blobs[oid]))
    loaded = read_session(cast(GitRepo, repo), SessionFiles("s", records))
    assert loaded.session is not None
    assert [call.not_before for call in loaded.session.calls] == [None, None, _at(10, 0)]
    assert loaded.session.ended_at == _at(11, 0)


def test_marks_of_ended_turns_that_are_gone_later_move_no_line() -> None:
    """Cursor takes them out of the transcript when the session goes on: the lines are the same
    ones further up.
    """
    end = {"type": "turn_ended", "status": "success"}
    first, second = (_asked(text, "Sunday, Oct 4, 2026, 9:00 AM (UTC)") for text in ("one", "two"))
    stopped = _lines(
        first, _wrote("a.py", "a\n"), end, second, _wrote("b.py", "b\n"), _ran("make"), end
    )
    resumed = _lines(
        first,
        _wrote("a.py", "a\n"),
        second,
        _wrote("b.py", "b\n"),
        _ran("make"),
        _wrote("c.py", "c\n"),
        end,
    )
    session = cursor.read("s", [stopped, resumed])
    assert [call.name for call in session.calls] == ["Write", "Write", "Shell", "Write"]
    assert [turn.text for turn in session.turns] == ["one", "two"]
    assert session.problems == ()


# --- places ---------------------------------------------------------------------------------------


def test_one_file_is_enough_where_no_working_directory_is_named() -> None:
    known = frozenset({"src/app.py", "README.md"})
    alone = WorktreeRoots(known)
    named = WorktreeRoots(known)
    alone.learn(["/home/ana/tally/src/app.py"], [])
    named.learn(["/home/ana/elsewhere/src/app.py"], ["/home/ana/tally"])
    for places in (alone, named):
        places.settle()
    assert alone.roots == ("/home/ana/tally",)
    assert "/home/ana/elsewhere" not in named.roots


def test_the_sample_names_its_root() -> None:
    blob = (ROOT / "tests" / "data" / "transcripts" / "cursor" / "sample.jsonl").read_bytes()
    session = cursor.read("s", [blob])
    assert session.cwds[0] == resolve("/", "home/ana/work/tally")
    assert session.calls[3].command is not None and session.calls[3].command.cwd == session.cwds[0]


# --- a repository ---------------------------------------------------------------------------------


def test_an_edit_does_not_explain_what_was_typed_before_its_prompt(
    tmp_path: Path, db: Path
) -> None:
    """Ana commits a line at 10:05; at 11:00 she asks, and the answer writes the whole file with
    her line in it.
    """
    texts = ["base = 0\n", "base = 0\ntyped = 1\n", "base = 0\ntyped = 1\nwritten = 2\n"]
    whole = {
        "type": "tool_use",
        "name": "Write",
        "input": {"path": "/home/ana/tally/src/app.py", "contents": texts[2]},
    }
    transcript = _lines(
        _asked("look", "Sunday, Oct 4, 2026, 9:30 AM (UTC)"),
        _asked("more", "Sunday, Oct 4, 2026, 11:00 AM (UTC)"),
        {"role": "assistant", "message": {"content": [whole]}},
    )
    history = History()
    parents = list[Node]()
    ana = "Ana Example <ana@example.com>"
    stored: dict[str, Blob] = {}
    for text, (hour, minute), key in zip(
        texts, ((8, 0), (10, 5), (11, 10)), ("", "a" * 12, "b" * 12), strict=True
    ):
        message = f"Work\n\nEntire-Checkpoint: {key}\n" if key else "Work\n"
        parents = [
            history.commit(
                {"src/app.py": Blob(text.encode())}, parents, ana, int(_at(hour, minute)), message
            )
        ]
        if key:
            folder = f"{key[:2]}/{key[2:]}"
            record = {
                "session_id": "s",
                "agent": "Cursor",
                "created_at": f"2026-10-04T{hour:02}:{minute:02}:02Z",
            }
            stored[f"{folder}/metadata.json"] = Blob(b'{"sessions": []}')
            stored[f"{folder}/0/metadata.json"] = Blob(json.dumps(record).encode())
            stored[f"{folder}/0/full.jsonl"] = Blob(transcript)
    history.refs["refs/heads/main"] = parents[0]
    history.refs["refs/heads/entire/checkpoints/v1"] = history.commit(
        stored, [], ana, int(_at(11, 10)), "Checkpoint: x\n"
    )
    clone = import_stream(history.stream(), tmp_path / "repo")
    analyse(clone, db)
    with Store(db) as store:
        rows = store.rows("SELECT start_line, author, how FROM line_spans ORDER BY start_line")
    assert [pick(row, "start_line", "author", "how") for row in rows] == [
        (1, "unknown", "none"),
        (2, "human", "none"),
        (3, "agent", "exact"),
    ]
