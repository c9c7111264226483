"""gptme: `conversation.jsonl` of `{role, content, timestamp}`. Calls stand in the model's text,
their results in system messages.

A call is a fenced block (`save PATH`, `append PATH`, `patch PATH`, `shell`, `ipython`) or, where
the model is given tools, `@save(id): {…}`. Times are those of the clock on the wall; a system
message says how far it is from UTC.
"""

import re
from collections.abc import Iterable
from typing import Any

from collector.agents.common.edits import search_replace_blocks
from collector.agents.common.jsonl import first_value
from collector.agents.common.reader import Call, RecordReader, Result
from collector.agents.machine import files
from collector.agents.machine.model import Store
from collector.json_values import JsonObject, Moment, first_text, get, get_dict, get_str, time_of
from collector.model import Edit, Status
from collector.text import file_name
from collector.vocabulary.agents import Agent

NAME = "gptme"
AGENT = Agent(NAME, "gptme")
GIVES = frozenset(
    {"times", "results", "text", "commands", "commits", "models", "tokens", "directory"}
)
ORDER = 93

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?")  # without a zone
_FENCE = re.compile(r"(`{3,})(\S*)[ \t]*(.*)")
_NATIVE = re.compile(r"^@(\w+)\(([\w\-:.]+)\): *(\{.*)", re.M)
_VERSION = re.compile(r"\bgptme v(\d[\w.]*)")
_DIRECTORY = re.compile(r"\*\*Working Directory:\*\* (.+)")
_DIRECTORY_IN_JSON = re.compile(rb'\*\*Working Directory:\*\* ((?:[^"\\]|\\[^n])+)')
_ZONE = re.compile(r"\*\*Local date:\*\* [^*\n]{0,80}UTC([+-]\d\d:\d\d)")
_FAILED = re.compile(
    r"(?:Error|Aborted|Operation|Cannot|Interrupted|(?:Save|Append|Patch) aborted|No"
    r" (?:content|path) provided)"
)
# Tools, and the argument that the text of a block is.
_BODIES = {
    "save": "content",
    "append": "content",
    "patch": "patch",
    "shell": "command",
    "ipython": "code",
    "py": "code",
}


def sniff(head: object) -> bool:
    own = isinstance(head, dict) and not head.keys().isdisjoint(("hide", "pinned", "metadata"))
    return (
        own
        and get(head, "role") in ("system", "user", "assistant")
        and bool(_TIME.fullmatch(get_str(head, "timestamp")))
    )


class _Reader(RecordReader):
    shells = ("shell", "ipython", "py")
    writers = ("save", "append", "patch")
    rejections = ("aborted", "skipped", "declined")
    exits = re.compile(r"^Return code: (-?\d{1,9})$", re.M)
    zone = "+00:00"
    waiting: tuple[str, ...] = ()  # calls without a result

    def take(self, record: JsonObject) -> None:
        role, text, written = (get_str(record, name) for name in ("role", "content", "timestamp"))
        if role == "system" and record.get("hide"):  # what tools printed is not hidden
            for pattern, add in ((_VERSION, self.add_version), (_DIRECTORY, self.add_cwd)):
                add(match[1].strip() if (match := pattern.search(text)) else None)
            if match := _ZONE.search(text):
                self.zone = match[1]
        time = time_of(written + self.zone)
        self.begin(time)
        if role == "assistant":
            self._read_message(record, text, written or str(self.order), time)
        elif role == "user":
            self.add_prompt(written, time, text, is_meta=text.startswith("<system>"))
        elif not record.get("hide") and self.waiting:
            named = get_str(record, "call_id")
            call = next(
                (each for each in self.waiting if named and each.endswith(named)), self.waiting[0]
            )
            self.waiting = tuple(each for each in self.waiting if each != call)
            printed = text.partition("```stdout\n")[2].rpartition("\n```")[0]
            status = Status.ERROR if _FAILED.match(text) else Status.OK
            self.add_result(call, Result(time, text, status, printed=printed))

    def _read_message(self, record: JsonObject, text: str, key: str, time: Moment) -> None:
        about = get_dict(record, "metadata")
        self.use_model(get_str(about, "served_model") or file_name(get_str(about, "model")), time)
        self.add_message(key, time, "text", text)
        self.count_tokens(key, time, about.get("usage"), cached_among_input=False)
        blocks, others = _blocks(text)
        calls: list[tuple[str, str, object]] = [
            (f"{key}/{n}", name, {"path": path, _BODIES[name]: body})
            for n, (name, path, body) in enumerate(blocks)
        ]
        calls += [
            (
                call[2] if call[2] not in self.calls else f"{key}/{call[2]}",
                call[1],
                first_value(call[3].encode("utf-8", "replace")),
            )
            for call in _NATIVE.finditer(others)
            if call[1] in _BODIES
        ]
        self.waiting = tuple(self.call_tool(*call, time, message_id=key) for call in calls)

    def edits(self, call: Call, result: Result) -> Iterable[Edit]:
        path = call.path
        if call.name not in self.writers or not path:
            return []
        if call.name == "patch":
            return [
                Edit(
                    path,
                    "edit",
                    replacements=search_replace_blocks(first_text(call.arguments, "patch")),
                )
            ]
        content = first_text(call.arguments, "content")
        kind = "write" if call.name == "save" else "append"
        return [Edit(path, kind, content=content if content.endswith("\n") else f"{content}\n")]

    def command(self, call: Call, result: Result) -> Any:
        if code := first_text(call.arguments, "code"):
            call.arguments = {"command": f"python3 - <<'GPTME'\n{code}\nGPTME"}
        return super().command(call, result)


read = _Reader.line_reader(NAME)


def _blocks(text: str) -> tuple[list[tuple[str, str, str]], str]:
    """Tool, path and text of the fenced blocks that are calls, and what is outside of all blocks.

    Within a block a fence with a word begins another one, which the next without a word ends.
    """
    calls = []
    outside = []
    body: list[str] = []
    opened: list[re.Match[str]] = []
    for line in text.split("\n"):
        inside = bool(opened)
        fence = _FENCE.fullmatch(line)
        if fence and (not opened or (fence[2] and fence[1] == opened[0][1])):
            opened.append(fence)
        elif fence and fence[1] == opened[0][1] and len(opened) > 1:
            opened.pop()
        elif fence and fence[1] == opened[0][1]:
            _, tool, path = opened.pop().groups()
            if tool in _BODIES:
                calls += [(tool, path, "".join(body))]
            body = []
        if inside and opened:
            body.append(f"{line}\n")
        elif not inside and not opened:
            outside.append(line)
    return calls, "\n".join(outside)


# --- sessions on this machine ---------------------------------------------------------------------


STORES = (
    Store(
        NAME,
        at=("${GPTME_LOGS_HOME:-${XDG_DATA_HOME:-~/.local/share}/gptme/logs}",),
        patterns=("*/conversation.jsonl",),
        whose=lambda path: (path.parent.name, files.text_in(files.head(path), _DIRECTORY_IN_JSON)),
    ),
)
