"""Zed: a thread as one JSON document `{version, title, messages: [{User}, {Agent: {content, tool_results}}]}`.

An edit is told by its result: the whole text of the file before and after. Messages have no times; the thread was last written at
`updated_at`. A path begins with the name of one of the project's directories.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from collector.agents.common.arguments import deletions, edits_from_arguments
from collector.agents.common.calls import ERROR_CHARS, Call, Outcome, Result, shell_command
from collector.agents.common.reader import RecordReader
from collector.agents.machine import zstd
from collector.agents.machine.databases import CopiedDatabase, copied
from collector.agents.machine.model import Known, LocalSession, Machine, Store
from collector.agents.machine.roots import Roots
from collector.git.patches import parse_unified
from collector.json_values import get, get_dict, get_int, get_list, get_str, objects, parse_json, time_of, to_json
from collector.model import Command, Edit, Session, Status, Usage
from collector.text import decode, normal_path
from collector.vocabulary.agents import Agent

NAME = "zed"
AGENT = Agent(NAME, "Zed", aliases=("zed-agent",), tools={"read": "read_file", "edit": "edit_file", "write": "write_file"})
GIVES = frozenset({"results", "text", "before", "positions", "commands", "commits", "models", "tokens", "directory"})
ORDER = 29
UNTESTED = "all of it"

_EDITORS = frozenset({"edit_file", "write_file"})


def sniff(head: object) -> bool:
    if not isinstance(head, dict) or not isinstance(head.get("messages"), list) or not isinstance(head.get("version"), str):
        return False
    kinds = (message if isinstance(message, dict) else {} for message in head["messages"] if message != "Resume")
    return all("User" in kind or "Agent" in kind for kind in kinds)


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    return _Reader(NAME, session_id).read_documents(blobs)


class _Reader(RecordReader):
    shells = frozenset({"terminal"})
    spawns = frozenset({"spawn_agent", "subagent", "spawn_subagent"})

    def take(self, record: dict[str, Any]) -> None:
        """`folders`: the directories of the project, which `_load` takes from the database."""
        snapshot = get_dict(record, "initial_project_snapshot")
        self.begin(time_of(record.get("updated_at")))
        self.begin(time_of(snapshot.get("timestamp")) or time_of(record.get("created_at")))
        for location in (
            *get_list(record, "folders"),
            *(get(entry, "worktree_path") for entry in get_list(snapshot, "worktree_snapshots")),
        ):
            self.add_cwd(location)
        self.cwd = next(iter(self.cwds), "")
        self.model = get_str(record, "model", "model")
        tokens = get_dict(record, "request_token_usage")
        for number, message in enumerate(get_list(record, "messages")):
            if get(message, "User") is not None:
                self._user(get_dict(message, "User"), number, tokens)
            elif get(message, "Agent") is not None:
                self._answer(get_dict(message, "Agent"), number)

    def _user(self, user: dict[str, Any], number: int, tokens: dict[str, Any]) -> None:
        key = get_str(user, "id") or f"message {number}"
        if not self.is_new(key):
            return
        self.begin(None)
        texts = (get_str(block, "Text") for block in get_list(user, "content"))
        self.add_prompt(key, None, "\n".join(filter(None, texts)))
        used = get_dict(tokens, key)
        if used:
            put_in, out, read, written = (
                get_int(used, name)
                for name in ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
            )
            self.add_usage(Usage(key, None, 0, self.model, put_in, out, read, written))

    def _answer(self, answer: dict[str, Any], number: int) -> None:
        key = f"message {number}"
        if not self.is_new(key):
            return
        self.begin(None)
        results = get_dict(answer, "tool_results")
        for index, block in enumerate(get_list(answer, "content")):
            if get_str(block, "Text"):
                self.add_message((key, index), None, "text", get_str(block, "Text"))
            elif get(block, "Thinking") is not None:
                self.add_message((key, index), None, "reasoning", get_str(block, "Thinking", "text"))
            elif use := get_dict(block, "ToolUse"):
                call_id = get_str(use, "id") or f"{key}/{index}"
                call = Call(
                    call_id, get_str(use, "name"), get_dict(use, "input"), None, self.order, model=self.model, message_id=key
                )
                self.add_call(call, _result(get_dict(results, get_str(use, "id"))))

    # --- what a call did ------------------------------------------------------------------------------------------

    def outcome(self, call: Call, result: Result) -> Outcome:
        if not result.recorded:
            return Status.UNKNOWN, ""
        return (Status.ERROR, result.text[:ERROR_CHARS]) if result.failed else (Status.OK, "")

    def command(self, call: Call, result: Result) -> Command:
        return shell_command(get_str(call.arguments, "command"), self._path(get_str(call.arguments, "cd")) or self.cwd, result.text)

    def edits(self, call: Call, result: Result) -> list[Edit]:
        arguments = get_dict(call.arguments)
        path = self._path(get_str(arguments, "path"))
        if call.name in ("move_path", "copy_path"):
            old, new = (self._path(get_str(arguments, name)) for name in ("source_path", "destination_path"))
            return [Edit(old, call.name.partition("_")[0], new_path=new)] if old and new else []
        if call.name == "delete_path":
            return deletions({"path": path})
        if call.name not in _EDITORS or not path:
            return []
        before, after = get(result.details, "old_text"), get(result.details, "new_text")
        if isinstance(before, str) and isinstance(after, str):
            hunks = parse_unified(get_str(result.details, "diff"))
            return [Edit(path, "edit", before=before or None, before_known=True, after=after, hunks=hunks)]
        return edits_from_arguments({**arguments, "path": path})

    def _path(self, path: str) -> str:
        """`tally/src/a.go` of the directory `/home/ana/work/tally`."""
        first, _, remainder = normal_path(path).partition("/")
        root = next((cwd for cwd in self.cwds if first and PurePosixPath(normal_path(cwd)).name == first), "")
        if not root:
            return normal_path(path)
        return normal_path(f"{root}/{remainder}")


def _result(value: dict[str, Any]) -> Result | None:
    if not value:
        return None
    content, output = value.get("content"), value.get("output")
    blocks = objects(content) or [get_dict(value, "content")]
    text = "\n".join(display for block in blocks if (display := get_str(block, "Text")))
    text = text or (content if isinstance(content, str) else output if isinstance(output, str) else to_json(output))
    return Result(None, text, value.get("is_error") is True, output)


# --- sessions on this machine ----------------------------------------------------------------------------------------

_COLUMNS = frozenset({"id", "updated_at", "data_type", "data"})
_MORE = ("folder_paths", "created_at", "parent_id")
_LARGEST = 400_000_000  # bytes of a thread


def _places(machine: Machine) -> list[Path]:
    homes = [machine.variable("FLATPAK_XDG_DATA_HOME", machine.data) / "zed", machine.data / "zed"]
    homes += [machine.home / "Library" / "Application Support" / "Zed", machine.home / "AppData" / "Local" / "Zed"]
    return machine.existing(home / "threads" / "threads.db" for home in homes)


def _find(location: Path, roots: Roots) -> Iterator[LocalSession]:
    with copied(location) as database:
        if not database.has({"threads": _COLUMNS}):
            return
        columns = database.present("threads", ("id", "updated_at", *_MORE))
        for row in database.rows(f"SELECT {columns} FROM threads"):
            if not row.get("parent_id"):
                folders = _folders(row) or _named_folders(_thread(database, str(row["id"])))
                mine = next((folder for folder in folders if roots.of(folder)), "")
                if mine:
                    yield _session(location, row, mine)


def _load(session: LocalSession) -> Iterator[bytes]:
    with copied(session.files[0]) as database:
        columns = database.present("threads", ("id", *_MORE))
        (row,) = database.rows(f"SELECT {columns} FROM threads WHERE id = ?", (session.key,))
        thread = _thread(database, session.key)
    yield json.dumps({**thread, "folders": _folders(row) or [session.cwd], "created_at": row.get("created_at")}).encode()


def _session(location: Path, row: dict[str, Any], cwd: str) -> LocalSession:
    number, updated = str(row["id"]), row["updated_at"]
    why, stamp = f"its project is in {cwd}", f"{number} {updated}"
    return LocalSession(number, (location,), why, number, cwd, stamp, time_of(updated) or 0.0)


def _folders(row: dict[str, Any]) -> list[str]:
    return [folder for folder in str(row.get("folder_paths") or "").split("\n") if folder]


def _named_folders(thread: dict[str, Any]) -> list[str]:
    """Directories that the document itself names: older databases have no column for them."""
    snapshot = thread.get("initial_project_snapshot")
    worktrees = objects(snapshot.get("worktree_snapshots")) if isinstance(snapshot, dict) else []
    return [path for entry in worktrees if (path := get_str(entry, "worktree_path"))]


def _thread(database: CopiedDatabase, number: str) -> dict[str, Any]:
    """Raises ValueError for a document that is damaged."""
    (row,) = database.rows("SELECT data_type, data FROM threads WHERE id = ?", (number,))
    data = row["data"] if isinstance(row["data"], bytes) else str(row["data"]).encode()
    value = parse_json(decode(zstd.decompressed(data, _LARGEST) if data.startswith(zstd.MAGIC) else data))
    if not isinstance(value, dict):
        raise ValueError(f"thread {number} holds something else than a JSON object")
    return value


STORES = (
    Store(
        NAME,
        "`threads/threads.db` of Zed, table `threads`: a compressed document each; "
        "`folder_paths` names the directories of the project.",
        Known.DOCUMENTATION,
        _places,
        _find,
        load=_load,
        evidence="its source, and what other projects tell about real threads",
    ),
)
