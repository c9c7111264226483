"""Grok Build: `chat_history.jsonl` of `{type, content, tool_calls}`, arguments as JSON text,
results in lines of their own.

No times, no working directory, no tokens and no word whether a call succeeded; `_load` puts a first
line before them with what other files tell of that. What Grok puts in the user's place says why in
`synthetic_reason`.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator

from collector.agents.common.jsonl import records
from collector.agents.common.messages import text_of
from collector.agents.common.reader import RecordReader, Result, status_of
from collector.agents.machine import files
from collector.agents.machine.model import LocalSession, Store
from collector.json_values import (
    JsonObject,
    Moment,
    get,
    get_dict,
    get_list,
    get_str,
    get_time,
    json_bytes,
    objects,
    parse_json,
    time_of,
)
from collector.model import Status
from collector.vocabulary.agents import Agent

NAME = "grok"
AGENT = Agent(
    NAME,
    "Grok Build",
    aliases=("grok-build",),
    common="name",
    tools={"read": "read_file", "edit": "search_replace"},
)
GIVES = frozenset({"results", "text", "commands", "commits", "models"})
ORDER = 62

_TYPES = ("system", "user", "assistant", "reasoning", "tool_result")
# what no line of Grok has
_OTHERS = frozenset({"message", "uuid", "role", "timestamp", "ts", "agent", "payload", "data"})
_TYPED = ("", "interjection")  # reasons of what a person typed
_QUERY = re.compile(r"<user_query>\s*(.*?)\s*</user_query>", re.S)
_FAILED = re.compile(r"(?:error|failed)\b[:\s]", re.I)


def sniff(head: object) -> bool:
    if not isinstance(head, dict) or head.get("type") not in _TYPES or _OTHERS & head.keys():
        return False
    if head["type"] == "reasoning":
        return isinstance(head.get("summary"), list)
    return isinstance(head.get("content"), str | list)


class _Reader(RecordReader):
    """A line is known by what it says, and which one of several that say the same it is."""

    shells = ("run_terminal_command", "run_terminal_cmd", "Bash", "Shell", "bash", "shell")
    writers = ("search_replace", "write", "write_file", "Write", "Edit", "MultiEdit", "edit_file")
    spawns = ("spawn_subagent", "Task")
    exits = re.compile(r"\Aexit: (\d{1,9})")
    key = ""  # of the line

    def prepare(self) -> None:
        self.said: Counter[str] = Counter()  # lines of the copy that is read
        # call -> when it was first and last heard of, and how it ended
        self.known: JsonObject = {}

    def begin_copy(self, blob: bytes) -> bytes:
        self.said.clear()
        return blob

    def take(self, record: JsonObject) -> None:
        digest = hashlib.sha256(
            json.dumps(record, sort_keys=True).encode("utf-8", "replace")
        ).hexdigest()[:16]
        self.said[digest] += 1
        self.key = f"{digest}/{self.said[digest]}"
        if not self.is_new(self.key):
            return
        self.begin(None)
        kind = get_str(record, "type")
        text = text_of(record.get("content"))
        if about := get_dict(record, "about"):
            self._about(about)
        if kind == "assistant":
            self._answer(record, text)
        elif kind == "tool_result":
            call_id = get_str(record, "tool_call_id")
            _, ended, status = self._heard(call_id)
            self.add_result(
                call_id, Result(ended, text, Status.ERROR if _FAILED.match(text) else status)
            )
        elif kind == "user":
            self._user(record, text)
        elif kind == "reasoning":
            self.add_message(self.key, None, "reasoning", text_of(record.get("summary")))
        elif kind != "system":
            self.unknown_record_type(kind)

    def _about(self, about: JsonObject) -> None:
        self.add_cwd(about.get("cwd"))
        self.parent_id = get_str(about, "parent_session_id")
        for name in ("created_at", "updated_at"):
            self.begin(get_time(about, name))
        self.known = get_dict(about, "times")
        for number, turn in enumerate(objects(about.get("turns"))):
            model = get_str(turn, "primaryModelId")
            self.count_tokens(f"turn {number}", get_time(turn, "endedAt"), turn, model=model)

    def _user(self, record: JsonObject, text: str) -> None:
        if get_str(record, "synthetic_reason") not in _TYPED or text.lstrip().startswith(
            "<user_info>"
        ):
            self.add_event("injected", None, text[:80])
            return
        query = _QUERY.search(text)
        self.add_prompt(self.key, None, query[1] if query else text)

    def _answer(self, record: JsonObject, text: str) -> None:
        self.use_model(get_str(record, "model_id"), None)
        if text:
            self.add_message(self.key, None, "text", text)
        for index, entry in enumerate(objects(record.get("tool_calls"))):
            call_id = get_str(entry, "id") or f"{self.key}/{index}"
            began, _, _ = self._heard(call_id)
            arguments = parse_json(entry.get("arguments"))
            self.call_tool(call_id, get_str(entry, "name"), arguments, began, message_id=self.key)

    def _heard(self, call_id: str) -> tuple[Moment, Moment, Status]:
        began, ended, status = (*get_list(self.known, call_id), None, None, None)[:3]
        return time_of(began), time_of(ended), status_of(str(status))


read = _Reader.line_reader(NAME)


# --- sessions on this machine ---------------------------------------------------------------------

_CHAT = "chat_history.jsonl"
_ABOUT = "summary.json"
_UPDATES = "updates.jsonl"
_USAGE = "usage.json"


def _load(session: LocalSession) -> Iterator[bytes]:
    """The lines, after one with what they lack: the directory, when the session began and ended,
    and times of calls.
    """
    by_name = {path.name: path for path in session.files}
    summary = files.document(by_name[_ABOUT]) if _ABOUT in by_name else None
    about = {name: get(summary, name) for name in ("created_at", "updated_at", "parent_session_id")}
    times = _times(files.lines(by_name[_UPDATES])) if _UPDATES in by_name else {}
    about["turns"] = get(files.document(by_name[_USAGE]), "turns") if _USAGE in by_name else None
    head = {"type": "system", "content": [], "about": {**about, "cwd": session.cwd, "times": times}}
    yield json_bytes(head) + b"\n" + files.lines(by_name[_CHAT])


def _times(updates: bytes) -> dict[str, tuple[float, float, str]]:
    """Call -> when it was first and last heard of, and how it ended."""
    results: dict[str, tuple[float, float, str]] = {}
    for record in records([updates], [], ""):
        update = get(record, "params", "update")
        call = get_str(update, "toolCallId")
        time = get_time(record, "timestamp")
        if call and time is not None:
            began, _, status = results.get(call, (time, time, ""))
            results[call] = (
                min(began, time),
                max(began, time),
                get_str(update, "status") or status,
            )
    return results


STORES = (
    Store(
        NAME,
        at=("${GROK_HOME:-~/.grok}/sessions",),
        patterns=(f"*/*/{_CHAT}",),
        whose=lambda path: (
            path.parent.name,
            get_str(files.document(path.with_name(_ABOUT)), "info", "cwd"),
        ),
        beside=lambda path: map(path.with_name, (_ABOUT, _UPDATES, _USAGE)),
        load=_load,
    ),
)
