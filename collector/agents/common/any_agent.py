"""The base of readers of formats that several agents share: what a call did follows from the name that its agent gave the tool."""

from __future__ import annotations

from abc import ABC

from collector.agents.common.apply_patch import parse_patch, patches_in
from collector.agents.common.arguments import argument, deletions, edits_from_arguments, edits_from_patch
from collector.agents.common.calls import Call, Result, shell_command
from collector.agents.common.hashline import hashline_edits
from collector.agents.common.reader import RecordReader
from collector.agents.common.scripts import commands_in_script, patches_in_script
from collector.json_values import get_str
from collector.model import Command, Edit, Spawn
from collector.text import normal_path

_WRITERS = frozenset(
    {"edit", "write", "multiedit", "create", "strreplace", "str_replace", "replace", "write_file", "edit_file", "save_file"}
    | {"write_to_file", "replace_file_content", "multi_replace_file_content", "mcp__acp__edit", "mcp__acp__write"}
    | {"notebookedit", "notebook_edit", "create_file", "search_replace", "fs_write"}
)
_EDITORS = frozenset({"str_replace_editor", "str_replace_based_edit_tool", "file_editor", "text_editor"})  # take a subcommand
_CHANGING = frozenset({"create", "write", "str_replace", "insert", "edit"})
_PATCHES = frozenset({"apply_patch", "applypatch", "patch"})
_DELETES = frozenset({"delete", "delete_file"})
_COMMAND = ("command", "cmd", "CommandLine", "keystrokes", "script")
_DIRECTORY = ("workdir", "cwd", "Cwd", "working_directory")


class AnyAgentReader(RecordReader, ABC):
    """Knows the tools of all agents by their names in lower case."""

    shells = frozenset(
        {"bash", "powershell", "shell", "execute", "exec", "exec_command", "shell_command", "run_shell_command", "run_command"}
        | {"execute_bash", "bash_command", "run_terminal_cmd", "run_terminal_command", "execute_command", "terminal"}
    )
    reads = frozenset({"read"})
    spawns = frozenset({"task", "agent", "spawn_agent"})

    def tool(self, call: Call) -> str:
        return call.name.lower()

    def command(self, call: Call, result: Result) -> Command | None:
        text, cwd = argument(call.arguments, *_COMMAND), argument(call.arguments, *_DIRECTORY)
        if call.name.lower() == "exec" and not text:
            commands = commands_in_script(get_str(call.arguments, "input"))
            text, cwd = "\n".join(command.text for command in commands), commands[0].cwd if commands else ""
            if not commands:
                return None
        self.add_cwd(normal_path(cwd))
        return shell_command(text, cwd or call.cwd, result.text)

    def edits(self, call: Call, result: Result) -> list[Edit]:
        name, arguments = call.name.lower(), call.arguments
        if name in _PATCHES:
            return edits_from_patch(arguments, call.cwd)
        if name in _DELETES:
            return deletions(arguments, call.cwd)
        if name == "exec" and get_str(arguments, "input"):
            return [edit for patch in patches_in_script(get_str(arguments, "input")) for edit in parse_patch(patch, call.cwd)]
        if name in self.shells:
            text, cwd = argument(arguments, *_COMMAND), argument(arguments, *_DIRECTORY) or call.cwd
            return [edit for patch in patches_in(text) for edit in parse_patch(patch, cwd, by_shell=True)]
        changes = name in _WRITERS or (name in _EDITORS and get_str(arguments, "command") in _CHANGING)
        if not changes:
            return []
        return edits_from_patch(arguments, call.cwd) or edits_from_arguments(arguments, call.cwd) or hashline_edits(arguments)

    def spawn(self, call: Call, result: Result) -> Spawn:
        return Spawn(kind=argument(call.arguments, "subagent_type", "agent_type"), visible=False)
