"""Forks in a developer's home, read with `repo`: what a fork repeats counts once, for the first
session, and its own for itself.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support import local_layouts as layouts
from support import truth
from support.answers import column, pick
from support.claude_writer import iso
from support.local_clone import AgentSession, Clone, attributed, wrong_lines

from collector.agents import opencode
from collector.agents.machine.model import Roots
from collector.json_values import Row, Texts
from collector.storage.store import Store

FORK, SECOND = "0197f3a1-7000-7b4e-8f60-1a2b3c4d5e6f", "0197f3a1-9000-7b4e-8f60-1a2b3c4d5e6f"
MEAN = "def mean(rows):\n    return total(rows) / len(rows)\n"
MEDIAN = "def median(rows):\n    ordered = sorted(rows)\n    return ordered[len(ordered) // 2]\n"
SPREAD = "def spread(rows):\n    return max(rows) - min(rows)\n"


def _worked(clone: Clone, session: AgentSession, path: str, text: str) -> AgentSession:
    session.prompt(f"Write {path}")
    session.write(path, text)
    session.say(f"Wrote {path}.")
    session.commit(f"Add {path}")
    return session


def _later(clone: Clone, of: AgentSession, id: str, *work: tuple[str, str]) -> AgentSession:
    """A fork of a session an hour later: it repeats all actions of it, with their times, and
    adds some work.
    """
    clone.wait(3600)
    fork = AgentSession(clone, id, of.cwd, list(of.actions))
    for path, text in work:
        _worked(clone, fork, path, text)
    return fork


# --- Codex ----------------------------------------------------------------------------------------


def _rollout(
    session: AgentSession, *origins: AgentSession, at: float = 0.0, **meta: Any
) -> list[Row]:
    """The records of a thread, each answer with its tokens. `origins`: threads it repeats,
    oldest first, stamped `at`.
    """
    copied = len(origins[-1].actions) if origins else 0
    records, total = list[Row](), 0
    for number, action in enumerate(session.actions):
        of = next((origin for origin in origins if number < len(origin.actions)), session)
        padding = [replace(action, kind="say", text="")] * number
        _, _, *rest = layouts.codex_records(
            AgentSession(session.clone, of.id, session.cwd, [*padding, action])
        )
        own = rest[number:]
        if action.kind == "say":
            total += 100 + number
            usage = {"input_tokens": 90 + number, "output_tokens": 10, "total_tokens": 100 + number}
            info = {
                "total_token_usage": {"input_tokens": total, "total_tokens": total},
                "last_token_usage": usage,
            }
            own.append(
                {
                    "timestamp": iso(action.at),
                    "type": "event_msg",
                    "payload": {"type": "token_count", "info": info},
                }
            )
        records += [record | {"timestamp": iso(at)} for record in own] if number < copied else own
    head = list(
        layouts.codex_records(
            replace(session, actions=session.actions[copied:] or session.actions), **meta
        )
    )[:2]
    return [record | {"timestamp": iso(at)} if at else record for record in head] + records


def _put_rollout(home: Path, session: AgentSession, records: list[Row]) -> None:
    name = f"rollout-{records[0]['timestamp'][:19].replace(':', '-')}-{session.id}.jsonl"
    layouts.put_lines(
        home / ".codex" / "sessions" / "2026" / "03" / "02" / name, records, session.ended
    )


def _codex_fork(
    home: Path, fork: AgentSession, *origins: AgentSession, at: float, with_head: bool
) -> None:
    """A fork's file begins with its own head, that of its parent or not, and what the parent
    had, stamped anew.
    """
    of = origins[-1]
    records = _rollout(fork, *origins, at=at, forked_from_id=of.id)
    if with_head:
        head = {"id": of.id, "cwd": of.cwd, "cli_version": "0.128.0"}
        records.insert(1, {"timestamp": iso(at), "type": "session_meta", "payload": head})
    _put_rollout(home, fork, records)


# --- OpenCode -------------------------------------------------------------------------------------


def _opencode_fork(home: Path, fork: AgentSession, of: AgentSession) -> None:
    """A fork in OpenCode's database: messages and parts have new ids, the calls keep theirs, as
    all keep their times.
    """
    path = layouts.opencode(home, fork)
    with sqlite3.connect(path) as database:
        query = "SELECT id, data FROM part WHERE session_id = ?"
        for number, data in database.execute(query, (fork.id,)).fetchall():
            part = json.loads(data)
            place = int(number[-4:])
            if "callID" in part and place < len(of.actions):
                part["callID"] = f"call_msg_{of.id}_{place:04}"
                database.execute(
                    "UPDATE part SET data = ? WHERE id = ?", (json.dumps(part), number)
                )
    database.close()


# --- what is counted ------------------------------------------------------------------------------


def _put_codex(with_head: bool) -> Callable[[Path, AgentSession, list[AgentSession]], None]:
    def put(home: Path, first: AgentSession, forks: list[AgentSession]) -> None:
        _put_rollout(home, first, _rollout(first))
        of = first
        for fork in forks:
            left = (
                fork.actions[len(of.actions)].at - 15
                if len(fork.actions) > len(of.actions)
                else fork.ended + 3600
            )
            _codex_fork(home, fork, of, at=left, with_head=with_head)

    return put


def _put_opencode(home: Path, first: AgentSession, forks: list[AgentSession]) -> None:
    layouts.opencode(home, first)
    for fork in forks:
        _opencode_fork(home, fork, first)


WAYS = {
    "codex": _put_codex(True),
    "codex without the parent's head": _put_codex(False),
    "opencode": _put_opencode,
}


@pytest.fixture(params=WAYS)
def put(
    request: pytest.FixtureRequest,
) -> Iterator[Callable[[Path, AgentSession, list[AgentSession]], None]]:
    yield WAYS[request.param]


def _counted(clone: Clone, db: Path) -> dict[str, Row]:
    """Session -> what it has of its own; no line of it is wrong."""
    said, _ = truth.run(clone.path, db)
    assert wrong_lines(clone, said) == []
    right, whole = attributed(clone, said, "agent")
    assert right == whole
    assert column(db, "SELECT call_id FROM tool_calls GROUP BY 1 HAVING COUNT(*) > 1") == []
    with Store(db) as store:
        return {row["key"]: row for row in store.rows("SELECT * FROM sessions")}


def test_a_fork_has_what_it_adds_and_says_where_it_left(
    clone: Clone, home: Path, db: Path, session: AgentSession, put: Any
) -> None:
    _worked(clone, session, "src/mean.py", MEAN)
    fork = _later(clone, session, FORK, ("src/median.py", MEDIAN))
    put(home, session, [fork])
    rows = _counted(clone, db)
    first, second = rows[session.id], rows[FORK]
    assert [pick(row, "turns", "tool_calls") for row in (first, second)] == [(2, 2), (1, 2)]
    assert (first["forked_from"], second["forked_from"]) == (None, session.id)
    assert (
        first["output_tokens"]
        == second["output_tokens"]
        == (9 if first["agent"] == "opencode" else 10)
    )
    assert second["left_at"] is not None and first["ended_at"] < second["started_at"]


def test_two_forks_of_a_session_each_have_their_own(
    clone: Clone, home: Path, db: Path, session: AgentSession, put: Any
) -> None:
    _worked(clone, session, "src/mean.py", MEAN)
    forks = [
        _later(clone, session, FORK, ("src/median.py", MEDIAN)),
        _later(clone, session, SECOND, ("src/spread.py", SPREAD)),
    ]
    put(home, session, forks)
    rows = _counted(clone, db)
    assert [pick(rows[key], "turns", "tool_calls") for key in (session.id, FORK, SECOND)] == [
        (2, 2),
        (1, 2),
        (1, 2),
    ]
    assert [rows[key]["forked_from"] for key in (FORK, SECOND)] == [session.id] * 2


def test_a_fork_that_adds_nothing_counts_nothing(
    clone: Clone, home: Path, db: Path, session: AgentSession, put: Any
) -> None:
    _worked(clone, session, "src/mean.py", MEAN)
    put(home, session, [_later(clone, session, FORK)])
    rows = _counted(clone, db)
    fork = rows[FORK]
    assert pick(fork, "turns", "tool_calls", "output_tokens", "forked_from") == (
        0,
        0,
        0,
        session.id,
    )
    assert rows[session.id]["tool_calls"] == 2


def test_a_fork_of_a_fork_leaves_the_one_that_it_names(
    clone: Clone, home: Path, db: Path, session: AgentSession
) -> None:
    _worked(clone, session, "src/mean.py", MEAN)
    fork = _later(clone, session, FORK, ("src/median.py", MEDIAN))
    again = _later(clone, fork, SECOND, ("src/spread.py", SPREAD))
    _put_rollout(home, session, _rollout(session))
    _codex_fork(home, fork, session, at=fork.actions[len(session.actions)].at - 15, with_head=False)
    _codex_fork(
        home, again, session, fork, at=again.actions[len(fork.actions)].at - 15, with_head=False
    )
    rows = _counted(clone, db)
    assert {key: pick(row, "tool_calls", "forked_from") for key, row in rows.items()} == {
        session.id: (2, None),
        FORK: (2, session.id),
        SECOND: (2, FORK),
    }


@pytest.mark.parametrize("has_tokens", [True, False])
def test_a_copied_turn_without_a_call_counts_once(
    clone: Clone, home: Path, db: Path, session: AgentSession, has_tokens: bool
) -> None:
    began = clone.clock

    def turn(number: int, at: float) -> list[Row]:
        used = {"output_tokens": 10, "total_tokens": 10}
        info = {"total_token_usage": {"total_tokens": 10 * number}, "last_token_usage": used}
        payloads: list[Row] = [
            {"type": "task_started", "turn_id": f"019a1111-0000-7000-8000-00000000000{number}"},
            {"type": "user_message", "message": "go on"},
            {"type": "token_count", "info": info},
        ]
        shown = payloads if has_tokens else payloads[:2]
        return [{"timestamp": iso(at), "type": "event_msg", "payload": one} for one in shown]

    for key, at, records in (
        (session.id, began, turn(1, began)),
        (FORK, began + 600, [*turn(1, began + 600), *turn(2, began + 900)]),
        (SECOND, began + 900, turn(3, began + 901)),
    ):
        meta = {"id": key, "cwd": session.cwd}
        head = {"timestamp": iso(at), "type": "session_meta", "payload": meta}
        _put_rollout(home, replace(session, id=key), [head, *records])
    found = [_counted(clone, db)[key] for key in (session.id, FORK, SECOND)]
    assert [row["turns"] for row in found] == [1, 1, 1]
    assert [row["forked_from"] for row in found] == [None, session.id, None]
    assert [row["output_tokens"] or 0 for row in found] == [10 * has_tokens] * 3


# --- with a checkpoint that keeps a compact form --------------------------------------------------


def _compact(session: AgentSession, agent: str, calls: str) -> str:
    """The shape of Entire's own transcript; `calls`: the form of the ids of the calls."""
    records = list[Row]()
    for number, action in enumerate(session.actions):
        record: Row = {
            "v": 1,
            "agent": agent,
            "ts": iso(action.at),
            "type": "assistant",
            "id": f"m{number}",
        }
        block: Row = {"type": "text", "text": action.text}
        if action.kind == "prompt":
            record["type"] = "user"
        elif action.kind != "say":
            given = (
                {"command": action.text}
                if action.kind == "shell"
                else {"filePath": action.path, "content": action.text}
            )
            done = {"status": "success", "output": action.output}
            block = {
                "type": "tool_use",
                "id": calls.format(number),
                "name": action.kind,
                "input": given,
                "result": done,
            }
        records.append(record | {"content": [block]})
    return "".join(f"{json.dumps(record)}\n" for record in records)


