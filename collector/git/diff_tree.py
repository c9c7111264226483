"""What `git diff-tree` prints for many commits: patches without context.

One git child reads the ids of all commits, in the order in which they will be asked for. At an object that the clone does not
have git dies: `PatchStream` says so of that commit, and starts another child behind it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from sys import intern

from collector.git.program import GitFailed, GitStream, ScratchGit
from collector.text import decode

SUBMODULE = 0o160000
_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_RESTARTS = 8
_PATCH = ("diff-tree", "--stdin", "-r", "--root", "-p", "-U0", "--no-renames", "--full-index", "--no-color", "--no-ext-diff")
_PATCH_TAIL = ("--no-textconv", "--submodule=short", "--src-prefix=a/", "--dst-prefix=b/")

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


class Patches:
    """Reads `git diff-tree -p -U0`. Text is stepped over by the counts in the hunk headers, so it cannot be mistaken for one."""

    def __init__(self, stream: GitStream, with_text: bool) -> None:
        self.stream = stream
        self._with_text = with_text
        self._lines: list[bytes] = []
        self._at = 0
        self._rest = b""

    def commit(self, sha: bytes) -> list[FileDelta]:
        """What the next commit changed. Raises Broken."""
        files: list[FileDelta] = []
        if self._peek() == sha:
            self._at += 1
            while (line := self._peek()) is not None and line.startswith(b"diff --git "):
                files.append(self._file(line))
        if self._peek() is None and self.stream.has_failed():
            raise Broken
        return files

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
            self._lines = (self._rest + data if self._rest else data).split(b"\n")
            self._rest = self._lines.pop()
        return True

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


def files_only(deltas: list[FileDelta]) -> list[FileDelta]:
    """Without submodules: they have no lines."""
    return [d for d in deltas if SUBMODULE not in (d.old_mode, d.new_mode)]


class PatchStream:
    """Patches of ordinary commits in the order in which `feed` names them, renames not followed, from a child of git.

    The child is started when it is first asked. Of files above `max_file` bytes there are no hunks, as of binary ones.
    """

    def __init__(self, git: ScratchGit, max_file: int, with_text: bool) -> None:
        self._git, self._with_text = git, with_text
        self._args = [*_PATCH, *(() if with_text else ("--irreversible-delete",)), *_PATCH_TAIL]
        self._settings = [f"core.bigFileThreshold={max_file}"]
        self._wanted: list[str] = []
        self._at = 0
        self._reader: Patches | None = None
        self._left = _RESTARTS

    def feed(self, commits: list[str]) -> None:
        """The ids of the commits that will be asked for."""
        self.close()
        self._wanted, self._at, self._left = commits, 0, _RESTARTS

    def read(self, sha: str) -> list[FileDelta] | None:
        """The next commit; None when git cannot tell."""
        number, self._at = self._at, self._at + 1
        if not self._left:
            return None
        try:
            if self._reader is None:
                commits = "".join(f"{name}\n" for name in self._wanted[number:]).encode()
                self._reader = Patches(self._git.stream(self._args, commits, self._settings), self._with_text)
            return self._reader.commit(sha.encode())
        except (Broken, GitFailed):
            self.close()
            self._left -= 1
            return None

    def close(self) -> None:
        if self._reader is not None:
            self._reader.stream.close()
            self._reader = None


# --- names of files ---------------------------------------------------------------------------------------------------


_QUOTED = re.compile(rb"\\([0-7]{3}|.)")
_ESCAPES = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}


def unquote(name: bytes) -> bytes:
    """A path as git prints it, in C quotes if it holds quotes, backslashes or control characters."""
    return _QUOTED.sub(_unescape, name[1:-1]) if name.startswith(b'"') else name


def _unescape(match: re.Match[bytes]) -> bytes:
    code = match.group(1)
    return bytes([int(code, 8) & 0xFF]) if len(code) == len("777") else _ESCAPES.get(code, code)
