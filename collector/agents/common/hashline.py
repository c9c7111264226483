"""The line-addressed patches of Oh My Pi: sections `[path#tag]` of operations on numbered lines (`SWAP 3.=5:`, `REM`, `MV path`).

A patch names lines by number and says nothing of their text: what it did is in the result of the call.
"""

from __future__ import annotations

import re

from collector.agents.common.arguments import argument
from collector.model import Edit
from collector.text import resolve

_HEADER = re.compile(r"^\[([^\[\]\n]{1,1000}?)#[0-9A-Za-z]{2,12}\]\s*$", re.M)
_MOVE = re.compile(r"^MV\s+[\"']?(.+?)[\"']?\s*$", re.M)
_REMOVE = re.compile(r"^REM\s*$", re.M)


def is_hashline(text: str) -> bool:
    """Whether the text begins like such a patch, or like a file shown to the model for one."""
    return _HEADER.match(text.lstrip()) is not None


def hashline_edits(arguments: object, cwd: str = "") -> list[Edit]:
    """The files that a patch changes, deletes or moves; the new text of a changed file is not known from the patch."""
    text = argument(arguments, "input", "patch")
    headers = list(_HEADER.finditer(text))
    edits = []
    for number, header in enumerate(headers, 1):
        end = headers[number].start() if number < len(headers) else len(text)
        path, body = resolve(cwd, header[1]), text[header.end() : end]
        move = _MOVE.search(body)
        if _REMOVE.search(body):
            edits.append(Edit(path, "delete"))
        elif move:
            edits.append(Edit(path, "move", new_path=resolve(cwd, move[1])))
        else:
            edits.append(Edit(path, "edit"))
    return edits
