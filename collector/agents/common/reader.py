"""The base of all readers: it goes through the records, pairs calls with their results, and tells
what a call did.

What a call did follows from its name and arguments, which agents spell in few ways; a reader
overrides what is special about it.
"""

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from collector.agents.common.builder import SessionBuilder
from collector.agents.common.call_ids import CallIds, CallText
from collector.agents.common.edits import (
    DELETE_TOOLS,
    PATCH_TOOLS,
    deletions,
    edits_from_arguments,
    edits_from_patch,
    edits_of_command,
    edits_of_unknown_tool,
    parse_patch,
    path_argument,
)
from collector.agents.common.jsonl import copies, documents, records
from collector.agents.common.numbered_diffs import hashline_edits
from collector.agents.common.scripts import commands_in_script, patches_in_script
from collector.json_values import (
    JsonObject,
    Moment,
    first_of,
    first_text,
    get,
    get_dict,
    get_str,
    parse_json,
    to_json,
)
from collector.model import Command, Edit, FileObservation, Session, Spawn, Status, ToolCall
from collector.text import normal_path, resolve, unique
from collector.vocabulary.agents import tool_kinds

# What a transcript can tell, in the order of the table in docs/agents.md. A reader declares its
# part as `GIVES`; the tests compare that with what it finds in its sample.
FACETS = {
    "times": "when each call was made",
    "results": "whether a call succeeded",
    "text": "the exact text an edit writes",
    "before": "the whole text before an edit",
    "positions": "line numbers of an edit",
    "reads": "what the agent saw of files",
    "commands": "shell commands",
    "commits": "commits a command made",
    "subagents": "calls of subagents, in the same transcript",
    "models": "the model of each response",
    "tokens": "tokens used",
    "directory": "the working directory",
}

Read = Callable[[str, Iterable[bytes]], Session]
ERROR_CHARS = 300
_FORWARDS = frozenset({"tool_call", "use_mcp_tool", "call_mcp_tool"})  # of Qwen, Cline, Antigravity
OUTPUT_CHARS = 100_000
Outcome = tuple[Status, str]  # how the call ended, and the beginning of its error message

_COMMAND = ("command", "cmd", "CommandLine", "keystrokes", "script")
_DIRECTORY = (
    "workdir",
    "cwd",
    "Cwd",
    "working_directory",
    "working_dir",
    "workingDir",
    "dir_path",
    "directory",
)
# A tool of a server, behind the server's name: `mcp__shelf__run_command`, `shelf-shell_exec`.
_SERVER_SHELL = re.compile(
    r".+(?:__|[-_./])(?:(?:run|exec|execute|start)_(?:shell_|terminal_)?(?:command|process)"
    r"|shell_exec(?:ute)?)"
)
_BACKGROUND = ("run_in_background", "is_background", "detach")
_PARTS = (
    "offset",
    "limit",
    "start_line",
    "end_line",
    "line_range",
    "startLineOneIndexed",
    "start_line_one_indexed",
)
_GITHUB_COMMIT = re.compile(r'"commit"\s*:\s*\{[^{}]{0,400}?"sha"\s*:\s*"([0-9a-f]{40})"')
_COMMITTING = {  # ends of the names of tools -> the id in what they print
    "git_commit": re.compile(r"(?<![\w-])([0-9a-f]{7,40})(?![\w-])"),
    "create_or_update_file": _GITHUB_COMMIT,
    "push_files": re.compile(r'"object"\s*:\s*\{[^{}]{0,400}?"sha"\s*:\s*"([0-9a-f]{40})"'),
    "merge_pull_request": re.compile(r'"sha"\s*:\s*"([0-9a-f]{40})"'),
}
_COMMIT_LINE = re.compile(r"^(?:\x1b\[[\d;]*m)*\[[^\]\n]{1,200}? ([0-9a-f]{7,40})\]", re.M)
_GIT = re.compile(r"git|\bgt\s|commit|release")
_JJ_FINISHES = re.compile(r"\bjj\b[^|;&\n]{0,200}?\s(?:commit|ci|squash)\b")
_JJ_PARENT = re.compile(r"^Parent commit\s*(?:\(@-\))?\s*: [k-z]{6,}\S* ([0-9a-f]{7,40})\b", re.M)