def _checkpoint(clone: Clone, sessions: dict[str, Texts], agent: str) -> None:
    """The branch of checkpoints; `sessions`: key -> name of a stored file -> its text."""
    blobs: list[str] = []

    def put(path: str, text: str) -> None:
        file = clone.path.parent / "blob"
        file.write_text(text, "utf-8")
        blobs.append(
            f"100644,{clone.git('hash-object', '-w', str(file)).strip()},aa/bbccddeeff/{path}"
        )

    put("metadata.json", json.dumps({"checkpoint_id": "aabbccddeeff", "strategy": "manual-commit"}))
    for number, (key, files) in enumerate(sessions.items()):
        about = {
            "checkpoint_id": "aabbccddeeff",
            "session_id": key,
            "agent": agent,
            "created_at": iso(clone.clock),
        }
        for name, text in {"metadata.json": json.dumps(about), **files}.items():
            put(f"{number}/{name}", text)
    for blob in blobs:
        clone.git("update-index", "--add", "--cacheinfo", blob)
    tree = clone.git("write-tree").strip()
    clone.git("read-tree", "HEAD")
    made = clone.git("commit-tree", "-m", "Checkpoint: aabbccddeeff", tree).strip()
    clone.git("update-ref", "refs/heads/entire/checkpoints/v1", made)


