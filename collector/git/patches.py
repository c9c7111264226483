"""Unified diffs. The adapter for unidiff."""

import io
import re
from collections.abc import Sequence
from typing import NamedTuple

from unidiff.errors import UnidiffParseError
from unidiff.patch import Hunk as UnidiffHunk
from unidiff.patch import PatchSet

from collector.model import Hunk
from collector.text import unique

_TOO_LONG = 2_000_000  # characters: of a longer patch only the headers are read
_GIT = re.compile(r"^diff --git a/(.+?) b/(.+)$", re.M)
_SIDE = re.compile(r"^(?:---|\+\+\+) (?:[ab]/)?([^\t\r\n]+)", re.M)
_NO_FILE = ("/dev/null", "dev/null")


class Touched(NamedTuple):
    """Files of a patch, under both names when renamed, in order of appearance; lines added and
    removed, None when it is damaged.
    """

    files: tuple[str, ...]
    lines: int | None


def touched_files(patch: str) -> Touched:
    """What a patch of any number of files changes.

    Of a damaged one, what its headers say; empty when it is none.
    """
    files = _parse(patch)
    if files is not None:
        names = [_name(side) for file in files for side in (file.source_file, file.target_file)]
        return Touched(_files(names), sum(file.added + file.removed for file in files))
    # Models write diffs whose counts are wrong: the headers still tell the files.
    names = [name for pair in _GIT.findall(patch) for name in pair] or _SIDE.findall(patch)
    return Touched(_files(names), None)


def _parse(patch: str) -> PatchSet | None:
    """None for what is damaged, or too long."""
    if len(patch) > _TOO_LONG:
        return None
    try:
        return PatchSet(io.StringIO(patch if patch.endswith("\n") else patch + "\n", newline="\n"))
    except (UnidiffParseError, ValueError, AssertionError, RecursionError):
        return None


def _name(side: str) -> str:
    if side.startswith(("a/", "b/")):
        return side[2:]
    return side


def _files(names: list[str]) -> tuple[str, ...]:
    return unique(name for name in names if name and name not in _NO_FILE)


def parse_unified(diff: str) -> tuple[Hunk, ...]:
    """Hunks of a diff of one file, with or without its headers; empty when it is cut or no diff."""
    start = diff.find("@@ -")
    if start < 0 or (start and diff[start - 1] != "\n"):
        start = diff.find("\n@@ -") + 1
    if start <= 0 and not diff.startswith("@@ -"):
        return ()
    return tuple(
        _read_hunk(hunk) for file in _parse("--- a\n+++ b\n" + diff[start:]) or () for hunk in file
    )


def _read_hunk(hunk: UnidiffHunk) -> Hunk:
    lines = tuple(f"{line.line_type}{line.value.removesuffix(chr(10))}" for line in hunk)
    return Hunk(
        hunk.source_start,
        hunk.source_length,
        hunk.target_start,
        hunk.target_length,
        lines,
        exact_text=True,
    )


class FilePatch(NamedTuple):
    path: str  # before; "" for a new file
    new_path: str  # after; "" for a file that it deletes
    hunks: tuple[Hunk, ...]

    @property
    def content(self) -> str:
        """The text of a new file."""
        return "".join(_side(hunk.lines, "+") for hunk in self.hunks)


def file_patches(patch: str) -> tuple[FilePatch, ...]:
    """A patch of any number of files, in the order in which they stand; empty when it is
    damaged, cut or no patch.
    """
    patches = []
    if "\n@@ -" in patch:
        for file in _parse(patch) or ():
            before, after = (
                "" if side in _NO_FILE else _name(side)
                for side in (file.source_file, file.target_file)
            )
            patches.append(FilePatch(before, after, tuple(map(_read_hunk, file))))
    return tuple(patches)


def whole_texts(hunks: Sequence[Hunk]) -> tuple[str, str] | None:
    """The texts of a file before and after a change, from a diff with unlimited context: one
    hunk from the first line on.
    """
    if len(hunks) != 1 or hunks[0].old_start > 1 or hunks[0].new_start > 1:
        return None
    return _side(hunks[0].lines, " -"), _side(hunks[0].lines, " +")


def _side(lines: Sequence[str], marks: str) -> str:
    parts: list[str] = []
    last = ""
    for line in lines:
        if line.startswith("\\"):  # "No newline at end of file" says so of the line before it
            if parts and last in marks:
                parts[-1] = parts[-1].removesuffix("\n")
            continue
        last = line[:1]
        if last in marks:
            parts.append(line[1:] + "\n")
    return "".join(parts)
