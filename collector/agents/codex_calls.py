"""Calls of Codex and what they did. Patches also hide in JavaScript programs (tool `exec`) and in shell heredocs."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from collector.agents.common.apply_patch import BEGIN, parse_patch, patches_in
from collector.agents.common.arguments import edits_from_patch
from collector.agents.common.calls import ERROR_CHARS, Call, Outcome, commits_in, shell_command
from collector.agents.common.messages import text_of
from collector.agents.common.scripts import commands_in_script, patches_in_script
from collector.git.patches import parse_unified
from collector.json_values import as_json, get, get_dict, get_str, parsed
from collector.model import Command, Edit, FileObservation, Spawn, Status, ToolCall
from collector.text import normal_path, resolve

RUNNING_SCRIPT = re.compile(r"^Script running with cell ID (\S+)")
_SHELLS = frozenset({"exec_command", "shell", "shell_command", "local_shell_call", "container.exec", "unified_exec"})
_SPAWNS = frozenset({"spawn_agent", "spawn_agents"})
_EXIT = re.compile(r"^(?:Exit code:|Process exited with code) (-?\d+)", re.M)
_REJECTED = ("rejected by user", "rejected by the user", "user rejected")
_PARTLY = "Patch failed after applying these changes:\n"  # then the files, as `A path`, `D path`, `M path` or `M path -> path`
_APPLIED = re.compile(r"[AMD] (.+?)(?: -> .+)?")
_FAILED = ("Script failed", "aborted", "failed", "execution error", "apply_patch verification failed")


@dataclass(slots=True)
class CodexCall(Call):
    """A call, and what its output and the events about it say."""

    output: str | None = None
    success: bool | None = None
    exit_code: int | None = None
    printed: str | None = None  # what the command wrote
    done_at: float | None = None
    changes: dict[str, Any] | None = None  # path -> change, as applied
    spawned: str = ""
    role: str = ""
    inner: list[CodexCall] = field(default_factory=list)  # patches that a script applied
    within: CodexCall | None = None  # the script that applied this patch

    @property
    def is_shell(self) -> bool:
        return self.name in _SHELLS

    @property
    def script(self) -> str:
        """The text of a JavaScript program, or ""."""
        return self.arguments if self.name == "exec" and isinstance(self.arguments, str) else ""

    @property
    def body(self) -> str:
        """What a command printed, without the lines that the harness puts before it."""
        if self.printed is not None:
            return self.printed
        head, mark, body = (self.output or "").partition("\nOutput:\n")
        return body if mark and len(head) < 4000 else self.output or ""

    def take_output(self, output: object, at: float | None) -> None:
        """The result as the model got it. What an event said before is more exact and stays."""
        text, code, success = _output(output)
        self.output, self.done_at = text, self.done_at or at
        self.exit_code = code if self.exit_code is None else self.exit_code
        self.success = success if self.success is None else self.success


def arguments_of(payload: dict[str, Any]) -> object:
    """Arguments as an object where they are JSON text, else as they are; a custom tool takes plain text."""
    if payload.get("type") == "custom_tool_call":
        return get_str(payload, "input")
    if payload.get("type") in ("local_shell_call", "web_search_call"):
        return get_dict(payload, "action")
    return parsed(payload.get("arguments")) or payload.get("arguments")


def _output(output: object) -> tuple[str, int | None, bool | None]:
    """(text, exit code, success) of a result: text, blocks, an object, or an object as JSON text."""
    if isinstance(output, str) and output.startswith('{"output"'):
        output = parsed(output) or output
    success = get(output, "success")
    text = _joined(output) or get_str(output, "output") or text_of(get(output, "content"))
    code = get(output, "metadata", "exit_code")
    match = _EXIT.search(text, 0, 4000)
    if not isinstance(code, int) and match and len(match[1]) < 12:
        code = int(match[1])
    return text, code if isinstance(code, int) else None, success if isinstance(success, bool) else None


def _joined(blocks: object) -> str:
    """Blocks of a result one below the other; the head of a script's result ends with its own newline."""
    joined = ""
    for block in blocks if isinstance(blocks, list) else []:
        joined += "\n" if joined and not joined.endswith("\n") else ""
        joined += get_str(block, "text")
    return joined or text_of(blocks)


# --- the finished call ------------------------------------------------------------------------------------------------


