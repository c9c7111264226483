"""Copilot Chat in VS Code: one JSON document `{chatSession, editing}`, put together from the
editor's files of a session.

`chatSession` is the talk: requests with their time, responses with the commands that ran. `editing`
is the editor's own timeline of the files: the whole text of each before a request, and every edit
since with its place, so that texts are exact. Only requests have a time: an edit was made after its
request, and it is not recorded when.

Where the editor has no such timeline of a session, its transcript is read: events as Copilot's
command line writes them.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from collector.agents.common.jsonl import first_value, values
from collector.agents.common.messages import text_of
from collector.agents.common.reader import Call, RecordReader, Result, is_error
from collector.agents.formats.copilot_events import read_events
from collector.agents.machine import files
from collector.agents.machine.editors import USERS, folders, path_of
from collector.agents.machine.model import LocalSession, Roots, Store
from collector.json_values import (
    JsonObject,
    Moment,
    Texts,
    first_text,
    get,
    get_dict,
    get_int,
    get_list,
    get_str,
    get_time,
    has,
    json_bytes,
    objects,
)
from collector.model import Edit, Session
from collector.text import file_name, normal_path
from collector.vocabulary.agents import Agent
from collector.vocabulary.sessions import Driver

NAME = "copilot-chat"
AGENT = Agent(
    NAME,
    "Copilot Chat",  # in VS Code, whose own timeline of the files has its edits
    tools={
        "read": "read_file",
        "write": "create_file",
        "edit": (
            "textedit replace_string_in_file multi_replace_string_in_file insert_edit_into_file"
            " edit_notebook_file"
        ),
    },
)
GIVES = frozenset({"results", "text", "before", "commands", "models", "tokens", "directory"})
ORDER = 22
UNPROVEN = True

_TERMINAL = "run_in_terminal"
_UNIT = "utf-16-le"  # columns count units of UTF-16


def sniff(head: object) -> bool:
    return has(get(head, "chatSession"), requests=list)


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    parts = list(blobs)
    events = parts and get(first_value(parts[0]), "type")
    if events:
        return read_events(NAME, session_id, parts)
    return _Reader(NAME, session_id).read_documents(parts)


class _Reader(RecordReader):
    shells = (_TERMINAL,)

    def take(self, record: JsonObject) -> None:
        self.driver = Driver.IDE
        session = get_dict(record, "chatSession")
        self.add_cwd(path_of(record.get("folder")) or path_of(session.get("workingDirectory")))
        operations: dict[str, list[JsonObject]] = {}
        for operation in _in_order(get_dict(record, "editing", "timeline")):
            operations.setdefault(get_str(operation, "requestId"), []).append(operation)
        for request in get_list(session, "requests"):
            key = get_str(request, "requestId")
            if isinstance(request, dict) and self.is_new(key):
                self._request(request)
                self._operations(key, operations.pop(key, []), get_time(request, "timestamp"))
        for key, left in operations.items():  # of requests that were taken back
            self._operations(key, left, None)

    def _operations(self, request: str, operations: list[JsonObject], prompted: Moment) -> None:
        for number, operation in enumerate(operations):
            self.begin(None)
            call_id = f"{request}/{get_int(operation, 'epoch')}/{number}"
            name = get_str(operation, "type")
            self.call_tool(call_id, name, operation, None, Result(None, ""), not_before=prompted)

    def _request(self, request: JsonObject) -> None:
        time = get_time(request, "timestamp")
        key = get_str(request, "requestId")
        self.begin(time)
        message = request.get("message")
        self.add_turn(key, time, message if isinstance(message, str) else get_str(message, "text"))
        model = get_str(request, "result", "metadata", "resolvedModel") or file_name(
            get_str(request, "modelId")
        )
        self.use_model(model, time)
        elapsed = get_int(request, "result", "timings", "totalElapsed")
        done = time + elapsed / 1000 if time is not None and elapsed > 0 else time
        if get(request, "isCanceled") is True:
            self.add_event("interrupt", done)
        metadata = get_dict(request, "result", "metadata")
        self.count_tokens(key, done, metadata)
        for number, part in enumerate(get_list(request, "response")):
            self._part(part, f"{key}/{number}", time, done)

    def _part(self, part: object, key: str, prompted: Moment, done: Moment) -> None:
        kind = get_str(part, "kind")
        text = text_of(get(part, "value")) or get_str(part, "value", "value")
        if kind == "toolInvocationSerialized":
            self._tool(get_dict(part), key, prompted)
        elif kind == "thinking":
            self.add_message(key, done, "reasoning", text)
        elif not kind and text:
            self.add_message(key, done, "text", text)

    def _tool(self, part: JsonObject, key: str, prompted: Moment) -> None:
        """Edits are in the timeline; of the other tools the commands count."""
        details = get_dict(part, "toolSpecificData")
        line = details.get("commandLine")
        command = get_str(details, "command") or (line if isinstance(line, str) else "")
        if not command:
            command = first_text(line, "userEdited", "toolEdited", "original")
        if not command:
            return
        code = get_int(details, "terminalCommandState", "exitCode")
        output = get_str(details, "terminalCommandOutput", "text")
        result = Result(None, output or (f"exit {code}" if code else ""), is_error(code != 0))
        self.call_tool(
            get_str(part, "toolCallId") or key,
            _TERMINAL,
            {"command": command},
            None,
            result,
            not_before=prompted,
        )

    def edits(self, call: Call, result: Result) -> list[Edit]:
        operation = get_dict(call.arguments)
        path = path_of(operation.get("uri"))
        before = operation.get("before")
        after = operation.get("after")
        if call.name == "rename":
            return [
                Edit(
                    path_of(operation.get("oldUri")),
                    "move",
                    new_path=path_of(operation.get("newUri")),
                )
            ]
        if not path or call.name not in ("create", "delete", "textEdit"):
            return []
        if call.name == "delete":
            return [Edit(path, "delete", before=before, before_known=before is not None)]
        is_certain = call.name == "create" or before is not None
        return [
            Edit(path, "write", content=after, before=before, before_known=is_certain, after=after)
        ]


def _in_order(timeline: JsonObject) -> Iterator[JsonObject]:
    """The operations with the text of their file before and after, where it is known."""
    texts = {}
    listed = (
        pair[1]
        for pair in get_list(timeline, "fileBaselines")
        if isinstance(pair, list) and len(pair) > 1
    )
    steps = [(-1, get_dict(item)) for item in listed] + [
        *enumerate(objects(timeline.get("operations")))
    ]
    for number, item in sorted(steps, key=lambda step: (get_int(step[1], "epoch"), step[0])):
        path = normal_path(path_of(item.get("uri")))
        if number < 0:
            texts[path] = get_str(item, "content")
            continue
        before = texts.get(path)
        yield item | {"before": before, "after": _apply(item, path, before, texts)}


def _apply(operation: JsonObject, path: str, before: str | None, texts: Texts) -> str | None:
    """Takes note of what an operation does to a text, and returns what the file holds after it;
    None where that is not known.
    """
    kind = get_str(operation, "type")
    after = None
    if kind == "create":
        after = get_str(operation, "initialContent")
    elif kind == "textEdit" and before is not None:
        after = changed_text(before, get_list(operation, "edits"))
    elif kind == "rename":
        old = normal_path(path_of(operation.get("oldUri")))
        if old in texts:
            texts[normal_path(path_of(operation.get("newUri")))] = texts.pop(old)
        return None
    texts.pop(path, None)
    if after is not None:
        texts[path] = after
    return after


def changed_text(text: str, edits: Iterable[object]) -> str | None:
    """The text after edits that were all written for the text before: ranges of lines and columns,
    counted from one.

    None where a range lies outside of it.
    """
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    changes = []
    for edit in edits:
        start = _offset(
            lines,
            starts,
            get_int(edit, "range", "startLineNumber"),
            get_int(edit, "range", "startColumn"),
        )
        end = _offset(
            lines,
            starts,
            get_int(edit, "range", "endLineNumber"),
            get_int(edit, "range", "endColumn"),
        )
        if start is None or end is None or end < start:
            return None
        changes.append((start, end, get_str(edit, "text")))
    for start, end, new in sorted(changes, key=lambda change: change[:2], reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _offset(lines: list[str], starts: list[int], line: int, column: int) -> int | None:
    if not 1 <= line <= len(lines) or column < 1:
        return None
    units = lines[line - 1].encode(_UNIT, "surrogatepass")
    return starts[line - 1] + len(units[: 2 * (column - 1)].decode(_UNIT, "surrogatepass"))


# --- sessions on this machine ---------------------------------------------------------------------

# `workspace.json` names the folder. A session is a document, a log of changes to one, or a
# transcript; it may be there as several.
_TALKS = ("chatSessions/*.json", "chatSessions/*.jsonl")
_TRANSCRIPTS = ("GitHub.copilot-chat/transcripts/*.jsonl",)
_SET = 1
_PUSH = 2
_DELETE = 3


def _find(location: Path, roots: Roots) -> Iterator[LocalSession]:
    for workspace in files.directories(location):
        if folder := next((item for item in folders(workspace) if roots.of(item)), ""):
            talks, transcripts = (
                {
                    path.stem: path
                    for pattern in several
                    for path in files.match_files(workspace, pattern)
                }
                for several in (_TALKS, _TRANSCRIPTS)
            )
            for number in sorted(talks | transcripts):
                timeline = workspace / "chatEditingSessions" / number / "state.json"
                with_timeline = (
                    (talks[number], timeline) if number in talks and timeline.is_file() else ()
                )
                used = with_timeline or (transcripts.get(number) or talks[number],)
                yield LocalSession(number, used, f"VS Code opened {folder}", cwd=folder)


def _load(session: LocalSession) -> Iterator[bytes]:
    path, *timeline = session.files
    if path.match(_TRANSCRIPTS[0]):
        head = {"type": "session.context_changed", "id": "folder", "data": {"cwd": session.cwd}}
        yield json_bytes(head) + b"\n" + files.lines(path)
        return
    talk = replayed(files.lines(path)) if path.suffix == ".jsonl" else files.document(path)
    editing = files.document(timeline[0]) if timeline else None
    folder = {"scheme": "file", "path": session.cwd}
    yield json_bytes({"chatSession": talk, "editing": editing, "folder": folder})


def replayed(data: bytes) -> JsonObject:
    """The document that a log of changes amounts to. Raises ValueError."""
    document: JsonObject = {}
    for entry in (value for line in data.split(b"\n") if line.strip() for value in values(line)):
        if not isinstance(entry, dict):
            continue
        route = get_list(entry, "k")
        value = entry.get("v")
        if route:
            _change(document, route, entry)
        elif isinstance(value, dict):
            document = value
    return document


def _change(document: JsonObject, route: list[Any], entry: JsonObject) -> None:
    """One entry of a log; one that fits nowhere is left out."""
    *path, key = route
    inside = document
    try:
        for step in path:
            inside = inside[step]
        if entry.get("kind") == _SET:
            inside[key] = entry.get("v")
        elif entry.get("kind") == _DELETE:
            inside.pop(key, None)
        elif entry.get("kind") == _PUSH:
            several = inside.setdefault(key, []) if isinstance(inside, dict) else inside[key]
            if isinstance(entry.get("i"), int):
                del several[entry["i"] :]
            several.extend(get_list(entry, "v"))
    except (LookupError, TypeError, AttributeError):
        return


STORES = (
    Store(
        NAME,
        proven=False,
        at=(
            f"{USERS}/{{Code,Code - Insiders,VSCodium}}/User/workspaceStorage",
            "~/{.vscode-server,.vscode-server-insiders}/data/User/workspaceStorage",
        ),
        patterns=tuple(f"*/{pattern}" for pattern in _TALKS + _TRANSCRIPTS),
        find=_find,
        load=_load,
    ),
)
