"""Tasks of Cline and of the agents that grew out of it: `{task, api, ui}`, put together from the files of a task's directory.

`api` is what the model was sent and answered, in Anthropic's form, older answers with calls as XML in their text. Results stand in
the next message. `ui` is what the person saw, each entry with its time, and names the last message of `api` at that moment: a
request that says n is answered by message n + 2. Of Cline's command line `api` alone has all since version 3: messages carry their
time, model and tokens, and prompts stand in them as they were typed.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from collector.agents.common.arguments import edits_from_arguments, edits_from_patch, path_argument
from collector.agents.common.calls import ERROR_CHARS, Call, Outcome, Result, shell_command
from collector.agents.common.costs import recorded_cost
from collector.agents.common.messages import blocks_of, text_of
from collector.agents.common.reader import RecordReader
from collector.agents.common.search_replace import search_replace_blocks, text_before
from collector.agents.machine import files
from collector.agents.machine.model import Known, LocalSession, Machine, Store
from collector.agents.machine.roots import Roots
from collector.agents.machine.workspaces import editor_users
from collector.json_values import get, get_dict, get_int, get_list, get_str, objects, parse_json, time_of
from collector.model import Command, Edit, FileObservation, Hunk, Session, Status, Usage
from collector.text import resolve, timestamp

GIVES = frozenset({"times", "results", "text", "commands", "commits", "models", "tokens", "directory"})

_WRITERS = frozenset({"write_to_file", "edit", "edit_file", "search_replace"})
_DIFFS = frozenset({"replace_in_file", "apply_diff"})
_XML = (*_WRITERS, *_DIFFS, "execute_command", "read_file", "insert_content", "search_and_replace", "apply_patch")
_XML_CALL = re.compile(rf"<({'|'.join(_XML)})>(.*?)</\1>", re.S)
_XML_LAST = re.compile(r"<(content|diff|input)>(.*)</\1>", re.S)  # may hold tags of their own
_XML_VALUE = re.compile(r"<(\w{1,40})>(.*?)</\1>", re.S)
_SAID = re.compile(r"<(task|feedback|user_message|answer)>\n?(.*?)\n?</\1>", re.S)
_DIRECTORY = re.compile(r"^# Current (?:Working|Workspace) Directory \((.{1,4000}?)\) Files$", re.M)
_MODEL = re.compile(r"^<model>([^<\n]{1,200})</model>$", re.M)
_CLOCK = re.compile(r"^# Current Time\n(?:Current time in ISO 8601 UTC format: (\S{10,40}))", re.M)
_RESULT = re.compile(r"^\[(\w{1,60})(?: for .*?)?\] Result:\n?|^Tool \[(\w{1,60})\] was not executed", re.S)
_FINAL = re.compile(r"<final_file_content path=\"[^\n]*\">\n(.*)\n</final_file_content>", re.S)
_CHANGED = re.compile(r"made the following updates to your content|auto-formatting to your content")
_EXIT = re.compile(r"[Ee]xit(?:ed with)? code:? (-?\d{1,9})")
_DENIED = re.compile(r'denied this operation|"status":\s*"denied"')
_FAILED = re.compile(r'^The tool execution failed|was not executed|"status":\s*"error"|was reverted to its original state|^<error')
_NUMBERED = re.compile(r"\s*\d+ ?\||<|\{|File: ")
_RANGES = ("start_line", "end_line", "line_range", "offset", "limit", "args", "files")
_ACTS = frozenset({"tool", "command", "use_mcp_server"})
_TYPED = frozenset({"task", "user_feedback"})


def is_task(head: object, agent: str) -> bool:
    return isinstance(get(head, "api"), list) and get(head, "task", "agent") == agent


def read_task(agent: str, session_id: str, blobs: Iterable[bytes]) -> Session:
    return _Reader(agent, session_id).read_documents(blobs)


class _Reader(RecordReader):
    shells = frozenset({"execute_command", "run_commands"})
    reads = frozenset({"read_file"})
    spawns = frozenset({"spawn_agent"})
    as_typed = False  # whether prompts stand in the messages without anything around them

    def take(self, record: dict[str, Any]) -> None:
        self.as_typed = get(record, "task", "as_typed") is True
        self.add_cwd(get(record, "task", "cwd"))
        self.parent_id = self.parent_id or get_str(record, "task", "parent")
        for element in objects(get(record, "task", "environments")):
            self.add_version(element.get("cline_version"))
        messages, display = get_list(record, "api"), _Shown(objects(record.get("ui")))
        for time, text in display.typed:
            self.begin(time)
            self.add_turn((time, text), time, text)
        for number, message in enumerate(messages):
            if get(message, "role") == "assistant":
                self._answer(message, number, display, messages[number + 1] if number + 1 < len(messages) else None)
            elif get(message, "role") == "user":
                self._take_prompt(message, number, with_text=not display.typed)
        for key, usage in display.usage(self.model):
            self.add_usage(Usage(key, usage.pop("at"), 0, **usage))

    def _take_prompt(self, message: Any, number: int, with_text: bool) -> None:
        text = text_of(get(message, "content"))
        clock, model, directory = _CLOCK.search(text), _MODEL.search(text), _DIRECTORY.search(text)
        time = time_of(get(message, "ts")) or (timestamp(clock[1]) if clock else None)
        self.begin(time)
        self.add_cwd(directory[1] if directory else "")
        self.model = self.switched("model_change", self.model, model[1] if model else "", time)
        if self.as_typed:
            texts = (get_str(block, "text") for block in blocks_of(get(message, "content")))
            self.add_prompt(number, time, "\n".join(filter(None, texts)))
            return
        for index, notice in enumerate(_SAID.finditer(text) if with_text else ()):
            self.add_turn((number, index), time, notice[2])

    def _answer(self, message: dict[str, Any], number: int, display: _Shown, following: object) -> None:
        """An answer of the model; `following`: the next message, which has the results of its calls."""
        time = began = display.asked.get(number - 2) or time_of(message.get("ts"))
        ended = display.asked.get(number) or time_of(get(following, "ts"))
        self.begin(began)
        key = str(number)
        self.model = self.switched("model_change", self.model, _model(message), began)
        self._tokens(message, key, began, display)
        times = iter(display.acts.get(number, ()))
        results = _Results(get(following, "content"))
        for index, block in enumerate(_calls_apart(blocks_of(message.get("content")))):
            if get(block, "type") == "tool_use":
                name = get_str(block, "name")
                time = next(times, time)
                call = Call(get_str(block, "id") or f"{key}/{index}", name, get_dict(block, "input"), time, self.order)
                call.model, call.message_id, call.cwd = self.model, key, self.cwd
                text = results.of(get_str(block, "id"), name)
                done = max(ended, time) if ended is not None and time is not None else ended
                self.add_call(call, Result(done, text or "", recorded=text is not None))
            else:
                self.add_block((key, index), began, block)

    def _tokens(self, message: dict[str, Any], key: str, time: float | None, display: _Shown) -> None:
        metrics, tokens = get_dict(message, "metrics"), get_dict(message, "metrics", "tokens")
        cost = recorded_cost(metrics.get("cost"))
        if "inputTokens" in metrics:
            fresh, out = get_int(metrics, "inputTokens"), get_int(metrics, "outputTokens")
            read, written = get_int(metrics, "cacheReadTokens"), get_int(metrics, "cacheWriteTokens")
            self.add_usage(Usage(key, time, 0, self.model, fresh, out, read, written, cost=cost))
        elif tokens and not display.has_tokens:
            put_in, out, cached = (get_int(tokens, name) for name in ("prompt", "completion", "cached"))
            self.add_usage(Usage(key, time, 0, self.model, put_in, out, cached, cost=cost))

    # --- what a call did ------------------------------------------------------------------------------------------

    def outcome(self, call: Call, result: Result) -> Outcome:
        if not result.recorded:
            return Status.UNKNOWN, ""
        beginning = result.text[:2_000]
        if _DENIED.search(beginning):
            return Status.REJECTED, beginning[:ERROR_CHARS]
        code = _EXIT.search(beginning) if call.name in self.shells else None
        if code and int(code[1]):
            return Status.ERROR, f"exit {code[1]}"
        return (Status.ERROR, beginning[:ERROR_CHARS]) if _FAILED.search(beginning) else (Status.OK, "")

    def command(self, call: Call, result: Result) -> Command:
        head, matches, output = result.text.partition("Output:\n")
        cwd = resolve(call.cwd, get_str(call.arguments, "cwd")) or call.cwd
        background = "still running" in head[:500]
        return shell_command(_commands(call.arguments), cwd, output if matches else result.text, background)

    def edits(self, call: Call, result: Result) -> list[Edit]:
        """What was asked for, and the whole text after it where nobody else changed that before it was saved."""
        path = resolve(call.cwd, _path(call.arguments))
        final = _FINAL.search(result.text)
        changed = final is not None and _CHANGED.search(result.text[: final.start()]) is not None
        if final and changed:
            self.add_observation(FileObservation(path, result.at or call.at, 1, final[1], whole=True, outside_edit=True))
        after = final[1] if final and not changed else None
        arguments = {**get_dict(call.arguments), "file_path": path}
        if call.name == "apply_patch":
            return edits_from_patch(arguments, call.cwd)
        return list(_writing_edits(call.name, path, arguments, after)) if path else []

    def observation(self, call: Call, result: Result) -> FileObservation | None:
        """The text of a file; some versions put a number before each line, or show a part."""
        path, text = resolve(call.cwd, _path(call.arguments)), result.text
        if not path or not text or any(name in get_dict(call.arguments) for name in _RANGES) or _NUMBERED.match(text):
            return None
        return FileObservation(path, result.at or call.at, 1, text, whole=True)


def _model(message: dict[str, Any]) -> str:
    return get_str(message, "modelInfo", "modelId") or get_str(message, "modelInfo", "id")


def _commands(arguments: object) -> str:
    """One command, or several that ran one after the other: a list, or the JSON text of one."""
    listed = get(arguments, "commands")
    several = parse_json(listed) if isinstance(listed, str) and listed.startswith("[") else listed
    if not isinstance(several, list):
        return get_str(arguments, "command") or get_str(arguments, "commands")
    texts = (element if isinstance(element, str) else get_str(element, "command") for element in several)
    return "\n".join(text for text in texts if text)


def _path(arguments: object) -> str:
    return path_argument(arguments) or get_str(arguments, "absolutePath") or get_str(arguments, "absolute_path")


def _writing_edits(tool: str, path: str, arguments: dict[str, Any], after: str | None) -> Iterator[Edit]:
    """What a tool that changes one file was asked to do."""
    if tool in _DIFFS:
        yield _replacing_edit(path, get_str(arguments, "diff"), after)
    elif tool == "search_and_replace":
        yield from edits_from_arguments({"path": path, "old_str": arguments.get("search"), "new_str": arguments.get("replace")})
    elif tool == "insert_content":
        yield Edit(path, "edit")
    elif tool == "editor":
        line = get_int(arguments, "insert_line")
        if arguments.get("insert_line") is not None:  # before this line
            added = tuple(f"+{element}" for element in get_str(arguments, "new_text").removesuffix("\n").split("\n"))
            yield Edit(path, "edit", hunks=(Hunk(max(line - 1, 0), 0, max(line, 1), len(added), added, exact_text=True),))
        else:
            yield from edits_from_arguments(
                {"path": path, "old_text": arguments.get("old_text"), "new_text": arguments.get("new_text")}
            )
    elif tool in _WRITERS:
        yield from edits_from_arguments(arguments, after=after if "content" in arguments else None)


def _replacing_edit(path: str, diff: str, after: str | None) -> Edit:
    blocks = search_replace_blocks(diff)
    if len(blocks) == 1 and not blocks[0].old:  # the whole file
        return Edit(path, "write", content=blocks[0].new, after=after)
    before = text_before(after, blocks) if after is not None else None
    if before is None:  # a text after alone would be taken for the agent's
        return Edit(path, "edit", replacements=blocks)
    return Edit(path, "edit", replacements=blocks, before=before, before_known=True, after=after)


def _calls_apart(blocks: list[Any]) -> Iterator[Any]:
    """The blocks of an answer; calls that stand as XML in a text become blocks of their own."""
    for block in blocks:
        text = get_str(block, "text") if get(block, "type") == "text" else ""
        end = 0
        for call in _XML_CALL.finditer(text):
            if before := text[end : call.start()].strip():
                yield {"type": "text", "text": before}
            yield {"type": "tool_use", "name": call[1], "input": _values(call[2])}
            end = call.end()
        if not end:
            yield block
        elif after := text[end:].strip():
            yield {"type": "text", "text": after}


def _values(inside: str) -> dict[str, str]:
    """Arguments written as XML: the newlines next to the tags are not theirs."""
    long = {match[1]: match[2] for match in _XML_LAST.finditer(inside)}
    short = {match[1]: match[2].strip() for match in _XML_VALUE.finditer(_XML_LAST.sub("", inside))}
    return short | {name: value.removeprefix("\n").removesuffix("\n") for name, value in long.items()}


class _Results:
    """What the next message says of the calls of an answer, by their id or by their name and order."""

    def __init__(self, content: object) -> None:
        self._by_id: dict[str, str] = {}
        self._by_name: dict[str, list[str]] = defaultdict(list)
        for block in blocks_of(content):
            text = get_str(block, "text")
            match = _RESULT.match(text)
            if get(block, "type") == "tool_result":
                self._by_id[get_str(block, "tool_use_id")] = text_of(get(block, "content"))
            elif match:
                self._by_name[match[1] or match[2]].append(text[match.end() :] if match[1] else text)

    def of(self, call_id: str, name: str) -> str | None:
        if call_id in self._by_id:
            return self._by_id[call_id]
        waiting = self._by_name[name]
        return waiting.pop(0) if waiting else None


class _Shown:
    """The times that the entries shown to the person give to the messages, by the number of the message."""

    def __init__(self, entries: list[dict[str, Any]]) -> None:
        self.typed: list[tuple[float | None, str]] = []
        self.asked: dict[int, float] = {}  # last message before a request -> when it was sent
        self.acts: dict[int, list[float]] = defaultdict(list)  # answer -> when its calls were made
        self._requests: list[tuple[float | None, dict[str, Any]]] = []
        answer = 0
        for number, entry in enumerate(entries):
            time, last = time_of(entry.get("ts")), entry.get("conversationHistoryIndex")
            kind = get_str(entry, "say") or get_str(entry, "ask")
            if kind in _TYPED or (number == 0 and kind == "text"):
                self.typed.append((time, get_str(entry, "text")))
            elif kind == "api_req_started":
                about = parse_json(get_str(entry, "text"))
                self._requests.append((time, {"about": about, "model": get_str(entry, "modelInfo", "modelId")}))
                if isinstance(last, int) and time is not None:
                    answer = last + 2
                    self.asked.setdefault(last, time)
            elif kind in _ACTS and time is not None and answer:
                self.acts[answer].append(time)

    @property
    def has_tokens(self) -> bool:
        return any(get_int(element["about"], "tokensOut") for _, element in self._requests)

    def usage(self, model: str) -> Iterator[tuple[str, dict[str, Any]]]:
        for number, (time, element) in enumerate(self._requests):
            about = element["about"]
            tokens = {name: get_int(about, theirs) for name, theirs in _TOKENS.items()}
            if any(tokens.values()):
                cost = recorded_cost(get(about, "cost"))
                yield f"request {number}", {"at": time, "model": element["model"] or model, "cost": cost, **tokens}


_TOKENS = {"input": "tokensIn", "output": "tokensOut", "cache_read": "cacheReads", "cache_write": "cacheWrites"}


# --- tasks on this machine ---------------------------------------------------------------------------------------------

# A directory for each task, `tasks/<id>/` beside `state/`. A list of all tasks names the directory of each, or a file of its own
# does; else the first message to the model says it.
_EDITORS = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf")
_SERVERS = (".vscode-server", ".vscode-server-insiders", ".vscode-remote", ".cursor-server", ".windsurf-server")
_API, _UI, _METADATA, _ITEM = "api_conversation_history.json", "ui_messages.json", "task_metadata.json", "history_item.json"
_NAMED_DIRECTORY = re.compile(rb"# Current (?:Working|Workspace) Directory \(((?:[^\"\\]|\\.){1,4000}?)\) Files")


def _session_files(location: Path) -> Iterator[Path]:
    for task in files.directories(location):
        if (task / _API).is_file():
            yield task / _API


def _find(location: Path, roots: Roots) -> Iterator[LocalSession]:
    history = files.document(location.parent / "state" / "taskHistory.json")
    listed = {get_str(element, "id"): get_str(element, "cwdOnTaskInitialization") for element in objects(history)}
    for path in _session_files(location):
        task = path.parent
        cwd = listed.get(task.name) or get_str(files.document(task / _ITEM), "workspace") or _mention(path)
        if roots.of(cwd):
            used = [path, *(task / name for name in (_UI, _METADATA, _ITEM) if (task / name).is_file())]
            yield LocalSession(task.name, tuple(used), f"started in {cwd}", cwd=cwd)


def _load(session: LocalSession) -> Iterator[bytes]:
    """Raises ValueError for messages that are no JSON: they are being written."""
    by_name = {path.name: path for path in session.files}
    api = json.loads(files.content(by_name[_API]))
    about, item = _value(by_name, _METADATA), _value(by_name, _ITEM)
    task: dict[str, Any] = {"agent": session.agent, "cwd": session.cwd, "parent": get_str(item, "parentTaskId")}
    task["environments"] = get_list(about, "environment_history")
    yield json.dumps({"task": task, "api": api, "ui": _value(by_name, _UI) or []}).encode()


def _value(by_name: dict[str, Path], name: str) -> Any:
    return files.document(by_name[name]) if name in by_name else None


def _mention(path: Path) -> str:
    match = _NAMED_DIRECTORY.search(files.head(path))
    return files.some_value(b'"' + match[1] + b'"') if match else ""


def task_store(agent: str, extension: str, layout: str, evidence_kind: Known, evidence: str, home: str = "") -> Store:
    """Where an extension of VS Code keeps its tasks, and its program for the command line in a directory of the home."""

    def places(machine: Machine) -> list[Path]:
        users = editor_users(machine, _EDITORS) + [machine.home / name / "data" / "User" for name in _SERVERS]
        directories = [user / "globalStorage" / extension for user in users] + ([machine.home / home] if home else [])
        return machine.existing(directory / "tasks" for directory in directories)

    return Store(agent, layout, evidence_kind, places, _find, load=_load, stored=_session_files, evidence=evidence)
