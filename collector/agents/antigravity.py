"""Antigravity: JSONL of steps `{step_index, source, type, status, created_at, content?, thinking?, tool_calls?}`.

A `PLANNER_RESPONSE` asks for tools; the steps that follow are their results, in the same order. Until mid-2026 each argument was
JSON text in JSON. The prompt stands in `<USER_REQUEST>`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from collector.agents.common.arguments import deletions, edits_from_arguments
from collector.agents.common.calls import ERROR_CHARS, Call, Outcome, Result, commits_in, shell_command
from collector.agents.common.facets import FACETS
from collector.agents.common.jsonl import copies, records
from collector.agents.common.prompts import classify
from collector.agents.common.reader import RecordReader
from collector.agents.common.uris import path_of
from collector.agents.machine import files
from collector.agents.machine.model import Known, LocalSession, Machine, Store
from collector.agents.machine.roots import Roots
from collector.git.patches import parse_unified
from collector.json_values import get_dict, get_list, get_str, parse_json, time_of
from collector.model import Command, Edit, Session, Status
from collector.vocabulary.agents import Agent

NAME = "antigravity"
AGENT = Agent(
    NAME,
    "Antigravity",
    tools={
        "read": "view_file",
        "grep": "grep_search",
        "glob": "list_dir find_by_name",
        "write": "write_to_file",
    },
)
GIVES = frozenset(FACETS) - {"before", "reads", "subagents", "tokens", "commits"}
ORDER = 80

_EDIT_TOOLS = frozenset({"write_to_file", "replace_file_content", "multi_replace_file_content"})
_STATUS = {"DONE": Status.OK, "ERROR": Status.ERROR, "CANCELED": Status.REJECTED, "CANCELLED": Status.REJECTED}
_REQUEST = re.compile(r"<USER_REQUEST>\s*(.*?)\s*</USER_REQUEST>", re.S)
_MODEL = re.compile(r"`Model Selection` from .{0,100}? to (.{1,80}?)\. No need")
_NO_RESULT = frozenset({"PLANNER_RESPONSE", "USER_INPUT", "CONVERSATION_HISTORY", "EPHEMERAL_MESSAGE", "CHECKPOINT"})
_OUTPUT = re.compile(r"(?:Stdout|Output):\s*\n(.*?)(?:\n\s*Stderr:|\Z)", re.S)
_FAILED = re.compile(r"^\s*The command (?:exited with code|failed with exit code:?) [1-9]", re.M)


def sniff(head: object) -> bool:
    return isinstance(head, dict) and "step_index" in head


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    """Steps by their index: the first copy that has a step counts, unless it still shows it running."""
    reader = _Reader(NAME, session_id)
    steps: dict[int, dict[str, Any]] = {}
    for record in records(copies(blobs), reader.problems, session_id):
        index = record.get("step_index")
        if isinstance(index, int) and (index not in steps or steps[index].get("status") == "RUNNING"):
            steps[index] = record
    for index in sorted(steps):
        reader.take(steps[index])
    return reader.session()


class _Reader(RecordReader):
    shells = frozenset({"run_command"})

    def __init__(self, agent: str, session_id: str) -> None:
        super().__init__(agent, session_id)
        self.waiting: list[Call] = []  # calls whose results have not come yet

    def take(self, record: dict[str, Any]) -> None:
        index, time = record["step_index"], time_of(record.get("created_at"))
        self.begin(time)
        kind, content = get_str(record, "type"), get_str(record, "content")
        if kind == "USER_INPUT":
            self._user(content, index, time)
        elif kind == "PLANNER_RESPONSE":
            self._plan(record, content, index, time)
        elif record.get("source") == "MODEL" and kind not in _NO_RESULT and self.waiting:
            self.add_result(self.waiting.pop(0).id, Result(time, content, details=record))
        elif kind == "ERROR_MESSAGE":
            self.add_event("api_error", time, content)

    def _user(self, content: str, index: int, time: float | None) -> None:
        request, model = _REQUEST.search(content), _MODEL.search(content)
        text = request[1] if request else content
        self.model = self.switched("model_change", self.model, model[1] if model else "", time)
        self.add_turn(index, time, text, classify(text).value)

    def _plan(self, step: dict[str, Any], content: str, index: int, time: float | None) -> None:
        self.waiting = []  # results that have not come by now never come
        if get_str(step, "thinking"):
            self.add_message((index, "reasoning"), time, "reasoning", get_str(step, "thinking").strip())
        if content:
            self.add_message(index, time, "text", content)
        for number, request in enumerate(get_list(step, "tool_calls")):
            name = get_str(request, "name")
            arguments = _decoded(get_dict(request, "args"))
            cwd = self.add_cwd(arguments.get("Cwd")) if name == "run_command" else ""
            call = Call(f"{index}/{number}", name, arguments, time, self.order, model=self.model, cwd=cwd)
            self.add_call(call)
            self.waiting.append(call)

    def outcome(self, call: Call, result: Result) -> Outcome:
        status = _STATUS.get(get_str(result.details, "status"), Status.UNKNOWN)
        if status is Status.OK and call.name in self.shells and _FAILED.search(result.text):
            status = Status.ERROR
        return status, result.text[:ERROR_CHARS] if status in (Status.ERROR, Status.REJECTED) else ""

    def command(self, call: Call, result: Result) -> Command:
        printed = _OUTPUT.search(result.text)
        output = (printed[1] if printed else result.text).strip()
        running = get_str(result.details, "status") == "RUNNING"
        return shell_command(get_str(call.arguments, "CommandLine"), call.cwd, output, background=running)

    def commits(self, command: Command, result: Result) -> tuple[str, ...]:
        return commits_in(command, command.output)

    def edits(self, call: Call, result: Result) -> list[Edit]:
        if call.name == "delete_file":
            return deletions(call.arguments)
        if call.name not in _EDIT_TOOLS:
            return []
        arguments = get_dict(call.arguments)
        chunks = arguments.get("ReplacementChunks")
        chunks = parse_json(chunks) if isinstance(chunks, str) else chunks
        if isinstance(chunks, list):
            parsed = (parse_json(chunk) if isinstance(chunk, str) else chunk for chunk in chunks)
            arguments = {**arguments, "ReplacementChunks": [_decoded(get_dict(chunk)) for chunk in parsed]}
        return edits_from_arguments(arguments, hunks=parse_unified(result.text))


def _decoded(arguments: dict[str, Any]) -> dict[str, Any]:
    """Arguments without the JSON around a text or a truth value (the text of a file may itself be JSON)."""
    return {str(name): _decode(value) for name, value in arguments.items()}


def _decode(value: object) -> object:
    if not isinstance(value, str) or not (value.startswith('"') or value in ("true", "false")):
        return value
    inner = parse_json(value)
    return inner if inner is not None else value


# --- sessions on this machine ----------------------------------------------------------------------------------------

# A transcript names no directory: a list beside it does, else the directory that its first commands ran in.
_HOMES = ("antigravity-cli", "antigravity", "antigravity-ide")
_LOGS = Path(".system_generated") / "logs"
_NAMES = ("transcript_full.jsonl", "transcript.jsonl")  # the second is cut
_PATHS = re.compile(rb'"(?:Cwd|TargetFile|AbsolutePath)":\s*"(?:\\")?(/[^"\\]{1,1000})')
_LISTS = ("conversation_metadata.json", "last_conversations.json")


def _places(machine: Machine) -> list[Path]:
    return machine.existing(machine.home / ".gemini" / name / "brain" for name in _HOMES)


def _session_files(location: Path) -> Iterator[Path]:
    for session in files.directories(location):
        logs = session / _LOGS
        path = next((logs / name for name in _NAMES if (logs / name).is_file()), None)
        if path is not None:
            yield path


def _find(location: Path, roots: Roots) -> Iterator[LocalSession]:
    listed = _list_sessions(location.parent / "cache")
    for path in _session_files(location):
        number = path.parents[2].name
        named = listed.get(number) or [decoded.decode("utf-8", "replace") for decoded in _PATHS.findall(files.head(path))]
        cwd = next((roots.of(entry) for entry in named if roots.of(entry)), "")
        if cwd:
            yield LocalSession(number, (path,), f"worked in {cwd}", cwd=cwd)


def _list_sessions(cache: Path) -> dict[str, list[str]]:
    """Session -> directories of its workspace."""
    results: dict[str, list[str]] = {}
    for name in _LISTS:
        document = files.document(cache / name)
        for number, about in document.items() if isinstance(document, dict) else ():
            if name == _LISTS[1]:  # directory -> its last session
                results.setdefault(str(about), []).append(number)
            else:
                uris = [*get_list(about, "WorkspaceURIs"), *get_list(about, "workspaceURIs"), get_str(about, "workspace")]
                results.setdefault(number, []).extend(_path(uri) for uri in uris if isinstance(uri, str) and uri)
    return results


def _path(uri: str) -> str:
    return path_of(uri) if uri.startswith("file:") else uri


STORES = (
    Store(
        NAME,
        "`~/.gemini/antigravity-cli/brain/<id>/.system_generated/logs/transcript_full.jsonl`, and that of the editor beside it.",
        Known.REAL,
        _places,
        _find,
        stored=_session_files,
    ),
)
