"""Pi, and Oh My Pi which grew out of it: JSONL, a header (a title before it) and then entries that
form a tree by `parentId`.

Going back to an earlier entry starts a branch; what the abandoned branch did to files is not
undone, so every entry counts. An edit names its replacements; the display diff of its result has
exact text and line numbers, from which hunks are rebuilt. The results of Oh My Pi name each file,
with its whole text before and after if that is short. Paths are relative to the header's working
directory.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from collector.agents.common.edits import edits_from_patch, path_argument
from collector.agents.common.jsonl import records
from collector.agents.common.messages import (
    PromptKind,
    classify,
    recorded_cost,
    text_of,
    without_reminders,
)
from collector.agents.common.numbered_diffs import (
    display_hunks,
    hashline_edits,
    is_hashline,
    recorded_edits,
)
from collector.agents.common.reader import FACETS, Call, RecordReader, Result, is_error, is_part
from collector.agents.machine import files
from collector.agents.machine.model import Roots, Store, Trace, left_behind
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
)
from collector.model import Edit, FileObservation, Spawn
from collector.text import resolve
from collector.vocabulary.agents import Agent

NAME = "pi"
AGENT = Agent(
    NAME,
    "Pi",
    common="name",
    aliases=("oh-my-pi", "omp"),
    tools={
        "read": "read",
        "grep": "grep",
        "glob": "find ls",
        "write": "write",
        "edit": "edit",
        "todo": "todo",
    },
)
GIVES = frozenset(FACETS) - {"before", "subagents"}
ORDER = 40

_IGNORED = (
    "thinking_level_change",
    "custom",
    "custom_message",
    "label",
    "ttsr_injection",
    "session_info",
    "title",
    "title_change",
    "credential_pin",
)
_MORE = re.compile(
    r"\n*\[(?:Showing lines|\d+ more lines|Output truncated|Line \d+ is)[^\]]*\]\s*$"
)
_TAGGED = re.compile(r"^\s*\d+[#:][0-9A-Za-z]{1,8}[|:]")


def sniff(head: object) -> bool:
    if not isinstance(head, dict):
        return False
    titled = head.get("type") == "title" and has(head, v=int, title=str)
    return titled or (head.get("type") == "session" and ("version" in head or "cwd" in head))


class _Reader(RecordReader):
    shells = ("bash", "shell")
    writers = ("edit", "write", "apply_patch", "hashline_edit")
    reads = ("read",)
    spawns = ("task", "subagent")
    one_directory = True

    def prepare(self) -> None:
        self.last_id = ""  # of the entry before
        self.parent_session = ""

    def take(self, record: JsonObject) -> None:
        key = get_str(record, "id")
        if not self.is_new(key):
            return
        time = get_time(record, "timestamp") or get_time(record, "message", "timestamp")
        self.begin(time)
        # an entry whose parent is not the entry before it starts a branch
        parent = get_str(record, "parentId")
        if (
            parent
            and self.last_id
            and parent not in (self.last_id, key)
            and parent in self.record_ids
        ):
            self.add_event("branched", time, parent)
        self.last_id = key if record.get("type") != "session" else ""
        kind = get_str(record, "type")
        if kind == "session":
            self.add_cwd(record.get("cwd"))
            self.parent_session = get_str(record, "parentSession") or self.parent_session
        elif kind == "message":
            self._message(get_dict(record, "message"), key or f"{time}/{self.order}", time)
        elif kind == "model_change":
            provider, _, model = get_str(record, "model").partition("/")
            # Oh My Pi has models for small tasks beside it
            if get_str(record, "role") in ("", "default"):
                self.use_model(get_str(record, "modelId") or model or provider, time)
        elif kind in ("compaction", "branch_summary"):
            self.add_event(
                "compaction" if kind == "compaction" else "branched",
                time,
                get_str(record, "summary"),
            )
        elif kind == "mode_change":
            self.add_event("mode_change", time, get_str(record, "mode"))
        elif kind == "session_init":  # a subagent: its task comes from the agent that started it
            self.parent_id = self.parent_session
        elif kind not in _IGNORED:
            self.unknown_record_type(kind)

    def _message(self, message: JsonObject, key: str, time: Moment) -> None:
        role = message.get("role")
        text = text_of(message.get("content"))
        if role == "user":
            clean = without_reminders(text)
            injected = bool(self.parent_id) or message.get("attribution") == "agent"
            self.add_turn(
                key, time, clean, (PromptKind.INJECTED if injected else classify(clean)).value
            )
        elif role == "assistant":
            self._assistant(message, key, time)
        elif role == "toolResult":
            result = Result(
                time, text, is_error(message.get("isError")), details=message.get("details")
            )
            self.add_result(get_str(message, "toolCallId"), result)
        elif role == "bashExecution":
            self.add_event("user_shell", time, get_str(message, "command"))
        elif role in ("custom", "hookMessage"):
            self.add_event("injected", time, text[:80])

    def _assistant(self, message: JsonObject, key: str, time: Moment) -> None:
        self.use_model(get_str(message, "model"), time)
        cost = recorded_cost(get(message, "usage", "cost", "total"))
        self.count_tokens(key, time, message.get("usage"), cached_among_input=False, cost=cost)
        stop = message.get("stopReason")
        if stop in ("aborted", "error"):
            self.add_event(
                "interrupt" if stop == "aborted" else "api_error",
                time,
                get_str(message, "errorMessage"),
            )
        self.take_blocks(get_list(message, "content"), "toolCall", "arguments", key, time)

    def edits(self, call: Call, result: Result) -> Iterable[Edit]:
        if call.name not in self.writers:
            return super().edits(call, result)
        patched = edits_from_patch(call.arguments, self.cwd)
        if patched:
            return patched
        named = [edit.path for edit in hashline_edits(call.arguments)]
        recorded = (
            recorded_edits(result.details, self.cwd, named[0] if len(named) == 1 else "")
            if call.name != "write"
            else []
        )
        if recorded or named:
            return recorded or hashline_edits(call.arguments, self.cwd)
        path, new_path = (
            resolve(self.cwd, p)
            for p in (path_argument(call.arguments), get_str(call.arguments, "rename"))
        )
        if get_str(call.arguments, "op") == "delete" and path:
            return [Edit(path, "delete")]
        if new_path and path:
            return [Edit(path, "move", new_path=new_path, **self.result_fields(call, result))]
        return super().edits(call, result)

    def result_fields(self, call: Call, result: Result) -> JsonObject:
        return {"hunks": display_hunks(get_str(result.details, "diff"))}

    def observation(self, call: Call, result: Result) -> FileObservation | None:
        if _TAGGED.match(result.text) or is_hashline(result.text):
            return None
        text, cut = _MORE.subn("", result.text)
        return self.display(
            call,
            result,
            text,
            max(get_int(call.arguments, "offset"), 1),
            not is_part(call.arguments) and not cut,
        )

    def spawn(self, call: Call, result: Result) -> Spawn:
        return Spawn(
            get_str(result.details, "sessionId"), get_str(call.arguments, "agent"), visible=False
        )


read = _Reader.line_reader(NAME)


# --- sessions on this machine ---------------------------------------------------------------------

_HEADER_LINES = 5


def _whose(path: Path) -> tuple[str, str]:
    # a title may stand before the header
    beginning = islice(records([files.head(path)], [], ""), _HEADER_LINES)
    header = next((record for record in beginning if record.get("type") == "session"), {})
    return get_str(header, "id") or path.stem, get_str(header, "cwd")


def _traces(location: Path, roots: Roots) -> Iterator[Trace]:
    """Files without the line that says where the session worked; the directory tells that, too."""
    slugs = {f"--{path.strip('/').replace('/', '-').lower()}--" for path in roots.spellings}
    for path in files.match_files(location, "*/*.jsonl"):
        is_ours = path.parent.name.lower() in slugs
        if is_ours and files.head(path) and not _whose(path)[1]:
            times = [
                get_time(record, "timestamp") for record in records([files.head(path)], [], "")
            ]
            known = [time for time in times if time is not None] or [files.written_at(path)]
            yield from left_behind(NAME, path.stem, known, f"the first line of {path} is gone")


STORES = (
    Store(
        NAME,
        at=(
            "${PI_CODING_AGENT_SESSION_DIR:-${PI_CODING_AGENT_DIR:-~/.pi/agent}/sessions}",
            "~/.omp/agent/sessions",
            "${XDG_DATA_HOME:-~/.local/share}/omp/sessions",
            "~/.omp/profiles/*/agent/sessions",
        ),
        patterns=("*.jsonl", "*/*.jsonl"),
        whose=_whose,
        traces=_traces,
    ),
)
