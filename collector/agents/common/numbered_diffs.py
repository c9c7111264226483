"""Edits of Pi and Oh My Pi.

The result says what was done to files: whole texts where they are short, else a numbered diff. The
line-addressed patches of Oh My Pi, sections `[path#tag]` of operations on numbered lines
(`SWAP 3.=5:`, `REM`, `MV path`), say nothing of the text.
"""

import re
from collections.abc import Iterable

from collector.agents.common.edits import text_argument
from collector.json_values import JsonObject, first_text, get, get_list, get_str
from collector.model import Edit, Hunk
from collector.text import resolve

_ROW = re.compile(r"^([+\- ])\s*(\d{1,9})(?: |\||$)(.*)$", re.S)
_ELISION = "..."


def recorded_edits(details: object, cwd: str, path: str = "") -> list[Edit]:
    """The edits that the details of a result describe, file by file; [] when they name no file
    and `path` is not given.
    """
    files = get_list(details, "perFileResults") or [details]
    changes = (
        _recorded_edit(file, cwd, get_str(file, "path") or path)
        for file in files
        if get(file, "isError") is not True
    )
    return [edit for edit in changes if edit is not None]


def _recorded_edit(file: object, cwd: str, written: str) -> Edit | None:
    before, after = (text_argument(file, (name,)) for name in ("oldText", "newText"))
    path, source, target = (
        resolve(cwd, name) for name in (written, get_str(file, "sourcePath"), get_str(file, "move"))
    )
    hunks = display_hunks(get_str(file, "diff"))
    op = get_str(file, "op")
    if not path or not (hunks or op or after is not None):
        return None
    existing: JsonObject = {"before": before, "before_known": before is not None}
    if op == "delete":
        return Edit(path, "delete", **existing)
    if target:
        return Edit(source or path, "move", hunks=hunks, new_path=target, after=after, **existing)
    if op == "create":
        return Edit(path, "write", content=after, hunks=hunks)
    return Edit(path, "edit", hunks=hunks, after=after, **existing)


# mark, line number (old for removed and kept lines, new for added ones), text
_Row = tuple[str, int, str]


def display_hunks(diff: str) -> tuple[Hunk, ...]:
    """Hunks of a numbered diff. Rows that are none, and jumps in the numbers, separate them."""
    hunks = []
    shift = 0  # new number minus old number of a kept line
    for group in _groups(diff.split("\n")):
        hunk = _rebuilt(group, shift)
        shift += hunk.new_count - hunk.old_count
        hunks.append(hunk)
    return tuple(hunks)


def _groups(lines: Iterable[str]) -> list[list[_Row]]:
    """Rows that belong together and change something."""
    groups: list[list[_Row]] = [[]]
    old = 0  # number of the last removed or kept line
    for line in lines:
        match = _ROW.match(line)
        row = (match[1], int(match[2]), match[3]) if match else None
        jump = row is not None and row[0] != "+" and old and row[1] != old + 1
        if row is None or jump:
            groups.append([])
        if row is not None:
            groups[-1].append(row)
        old = 0 if row is None else row[1] if row[0] != "+" else old
    bare = map(_strip_elisions, groups)
    return [group for group in bare if any(mark != " " for mark, _, _ in group)]


def _strip_elisions(group: list[_Row]) -> list[_Row]:
    """Some versions number the dots that stand for left out lines like a kept line."""
    while group and group[-1][0] == " " and group[-1][2] == _ELISION:
        group = group[:-1]
    while group and group[0][0] == " " and group[0][2] == _ELISION:
        group = group[1:]
    return group


def _rebuilt(group: list[_Row], shift: int) -> Hunk:
    mark, number, _ = group[0]
    old_start = number - shift if mark == "+" else number
    lines = tuple(mark + text for mark, _, text in group)
    old = sum(1 for mark, _, _ in group if mark != "+")
    new = sum(1 for mark, _, _ in group if mark != "-")
    # a unified diff counts from the line before where a side is empty
    return Hunk(
        old_start if old else old_start - 1,
        old,
        old_start + shift if new else old_start + shift - 1,
        new,
        lines,
        True,
    )


_HEADER = re.compile(r"^\[([^\[\]\n]{1,1000}?)#[0-9A-Za-z]{2,12}\]\s*$", re.M)
_MOVE = re.compile(r"^MV\s+[\"']?(.+?)[\"']?\s*$", re.M)
_REMOVE = re.compile(r"^REM\s*$", re.M)


def is_hashline(text: str) -> bool:
    """Whether the text begins like such a patch, or like a file shown to the model for one."""
    return _HEADER.match(text.lstrip()) is not None


def hashline_edits(arguments: object, cwd: str = "") -> list[Edit]:
    """The files that a patch changes, deletes or moves; the new text of a changed file is not
    known from the patch.
    """
    text = first_text(arguments, "input", "patch")
    headers = list(_HEADER.finditer(text))
    edits = []
    for number, header in enumerate(headers, 1):
        end = headers[number].start() if number < len(headers) else len(text)
        path = resolve(cwd, header[1])
        body = text[header.end() : end]
        move = _MOVE.search(body)
        if _REMOVE.search(body):
            edits.append(Edit(path, "delete"))
        elif move:
            edits.append(Edit(path, "move", new_path=resolve(cwd, move[1])))
        else:
            edits.append(Edit(path, "edit"))
    return edits