def finished(call: CodexCall, problem: Callable[[str, str], None]) -> Iterator[ToolCall]:
    """The call; commands and patches of a script follow it as calls of their own. `problem` takes a code and a detail."""
    (status, error), command = _outcome(call), _command(call)
    parts = list(_script_parts(call, status))
    if len(parts) == 1 and parts[0].command and not parts[0].edits:
        command, parts = shell_command(parts[0].command.text, parts[0].command.cwd, call.body), []
    edits = _edits(call, problem)
    if status is Status.ERROR:
        applied, edits = _split_at_failure(call, edits)
        parts += [_part(call, len(parts) + 1, "apply_patch", Status.OK, edits=tuple(applied))] if applied else []
    yield ToolCall(
        call_id=call.id,
        name=call.name or "apply_patch",
        turn=0,
        at=call.at,
        done_at=call.done_at,
        status=status,
        error=error,
        agent_id=call.agent_id,
        model=call.model,
        input=call.arguments[:20_000] if isinstance(call.arguments, str) else as_json(call.arguments),
        edits=tuple(edits),
        command=command,
        seen=_seen(command, call) if command and status is Status.OK else None,
        spawn=_spawn(call) if call.name in _SPAWNS else None,
        commits=commits_in(command, command.output) if command else (),
        result_size=len(call.output) if call.output is not None else None,
    )
    yield from parts


def _outcome(call: CodexCall) -> Outcome:
    text = call.output or call.printed or ""
    error = text[:ERROR_CHARS]
    if call.success is not None:
        return (Status.OK, "") if call.success else (Status.ERROR, (call.printed or text)[:ERROR_CHARS])
    if call.output is None and call.exit_code is None:
        return Status.UNKNOWN, ""
    if any(mark in error for mark in _REJECTED):
        return Status.REJECTED, error
    if call.name == "exec" and RUNNING_SCRIPT.match(text):
        return Status.UNKNOWN, ""
    return (Status.ERROR, call.body[:ERROR_CHARS]) if _has_failed(call, text) else (Status.OK, "")


def _has_failed(call: CodexCall, text: str) -> bool:
    if call.exit_code is not None:
        return call.exit_code != 0
    return text.startswith(_FAILED) or (call.name == "apply_patch" and "Success. Updated" not in text[:ERROR_CHARS])


def _spawn(call: CodexCall) -> Spawn:
    agent_id = call.spawned or get_str(parsed(call.output), "agent_id")
    return Spawn(agent_id, call.role or get_str(call.arguments, "agent_type"), visible=False, asynchronous=True)


# --- commands ---------------------------------------------------------------------------------------------------------


def _command(call: CodexCall) -> Command | None:
    if not call.is_shell:
        return None
    cwd = normal_path(get_str(call.arguments, "working_directory")) or call.cwd
    running = "Process running with session ID" in (call.output or "")[:ERROR_CHARS]
    return shell_command(_shell_text(call.arguments), cwd, call.body, background=running)


def _shell_text(arguments: object) -> str:
    """The command: text, or a list of words, often `["bash", "-lc", text]`."""
    command = get(arguments, "cmd") or get(arguments, "command")
    if isinstance(command, str):
        return command
    words = [word for word in command if isinstance(word, str)] if isinstance(command, list) else []
    if len(words) == 3 and words[1] in ("-lc", "-c") and words[0].endswith("sh"):
        return words[2]
    return shlex.join(words)


def _script_parts(script: CodexCall, status: Status) -> Iterator[ToolCall]:
    """Commands and patches of a script as calls of their own; patches that have an event of their own are those events."""
    number = 0
    applied = [{resolve(call.cwd, path) for path in call.changes or {}} for call in script.inner]
    for text, cwd in commands_in_script(script.script):
        number += 1
        yield _part(script, number, "exec_command", status, command=shell_command(text, resolve(script.cwd, cwd or script.cwd)))
    for patch in patches_in_script(script.script):
        edits = tuple(parse_patch(patch, script.cwd))
        number += 1
        if {edit.path for edit in edits} not in applied:
            unsure = Status.UNKNOWN if applied and status is Status.OK else status
            yield _part(script, number, "apply_patch", unsure, edits=edits)


def _part(script: CodexCall, number: int, name: str, status: Status, **recorded: Any) -> ToolCall:
    return ToolCall(
        call_id=f"{script.id}#{number}",
        name=name,
        turn=0,
        at=script.at,
        done_at=script.done_at,
        status=status,
        error=(script.output or "")[:ERROR_CHARS] if status is Status.ERROR else "",
        agent_id=script.agent_id,
        model=script.model,
        **recorded,
    )


