"""Antigravity: JSONL of steps
`{step_index, source, type, status, created_at, content?, thinking?, tool_calls?}`.

A `PLANNER_RESPONSE` asks for tools; the steps that follow are their results, in the same order.
Until mid-2026 each argument was JSON text in JSON. The prompt stands in `<USER_REQUEST>`.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from collector.agents.common.jsonl import copies, records
from collector.agents.common.messages import classify
from collector.agents.common.reader import FACETS, Call, RecordReader, Result
from collector.agents.machine import files
from collector.agents.machine.editors import path_of
from collector.agents.machine.model import LocalSession, Roots, Store
from collector.git.patches import parse_unified
from collector.json_values import get_dict, get_list, get_str, parse_json, time_of
from collector.model import Session, Status
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

_STATUS = {
    "DONE": Status.OK,
    "ERROR": Status.ERROR,
    "CANCELED": Status.REJECTED,
    "CANCELLED": Status.REJECTED,
}
_REQUEST = re.compile(r"<USER_REQUEST>\s*(.*?)\s*</USER_REQUEST>", re.S)
_MODEL = re.compile(r"`Model Selection` from .{0,100}? to (.{1,80}?)\. No need")
_NO_RESULT = frozenset(
    {"PLANNER_RESPONSE", "USER_INPUT", "CONVERSATION_HISTORY", "EPHEMERAL_MESSAGE", "CHECKPOINT"}
)
_OUTPUT = re.compile(r"(?:Stdout|Output):\s*\n(.*?)(?:\n\s*Stderr:|\Z)", re.S)


def sniff(head: object) -> bool:
    return isinstance(head, dict) and "step_index" in head


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    """Steps by their index: the first copy that has a step counts, unless it still shows it
    running.
    """
    reader = _Reader(NAME, session_id)
    steps: dict[int, dict[str, Any]] = {}
    for record in records(copies(blobs), reader.problems, session_id):
        index = record.get("step_index")
        if isinstance(index, int) and (
            index not in steps or steps[index].get("status") == "RUNNING"
        ):
            steps[index] = record
    for index in sorted(steps):
        reader.take(steps[index])
    return reader.session()


class _Reader(RecordReader):
    ids_are_places = True
    shells = frozenset({"run_command"})
    writers = frozenset({"write_to_file", "replace_file_content", "multi_replace_file_content"})
    exits = re.compile(
        r"^\s*The command (?:exited with code|failed with exit code:?) (\d{1,9})", re.M
    )

    def __init__(self, agent: str, session_id: str) -> None:
        super().__init__(agent, session_id)
        self.waiting: list[str] = []  # calls whose results have not come yet

    def take(self, record: dict[str, Any]) -> None:
        index, time = record["step_index"], time_of(record.get("created_at"))
        self.begin(time)
        kind, content = get_str(record, "type"), get_str(record, "content")
        if kind == "USER_INPUT":
            self._user(content, index, time)
        elif kind == "PLANNER_RESPONSE":
            self._plan(record, content, index, time)
        elif record.get("source") == "MODEL" and kind not in _NO_RESULT and self.waiting:
            self._result(self.waiting.pop(0), get_str(record, "status"), content, time)
        elif kind == "ERROR_MESSAGE":
            self.add_event("api_error", time, content)

    def _user(self, content: str, index: int, time: float | None) -> None:
        request, model = _REQUEST.search(content), _MODEL.search(content)
        text = request[1] if request else content
        self.use_model(model[1] if model else "", time)
        self.add_turn(index, time, text, classify(text).value)

    def _plan(self, step: dict[str, Any], content: str, index: int, time: float | None) -> None:
        self.waiting = []  # results that have not come by now never come
        if get_str(step, "thinking"):
            self.add_message(
                (index, "reasoning"), time, "reasoning", get_str(step, "thinking").strip()
            )
        if content:
            self.add_message(index, time, "text", content)
        for number, request in enumerate(get_list(step, "tool_calls")):
            name, arguments = get_str(request, "name"), _decode_all(get_dict(request, "args"))
            if name in self.shells:
                self.add_cwd(arguments.get("Cwd"))
            self.waiting.append(self.call_tool(f"{index}/{number}", name, arguments, time, cwd=""))

    def _result(self, call_id: str, status: str, content: str, time: float | None) -> None:
        printed = _OUTPUT.search(content)
        output, running = (printed[1] if printed else content).strip(), status == "RUNNING"
        ended = _STATUS.get(status, Status.UNKNOWN)
        self.add_result(call_id, Result(time, content, ended, printed=output, running=running))

    def result_fields(self, call: Call, result: Result) -> dict[str, Any]:
        return {"hunks": parse_unified(result.text)}


def _decode_all(arguments: dict[str, Any]) -> dict[str, Any]:
    """Arguments without the JSON around a text, a truth value or replacements; the text of a
    file may itself be JSON.
    """
    return {name: _decode(name, value) for name, value in arguments.items()}


def _decode(name: str, value: object) -> object:
    if name == "ReplacementChunks":
        listed = parse_json(value) if isinstance(value, str) else value
        chunks = (
            parse_json(chunk) if isinstance(chunk, str) else chunk
            for chunk in (listed if isinstance(listed, list) else ())
        )
        return [_decode_all(get_dict(chunk)) for chunk in chunks]
    if not isinstance(value, str) or not (value.startswith('"') or value in ("true", "false")):
        return value
    inner = parse_json(value)
    return inner if inner is not None else value


# --- sessions on this machine ---------------------------------------------------------------------

# A transcript names no directory: a list beside it does, else the directory that its first commands
# ran in.
_PATHS = re.compile(rb'"(?:Cwd|TargetFile|AbsolutePath)":\s*"(?:\\")?(/[^"\\]{1,1000})')
_LISTS = ("conversation_metadata.json", "last_conversations.json")
_TRANSCRIPTS = "*/.system_generated/logs/transcript*.jsonl"


def _find(location: Path, roots: Roots) -> Iterator[LocalSession]:
    listed = _list_sessions(location.parent / "cache")
    # `transcript.jsonl` is cut
    whole = {path.parents[2].name: path for path in files.match_files(location, _TRANSCRIPTS)}
    for number, path in whole.items():
        named = listed.get(number) or [
            decoded.decode("utf-8", "replace") for decoded in _PATHS.findall(files.head(path))
        ]
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
                uris = [
                    *get_list(about, "WorkspaceURIs"),
                    *get_list(about, "workspaceURIs"),
                    get_str(about, "workspace"),
                ]
                named = (uri for uri in uris if isinstance(uri, str) and uri)
                results.setdefault(number, []).extend(
                    path_of(uri) if uri.startswith("file:") else uri for uri in named
                )
    return results


STORES = (
    Store(
        NAME,
        at=("~/.gemini/{antigravity-cli,antigravity,antigravity-ide}/brain",),
        patterns=(_TRANSCRIPTS,),
        find=_find,
    ),
)
