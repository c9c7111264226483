"""What `git diff-tree` prints for many commits: patches without context.

One git child reads the ids of all commits, in the order in which they will be asked for. At an
object that the clone does not have git dies: `PatchStream` says so of that commit, and starts
another child behind it.
"""

import re
from ast import literal_eval
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from sys import intern

from collector.git.program import GitFailed, GitStream, ScratchGit
from collector.limits import COMMIT_LINES, TEXT_LINES
from collector.text import decode

SUBMODULE = 0o160000
_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_RESTARTS = 8
_PATCH = (
    "diff-tree",
    "--stdin",
    "-r",
    "--root",
    "-p",
    "-U0",
    "--no-renames",
    "--full-index",
    "--no-color",
    "--no-ext-diff",
)
_PATCH_TAIL = ("--no-textconv", "--submodule=short", "--src-prefix=a/", "--dst-prefix=b/")

Range = tuple[int, int, int, int]  # half-open, 0-based: old[a0:a1] became new[b0:b1]


@dataclass(slots=True)
class FileDelta:
    """One path that a commit changed against one parent.

    A type change comes as a deletion and an addition.

    `old` and `new` are blob ids, empty where the file does not exist and, both, where only the mode
    changed. `hunks` is None where git shows no text (binary, too large, a merge) and has to be
    found out.
    """

    path: str
    old: str
    new: str
    old_mode: int
    new_mode: int
    hunks: list[Range] | None
    # removed and added lines of each hunk, if asked for
    text: list[tuple[list[bytes], list[bytes]]] | None = None


class Broken(Exception):
    """The child died; what was read of the current commit is not to be trusted."""


class Patches:
    """Reads `git diff-tree -p -U0`.

    Text is stepped over by the counts in the hunk headers, so it cannot be mistaken for one.
    """

    def __init__(self, stream: GitStream, with_text: bool) -> None:
        self.stream = stream
        self._with_text = with_text
        self._line = next(stream.lines, b"")  # that was not taken yet; empty at the end

    def commit(self, sha: bytes) -> list[FileDelta] | None:
        """What the next commit changed; None where it adds more lines than are read at once.

        Raises Broken.
        """
        files = []
        self._lines = 0  # that it added
        if self._line == sha + b"\n":
            self._take()
            while self._line.startswith(b"diff --git "):
                files.append(self._file())
        if not self._line and self.stream.has_failed():
            raise Broken
        return files if self._lines <= COMMIT_LINES else None

    def _take(self) -> bytes:
        line = self._line
        self._line = next(self.stream.lines, b"")
        return line

    def _file(self) -> FileDelta:
        # `a/P b/P`, or both in C quotes: without renames the two halves are equal
        names = self._take()[11:-1]
        path = intern(decode(unquote(names[: (len(names) - 1) // 2])[2:]))
        delta = FileDelta(path, "", "", 0, 0, None, [] if self._with_text else None)
        binary = False
        while self._line:
            if self._line.startswith(b"@@ "):
                self._hunk(self._take(), delta)
                continue
            if self._line.startswith(b"Binary files "):
                binary = True
            elif not _note(self._line[:-1], delta):
                break
            self._take()
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
        if removed + added > 2 * TEXT_LINES:  # it is compared by itself, where the limit is known
            raise Broken
        a0 = int(old) - 1 if removed else int(old)
        b0 = int(new) - 1 if added else int(new)
        if delta.hunks is None:
            delta.hunks = []
        delta.hunks.append((a0, a0 + removed, b0, b0 + added))
        body = self._body(removed + added)
        self._lines += added
        if delta.text is not None and self._lines <= COMMIT_LINES:
            delta.text.append(
                ([x[1:-1] for x in body if x[:1] == b"-"], [x[1:-1] for x in body if x[:1] == b"+"])
            )

    def _body(self, count: int) -> list[bytes]:
        """So many lines, and those that say "\\ No newline" between or after them."""
        body = [self._line, *islice(self.stream.lines, count - 1)]
        self._line = next(self.stream.lines, b"")
        while self._line[:1] in (b"+", b"-", b"\\"):
            body.append(self._take())
        return body


def _note(line: bytes, delta: FileDelta) -> bool:
    """One line between the file's header and its first hunk; False when it belongs to the next
    file.
    """
    if line.startswith(b"index "):
        ids, _, mode = line[6:].partition(b" ")
        old, _, new = ids.decode("ascii").partition("..")
        delta.old = "" if not old.strip("0") else old
        delta.new = "" if not new.strip("0") else new
        if mode:
            delta.old_mode = delta.new_mode = int(mode, 8)
    elif line.startswith((b"old mode ", b"deleted file mode ")):
        delta.old_mode = int(line.rpartition(b" ")[2], 8)
    elif line.startswith((b"new mode ", b"new file mode ")):
        delta.new_mode = int(line.rpartition(b" ")[2], 8)
    else:
        return line.startswith((b"--- ", b"+++ "))
    return True


def files_only(deltas: list[FileDelta]) -> list[FileDelta]:
    """Without submodules: they have no lines."""
    return [d for d in deltas if SUBMODULE not in (d.old_mode, d.new_mode)]


class PatchStream:
    """Patches of ordinary commits in the order in which `feed` names them, renames not followed,
    from a child of git.

    The child is started when it is first asked. Of files above `max_file` bytes there are no hunks,
    as of binary ones.
    """

    def __init__(
        self, git: ScratchGit, max_file: int, with_text: bool, paths: Iterable[str] = ()
    ) -> None:
        """`paths`: only of these files, if there are any."""
        self._git = git
        self._with_text = with_text
        self._args = [
            *_PATCH,
            *(() if with_text else ("--irreversible-delete",)),
            *_PATCH_TAIL,
            "--",
            *sorted(paths),
        ]
        self._settings = [f"core.bigFileThreshold={max_file}"]
        self._wanted: list[str] = []
        self._at = 0
        self._reader: Patches | None = None
        self._left = _RESTARTS

    def feed(self, commits: list[str]) -> None:
        """The ids of the commits that will be asked for."""
        self.close()
        self._wanted = commits
        self._at = 0
        self._left = _RESTARTS

    def read(self, sha: str) -> list[FileDelta] | None:
        """The next commit; None when git cannot tell."""
        number = self._at
        self._at += 1
        if not self._left:
            return None
        try:
            if self._reader is None:
                commits = "".join(f"{name}\n" for name in self._wanted[number:]).encode()
                self._reader = Patches(
                    self._git.stream(self._args, commits, self._settings), self._with_text
                )
            return self._reader.commit(sha.encode())
        except (Broken, GitFailed):
            self.close()
            self._left -= 1
            return None

    def close(self) -> None:
        if self._reader is not None:
            self._reader.stream.close()
            self._reader = None


def unquote(name: bytes) -> bytes:
    """A path as git prints it, in C quotes if it holds quotes, backslashes or control
    characters; the escapes are those of Python.
    """
    if name.startswith(b'"'):
        text: str = literal_eval(name.decode("latin-1"))
        return text.encode("latin-1")
    return name
