"""The tools with which agents change files: Write, Edit and MultiEdit, and what a shell command
does to the worktree.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from collector.json_values import JsonObject
from support import claude_writer as claude
from support.builder.lines import END, File, Line, Maker, new_file, replaced

if TYPE_CHECKING:
    from support.builder.session import Session
    from support.builder.world import World


class Editor:
    """The editing tools of an agent or a subagent. How a call is recorded is left to the
    subclasses.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.world: World = session.world

    def _call(self, tool: str, arguments: JsonObject, say: str) -> str:
        raise NotImplementedError

    def _done(self, call: str, content: str, result: JsonObject) -> None:
        raise NotImplementedError

    def _maker(self, call: str) -> Maker:
        return lambda text: Line(text, "agent", self._session.id, call)

    def write(
        self, path: str, text: str, *, overwrite: bool = False, eol: str = "\n", say: str = ""
    ) -> str:
        """A whole file, every line new. An existing one needs `overwrite`, or `rewrite` to keep
        what stays.
        """
        before = self.world.files.get(path)
        if (before is not None) != overwrite:
            raise ValueError(f"{path} exists: {before is not None}")
        return self._write(path, text, lambda make: new_file(text, make, eol), say)

    def rewrite(self, path: str, *changes: tuple[str, str], say: str = "") -> str:
        """A whole-file Write that changes only these places; every other line stays who it was."""
        before = self.world.files[path]

        def change(make: Maker) -> File:
            after = before
            for old, new in changes:
                after = replaced(after, old, new, make)
            return after

        return self._write(path, change(lambda text: Line(text, "agent")).text(), change, say)

    def _write(self, path: str, text: str, change: Callable[[Maker], File], say: str) -> str:
        before = self.world.files.get(path)
        absolute = self._session.absolute(path)
        call = self._call("Write", {"file_path": absolute, "content": text}, say)
        self.world.note_base(path, recorded=True)
        self.world.put(path, change(self._maker(call)))
        self._session.changed(call, path)
        verb = "created successfully at" if before is None else "has been updated successfully"
        said = f"File {verb}: {absolute}" if before is None else f"The file {absolute} {verb}."
        self._done(
            call,
            said,
            claude.write_result(absolute, text, None if before is None else before.text()),
        )
        return call

    def edit(self, path: str, old: str, new: str, *, every: bool = False, say: str = "") -> str:
        """Search and replace. Returns the id of the call."""
        before = self.world.files[path]
        absolute = self._session.absolute(path)
        replaced(before, old, new, lambda text: END, every)  # fail before anything is recorded
        arguments = {
            "file_path": absolute,
            "old_string": old,
            "new_string": new,
            "replace_all": every,
        }
        call = self._call("Edit", arguments, say)
        self.world.note_base(path, recorded=not self._session.null_original)
        after = replaced(before, old, new, self._maker(call), every)
        self.world.put(path, after)
        self._session.changed(call, path)
        original = None if self._session.null_original else before.text()
        patch = claude.structured_patch(before.text(), after.text())
        said = f"The file {absolute} has been updated successfully."
        self._done(call, said, claude.edit_result(absolute, old, new, original, patch, every))
        return call

    def edit_changed_by_user(self, path: str, old: str, proposed: str, used: str) -> str:
        """Search and replace of which the user changed the new text before accepting it: lines
        not proposed are the user's.
        """
        before = self.world.files[path]
        absolute = self._session.absolute(path)
        arguments = {
            "file_path": absolute,
            "old_string": old,
            "new_string": proposed,
            "replace_all": False,
        }
        call = self._call("Edit", arguments, "")
        agents = set(proposed.split("\n"))
        make = self._maker(call)
        after = replaced(
            before, old, used, lambda text: make(text) if text in agents else Line(text, "human")
        )
        self.world.put(path, after)
        self._session.changed(call, path)
        result = claude.edit_result(
            absolute,
            old,
            used,
            before.text(),
            claude.structured_patch(before.text(), after.text()),
            False,
        ) | {"userModified": True}
        said = (
            f"The file {absolute} has been updated. The user modified your proposed changes before"
            " accepting them."
        )
        self._done(call, said, result)
        return call

    def multi_edit(self, path: str, *changes: tuple[str, str], say: str = "") -> str:
        """Several replacements in one call, in order."""
        before = self.world.files[path]
        absolute = self._session.absolute(path)
        edits = [
            {"old_string": old, "new_string": new, "replace_all": False} for old, new in changes
        ]
        call = self._call("MultiEdit", {"file_path": absolute, "edits": edits}, say)
        self.world.note_base(path, recorded=True)
        after = before
        for old, new in changes:
            after = replaced(after, old, new, self._maker(call))
        self.world.put(path, after)
        self._session.changed(call, path)
        result = {
            "filePath": absolute,
            "edits": edits,
            "originalFileContents": before.text(),
            "structuredPatch": claude.structured_patch(before.text(), after.text()),
            "userModified": False,
        }
        self._done(call, f"Applied {len(edits)} edits to {absolute}", result)
        return call


class Shell:
    """What a shell command of the agent does to the worktree."""

    def __init__(self, world: World, session: Session, call: str, exact: bool, blunt: bool) -> None:
        self._world = world
        self._session = session
        self._call = call
        self._exact = exact
        self._blunt = blunt
        self.touched: set[str] = set()

    def _make(self, text: str, origin: Line | None = None) -> Line:
        return Line(
            text,
            "shell",
            self._session.id,
            self._call,
            origin,
            self._exact and origin is None,
            self._blunt,
        )

    def _put(self, path: str, file: File) -> None:
        self.touched.add(path)
        self._world.put(path, file)

    def write(self, path: str, text: str, eol: str = "\n") -> None:
        self._put(path, new_file(text, self._make, eol))

    def append(self, path: str, text: str) -> None:
        file = self._world.files[path]
        self._put(
            path, file.spliced(len(file.lines), len(file.lines), new_file(text, self._make).lines)
        )

    def sub(self, path: str, pattern: str, new: str) -> None:
        """Line by line, like `sed`."""
        self.each_line(path, lambda text: re.sub(pattern, new, text))

    def each_line(self, path: str, change: Callable[[str], str]) -> None:
        file = self._world.files[path]
        lines = [
            line if change(line.text) == line.text else self._make(change(line.text), line)
            for line in file.lines
        ]
        self._put(path, file.having(lines))

    def move(self, old: str, new: str) -> None:
        self.touched |= {old, new}
        self._world.rename(old, new)

    def remove(self, path: str) -> None:
        self.touched.add(path)
        self._world.remove(path)
