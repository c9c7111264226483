"""Changes of a project's files, or of a home directory's, and the record that takes them back.

The record lies among the repository's own files, or with the user's data. It has what was put into
each file, and nothing else of the file.
"""

import json
import os
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path

from collector.json_values import Row, load_json
from whowrote.setup.edits import put_part, take_part

NAME = "whowrote-init.json"
_REFUSALS = (ValueError, OSError)

Changes = dict[Path, tuple[str | None, str | None]]
"""Texts of files before and after; None for no file."""
Plan = tuple[Changes, list[Row], list[str]]
"""Changes, what the record will have, and sentences about files that stay as they are."""


def plan_parts(root: Path, record: Path, parts: Mapping[str, Row]) -> Plan:
    """What puts each part into the file of its name, below `root`."""
    changes: Changes = {}
    rows: list[Row] = load_json(_read(record) or "[]")
    refused = []
    for name, part in parts.items():
        try:
            path = _file(root, name)
            text = _read(path)
            base = part.get("base", "")
            after, added = put_part(base if text is None else text, part)
        except _REFUSALS as error:
            refused.append(f"{name} stays as it is: {error}")
            continue
        # a link may lead to a file that has its part by now
        if added and path not in changes:
            changes[path] = text, after
            put = {"file": os.path.relpath(path, root), "added": added}
            rows.append({**part, **put, "base": base if text is None else None})
    return changes, rows, refused


def plan_undo(root: Path, record: Path, files: Collection[str]) -> Plan:
    """What takes back what was put into files, into all without any. What was changed since then
    stays, and stays on record.
    """
    changes: Changes = {}
    kept = []
    refused = []
    for part in load_json(_read(record) or "[]"):
        if files and part["file"] not in files:
            kept.append(part)
            continue
        try:
            path = _file(root, part["file"])
            text = _read(path)
            rest = None if text is None else take_part(text, part)
            changes[path] = text, None if rest == part["base"] else rest
        except _REFUSALS as error:
            refused.append(f"{part['file']} stays as it is: {error}")
            kept.append(part)
    return changes, kept, refused


def carry_out(changes: Changes, record: Path, rows: list[Row]) -> None:
    """Writes the record first, then the files. Raises OSError."""
    text = json.dumps(rows) if rows else None
    for path, (_, after) in {record: (None, text), **changes}.items():
        _write(path, after)


def _file(root: Path, name: str) -> Path:
    """A file by its name from the top, links followed, but not to elsewhere or into `.git`.

    Raises ValueError.
    """
    path = (root / name).resolve()
    if path.is_relative_to(root) and (".git" not in path.parts or path == root / name):
        return path
    raise ValueError("it is not in the project, or a link leads out of it")


def _read(path: Path) -> str | None:
    """None where there is no file. Raises OSError, ValueError."""
    with suppress(FileNotFoundError):
        return path.read_bytes().decode()
    return None


def _write(path: Path, text: str | None) -> None:
    """None removes the file, and directories above it that are empty then. Raises OSError."""
    if text is None:
        path.unlink(missing_ok=True)
        with suppress(OSError):  # not empty
            for directory in path.parents:
                directory.rmdir()
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    if text.startswith("#!"):
        path.chmod(0o755)
