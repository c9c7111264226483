"""Cline: one JSON document `{task, api, ui}`, put together from the files of a task's directory.

`api` is what the model was sent and answered, in Anthropic's form, older answers with calls as XML
in their text. Results stand in the next message. `ui` is what the person saw, each entry with its
time, and names the last message of `api` at that moment: a request that says n is answered by
message n + 2. Of Cline's command line `api` alone has all since version 3: messages carry their
time, model and tokens, and prompts stand in them as they were typed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any

from collector.agents.common.edits import (
    added_lines,
    edits_from_arguments,
    search_replace_blocks,
    text_before,
)
from collector.agents.common.messages import blocks_of, recorded_cost, text_of
from collector.agents.common.reader import (
    ERROR_CHARS,
    Call,
    Outcome,
    RecordReader,
    Result,
    is_part,
    shell_command,
)
from collector.agents.machine import files
from collector.agents.machine.editors import USERS
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
    load_json,
    objects,
    parse_json,
)
from collector.model import Command, Edit, FileObservation, Status
from collector.text import first_group, resolve, timestamp
from collector.vocabulary.agents import Agent

NAME = "cline"
AGENT = Agent(
    NAME, "Cline", aliases=("claude-dev",), common="name", tools={"edit": "replace_in_file"}
)
GIVES = frozenset(
    {
        "times",
        "results",
        "text",
        "before",
        "reads",
        "commands",
        "commits",
        "models",
        "tokens",
        "directory",
    }
)
ORDER = 23

_XML_CALL = re.compile(
    r"<(write_to_file|replace_in_file|execute_command|read_file|apply_patch)>(.*?)</\1>", re.S
)
_XML_LAST = re.compile(r"<(content|diff|input)>(.*)</\1>", re.S)  # may hold tags of their own
_XML_VALUE = re.compile(r"<(\w{1,40})>(.*?)</\1>", re.S)
_SAID = re.compile(r"<(task|feedback|user_message|answer)>\n?(.*?)\n?</\1>", re.S)
_TYPED_HERE = re.compile(r"^<user_input\b[^>\n]*>(.*)</user_input>\s*$", re.S)
_DIRECTORY = re.compile(r"^# Current (?:Working|Workspace) Directory \((.{1,4000}?)\) Files$", re.M)
_MODEL = re.compile(r"^<model>([^<\n]{1,200})</model>$", re.M)
_CLOCK = re.compile(r"^# Current Time\n(?:Current time in ISO 8601 UTC format: (\S{10,40}))", re.M)
_RESULT = re.compile(
    r"^\[(\w{1,60})(?: for .*?)?\] Result:\n?|^Tool \[(\w{1,60})\] was not executed", re.S
)
_FINAL = re.compile(r"<final_file_content path=\"[^\n]*\">\n(.*)\n</final_file_content>", re.S)
_CHANGED = re.compile(r"made the following updates to your content|auto-formatting to your content")
_DENIED = re.compile(r'denied this operation|"status":\s*"denied"')
_FAILED = re.compile(
    r'^The tool execution failed|was not executed|"status":\s*"error"|was reverted to its original'
    r" state|^<error"
)
_NUMBERED = re.compile(r"\s*\d+ ?\||<|\{|File: ")
_ACTS = ("tool", "command", "use_mcp_server")
_TYPED = ("task", "user_feedback")


def sniff(head: object) -> bool:
    return has(head, api=list) and get(head, "task", "agent") == NAME


class _Reader(RecordReader):
    shells = ("execute_command", "run_commands")
    writers = ("write_to_file", "replace_in_file", "editor")
    reads = ("read_file",)
    spawns = ("spawn_agent",)
    exits = re.compile(r"[Ee]xit(?:ed with)? code:? (-?\d{1,9})")
    as_typed = False  # whether prompts stand in the messages without anything around them

    def take(self, record: JsonObject) -> None:
        self.as_typed = get(record, "task", "as_typed") is True
        self.add_cwd(get(record, "task", "cwd"))
        for element in objects(get(record, "task", "environments")):
            self.add_version(element.get("cline_version"))
        self.add_version(get(record, "task", "origin", "version"))
        messages = get_list(record, "api")
        display = _Shown(objects(record.get("ui")))
        for time, text in display.typed:
            self.begin(time)
            self.add_turn((time, text), time, text)
        for number, message in enumerate(messages):
            if get(message, "role") == "assistant":
                following = takewhile(
                    lambda other: get(other, "role") != "assistant", messages[number + 1 :]
                )
                self._answer(message, number, display, list(following))
            elif get(message, "role") == "user":
                self._take_prompt(message, number, with_text=not display.typed)
        for number, (time, about, model) in enumerate(display.requests):
            more = {"model": model or self.model, "cost": recorded_cost(about.get("cost"))}
            self.count_tokens(f"request {number}", time, about, cached_among_input=False, **more)

    def _take_prompt(self, message: Any, number: int, with_text: bool) -> None:
        text = text_of(get(message, "content"))
        clock = _CLOCK.search(text)
        time = get_time(message, "ts") or (timestamp(clock[1]) if clock else None)
        self.begin(time)
        self.add_cwd(first_group(_DIRECTORY.search(text)))
        self.use_model(first_group(_MODEL.search(text)), time)
        if self.as_typed:
            texts = (get_str(block, "text") for block in blocks_of(get(message, "content")))
            self.add_prompt(
                number, time, "\n".join(_TYPED_HERE.sub(r"\1", entry) for entry in texts if entry)
            )
            return
        for index, notice in enumerate(_SAID.finditer(text) if with_text else ()):
            self.add_turn((number, index), time, notice[2])

    def _answer(
        self, message: JsonObject, number: int, display: _Shown, following: list[Any]
    ) -> None:
        """An answer of the model; `following`: the messages up to the next answer, which have
        the results of its calls.
        """
        time = began = display.asked.get(number - 2) or get_time(message, "ts")
        ended = display.asked.get(number) or get_time(next(iter(following), None), "ts")
        self.begin(began)
        key = str(number)
        self.use_model(
            get_str(message, "modelInfo", "modelId") or get_str(message, "modelInfo", "id"), began
        )
        self._tokens(message, key, began, display)
        times = iter(display.acts.get(number, ()))
        results = _Results(
            [block for other in following for block in blocks_of(get(other, "content"))]
        )
        for index, block in enumerate(_calls_apart(blocks_of(message.get("content")))):
            if get(block, "type") == "tool_use":
                name = get_str(block, "name")
                time = next(times, time)
                text = results.of(get_str(block, "id"), name)
                done = max(ended, time) if ended is not None and time is not None else ended
                result = Result(done, text or "", recorded=text is not None)
                self.take_call(block, "input", f"{key}/{index}", time, result, message_id=key)
            else:
                self.add_block((key, index), began, block)

    def _tokens(self, message: JsonObject, key: str, time: Moment, display: _Shown) -> None:
        metrics = get_dict(message, "metrics")
        tokens = get_dict(message, "metrics", "tokens")
        cost = recorded_cost(metrics.get("cost"))
        if "inputTokens" in metrics:
            self.count_tokens(key, time, metrics, cost=cost)
        elif tokens and not any(get_int(about, "tokensOut") for _, about, _ in display.requests):
            self.count_tokens(key, time, tokens, cached_among_input=False, cost=cost)

    def outcome(self, call: Call, result: Result) -> Outcome:
        beginning = result.text[:2_000]
        status, error = super().outcome(call, result)
        if _DENIED.search(beginning):
            return Status.REJECTED, beginning[:ERROR_CHARS]
        failed = status is Status.OK and _FAILED.search(beginning)
        if failed:
            return (Status.ERROR, beginning[:ERROR_CHARS])
        return (status, error)

    def command(self, call: Call, result: Result) -> Command:
        head, matches, output = result.text.partition("Output:\n")
        cwd = resolve(call.cwd, get_str(call.arguments, "cwd")) or call.cwd
        background = "still running" in head[:500]
        return shell_command(
            _commands(call.arguments), cwd, output if matches else result.text, background
        )

    def edits(self, call: Call, result: Result) -> Iterable[Edit]:
        """What was asked for, and the whole text after it where nobody else changed that before
        it was saved.
        """
        path = call.path
        arguments = get_dict(call.arguments)
        final = _FINAL.search(result.text)
        changed = final is not None and _CHANGED.search(result.text[: final.start()]) is not None
        if final and changed:
            self.add_observation(
                FileObservation(
                    path, result.at or call.at, 1, final[1], whole=True, outside_edit=True
                )
            )
        after = final[1] if final and not changed else None
        if call.name == "replace_in_file" and path:
            return [_replacing_edit(path, get_str(arguments, "diff"), after)]
        # before this line
        if call.name == "editor" and path and arguments.get("insert_line") is not None:
            return [
                added_lines(
                    path,
                    max(get_int(arguments, "insert_line") - 1, 0),
                    get_str(arguments, "new_text"),
                )
            ]
        if call.name == "write_to_file":
            return edits_from_arguments(
                arguments, call.cwd, after=after if "content" in arguments else None
            )
        return super().edits(call, result)

    def observation(self, call: Call, result: Result) -> FileObservation | None:
        """The text of a file; some versions put a number before each line, or show a part."""
        part = is_part(call.arguments) or {"args", "files"} & get_dict(call.arguments).keys()
        if part or _NUMBERED.match(result.text):
            return None
        return self.display(call, result, result.text)


read = _Reader.document_reader(NAME)


def _commands(arguments: object) -> str:
    """One command, or several that ran one after the other: a list, or the JSON text of one."""
    listed = get(arguments, "commands")
    several = parse_json(listed) if isinstance(listed, str) and listed.startswith("[") else listed
    if not isinstance(several, list):
        return first_text(arguments, "command", "commands")
    texts = (
        element if isinstance(element, str) else get_str(element, "command") for element in several
    )
    return "\n".join(text for text in texts if text)


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


def _values(inside: str) -> Texts:
    """Arguments written as XML: the newlines next to the tags are not theirs."""
    long = {match[1]: match[2] for match in _XML_LAST.finditer(inside)}
    short = {match[1]: match[2].strip() for match in _XML_VALUE.finditer(_XML_LAST.sub("", inside))}
    return short | {
        name: value.removeprefix("\n").removesuffix("\n") for name, value in long.items()
    }


class _Results:
    """What the next message says of the calls of an answer, by their id or by their name and
    order.
    """

    def __init__(self, content: object) -> None:
        self._by_id: Texts = {}
        self._by_name: dict[str, list[str]] = defaultdict(list)
        for block in blocks_of(content):
            text = get_str(block, "text")
            match = _RESULT.match(text)
            if get(block, "type") == "tool_result":
                self._by_id[get_str(block, "tool_use_id")] = text_of(get(block, "content"))
            elif match:
                self._by_name[match[1] or match[2]].append(
                    text[match.end() :] if match[1] else text
                )

    def of(self, call_id: str, name: str) -> str | None:
        waiting = [] if call_id in self._by_id else self._by_name[name]
        if waiting:
            return waiting.pop(0)
        return self._by_id.get(call_id)


class _Shown:
    """The times that the entries shown to the person give to the messages, by the number of the
    message.
    """

    def __init__(self, entries: list[JsonObject]) -> None:
        self.typed: list[tuple[Moment, str]] = []
        self.asked: dict[int, float] = {}  # last message before a request -> when it was sent
        self.acts: dict[int, list[float]] = defaultdict(list)  # answer -> when its calls were made
        # time, tokens and cost, model
        self.requests: list[tuple[Moment, JsonObject, str]] = []
        answer = 0
        for number, entry in enumerate(entries):
            time = get_time(entry, "ts")
            last = entry.get("conversationHistoryIndex")
            kind = first_text(entry, "say", "ask")
            if kind in _TYPED or (number == 0 and kind == "text"):
                self.typed.append((time, get_str(entry, "text")))
            elif kind == "api_req_started":
                about = get_dict(parse_json(get_str(entry, "text")))
                self.requests.append((time, about, get_str(entry, "modelInfo", "modelId")))
                if isinstance(last, int) and time is not None:
                    answer = last + 2
                    self.asked.setdefault(last, time)
            elif kind in _ACTS and time is not None and answer:
                self.acts[answer].append(time)


# --- sessions on this machine ---------------------------------------------------------------------

# A directory for each task, `tasks/<id>/` beside `state/`. A list of all tasks names the directory
# of each; else the first message to the model says it. The command line has a directory for each
# session.
_EDITORS = "{Code,Code - Insiders,VSCodium,Cursor,Windsurf}"
_SERVERS = "{.vscode-server,.vscode-server-insiders,.vscode-remote,.cursor-server,.windsurf-server}"
_TASKS = "User/globalStorage/saoudrizwan.claude-dev/tasks"
_API = "api_conversation_history.json"
_UI = "ui_messages.json"
_METADATA = "task_metadata.json"
_MESSAGES = ".messages.json"
_NAMED_DIRECTORY = re.compile(
    rb"# Current (?:Working|Workspace) Directory \(((?:[^\"\\]|\\.){1,4000}?)\) Files"
)


def _find_tasks(location: Path, roots: Roots) -> Iterator[LocalSession]:
    history = objects(files.document(location.parent / "state" / "taskHistory.json"))
    listed = {get_str(entry, "id"): get_str(entry, "cwdOnTaskInitialization") for entry in history}
    for path in files.match_files(location, f"*/{_API}"):
        cwd = listed.get(path.parent.name) or files.text_in(files.head(path), _NAMED_DIRECTORY)
        if roots.of(cwd):
            used = (
                path,
                *(
                    other
                    for name in (_UI, _METADATA)
                    if files.is_plain(other := path.with_name(name))
                ),
            )
            yield LocalSession(path.parent.name, used, f"started in {cwd}", cwd=cwd)


def _load_task(session: LocalSession) -> Iterator[bytes]:
    """Raises ValueError for messages that are no JSON: they are being written."""
    path = session.files[0]
    api = load_json(files.content(path))
    shown = files.document(path.with_name(_UI)) or []
    environments = get_list(files.document(path.with_name(_METADATA)), "environment_history")
    task = {"agent": session.agent, "cwd": session.cwd, "environments": environments}
    yield json_bytes({"task": task, "api": api, "ui": shown})


def _whose_session(path: Path) -> tuple[str, str]:
    about = files.document(path.with_name(f"{path.parent.name}.json"))
    return path.parent.name, first_text(about, "cwd", "workspace_root")


def _load_session(session: LocalSession) -> Iterator[bytes]:
    """Raises ValueError for messages that are no JSON: they are being written."""
    document = load_json(files.content(session.files[0]))
    task = {
        "agent": session.agent,
        "cwd": session.cwd,
        "as_typed": True,
        "origin": get(document, "origin"),
    }
    yield json_bytes({"task": task, "api": get_list(document, "messages"), "ui": []})


STORES = (
    Store(
        NAME,
        at=(f"{USERS}/{_EDITORS}/{_TASKS}", f"~/{_SERVERS}/data/{_TASKS}", "~/.cline/data/tasks"),
        patterns=(f"*/{_API}",),
        find=_find_tasks,
        load=_load_task,
    ),
    Store(
        NAME,
        at=("${CLINE_SESSION_DATA_DIR:-${CLINE_DATA_DIR:-${CLINE_DIR:-~/.cline}/data}/sessions}",),
        patterns=(f"*/*{_MESSAGES}",),
        whose=_whose_session,
        beside=lambda path: (path.with_name(f"{path.parent.name}.json"),),
        load=_load_session,
        form="cline-cli",
    ),
)
