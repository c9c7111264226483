"""What `git diff-tree` prints for many commits: patches without context, and lists of changed paths.

One git child reads the ids of all commits, in the order in which they will be asked for. At an object that the clone does not
have git dies: a `Stream` says so of that commit, and starts another child behind it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from sys import intern
from typing import Generic, TypeVar

from collector.git.program import GitFailed, GitStream, ScratchGit
from collector.text import decode

SUBMODULE = 0o160000
_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_RESTARTS = 8
_PATCH = ("diff-tree", "--stdin", "-r", "--root", "-p", "-U0", "--no-renames", "--full-index", "--no-color", "--no-ext-diff")
_PATCH_TAIL = ("--no-textconv", "--submodule=short", "--src-prefix=a/", "--dst-prefix=b/")
_RAW = ("diff-tree", "--stdin", "-r", "--raw", "--no-renames", "--no-abbrev", "-z")

Range = tuple[int, int, int, int]  # half-open, 0-based: old[a0:a1] became new[b0:b1]


@dataclass(slots=True)
class FileDelta:
    """One path that a commit changed against one parent. A type change comes as a deletion and an addition.

    `old` and `new` are blob ids, empty where the file does not exist and, both, where only the mode changed.
    `hunks` is None where git shows no text (binary, too large, a merge) and has to be found out.
    """

    path: str
    old: str
    new: str
    old_mode: int
    new_mode: int
    hunks: list[Range] | None
    text: list[tuple[list[bytes], list[bytes]]] | None = None  # removed and added lines of each hunk, if asked for


class Broken(Exception):
    """The child died; what was read of the current commit is not to be trusted."""


class PrintedLines:
    """Reads what a child prints line by line, as long as it is wanted."""

    separator = b"\n"

    def __init__(self, stream: GitStream) -> None:
        self.stream = stream
        self._lines: list[bytes] = []
        self._at = 0
        self._rest = b""

    def _peek(self) -> bytes | None:
        if self._at < len(self._lines):
            return self._lines[self._at]
        return self._lines[self._at] if self._fill() else None

    def _fill(self) -> bool:
        """Reads on until there is a line at the current place."""
        while self._at >= len(self._lines):
            self._at -= len(self._lines)
            data = self.stream.read()
            if not data:
                self._lines = [self._rest] if self._rest else []
                self._rest = b""
                return self._at < len(self._lines)
            self._lines = (self._rest + data if self._rest else data).split(self.separator)
            self._rest = self._lines.pop()
        return True

    def _check(self) -> None:
        """Raises Broken where the output ends because git failed."""
        if self._peek() is None and self.stream.has_failed():
            raise Broken


class Patches(PrintedLines):
    """Reads `git diff-tree -p -U0`. Text is stepped over by the counts in the hunk headers, so it cannot be mistaken for one."""

    def __init__(self, stream: GitStream, with_text: bool) -> None:
        super().__init__(stream)
        self._with_text = with_text

    def commit(self, sha: bytes) -> list[FileDelta]:
        files: list[FileDelta] = []
        if self._peek() == sha:
            self._at += 1
            while (line := self._peek()) is not None and line.startswith(b"diff --git "):
                files.append(self._file(line))
        self._check()
        return files

    def _file(self, header: bytes) -> FileDelta:
        delta = FileDelta(_header_path(header[11:]), "", "", 0, 0, None, [] if self._with_text else None)
        self._at += 1
        binary = False
        while (line := self._peek()) is not None:
            if line.startswith(b"@@ "):
                self._hunk(line, delta)
                continue
            if line.startswith(b"Binary files "):
                binary = True
            elif not _note(line, delta):
                break
            self._at += 1
        if delta.hunks is None and not binary:
            delta.hunks = []
        return delta

    def _hunk(self, header: bytes, delta: FileDelta) -> None:
        match = _HUNK.match(header)
        if match is None:
            raise Broken
        old, old_count, new, new_count = match.groups()
        removed = 1 if old_count is None else int(old_count)
        added = 1 if new_count is None else int(new_count)
        a0 = int(old) - 1 if removed else int(old)
        b0 = int(new) - 1 if added else int(new)
        if delta.hunks is None:
            delta.hunks = []
        delta.hunks.append((a0, a0 + removed, b0, b0 + added))
        self._at += 1
        if delta.text is not None:
            delta.text.append(self._body(removed, added))
            return
        self._at += removed + added
        if self._at < len(self._lines) and self._lines[self._at][:1] in (b"d", b"@"):
            return
        while (line := self._peek()) is not None and line[:1] in (b"+", b"-", b"\\"):  # "\ No newline" lines are not counted
            self._at += 1

    def _body(self, old: int, new: int) -> tuple[list[bytes], list[bytes]]:
        end = self._at + old + new
        if end < len(self._lines) and self._lines[end][:1] in (b"d", b"@"):  # all there, no "\ No newline" in between
            start, self._at = self._at, end
            return [x[1:] for x in self._lines[start : start + old]], [x[1:] for x in self._lines[start + old : end]]
        removed: list[bytes] = []
        added: list[bytes] = []
        while (line := self._peek()) is not None:
            mark = line[:1]
            if mark == b"-":
                removed.append(line[1:])
            elif mark == b"+":
                added.append(line[1:])
            elif mark != b"\\":
                break
            self._at += 1
        return removed, added


def _note(line: bytes, delta: FileDelta) -> bool:
    """One line between the file's header and its first hunk; False when it belongs to the next file."""
    if line.startswith(b"index "):
        ids, _, mode = line[6:].partition(b" ")
        old, _, new = ids.decode("ascii").partition("..")
        delta.old, delta.new = ("" if not old.strip("0") else old), ("" if not new.strip("0") else new)
        if mode:
            delta.old_mode = delta.new_mode = int(mode, 8)
    elif line.startswith((b"old mode ", b"deleted file mode ")):
        delta.old_mode = int(line.rpartition(b" ")[2], 8)
    elif line.startswith((b"new mode ", b"new file mode ")):
        delta.new_mode = int(line.rpartition(b" ")[2], 8)
    else:
        return line.startswith((b"--- ", b"+++ "))
    return True


