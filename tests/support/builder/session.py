"""Agents at work: a session with its conversation and tools, its subagents, and the transcript
it leaves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from collector.json_values import JsonObject
from support import claude_writer as claude
from support.builder.editing import Editor, Shell
from support.builder.lines import Line, Maker
from support.builder.model import Commit
from support.claude_writer import Transcript

if TYPE_CHECKING:
    from support.builder.world import World


class Session(Editor):
    """One agent at work in the worktree, and the transcript it leaves."""

    def __init__(
        self, world: World, version: str, model: str, null_original: bool, cwd: str
    ) -> None:
        self.world: World = world
        self.id = world.ids.uuid()
        super().__init__(self)
        self.null_original = null_original
        self.log = Transcript(self.id, cwd, world.ids, version, model, world.branch)
        self.changes: list[tuple[float, str, str]] = []  # time, call, path
        self.outcomes: list[tuple[str, str]] = []  # call, how it ended
        self.kept = 0  # records in the last stored copy
        self._turn_started = world.clock

    @property
    def _at(self) -> float:
        return round(self.world.clock, 3)

    def absolute(self, path: str) -> str:
        slash = "\\" if "\\" in self.log.cwd else "/"
        return path if path.startswith("/") else self.log.cwd + slash + path.replace("/", slash)

    def changed(self, call: str, path: str, tool: bool = True) -> None:
        self.changes.append((self._at, call, path))
        if tool:
            self.outcomes.append((call, "applied"))

    def calls(self) -> set[str]:
        return {call for _, call, _ in self.changes}

    # --- conversation -----------------------------------------------------------------------------

    def prompt(self, text: str) -> None:
        self.world.wait(20)
        self._turn_started = self._at
        self.log.prompt(self._at, text)

    def queued_prompt(self, text: str) -> None:
        self.world.wait(1)
        self.log.queued(self._at, text)
        self.world.wait(3)

    def say(self, text: str) -> None:
        self.world.wait(2)
        self.log.said(self._at, text)

    def interrupt(self) -> None:
        self.world.wait(1)
        self.log.interrupt(self._at)

    def compact(self) -> None:
        self.world.wait(30)
        self.log.compact(self._at)

    def end_turn(self, text: str = "Done.") -> None:
        self.say(text)
        self.log.turn_ended(self._at, self._at - self._turn_started)

    def outside_edit_notice(self, path: str) -> None:
        self.world.wait(0.2)
        self.log.outside_edit(
            self._at, self.absolute(path), self.world.files[path].text().removesuffix("\n")
        )

    def hook_run(self, call: str, command: str, event: str = "PostToolUse") -> None:
        """A hook of the user's that ran beside an edit, as its attachment tells."""
        hook = {
            "hookName": f"{event}:Edit",
            "toolUseID": call,
            "hookEvent": event,
            "command": command,
            "exitCode": 0,
        }
        self.log.attachment(
            self._at, {"type": "hook_success", "content": "1 file reformatted", **hook}
        )

    def hook_progress(self, call: str, command: str) -> None:
        """The same as versions before the attachment told it."""
        self.log.hook_progress(self._at, call, command)

    def named_in_prompt(self, path: str) -> None:
        """A file that the user names with @: its text is put beside the prompt."""
        text = self.world.files[path].text()
        lines = text.count("\n") + 1
        file = {
            "filePath": self.absolute(path),
            "content": text,
            "numLines": lines,
            "startLine": 1,
            "totalLines": lines,
        }
        content = {"type": "text", "file": file}
        self.log.attachment(
            self._at, {"type": "file", "filename": self.absolute(path), "content": content}
        )

    def shown_as_rules(self, path: str) -> None:
        """Rules of a directory, of which what is on disk is more than what the model is shown."""
        memory = {
            "path": self.absolute(path),
            "type": "Project",
            "content": "",
            "rawContent": self.world.files[path].text(),
        }
        attachment = {
            "type": "nested_memory",
            "path": memory["path"],
            "content": memory | {"contentDiffersFromDisk": True},
        }
        self.log.attachment(self._at, attachment)

    # --- tools ------------------------------------------------------------------------------------

    def _call(self, tool: str, arguments: JsonObject, say: str = "") -> str:
        self.world.wait(2.217)
        return self.log.call(self._at, tool, arguments, say)

    def _done(self, call: str, content: str, result: JsonObject) -> None:
        self.world.wait(0.11)
        self.log.result(self._at, call, content, result)

    def read(self, path: str, start: int = 1, count: int | None = None, say: str = "") -> str:
        texts = self.world.files[path].text().split("\n")
        content = "\n".join(texts[start - 1 : start - 1 + count if count else None])
        absolute = self.absolute(path)
        arguments: JsonObject = {"file_path": absolute} | (
            {"offset": start, "limit": count} if count else {}
        )
        call = self._call("Read", arguments, say)
        if not count:
            self.world.note_base(path, recorded=True)
        shown = claude.numbered(content.removesuffix("\n"), start)
        self._done(call, shown, claude.read_result(absolute, content, start, len(texts)))
        return call

    def bash(
        self,
        command: str,
        effect: Callable[[Shell], None] | None = None,
        *,
        exact: bool = False,
        blunt: bool = False,
        stdout: str = "",
        say: str = "",
    ) -> str:
        """A shell command. `exact`: its text holds the new lines; `blunt`: its text does not
        tell which files it changes.
        """
        call = self._call("Bash", {"command": command, "description": "Run a command"}, say)
        if effect:
            shell = Shell(self.world, self, call, exact, blunt)
            effect(shell)
            for path in sorted(shell.touched):
                self.changed(call, path, tool=False)
            if blunt:
                self.world.blunt |= shell.touched
        self._done(call, stdout, claude.bash_result(stdout))
        return call

    def edit_error(
        self, path: str, old: str, new: str, reason: str = "String to replace not found in file."
    ) -> None:
        """An Edit that the tool refuses; nothing changes."""
        call = self._call(
            "Edit", {"file_path": self.absolute(path), "old_string": old, "new_string": new}
        )
        self.world.wait(0.05)
        self.log.failed(
            self._at, call, f"{reason}\nString: {old}" if "not found" in reason else reason
        )
        self.outcomes.append((call, "tool_error"))

    def edit_rejected(self, path: str, old: str, new: str, saying: str = "") -> None:
        """An Edit that the user declines, with or without a word of explanation; nothing
        changes.
        """
        call = self._call(
            "Edit", {"file_path": self.absolute(path), "old_string": old, "new_string": new}
        )
        self.world.wait(4)
        self.log.rejected(self._at, call, saying)
        self.outcomes.append((call, "rejected"))

    def edit_cut_off(self, path: str, old: str, new: str) -> None:
        """A call without a result: the program ended, and the file stayed as it was."""
        call = self._call(
            "Edit", {"file_path": self.absolute(path), "old_string": old, "new_string": new}
        )
        self.outcomes.append((call, "unmatched"))

    def write_outside(self, absolute: str, text: str) -> None:
        """A file that is none of the repository's, such as a plan in the home directory."""
        call = self._call("Write", {"file_path": absolute, "content": text})
        said = f"File created successfully at: {absolute}"
        self._done(call, said, claude.write_result(absolute, text, None))
        self.outcomes.append((call, "outside_repo"))

    def git_commit(self, message: str, **options: Any) -> Commit:
        """The agent commits by itself: the call is in the transcript before the commit, its
        result after it.
        """
        quoted = message.split("\n", 1)[0]
        call = self._call(
            "Bash", {"command": f'git add -A && git commit -m "{quoted}"', "description": "Commit"}
        )
        commit = self.world.commit(message, [self], **options)
        stdout = f"[{self.world.branch} {commit.sha[:7]}] {quoted}"
        result = claude.bash_result(stdout)
        if self.log.since((2, 1, 156)):
            result["gitOperation"] = {"commit": {"sha": commit.sha[:7], "kind": "committed"}}
        self.log.result(self._at, call, stdout, result)
        return commit

    @contextmanager
    def subagent(self, task: str, visible: bool = True) -> Iterator[Subagent]:
        """A subagent at work. Visible ones appear in progress records, others only as numbers in
        the final result.
        """
        name = "Task" if visible else "Agent"
        arguments = {
            "description": "Delegated work",
            "prompt": task,
            "subagent_type": "general-purpose",
        }
        parent = self._call(name, arguments)
        child = Subagent(self, parent, visible)
        yield child
        self.world.wait(2)
        result: JsonObject = {
            "status": "completed",
            "prompt": task,
            "agentId": child.agent_id,
            "content": [{"type": "text", "text": "Finished."}],
            "totalDurationMs": 9_000,
            "totalTokens": 12_000,
            "totalToolUseCount": child.edits,
        }
        if not visible:
            numbers = {
                "editFileCount": child.edits,
                "linesAdded": child.added,
                "linesRemoved": child.removed,
            }
            result["toolStats"] = (
                {"readCount": 1, "searchCount": 0, "bashCount": 0} | numbers | {"otherToolCount": 0}
            )
        self.log.result(self._at, parent, result["content"], result)


class Subagent(Editor):
    def __init__(self, session: Session, parent: str, visible: bool) -> None:
        super().__init__(session)
        self.agent_id = self.world.ids.hex(7 if visible else 17)
        self._parent = parent
        self._visible = visible
        self.edits = self.added = self.removed = 0

    def _maker(self, call: str) -> Maker:
        kind = "agent" if self._visible else "hidden"
        return lambda text: Line(text, kind, self._session.id, call)

    def _call(self, tool: str, arguments: JsonObject, say: str) -> str:
        self.world.wait(2)
        if self._visible:
            return self._session.log.subagent_call(
                self._session._at, self._parent, self.agent_id, tool, arguments
            )
        self.world.hidden = True
        return self._parent

    def _done(self, call: str, content: str, result: JsonObject) -> None:
        self.edits += 1
        marks = Counter(line[0] for hunk in result["structuredPatch"] for line in hunk["lines"])
        self.added += marks["+"]
        self.removed += marks["-"]
        self.world.wait(0.1)
        if self._visible:
            self._session.log.subagent_result(
                self._session._at, self._parent, self.agent_id, call, content
            )
        else:
            self._session.changes.pop()
            self._session.outcomes.pop()
