"""What `git diff-tree --cc` prints for many merges: files that differ from all parents, and what the merge itself wrote in them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from sys import intern

from collector.git.diff_tree import Broken, PrintedLines, Stream, unquote
from collector.git.program import ScratchGit
from collector.text import decode

_START = re.compile(rb"@@@+ .*?\+(\d+)(?:,\d+)? @@@")
# With -U0 git leaves out a line that only stands behind lines that are gone, and the lines of a hunk cannot be counted.
_COMBINED = ("diff-tree", "--stdin", "-r", "--cc", "-U1", "--raw", "--no-renames", "--full-index", "--no-abbrev", "--no-color")
_COMBINED_TAIL = ("--no-ext-diff", "--no-textconv", "--submodule=short", "--src-prefix=a/", "--dst-prefix=b/")
_HEADER = (b"index ", b"mode ", b"new file mode ", b"deleted file mode ", b"--- ", b"+++ ")
_BODY = (b" ", b"+", b"-", b"\\")
_NO_NEWLINE = b"\\ "  # "No newline at end of file", which git may print behind a line

Written = list[tuple[int, list[bytes]]]  # 0-based first line and the texts of lines in a row


@dataclass(slots=True)
class MergedFile:
    """A path of a merge that differs from all its parents. Ids are empty and modes 0 where there is no such file."""

    path: str
    old: tuple[str, ...]  # by parent
    old_modes: tuple[int, ...]
    new: str
    new_mode: int
    written: Written | None = field(default_factory=list)  # lines that no parent has there; None where git shows no text


class CombinedPatches(PrintedLines):
    """Reads raw lists with a column for each parent, and the combined patches behind each."""

    def commit(self, sha: bytes) -> list[MergedFile]:
        files: dict[str, MergedFile] = {}
        if self._peek() == sha:
            self._at += 1
            while (line := self._peek()) is not None and line.startswith(b":"):
                self._at += 1
                file = _parse_entry(line)
                files[file.path] = file
            if line == b"":
                self._at += 1
            while (line := self._peek()) is not None and line.startswith(b"diff --cc "):
                self._at += 1
                self._file(files[decode(unquote(line[10:]))])
        self._check()
        return list(files.values())

    def _file(self, file: MergedFile) -> None:
        file.written = []
        while (line := self._peek()) is not None:
            if line.startswith(b"@@@"):
                self._hunk(line, len(file.old), file.written)
                continue
            if line.startswith(b"Binary files "):
                file.written = None
            elif not line.startswith(_HEADER):
                return
            self._at += 1
            if file.written is None:
                return

    def _hunk(self, header: bytes, parents: int, written: Written) -> None:
        match = _START.match(header)
        if match is None:
            raise Broken
        number = int(match[1]) - 1
        everywhere, last = b"+" * parents, -1
        self._at += 1
        while (line := self._peek()) is not None and line.startswith(_BODY):
            self._at += 1
            marks = line[:parents]
            if b"-" in marks or line.startswith(_NO_NEWLINE):
                continue
            if marks == everywhere:
                if number != last:
                    written.append((number, []))
                written[-1][1].append(line[parents:])
                last = number + 1
            number += 1


def _parse_entry(line: bytes) -> MergedFile:
    record, _, path = line.partition(b"\t")
    words = record.lstrip(b":").decode("ascii").split(" ")
    parents = (len(words) - 3) // 2
    ids = [oid if oid.strip("0") else "" for oid in words[parents + 1 : -1]]
    modes = tuple(int(mode, 8) for mode in words[: parents + 1])
    return MergedFile(intern(decode(unquote(path))), tuple(ids[:-1]), modes[:-1], ids[-1], modes[-1])


def combined_patches(git: ScratchGit) -> Stream[CombinedPatches, list[MergedFile]]:
    """Files of merges that differ from all parents, renames not followed."""
    return Stream(lambda commits: CombinedPatches(git.stream([*_COMBINED, *_COMBINED_TAIL], commits)), CombinedPatches.commit)
