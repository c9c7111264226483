"""Amp: a thread, one document `{v, id, env, messages}`, or JSONL of its messages `{threadID, role, messageId, content}`.

The blocks of a message are Anthropic's, but for results: `{toolUseID, run: {status, result}}`. Only a document names the directory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from collector.agents.common.arguments import argument, deletions, edits_from_arguments, edits_from_patch
from collector.agents.common.calls import ERROR_CHARS, Call, Outcome, Result, shell_command
from collector.agents.common.jsonl import copies, first_value
from collector.agents.common.messages import text_of
from collector.agents.common.reader import RecordReader
from collector.agents.common.uris import path_of
from collector.agents.machine import files
from collector.agents.machine.model import Known, LocalSession, Machine, Store
from collector.agents.machine.roots import Roots
from collector.git.patches import parse_unified
from collector.json_values import get, get_dict, get_int, get_str, objects, time_of
from collector.model import Command, Edit, Session, Status, Usage
from collector.text import resolve
from collector.vocabulary.agents import Agent

NAME = "amp"
AGENT = Agent(
    NAME,
    "Amp",
    accounts=r"amp@ampcode\.com|noreply@ampcode\.com",
    tools={"read": "read", "write": "create_file", "edit": "edit_file", "agent": "task"},
)
GIVES = frozenset({"times", "results", "text", "positions", "commands", "commits", "models", "tokens", "directory"})
ORDER = 28
UNTESTED = "all of it"

_ROLES = frozenset({"user", "assistant", "info"})
_WRITERS = frozenset({"edit_file", "create_file", "edit", "write"})
_STATUS = {"done": Status.OK, "error": Status.ERROR, "cancelled": Status.ERROR, "rejected-by-user": Status.REJECTED}


def sniff(head: object) -> bool:
    if not isinstance(head, dict):
        return False
    if isinstance(head.get("messages"), list):
        named = isinstance(head.get("id"), str) and ("v" in head or "env" in head) and "info" not in head
        return named and all(_is_message(message) for message in head["messages"])
    return _is_message(head) and ("threadID" in head or "messageId" in head)


def _is_message(value: object) -> bool:
    return isinstance(value, dict) and value.get("role") in _ROLES and isinstance(value.get("content", []), list)


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    reader = _Reader(NAME, session_id)
    value = copies(blobs)
    documents = [blob for blob in value if "messages" in get_dict(first_value(blob))]
    if documents:  # it has all that the lines have
        return reader.read_documents(documents)
    return reader.read_lines(value)


class _Reader(RecordReader):
    shells = frozenset({"Bash", "shell_command"})
    spawns = frozenset({"Task"})
    latest: float | None = None  # time of the message before: those with results alone have none

    def take(self, record: dict[str, Any]) -> None:
        if "messages" not in record:
            self._message(record)
            return
        self.begin(time_of(record.get("created")))
        initial = get_dict(record, "env", "initial")
        for tree in objects(initial.get("trees")):
            self.add_cwd(path_of(tree.get("uri")))
        self.cwd = next(iter(self.cwds), "")
        self.add_version(get_str(initial, "platform", "clientVersion"))
        for message in objects(record.get("messages")):
            self._message(message)

    def _message(self, message: dict[str, Any]) -> None:
        role, number = get_str(message, "role"), message.get("messageId")
        key = f"{role} {number}" if number is not None else f"record {self.order}"
        if not self.is_new(key):
            return
        time = time_of(get(message, "usage", "timestamp")) or time_of(get(message, "meta", "sentAt")) or self.latest
        self.latest = time
        self.begin(time)
        blocks = objects(message.get("content"))
        if role == "assistant":
            self._answer(message, blocks, key, time)
        elif role == "user":
            text = text_of([block for block in blocks if block.get("type") == "text"])
            self.add_prompt(key, time, text)
        for block in blocks:
            if block.get("type") == "tool_result":
                self._result(block, time_of(get(message, "meta", "sentAt")))

    def _answer(self, message: dict[str, Any], blocks: list[dict[str, Any]], key: str, time: float | None) -> None:
        usage = get_dict(message, "usage")
        self.model = self.switched("model_change", self.model, get_str(usage, "model"), time)
        if usage:
            self.add_usage(_usage(usage, key, time))
        if get_str(message, "state", "type") == "cancelled":
            self.add_event("interrupt", time)
        for index, block in enumerate(blocks):
            if block.get("type") == "tool_use":
                started = time_of(block.get("startTime")) or time
                call_id, arguments = get_str(block, "id") or f"{key}/{index}", block.get("input")
                call = Call(
                    call_id, get_str(block, "name"), arguments, started, self.order, model=self.model, message_id=key, cwd=self.cwd
                )
                self.add_call(call)
            else:
                self.add_block((key, index), time, block)

    def _result(self, block: dict[str, Any], time: float | None) -> None:
        run = get_dict(block, "run")
        result, status = run.get("result"), get_str(run, "status")
        display = get(result, "output") if isinstance(result, dict) else result
        text = get_str(run, "error", "message") or text_of(display)
        self.add_result(get_str(block, "toolUseID"), Result(time, text, details=run, recorded=status in _STATUS))

    # --- what a call did ------------------------------------------------------------------------------------------

    def outcome(self, call: Call, result: Result) -> Outcome:
        status = _STATUS.get(get_str(result.details, "status"), Status.UNKNOWN)
        code = get_int(result.details, "result", "exitCode")
        if status is Status.OK and call.name in self.shells and code > 0:
            return Status.ERROR, f"exit {code}"
        return status, "" if status in (Status.OK, Status.UNKNOWN) else result.text[:ERROR_CHARS]

    def command(self, call: Call, result: Result) -> Command:
        cwd = resolve(call.cwd, argument(call.arguments, "cwd", "workdir")) or call.cwd
        return shell_command(argument(call.arguments, "cmd", "command"), cwd, result.text)

    def edits(self, call: Call, result: Result) -> list[Edit]:
        if call.name == "apply_patch":
            return edits_from_patch(call.arguments, call.cwd)
        if call.name == "delete_file":
            return deletions(call.arguments, call.cwd)
        if call.name == "undo_edit":  # to what it was before the latest edit: its text is not told
            return [Edit(path, "edit")] if (path := resolve(call.cwd, argument(call.arguments, "path"))) else []
        if call.name not in _WRITERS:
            return []
        display = parse_unified(get_str(result.details, "result", "diff"))
        return edits_from_arguments(call.arguments, call.cwd, hunks=tuple(replace(hunk, exact_text=False) for hunk in display))


def _usage(usage: dict[str, Any], key: str, time: float | None) -> Usage:
    """Models of OpenAI bill no writing to a cache: Amp puts all of their input that was not cached there."""
    model, fresh, written = get_str(usage, "model"), get_int(usage, "inputTokens"), get_int(usage, "cacheCreationInputTokens")
    if model.startswith("gpt-"):
        fresh, written = fresh + written, 0
    return Usage(key, time, 0, model, fresh, get_int(usage, "outputTokens"), get_int(usage, "cacheReadInputTokens"), written)


# --- sessions on this machine ----------------------------------------------------------------------------------------


def _places(machine: Machine) -> list[Path]:
    return machine.existing([machine.data / "amp" / "threads"])


def _session_files(location: Path) -> Iterator[Path]:
    return (path for path in files.listed(location, (".json",)) if path.name.startswith("T-"))


def _find(location: Path, roots: Roots) -> Iterator[LocalSession]:
    for path in _session_files(location):
        trees = objects(get(files.document(path), "env", "initial", "trees"))
        cwd = next((folder for tree in trees if roots.of(folder := path_of(get_str(tree, "uri")))), "")
        if cwd:
            yield LocalSession(path.stem, (path,), f"started in {cwd}", cwd=cwd)


def _load(session: LocalSession) -> Iterator[bytes]:
    yield files.content(session.files[0])


STORES = (
    Store(
        NAME,
        "`~/.local/share/amp/threads/T-*.json` of Amp until March 2026; a thread names the directories it was started in.",
        Known.DOCUMENTATION,
        _places,
        _find,
        load=_load,
        stored=_session_files,
        evidence="its plug-in for Entire, and what other projects read",
    ),
)
