"""Mistral Vibe: entries of a talk, `{type: "message" | "effect", id, createdAt}`, behind a line
about the session.

They stand in the chunk that the current generation of a session names; what came later is in its
journal.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from collector.agents.common.messages import text_of
from collector.agents.common.reader import Call, RecordReader, Result
from collector.agents.machine import files
from collector.agents.machine.model import LocalSession, Store
from collector.json_values import (
    JsonObject,
    Moment,
    get,
    get_dict,
    get_int,
    get_list,
    get_str,
    get_time,
    has,
    objects,
    parse_json,
)
from collector.model import FileObservation, Status
from collector.text import decode
from collector.vocabulary.agents import Agent

NAME = "mistral-vibe"
AGENT = Agent(NAME, "Mistral Vibe", accounts=r"vibe@mistral\.ai")
GIVES = frozenset(
    {
        "times",
        "results",
        "text",
        "before",
        "reads",
        "commands",
        "commits",
        "models",
        "tokens",
        "directory",
    }
)
ORDER = 94

_NAME = re.compile(r"\w[\w.-]{0,199}")
_REPLACE = "mistralai.vibe.sdk.search_replace"


def sniff(head: object) -> bool:
    return get(head, "type") == "session" and has(head, entries=int)


class _Reader(RecordReader):
    shells = ("file_system.bash", "process.start")
    writers = ("file_system.write_file", "file_system.search_replace")
    reads = ("file_system.read_file",)

    def take(self, record: JsonObject) -> None:
        """The line about the session is put there by `_load`."""
        kind = get_str(record, "type")
        key = get_str(record, "id")
        time = get_time(record, "createdAt")
        self.begin(time)
        if kind == "session":
            self.add_cwd(record.get("directory"))
            self.model = get_str(record, "model")
            self.count_tokens("session", get_time(record, "updatedAt"), record.get("tokens"))
        elif kind == "message" and get_str(record, "role") == "user":
            self.add_prompt(key, time, text_of(record.get("content")))
        elif kind == "message":
            self.add_message(key, time, "text", text_of(record.get("content")))
        elif kind == "effect":
            arguments = get_dict(record, "detail", "input")
            state = get_dict(record, "state")
            edits = (
                {"edits": arguments["content"]}
                if isinstance(arguments.get("content"), list)
                else {}
            )
            result = _result(state, get_time(record, "updatedAt"))
            self.call_tool(
                key, get_str(record, "detail", "toolName"), {**arguments, **edits}, time, result
            )

    def result_fields(self, call: Call, result: Result) -> JsonObject:
        before = get(result.details, "_meta", _REPLACE, "previous_content")
        if isinstance(before, str):
            return {"before": before, "before_known": True}
        return {}

    def observation(self, call: Call, result: Result) -> FileObservation | None:
        shown = get_dict(result.details, "structured_content")
        whole = not get_int(shown, "offset") and shown.get("was_truncated") is False
        return self.display(
            call, result, get_str(shown, "content"), get_int(shown, "offset") + 1, whole
        )


read = _Reader.line_reader(NAME)


def _result(state: JsonObject, time: Moment) -> Result:
    output = get_dict(state, "output")
    shown = get_dict(output, "structured_content")
    text = "".join(get_str(shown, name) for name in ("stdout", "stderr", "content"))
    allowed = get_str(state, "decision") in ("", "execute")
    status = (
        Status.OK
        if get_str(output, "type") == "success"
        else Status.ERROR
        if allowed
        else Status.REJECTED
    )
    code = get_int(shown, "returncode")
    return Result(
        time,
        text,
        status,
        details=output,
        exit_code=code,
        recorded=get_str(state, "status") not in ("running", "pending", ""),
    )


# --- sessions on this machine ---------------------------------------------------------------------


def _whose(path: Path) -> tuple[str, str]:
    about = files.document(path.with_name("meta.json"))
    return path.parent.name, get_str(about, "environment", "working_directory")


def _plain(name: object) -> str:
    """A name that a file of the session has, if it is one; "-" for anything else."""
    if isinstance(name, str) and _NAME.fullmatch(name):
        return name
    return "-"


def _load(session: LocalSession) -> Iterator[bytes]:
    """A line about the session, then its entries, each as it stood last."""
    path, *journals = session.files
    directory = path.parent
    meta = files.document(path.with_name("meta.json"))
    generation = directory / "generations" / _plain(get_str(files.document(path), "generation"))
    state = get_dict(files.document(generation / "projection-state.json"), "snapshot", "session")
    changes = []
    for name in get_list(
        files.document(generation / "manifest.json"), "projection_state", "chunks"
    ):
        changes += [
            {"entry": entry}
            for entry in objects(files.document(directory / "chunks" / f"{_plain(name)}.json"))
        ]
    for journal in journals:
        for line in files.lines(journal).splitlines():
            changes += objects(get_list(parse_json(decode(line)), "payload", "delta"))
    entries = {
        get_str(change, "entry", "id"): get_dict(change, "entry")
        for change in changes
        if get_dict(change, "entry")
    }
    for change in changes:
        later = get_dict(change, "state", "session")
        if get_int(later, "updatedAt") > get_int(state, "updatedAt"):
            state = later
    about = {
        "type": "session",
        "entries": len(entries),
        "directory": session.cwd,
        "model": get_str(meta, "config", "model_name"),
        "tokens": get_dict(state, "tokenUsage"),
        "createdAt": state.get("createdAt"),
        "updatedAt": state.get("updatedAt"),
    }
    yield "\n".join(map(json.dumps, [about, *entries.values()])).encode()


STORES = (
    Store(
        NAME,
        at=("${VIBE_HOME:-~/.vibe}/logs/session/unified",),
        patterns=("*/CURRENT",),
        whose=_whose,
        beside=lambda path: files.match_files(path.parent, "journal/*.jsonl"),
        load=_load,
    ),
)