def _header_path(names: bytes) -> str:
    """`a/P b/P`, or both in C quotes: without renames the two halves are equal."""
    return intern(decode(unquote(names[: (len(names) - 1) // 2])[2:]))


class RawLists(PrintedLines):
    """Reads `git diff-tree --raw -z`: an id, then pairs of a `:…` record and a path."""

    separator = b"\0"

    def commit(self, sha: bytes) -> list[FileDelta]:
        return [delta for record, path in self.records(sha) for delta in _record_deltas(record, path)]

    def records(self, sha: bytes) -> list[tuple[bytes, str]]:
        """(record, path) of one commit."""
        records: list[tuple[bytes, str]] = []
        if self._peek() == sha:
            self._at += 1
            while (record := self._peek()) is not None and record.startswith(b":"):
                self._at += 1
                if (path := self._peek()) is None:
                    break
                self._at += 1
                records.append((record, decode(path)))
        self._check()
        return records


def _record_deltas(record: bytes, path: str) -> list[FileDelta]:
    old_mode, new_mode, old, new, status = record[1:].decode("ascii").split(" ")
    before = FileDelta(path, "" if status == "A" else old, "", int(old_mode, 8), 0, None)
    after = FileDelta(path, "", "" if status == "D" else new, 0, int(new_mode, 8), None)
    if status == "T":
        return [before, after]
    return [FileDelta(path, before.old, after.new, before.old_mode, after.new_mode, None)]


def files_only(deltas: list[FileDelta]) -> list[FileDelta]:
    """Without submodules: they have no lines."""
    return [d for d in deltas if SUBMODULE not in (d.old_mode, d.new_mode)]


Answer = TypeVar("Answer")
_Reader = TypeVar("_Reader", bound=PrintedLines)


class Stream(Generic[_Reader, Answer]):
    """Answers about commits in the order in which `feed` names them, from a child that is started when it is first asked."""

    def __init__(self, start: Callable[[bytes], _Reader], read: Callable[[_Reader, bytes], Answer]) -> None:
        """`start` runs git on the lines that name commits; `read` gives what it prints about one of them."""
        self._start = start
        self._read = read
        self._wanted: list[str] = []
        self._at = 0
        self._reader: _Reader | None = None
        self._left = _RESTARTS

    def feed(self, lines: list[str]) -> None:
        """Lines for git: the id of a commit, perhaps followed by the parents to compare it with."""
        self.close()
        self._wanted, self._at, self._left = lines, 0, _RESTARTS

    def read(self, sha: str) -> Answer | None:
        """The next commit; None when git cannot tell."""
        number, self._at = self._at, self._at + 1
        if not self._left:
            return None
        try:
            if self._reader is None:
                self._reader = self._start("".join(f"{line}\n" for line in self._wanted[number:]).encode())
            return self._read(self._reader, sha.encode())
        except (Broken, GitFailed):
            self.close()
            self._left -= 1
            return None

    def close(self) -> None:
        if self._reader is not None:
            self._reader.stream.close()
            self._reader = None


def patches(git: ScratchGit, max_file: int, with_text: bool) -> Stream[Patches, list[FileDelta]]:
    """What ordinary commits changed, renames not followed; of files above `max_file` bytes no hunks, as of binary ones."""
    args = [*_PATCH, *_PATCH_TAIL] if with_text else [*_PATCH, "--irreversible-delete", *_PATCH_TAIL]
    settings = [f"core.bigFileThreshold={max_file}"]
    return Stream(lambda commits: Patches(git.stream(args, commits, settings), with_text), Patches.commit)


def raw_lists(git: ScratchGit) -> Stream[RawLists, list[FileDelta]]:
    """Changed files without hunks; each line that is fed names a commit and the parent to compare it with."""
    return Stream(lambda commits: RawLists(git.stream(_RAW, commits)), RawLists.commit)


# --- names of files ---------------------------------------------------------------------------------------------------


_QUOTED = re.compile(rb"\\([0-7]{3}|.)")
_ESCAPES = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}


def unquote(name: bytes) -> bytes:
    """A path as git prints it, in C quotes if it holds quotes, backslashes or control characters."""
    return _QUOTED.sub(_unescape, name[1:-1]) if name.startswith(b'"') else name


def _unescape(match: re.Match[bytes]) -> bytes:
    code = match.group(1)
    return bytes([int(code, 8) & 0xFF]) if len(code) == len("777") else _ESCAPES.get(code, code)