@dataclass(slots=True)
class Call:
    """The record of a call. Its result may stand in a later record, or in another copy of the
    transcript.
    """

    id: str
    name: str
    arguments: object
    at: Moment
    order: int
    agent_id: str = ""
    model: str = ""
    message_id: str = ""
    cwd: str = ""
    not_before: Moment = None  # see `ToolCall`

    @property
    def path(self) -> str:
        """The file that the arguments name."""
        return resolve(self.cwd, path_argument(self.arguments))


@dataclass(frozen=True, slots=True)
class Result:
    """What came back from a call."""

    at: Moment
    text: str  # as the model got it
    status: Status = Status.OK
    error: str = ""  # where the message is not the text
    details: object = None  # what the agent recorded for itself beside the text
    printed: str | None = None  # by a command, where the text has more
    exit_code: int = 0  # of a command
    running: bool = False  # the command goes on in the background
    recorded: bool = True  # False: nothing came back, or not yet


NO_RESULT = Result(None, "", recorded=False)


class RecordReader(SessionBuilder):
    """A reader of one format is a subclass: it adds what a record says (`take`), and what is
    special about a call.
    """

    shells: Collection[str] = ()  # tools that run a command
    writers: Collection[str] = ()  # tools that write or edit a file
    reads: Collection[str] = ()  # tools that show a file
    spawns: Collection[str] = ()  # tools that start a subagent
    # parts, in lower case, of the error of a call that the user did not allow
    rejections: tuple[str, ...] = ()
    exits: re.Pattern[str] | None = None  # the exit code in what a shell gave back
    # copies are read as they come, none is kept: those of a session can be many and large
    one_by_one = False
    ids_are_places = False  # in the transcript: of two copies, the first says which call is there
    one_directory = False  # the whole session ran in one directory, which may be known only later

    def __init__(self, agent: str, session_id: str) -> None:
        super().__init__(agent, session_id)
        self.call_ids = CallIds()
        self.calls: dict[str, Call] = {}  # by the key of each
        self.results: dict[str, Result] = {}
        self.prepare()

    def prepare(self) -> None:
        """What a reader of one format keeps beside."""

    @classmethod
    def line_reader(cls, agent: str, skip: Callable[[bytes], bool] | None = None) -> Read:
        """What reads the transcripts of an agent that are JSON lines."""
        return lambda session_id, copies: cls(agent, session_id).read_lines(copies, skip)

    @classmethod
    def document_reader(cls, agent: str) -> Read:
        """What reads the transcripts of an agent that are JSON documents."""
        return lambda session_id, copies: cls(agent, session_id).read_documents(copies)

    def take(self, record: JsonObject) -> None:
        """Adds what one JSON object of the transcript says; a reader of texts, which have none,
        lacks it.
        """
        raise NotImplementedError

    def read_lines(
        self, blobs: Iterable[bytes], skip: Callable[[bytes], bool] | None = None
    ) -> Session:
        """The session of transcripts that are JSON lines; `skip` drops lines unread."""
        for record in records(
            map(self.begin_copy, blobs if self.one_by_one else copies(blobs)),
            self.problems,
            self.session_id,
            skip,
            self.torn,
        ):
            self.take(record)
        return self.session()

    def begin_copy(self, blob: bytes) -> bytes:
        """Called with a copy of the transcript before its lines are read."""
        return blob

    def read_documents(self, blobs: Iterable[bytes]) -> Session:
        """The session of transcripts that are JSON documents."""
        for document in documents(blobs, self.problems, self.session_id):
            if isinstance(document, dict):
                self.take(document)
        return self.session()

    def call_tool(
        self,
        key: str,
        name: str,
        arguments: object,
        time: Moment,
        result: Result | None = None,
        **more: Any,
    ) -> str:
        """Adds a call of the record that is read, with its result where that has both; the key
        under which it is kept. `more` are fields of `Call`.
        """
        fields = {"model": self.model, "cwd": self.cwd, **more}
        if name in _FORWARDS:
            name, arguments = forwarded_call(name, arguments)
        if not self.ids_are_places:
            said = CallText(name, arguments, fields.get("agent_id", ""))
            key = self.call_ids.called(key, said, time, self.order)
        if key not in self.calls:
            self.calls[key] = Call(key, name, arguments, time, self.order, **fields)
            if result is not None:
                self.add_result(key, result)
        return key

    def take_call(
        self,
        request: object,
        arguments: str,
        place: str,
        time: Moment,
        result: Result | None = None,
        **more: Any,
    ) -> str:
        """A call as most records have it: its id (else where it stands), its name, and its
        arguments under a key of the agent's.
        """
        return self.call_tool(
            get_str(request, "id") or place,
            get_str(request, "name"),
            get(request, arguments) or {},
            time,
            result,
            **more,
        )

    def take_blocks(
        self,
        blocks: Iterable[object],
        kind: str,
        arguments: str,
        key: str,
        time: Moment,
        **more: Any,
    ) -> None:
        """The blocks of an answer: texts, reasoning, and calls, which are of one kind."""
        for index, block in enumerate(blocks):
            if get(block, "type") == kind:
                self.take_call(block, arguments, f"{key}/{index}", time, message_id=key, **more)
            else:
                self.add_block((key, index), time, block)

    def add_result(self, call_id: str, result: Result) -> None:
        self.results.setdefault(self.call_ids.answered(call_id, self.order), result)

    def add_turn(
        self,
        key: Hashable,
        time: Moment,
        text: str,
        origin: str = "prompt",
        turn_id: str = "",
    ) -> None:
        self.call_ids.go_on(self.order)
        super().add_turn(key, time, text, origin, turn_id)

    def session(self) -> Session:
        """The session, once everything is read."""
        return self.build(list(self.completed_calls()))

    # --- what a call did --------------------------------------------------------------------------

    def completed_calls(self) -> Iterator[tuple[int, ToolCall]]:
        """(number of its record, call) of all calls, once everything is read."""
        for call in self.calls.values():
            if self.one_directory:
                call.cwd = self.cwd
            yield call.order, self.completed(call, self.results.get(call.id, NO_RESULT))

    def completed(self, call: Call, result: Result) -> ToolCall:
        """The call with its result and what it did, which the methods below find out."""
        tool = self.tool(call)
        status, error = self.outcome(call, result)
        is_shell = tool in self.shells or is_shell_of_server(call.name, call.arguments)
        command = self.command(call, result) if is_shell else None
        return ToolCall(
            call_id=call.id,
            name=call.name,
            turn=0,
            at=call.at,
            done_at=result.at,
            not_before=call.not_before,
            status=status,
            error=error,
            agent_id=call.agent_id,
            model=call.model,
            message_id=call.message_id,
            input=to_json(call.arguments),
            edits=tuple(self.edits(call, result)) or self.edits_of_unknown_tool(call),
            command=command,
            seen=(
                self.observation(call, result)
                if tool in self.reads and status is Status.OK
                else None
            ),
            spawn=self.spawn(call, result) if tool in self.spawns else None,
            commits=(
                self.commits(command, result)
                if command
                else commits_of_tool(call.name, result.text)
            ),
            result_size=len(result.text) if result.recorded else None,
        )

    def tool(self, call: Call) -> str:
        """The name of the tool as the sets of tools of the reader have it."""
        return call.name

    def outcome(self, call: Call, result: Result) -> Outcome:
        """Unknown without a result; a rejection where the error says that the user did not allow
        the call.
        """
        error = result.error or result.text
        if not result.recorded or result.status is Status.UNKNOWN:
            return Status.UNKNOWN, ""
        if result.status is Status.OK:
            code = self._exit_code(result) if self.tool(call) in self.shells else 0
            if code:
                return (Status.ERROR, f"exit {code}")
            return (Status.OK, "")
        rejected = any(text in error.lower() for text in self.rejections)
        return (Status.REJECTED if rejected else result.status), error[:ERROR_CHARS]

    def _exit_code(self, result: Result) -> int:
        match = self.exits.search(result.text) if self.exits else None
        if match:
            return int(match[1])
        return result.exit_code

    def edits(self, call: Call, result: Result) -> Iterable[Edit]:
        """Changes of files, for every call."""
        name = call.name.replace("ApplyPatch", "apply_patch").lower()
        if name in PATCH_TOOLS:
            return edits_from_patch(call.arguments, call.cwd)
        if name in DELETE_TOOLS:
            return deletions(call.arguments, call.cwd)
        if self.tool(call) not in self.writers:
            return ()
        return edits_from_arguments(call.arguments, call.cwd, **self.result_fields(call, result))

    def edits_of_unknown_tool(self, call: Call) -> tuple[Edit, ...]:
        """Changes of files by a tool that no agent is known to have."""
        name = self.tool(call)
        if (
            name in (*self.shells, *self.writers, *self.reads, *self.spawns)
            or name.lower() in tool_kinds()
        ):
            return ()
        return tuple(edits_of_unknown_tool(name, call.arguments, call.cwd))

    def result_fields(self, call: Call, result: Result) -> JsonObject:
        """What the result of a writing tool tells beside the arguments: fields of `Edit`."""
        return {}

    def command(self, call: Call, result: Result) -> Command | None:
        """What a shell ran."""
        cwd = resolve(call.cwd, first_text(call.arguments, *_DIRECTORY)) or call.cwd
        background = result.running or any(
            get(call.arguments, name) is True for name in _BACKGROUND
        )
        output = result.text if result.printed is None else result.printed
        return shell_command(first_text(call.arguments, *_COMMAND), cwd, output, background)

    def observation(self, call: Call, result: Result) -> FileObservation | None:
        """The text that a tool which reads files has shown."""
        return None

    def display(
        self, call: Call, result: Result, text: str, start: int = 1, whole: bool = True
    ) -> FileObservation | None:
        """A text that was shown of the file which a call names; None without one of both."""
        if call.path and text:
            return FileObservation(call.path, result.at or call.at, start, text, whole)
        return None

    def spawn(self, call: Call, result: Result) -> Spawn:
        """The subagent that a call started."""
        return Spawn(
            kind=first_text(
                call.arguments, "subagent_type", "agent_type", "subagent_name", "agent"
            ),
            visible=False,
        )

    def commits(self, command: Command, result: Result) -> tuple[str, ...]:
        """Ids of the commits that a command made."""
        return commits_in(command, command.output)


