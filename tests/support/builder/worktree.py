"""The files a developer sees, and the people and formatters who change them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from collector.json_values import Texts
from support.builder.lines import File, Line, likeness, new_file, replaced, restyle
from support.builder.model import Commit
from support.claude_writer import Ids


class Worktree:
    """Files over time, on one virtual clock. Each change marks the lines it makes."""

    def __init__(self, name: str, start: float) -> None:
        self.name = name
        self.ids = Ids(name)
        self.clock = start
        self.files: dict[str, File] = {}
        self.renamed: Texts = {}  # since the last commit: new path -> old path

    def wait(self, seconds: float) -> None:
        self.clock += seconds

    def put(self, path: str, file: File) -> None:
        self.files[path] = file

    def rename(self, old: str, new: str) -> None:
        self.files[new] = self.files.pop(old)
        self.renamed[new] = self.renamed.pop(old, old)

    def remove(self, path: str) -> None:
        del self.files[path]
        self.renamed.pop(path, None)

    def _human(self, text: str) -> Line:
        return Line(text, "human")

    def human_write(self, path: str, text: str, eol: str = "\n", mode: str = "100644") -> None:
        self.wait(40)
        self.put(path, new_file(text, self._human, eol, mode))

    def human_raw(self, path: str, data: bytes, mode: str = "100644") -> None:
        """Content without lines: binary, a link (mode 120000), a submodule (mode 160000)."""
        self.wait(5)
        self.put(path, File(mode=mode, raw=data))

    def human_insert(
        self, path: str, text: str, after: str | None = None, before: str | None = None
    ) -> None:
        """New lines after or before the only line that reads so; else at the end."""
        self.wait(25)
        file = self.files[path]
        at = len(file.lines)
        if after is not None:
            at = file.index(after) + 1
        elif before is not None:
            at = file.index(before)
        self.put(path, file.spliced(at, at, new_file(text, self._human).lines))

    def human_replace(self, path: str, old: str, new: str) -> None:
        """Search and replace by hand. The result must not resemble an agent's line (see
        `human_tweak`).
        """
        self.wait(25)
        before = self.files[path]
        after = replaced(self.files[path], old, new, self._human)
        fresh = set(after.lines) - set(before.lines)
        for gone in set(before.lines) - set(after.lines):
            if gone.kind not in ("human", "hidden") and any(
                likeness(gone.text, line.text) > 0.45 for line in fresh
            ):
                raise ValueError(f"too much like {gone.text!r}: is this a tweak?")
        self.put(path, after)

    def human_delete(self, path: str, block: str) -> None:
        self.wait(15)
        start, end = self.files[path].block(block)
        self.put(path, self.files[path].spliced(start, end, ()))

    def human_tweak(self, path: str, old: str, new: str) -> None:
        """A small change of one line, so small that the line clearly stays what it was."""
        self.wait(15)
        file = self.files[path]
        at = file.index(old)
        if likeness(old, new) < 0.75:
            raise ValueError(f"{old!r} and {new!r} have little in common")
        self.put(path, file.spliced(at, at + 1, [Line(new, "tweak", origin=file.lines[at])]))

    def human_move(self, path: str, block: str, after: str, to: str = "") -> None:
        """Cut these lines and paste them after another line, of this file or of another one."""
        self.wait(15)
        file = self.files[path]
        start, end = file.block(block)
        moved = [Line(line.text, "move", origin=line) for line in file.lines[start:end]]
        self.put(path, file.spliced(start, end, ()))
        target = self.files[to or path]
        at = target.index(after) + 1
        self.put(to or path, target.spliced(at, at, moved))

    def human_rename(self, old: str, new: str) -> None:
        self.wait(10)
        self.rename(old, new)

    def human_remove(self, path: str) -> None:
        self.wait(10)
        self.remove(path)

    def human_revert(self, commit: Commit) -> None:
        """Every file that commit changed goes back to what it was before, like `git revert` when
        nothing follows it.
        """
        self.wait(10)
        before = commit.parents[0].files if commit.parents else {}
        present = {id(line) for file in self.files.values() for line in file.lines}
        for path in {*commit.files, *before}:
            if before.get(path) == commit.files.get(path):
                continue
            if path in before:
                self.put(path, replace(before[path], lines=tuple(_restored(before[path], present))))
            else:
                self.remove(path)
        self.renamed |= {old: new for new, old in commit.renamed.items()}

    def formatter(self, path: str, rule: Callable[[str], str] = restyle) -> None:
        """A formatter that nobody recorded: the editor on save, a hook before the commit."""
        self.wait(1)
        file = self.files[path]
        lines = [
            line if rule(line.text) == line.text else Line(rule(line.text), "format", origin=line)
            for line in file.lines
        ]
        self.put(path, file.having(lines))


def _restored(file: File, present: set[int]) -> Iterator[Line]:
    for line in file.lines:
        yield line if id(line) in present else Line(line.text, "restore", origin=line)