@pytest.mark.parametrize("agent", ["codex", "opencode"])
@pytest.mark.parametrize("at_home", [True, False], ids=["kept at home", "gone from home"])
def test_an_empty_fork_does_not_come_back_through_its_compact_copy(
    agent: str, at_home: bool, clone: Clone, home: Path, db: Path, session: AgentSession
) -> None:
    _worked(clone, session, "src/mean.py", MEAN)
    fork = _later(clone, session, FORK)
    calls = f"call_{session.id}_{{}}" if agent == "codex" else f"call_msg_{session.id}_{{:04}}"
    if agent == "codex":
        _put_codex(True)(home, session, [fork])
        files = {path.stem[-36:]: path for path in home.rglob("rollout-*.jsonl")}
        full = {key: path.read_text("utf-8") for key, path in files.items()}
    else:
        _put_opencode(home, session, [fork])
        store = next(store for store in opencode.STORES if store.find)
        assert store.find is not None
        (database,) = home.rglob("opencode.db")
        locals_ = store.find(database, Roots.of_paths([str(clone.path)]))
        full = {local.id: b"".join(store.load(local)).decode() for local in locals_}
    compact = _compact(session, agent, calls)
    _checkpoint(
        clone,
        {
            key: {"full.jsonl": text, "transcript.jsonl": compact}
            for key, text in sorted(full.items())
        },
        agent,
    )
    if not at_home:
        shutil.rmtree(home / (".codex" if agent == "codex" else ".local"))
    rows = _counted(clone, db)
    assert [
        pick(rows[key], "turns", "tool_calls", "forked_from") for key in (session.id, FORK)
    ] == [
        (2, 2, None),
        (0, 0, session.id),
    ]
    assert rows[FORK]["transcript"] == "present"