def is_shell_of_server(name: str, arguments: object) -> bool:
    """Whether a tool of a server ran a command."""
    return bool(_SERVER_SHELL.fullmatch(name) and first_text(arguments, *_COMMAND))


def forwarded_call(name: str, arguments: object) -> tuple[str, object]:
    """Name and arguments of the tool that a call passes on, the name behind its server's; those
    of the call itself where it names none.
    """
    server = first_text(arguments, "server_name", "ServerName")
    tool = first_text(arguments, "name", "tool_name", "ToolName")
    passed = first_of(arguments, "arguments", "Arguments")
    if not tool:
        return name, arguments
    return f"mcp__{server}__{tool}" if server else tool, parse_json(passed) or passed


def is_part(arguments: object) -> bool:
    """Whether a tool was asked to show only a part of a file."""
    return first_of(arguments, *_PARTS) is not None


def numbered_lines(listing: str, row: re.Pattern[str]) -> tuple[int, list[str]] | None:
    """Number of the first line, and the lines of a listing with a number before each; None where
    one has no number.
    """
    rows = [match for line in listing.split("\n") if (match := row.match(line))]
    if len(rows) == listing.count("\n") + 1:
        return (int(rows[0][1]), [match[2] for match in rows])
    return None


_STATUSES = {
    **dict.fromkeys(("success", "completed", "done"), Status.OK),
    **dict.fromkeys(("error", "errored", "failed"), Status.ERROR),
    **dict.fromkeys(("cancelled", "canceled"), Status.REJECTED),
}