# A script that runs one command and shows its output, nothing else
_ONLY_SHOWS = re.compile(r"\s*(?:const|let|var)\s+(\w+)\s*=\s*await\s+tools\.exec_command\([^;]*\);?\s*text\(\1\.output\);?\s*$")
_TRUNCATED = re.compile(r"…\d+ \w+ truncated…")
_CUT = re.compile(r"Total output lines:|truncated output")
_READ = re.compile(r"^\s*(?:cat|sed -n '?(\d{1,9}),(\d{1,9})p'?) (?:--\s+)?('[^']+'|[^\s'\"$*?~`;|&<>(){}\\]+)\s*$")


def _seen(command: Command, call: CodexCall) -> FileObservation | None:
    """The text of a file that a plain `cat` or `sed -n 'a,bp'` printed."""
    match, text = _READ.match(command.text), call.body
    cut = _TRUNCATED.search(text) or _CUT.search((call.output or "")[:ERROR_CHARS])
    if not match or not text or cut or (call.name == "exec" and not _ONLY_SHOWS.match(call.script)):
        return None
    start, stop = int(match[1] or 1), int(match[2] or 0)
    whole = start == 1 and (not match[2] or text.count("\n") < stop)
    return FileObservation(resolve(command.cwd, match[3].strip("'")), call.done_at or call.at, max(start, 1), text, whole)


# --- edits ------------------------------------------------------------------------------------------------------------


def _edits(call: CodexCall, problem: Callable[[str, str], None]) -> list[Edit]:
    """The changes as applied; where no event recorded them, the patch as it was passed."""
    patches = _patch_edits(call)
    if call.changes is None:
        return patches
    edits = []
    for path, change in call.changes.items():
        flat = _flat(change)
        edit = _changed(resolve(call.cwd, path), flat, call.cwd)
        stated = [one for one in patches if one.path == edit.path]
        unreadable = edit.op in ("edit", "move") and not edit.hunks and get_str(flat, "unified_diff")
        if unreadable:
            problem("unreadable_diff", call.id)
        # Of a file that a patch names more than once, the event keeps the last change alone; a whole text needs no other.
        several = len(stated) > 1 and edit.content is None
        edits.extend(stated if several or (unreadable and stated) else [edit])
    return edits


def _split_at_failure(call: CodexCall, edits: list[Edit]) -> tuple[list[Edit], list[Edit]]:
    """Of a patch that failed, the changes that were made before, which stay (the output lists them), and the others."""
    told = next((text for text in (call.printed, call.output) if text and _PARTLY in text), "")
    listed = map(_APPLIED.fullmatch, told.partition(_PARTLY)[2].split("\n"))
    waiting = [resolve(call.cwd, match[1]) for match in takewhile(bool, listed) if match]
    applied, rest = [], []
    for edit in _patch_edits(call) or edits if waiting else edits:  # the event of such a patch has all changes, in no order
        if waiting and edit.path == waiting[0]:
            applied.append(edit)
            waiting.pop(0)
        else:
            rest.append(edit)
    return applied, rest


def _patch_edits(call: CodexCall) -> list[Edit]:
    """The changes of the patch as it was passed; [] where its text is not known."""
    if call.within is not None:
        return _from_script(call, call.within)
    if call.is_shell:
        patches = patches_in(_shell_text(call.arguments))
        return [edit for patch in patches for edit in parse_patch(patch, call.cwd, by_shell=True)]
    if call.name == "apply_patch" or BEGIN in get_str(call.arguments, "input"):
        return edits_from_patch(call.arguments, call.cwd)
    return []


def _from_script(call: CodexCall, script: CodexCall) -> list[Edit]:
    """The patch of the script that names the files of the event; [] where several do."""
    paths = {resolve(call.cwd, path) for path in call.changes or {}}
    passed = [[*parse_patch(patch, script.cwd)] for patch in patches_in_script(script.script)]
    found = [edits for edits in passed if {edit.path for edit in edits} == paths]
    return found[0] if len(found) == 1 else []


def _flat(change: object) -> dict[str, Any]:
    """Older versions nest a change under its kind: `{"update": {…}}`."""
    if not isinstance(change, dict):
        return {}
    for kind in ("add", "update", "delete"):
        if "type" not in change and isinstance(change.get(kind), dict):
            return {"type": kind, **change[kind]}
    return change


def _changed(path: str, change: dict[str, Any], cwd: str) -> Edit:
    content = change.get("content")
    text = content if isinstance(content, str) else None
    if change.get("type") == "add":
        return Edit(path, "write", content=text, after=text)
    if change.get("type") == "delete":
        return Edit(path, "delete", before=text, before_known=text is not None)
    new_path = resolve(cwd, get_str(change, "move_path"))
    return Edit(path, "move" if new_path else "edit", hunks=parse_unified(get_str(change, "unified_diff")), new_path=new_path)
