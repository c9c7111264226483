"""Gemini CLI: one JSON document `{sessionId, messages: [...]}` per copy; a large one is split into
several documents.

Since 2026 also a log: a line about the session, then messages and changes (`$set`), in which a
message is written again with more.

A tool call holds its own result. Edit tools record the whole text of the file before and after in
`resultDisplay`; paths of the arguments are relative, that of the display is absolute. When the user
changed the proposed text, the call says so.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from collector.agents.common.edits import displayed_texts, edits_from_arguments, path_argument
from collector.agents.common.jsonl import first_value, records
from collector.agents.common.messages import text_of, without_reminders
from collector.agents.common.reader import (
    ERROR_CHARS,
    FACETS,
    Call,
    RecordReader,
    Result,
    is_part,
    status_of,
)
from collector.agents.machine import files
from collector.agents.machine.model import LocalSession, Roots, Store
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
    json_bytes,
    objects,
    to_json,
)
from collector.model import Edit, FileObservation, Session
from collector.text import decode
from collector.vocabulary.agents import Agent

NAME = "gemini-cli"
AGENT = Agent(
    NAME,
    "Gemini CLI",
    accounts=r"gemini-cli",
    aliases=("gemini",),
    exported={"git-ai": "gemini"},
    tools={
        "read": "read_file read_many_files",
        "grep": "search_file_content grep_search",
        "glob": "glob list_directory",
        "write": "write_file",
        "edit": "replace",
        "web": "google_web_search web_fetch",
        "agent": "codebase_investigator",
        "todo": "write_todos",
        "ask": "ask_user",
        "plan": "enter_plan_mode exit_plan_mode",
        "skill": "activate_skill",
    },
)
GIVES = frozenset(FACETS) - {"subagents"}
ORDER = 21

_ATTACHED = "\n--- Content from referenced files ---"
# What the program says itself: when an answer broke off, at the beginning, after planning.
_GO_ON = "System: Please continue."
_INJECTED = ("<session_context>", "User has manually exited Plan Mode. ")
# it answers in the model's name to a summary of the talk
_SUMMARY_TAKEN = "Got it. Thanks for the additional context!"
_SLASH = re.compile(r"^/[a-z][\w:-]*(?:\s|$)")
_WHERE = re.compile(r"\[(?:current working directory|in) (/[^\]\n]+|[A-Za-z]:[^\]\n]+)\]")
_KINDS = frozenset({"user", "gemini", "error", "info", "warning"})  # of messages


def sniff(head: object) -> bool:
    """Other agents have a list of messages too; theirs have a role."""
    if isinstance(head, dict) and "messages" not in head:
        return has(head, sessionId=str, projectHash=str)
    if not isinstance(head, dict) or not has(head, messages=list) or "info" in head:
        return False
    kinds = [
        get_str(message, "type") for message in head["messages"] if get(message, "role") is None
    ]
    return (
        len(kinds) == len(head["messages"])
        and set(kinds) <= _KINDS
        and (bool(kinds) or "sessionId" in head)
    )


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    reader = _Reader(NAME, session_id)
    return reader.read_documents(
        (
            json_bytes(folded(records([blob], reader.problems, session_id, torn=reader.torn)))
            if _is_log(blob)
            else blob
        )
        for blob in blobs
    )


def _is_log(blob: bytes) -> bool:
    head = first_value(blob)
    return isinstance(head, dict) and "messages" not in head and "projectHash" in head


def folded(lines: Iterable[Any]) -> JsonObject:
    """One document of a log: the last form of each message that tells no less, where its first one
    stood.

    Messages that a rewind of the talk took back are kept: the files did not go back with it.
    """
    document: JsonObject = {}
    messages: dict[str, JsonObject] = {}
    for number, record in enumerate(lines):
        change = get_dict(record, "$set") or (record if isinstance(record, dict) else {})
        entries = objects(change.get("messages"))
        if get_str(change, "type") and "messages" not in change:
            entries = [change]
        else:
            document |= {
                name: value
                for name, value in change.items()
                if name not in ("messages", "$rewindTo")
            }
        for entry in entries:
            key = get_str(entry, "id") or f"{number}/{len(messages)}"
            if _tells_more(entry, messages.get(key)):
                messages[key] = entry
    return document | {"messages": list(messages.values())}


def _tells_more(entry: JsonObject, existing: JsonObject | None) -> bool:
    """A session that goes on begins with the talk so far in the form of the model's interface:
    no tokens, results as a user's.
    """
    if existing is None:
        return True
    same = entry.get("type") == existing.get("type")
    return same and all(name in entry for name in ("toolCalls", "tokens") if existing.get(name))


class _Reader(RecordReader):
    shells = ("run_shell_command",)
    writers = ("write_file", "replace", "edit_file", "save_file", "edit")
    reads = ("read_file",)
    rejections = ("user denied", "user rejected", "did not allow")
    exits = re.compile(r"^Exit Code: (-?\d{1,9})$", re.M)

    cancelled_at: Moment = None  # when the user last stopped the agent

    def take(self, record: JsonObject) -> None:
        for directory in get_list(record, "directories"):  # of the workspace
            self.add_cwd(directory)
        self.parent_id = get_str(record, "parent")
        messages = objects(record.get("messages"))
        for number, (message, following) in enumerate(
            zip(messages, [*messages[1:], {}], strict=False)
        ):
            is_summary = (
                following.get("type") == "gemini"
                and text_of(following.get("content")) == _SUMMARY_TAKEN
            )
            self._message(
                message,
                get_str(message, "id") or f"{to_json(message.get('timestamp'), 40)}/{number}",
                is_summary,
            )

    def _message(self, message: JsonObject, key: str, is_summary: bool) -> None:
        if not self.is_new(key):
            return
        time = get_time(message, "timestamp")
        self.begin(time)
        kind = message.get("type")
        text = text_of(message.get("content"))
        if kind in ("user", "gemini") and time is not None and time == self.cancelled_at:
            return  # the talk so far, written again under other ids
        if is_summary and kind == "user":
            self.add_event("compaction", time)
        elif kind == "user":
            self._user(text_of(message.get("displayContent")) or text, key, time)
        elif kind == "gemini":
            self._answer(message, text, key, time)
        elif kind == "error":
            self.add_event("api_error", time, text)
        elif kind == "info" and text.startswith("Request cancelled"):
            self.cancelled_at = time
            self.add_event("interrupt", time)
        elif kind not in ("info", "warning"):
            self.unknown_record_type(kind)

    def _user(self, typed: str, key: str, time: Moment) -> None:
        text = without_reminders(typed.partition(_ATTACHED)[0])
        if text.strip() == _GO_ON or text.lstrip().startswith(_INJECTED):
            self.add_event("injected", time, text.strip()[:80])
        else:
            self.add_turn(key, time, text, "command" if _SLASH.match(text) else "prompt")

    def _answer(self, message: JsonObject, text: str, key: str, time: Moment) -> None:
        self.use_model(get_str(message, "model"), time)
        for number, thought in enumerate(get_list(message, "thoughts")):
            reasoning = f"{get_str(thought, 'subject')}: {get_str(thought, 'description')}".strip(
                ": "
            )
            self.add_message(
                (key, number), get_time(thought, "timestamp") or time, "reasoning", reasoning
            )
        if text:
            self.add_message(key, time, "text", text)
        tokens = get_dict(message, "tokens")  # what was thought is output, too, and stands apart
        self.count_tokens(
            key,
            time,
            tokens | {"output": get_int(tokens, "output") + get_int(tokens, "thoughts")},
            reasoning=get_int(tokens, "thoughts"),
        )
        for number, request in enumerate(get_list(message, "toolCalls")):
            if isinstance(request, dict):
                self._call(request, key, number, time)

    def _call(self, request: JsonObject, key: str, number: int, time: Moment) -> None:
        """A call with its result; of where a command ran only the description speaks."""
        done_at = get_time(request, "timestamp")
        self.begin(done_at)
        location = _WHERE.search(get_str(request, "description"))
        cwd = self.add_cwd(location[1]) if location else next(iter(self.cwds), "")
        response = next(
            (
                get_dict(part, "functionResponse", "response")
                for part in get_list(request, "result")
            ),
            {},
        )
        error = get_str(response, "error")
        status = status_of(get_str(request, "status").replace("cancelled", "error"))
        # The tool puts a heading before what a command printed.
        output = get_str(response, "output").removeprefix("Output: ")
        result = Result(done_at, output, status, error, details=get_dict(request, "resultDisplay"))
        self.take_call(request, "args", f"{key}/{number}", time, result, message_id=key, cwd=cwd)

    def edits(self, call: Call, result: Result) -> Iterable[Edit]:
        """What the agent proposed, and the texts before and after, which include what the user
        changed in the proposal.
        """
        display = get_dict(result.details)
        arguments = get_dict(call.arguments)
        if call.name not in self.writers:
            return super().edits(call, result)
        proposed = arguments.get("ai_proposed_content")
        path = get_str(display, "filePath") or path_argument(arguments)
        content = {"content": proposed} if isinstance(proposed, str) else {}
        return edits_from_arguments(
            {**arguments, **content, "file_path": path}, call.cwd, **displayed_texts(display)
        )

    def observation(self, call: Call, result: Result) -> FileObservation | None:
        if "file content has been truncated" in result.text[:ERROR_CHARS]:
            return None
        start = get_int(call.arguments, "start_line") or get_int(call.arguments, "offset") + 1
        return self.display(
            call, result, result.text, max(start, 1), whole=not is_part(call.arguments)
        )


# --- sessions on this machine ---------------------------------------------------------------------

# A project is named in `projects.json` and in `.project_root`; before that, and in each log, by the
# SHA-256 of its directory.
# subagents below
_CHATS = tuple(f"chats/{place}.{ending}" for place in ("*", "*/*") for ending in ("json", "jsonl"))


def _find(location: Path, roots: Roots) -> Iterator[LocalSession]:
    registered = get_dict(files.document(location.parent / "projects.json"), "projects")
    hashes = {hashlib.sha256(path.encode()).hexdigest(): path for path in roots.spellings}
    for project in files.directories(location):
        chats = [path for pattern in _CHATS for path in files.match_files(project, pattern)]
        heads = {path: files.first_line(path) for path in chats if path.suffix == ".jsonl"}
        named = [
            *(path for path, name in registered.items() if name == project.name),
            _marked_directory(project),
        ]
        named += [
            hashes.get(mark, "")
            for mark in (project.name, *(get_str(head, "projectHash") for head in heads.values()))
        ]
        cwd = next(filter(roots.of, named), "")
        sessions: dict[str, list[Path]] = {}  # one that was resumed may have a second file
        if cwd:
            for path in chats:
                about = heads.get(path) or files.document(path)
                sessions.setdefault(get_str(about, "sessionId") or path.stem, []).append(path)
        yield from (
            LocalSession(key, tuple(paths), f"kept for {cwd}", cwd=cwd)
            for key, paths in sessions.items()
        )


def _load(session: LocalSession) -> Iterator[bytes]:
    for path in session.files:
        is_log = path.suffix == ".jsonl"
        document = (
            folded(records([files.lines(path)], [], session.id))
            if is_log
            else get_dict(files.document(path))
        )
        # a subagent's log lies below its session's
        parent = path.parent.name if path.parent.parent.name == "chats" else ""
        about = {"parent": parent, "directories": [session.cwd, *get_list(document, "directories")]}
        yield json_bytes({**document, **about})


def _marked_directory(project: Path) -> str:
    mark = project / ".project_root"
    if mark.is_file():
        return decode(files.head(mark, 4096)).strip()
    return ""


STORES = (
    Store(
        NAME,
        at=("${GEMINI_CLI_HOME:-~}/.gemini/tmp",),
        patterns=tuple(f"*/{pattern}" for pattern in _CHATS),
        find=_find,
        load=_load,
        kept_days=30,
    ),
)