def status_of(word: str) -> Status:
    """How a call ended, by the word that most agents have for it."""
    return _STATUSES.get(word.lower(), Status.UNKNOWN)


def is_error(value: object) -> Status:
    """The status that a flag in a result tells."""
    if value is True:
        return Status.ERROR
    return Status.OK


def shell_command(text: str, cwd: str, output: str = "", background: bool = False) -> Command:
    """A command with the beginning of its output."""
    return Command(text, normal_path(cwd), background, output[:OUTPUT_CHARS])


def commits_in(command: Command, output: str) -> tuple[str, ...]:
    """Abbreviated ids of the commits a command made: git's `[main 1a2b3c4] Subject`, and what jj
    shows below its working copy.
    """
    made = _COMMIT_LINE.findall(output) if _GIT.search(command.text) else []
    if _JJ_FINISHES.search(command.text):
        made += _JJ_PARENT.findall(output)
    return unique(made)


def commits_of_tool(name: str, output: str) -> tuple[str, ...]:
    """The id that a tool of a git server gave for the commit it made: `mcp__git__git_commit`, or
    one of GitHub's.
    """
    for tool, ids in _COMMITTING.items():
        if name.endswith(tool) and (match := ids.search(output)):
            return (match[1],)
    return ()


# --- formats that several agents share ------------------------------------------------------------

