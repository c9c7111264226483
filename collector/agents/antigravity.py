"""Antigravity: JSONL of steps
`{step_index, source, type, status, created_at, content?, thinking?, tool_calls?}`.

A `PLANNER_RESPONSE` asks for tools; the steps that follow are their results, in the same order.
Until mid-2026 each argument was JSON text in JSON. The prompt stands in `<USER_REQUEST>`.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from collector.agents.common.jsonl import copies, records
from collector.agents.common.messages import classify
from collector.agents.common.reader import FACETS, Call, RecordReader, Result, status_of
from collector.agents.machine import files
from collector.agents.machine.editors import path_of
from collector.agents.machine.model import LocalSession, Roots, Store
from collector.git.patches import parse_unified
from collector.json_values import (
    JsonObject,
    Moment,
    get_dict,
    get_list,
    get_str,
    get_time,
    parse_json,
)
from collector.model import Session
from collector.text import first_group
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

_REQUEST = re.compile(r"<USER_REQUEST>\s*(.*?)\s*</USER_REQUEST>", re.S)
_MODEL = re.compile(r"`Model Selection` from .{0,100}? to (.{1,80}?)\. No need")
_NO_RESULT = (
    "PLANNER_RESPONSE",
    "USER_INPUT",
    "CONVERSATION_HISTORY",
    "EPHEMERAL_MESSAGE",
    "CHECKPOINT",
)
_OUTPUT = re.compile(r"(?:Stdout|Output):\s*\n(.*?)(?:\n\s*Stderr:|\Z)", re.S)


def sniff(head: object) -> bool:
    return isinstance(head, dict) and "step_index" in head


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    """Steps by their index: the first copy that has a step counts, unless it still shows it
    running.
    """
    reader = _Reader(NAME, session_id)
    steps: dict[int, JsonObject] = {}
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
    shells = ("run_command",)
    writers = ("write_to_file", "replace_file_content", "multi_replace_file_content")
    exits = re.compile(
        r"^\s*The command (?:exited with code|failed with exit code:?) (\d{1,9})", re.M
    )

    def prepare(self) -> None:
        self.waiting: list[str] = []  # calls whose results have not come yet

    def take(self, record: JsonObject) -> None:
        index = record["step_index"]
        time = get_time(record, "created_at")
        self.begin(time)
        kind = get_str(record, "type")
        content = get_str(record, "content")
        if kind == "USER_INPUT":
            self._user(content, index, time)
        elif kind == "PLANNER_RESPONSE":
            self._plan(record, content, index, time)
        elif record.get("source") == "MODEL" and kind not in _NO_RESULT and self.waiting:
            self._result(self.waiting.pop(0), get_str(record, "status"), content, time)
        elif kind == "ERROR_MESSAGE":
            self.add_event("api_error", time, content)

    def _user(self, content: str, index: int, time: Moment) -> None:
        request = _REQUEST.search(content)
        text = request[1] if request else content
        self.use_model(first_group(_MODEL.search(content)), time)
        self.add_turn(index, time, text, classify(text).value)

    def _plan(self, step: JsonObject, content: str, index: int, time: Moment) -> None:
        self.waiting = []  # results that have not come by now never come
        if get_str(step, "thinking"):
            self.add_message(
                (index, "reasoning"), time, "reasoning", get_str(step, "thinking").strip()
            )
        if content:
            self.add_message(index, time, "text", content)
        for number, request in enumerate(get_list(step, "tool_calls")):
            name = get_str(request, "name")
            arguments = _decode_all(get_dict(request, "args"))
            if name in self.shells:
                self.add_cwd(arguments.get("Cwd"))
            self.waiting.append(self.call_tool(f"{index}/{number}", name, arguments, time, cwd=""))

    def _result(self, call_id: str, status: str, content: str, time: Moment) -> None:
        printed = _OUTPUT.search(content)
        output = (printed[1] if printed else content).strip()
        running = status == "RUNNING"
        ended = status_of(status)
        self.add_result(call_id, Result(time, content, ended, printed=output, running=running))

    def result_fields(self, call: Call, result: Result) -> JsonObject:
        return {"hunks": parse_unified(result.text)}


def _decode_all(arguments: JsonObject) -> JsonObject:
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
    if inner is not None:
        return inner
    return value


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
        if isinstance(document, dict):
            for number, about in document.items():
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
