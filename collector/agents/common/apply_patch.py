"""The `*** Begin Patch` format of `apply_patch`, which several agents share. Unified diffs are in collector.git.patches."""

from __future__ import annotations

import re
from collections.abc import Iterator

from collector.model import Edit, Hunk
from collector.text import resolve

BEGIN, END = "*** Begin Patch", "*** End Patch"
_FILE = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+?)\s*$")
_MOVE = re.compile(r"^\*\*\* Move to: (.+?)\s*$")


def parse_patch(text: str, cwd: str = "", by_shell: bool = False) -> list[Edit]:
    """The files a patch adds, updates, deletes or moves. Hunks carry exact text and no line numbers (`old_start` 0)."""
    edits = []
    for action, path, lines in _sections(text):
        full = resolve(cwd, path)
        if action == "Add":
            added = [line[1:] for line in lines if line.startswith("+")]
            edits.append(Edit(full, "write", content="\n".join(added) + "\n" if added else "", by_shell=by_shell))
        elif action == "Delete":
            edits.append(Edit(full, "delete", by_shell=by_shell))
        else:
            edits.append(_update(full, lines, cwd, by_shell))
    return edits


def _sections(text: str) -> Iterator[tuple[str, str, list[str]]]:
    """(action, path, body lines) of each file of a patch."""
    action, path = "", ""
    lines: list[str] = []
    for line in text.split("\n"):
        line = line.removesuffix("\r")
        header = _FILE.match(line)
        if header or line.startswith(END):
            if action:
                yield action, path, lines
            action, path, lines = (header[1], header[2], []) if header else ("", "", [])
            continue
        if action:
            lines.append(line)
    if action:
        yield action, path, lines


def _update(path: str, lines: list[str], cwd: str, by_shell: bool) -> Edit:
    move = _MOVE.match(lines[0]) if lines else None
    hunks = tuple(_patch_hunks(lines[1:] if move else lines))
    new_path = resolve(cwd, move[1]) if move else ""
    return Edit(path, "move" if new_path else "edit", hunks=hunks, new_path=new_path, by_shell=by_shell)


def _patch_hunks(lines: list[str]) -> Iterator[Hunk]:
    body: list[str] = []
    for line in [*lines, "@@"]:
        if line.startswith("@@"):
            if any(part[:1] in "+-" for part in body):
                yield _hunk(body)
            body = []
        elif line.startswith((" ", "+", "-")):
            body.append(line)
        elif not line:  # writers drop the space of an empty context line
            body.append("")


def _hunk(body: list[str]) -> Hunk:
    while body and not body[-1]:  # blank lines between sections are not context
        body = body[:-1]
    lines = tuple(line or " " for line in body)
    old = sum(1 for line in lines if line[0] != "+")
    new = sum(1 for line in lines if line[0] != "-")
    return Hunk(0, old, 0, new, lines, exact_text=True)


def patches_in(text: str) -> list[str]:
    """Patches that a shell command passes to `apply_patch`: a heredoc or a quoted argument."""
    matches, position = [], 0
    while "apply_patch" in text and (start := text.find(BEGIN, position)) >= 0:
        end = text.find(END, start)
        if end < 0:
            break
        position = end + len(END)
        matches.append(text[start:position])
    return matches