# take a subcommand
_EDITORS = ("str_replace_editor", "str_replace_based_edit_tool", "file_editor", "text_editor")
_CHANGING = ("create", "write", "str_replace", "insert", "edit")


class AnyAgentReader(RecordReader):
    """Knows the tools of all agents by their names in lower case."""

    shells = frozenset(
        {
            "bash",
            "powershell",
            "shell",
            "execute",
            "exec",
            "exec_command",
            "shell_command",
            "run_shell_command",
            "run_command",
            "execute_bash",
            "bash_command",
            "run_terminal_cmd",
            "run_terminal_command",
            "execute_command",
            "terminal",
        }
    )
    writers = frozenset(
        {
            "edit",
            "write",
            "multiedit",
            "create",
            "strreplace",
            "str_replace",
            "replace",
            "write_file",
            "edit_file",
            "save_file",
            "write_to_file",
            "replace_file_content",
            "multi_replace_file_content",
            "mcp__acp__edit",
            "mcp__acp__write",
            "notebookedit",
            "notebook_edit",
            "create_file",
            "search_replace",
            "fs_write",
            *_EDITORS,
        }
    )
    reads = ("read",)
    spawns = ("task", "agent", "spawn_agent")

    def tool(self, call: Call) -> str:
        return call.name.lower()

    def command(self, call: Call, result: Result) -> Command | None:
        if self.tool(call) == "exec" and not first_text(call.arguments, *_COMMAND):
            commands = commands_in_script(get_str(call.arguments, "input"))
            if not commands:
                return None
            text = "\n".join(text for text, _ in commands)
            (_, cwd) = commands[0]
            call = replace(
                call, arguments={**get_dict(call.arguments), "command": text, "cwd": cwd}
            )
        self.add_cwd(normal_path(first_text(call.arguments, *_DIRECTORY)))
        return super().command(call, result)

    def edits(self, call: Call, result: Result) -> Iterable[Edit]:
        name = self.tool(call)
        arguments = call.arguments
        if name == "exec" and get_str(arguments, "input"):
            return [
                edit
                for patch in patches_in_script(get_str(arguments, "input"))
                for edit in parse_patch(patch, call.cwd)
            ]
        if name in self.shells:
            cwd = first_text(arguments, *_DIRECTORY) or call.cwd
            return edits_of_command(first_text(arguments, *_COMMAND), cwd)
        if name in _EDITORS and get_str(arguments, "command") not in _CHANGING:
            return ()
        if name in self.writers:
            patched = edits_from_patch(arguments, call.cwd)
            return patched or list(super().edits(call, result)) or hashline_edits(arguments)
        return super().edits(call, result)
