"""Changes of a project's files, or of a home directory's, and the record that takes them back.

The record lies among the repository's own files, or with the user's data. It has what was put into
each file, and nothing else of the file.
"""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from collector.errors import WhoWroteError
from collector.json_values import Row, load_json
from whowrote.setup.edits import text_with, text_without

NAME = "whowrote-init.json"
_EXECUTABLE = 0o755
_REFUSALS = (ValueError, OSError, WhoWroteError)


class Project(NamedTuple):
    root: Path
    record: Path
    hook: Path  # the one file of git's own that may be written


class Plan(NamedTuple):
    """Texts of files before and after, None for no file, and the record of what was put there."""

    changes: dict[Path, tuple[str | None, str | None]]
    record: list[Row]
    refused: list[str]  # sentences


def plan_parts(project: Project, parts: Mapping[str, Row]) -> Plan:
    """What puts each part into its file: of two names with `|` between them the one that exists."""
    plan = Plan({}, _read_record(project), [])
    for names, part in parts.items():
        first, _, second = names.partition("|")
        name = second if second and (project.root / second).exists() else first
        try:
            path = _file(project, name)
            text = _read(path)
            base = part.get("base", "") if text is None else None
            after, added = text_with(base if text is None else text, part)
        except _REFUSALS as error:
            plan.refused.append(f"{name} stays as it is: {error}")
            continue
        # a link may lead to a file that has its part by now
        if added and path not in plan.changes:
            plan.changes[path] = text, after
            file = os.path.relpath(path, project.root)
            plan.record.append({**part, "base": base, "file": file, "added": added})
    return plan


def plan_undo(project: Project) -> Plan:
    """What takes everything back; what was changed since then stays, and stays on record."""
    plan = Plan({}, [], [])
    for part in _read_record(project):
        try:
            path = _file(project, part["file"])
            text = _read(path)
            if text is not None:
                rest = text_without(text, part)
                plan.changes[path] = text, None if rest == part["base"] else rest
        except _REFUSALS as error:
            plan.refused.append(f"{part['file']} stays as it is: {error}")
            plan.record.append(part)
    return plan


def carry_out(project: Project, plan: Plan) -> None:
    """Writes the record first, then the files. Raises WhoWroteError."""
    texts = {path: after for path, (_, after) in plan.changes.items()}
    record = json.dumps(plan.record) if plan.record else None
    for path, text in {project.record: record, **texts}.items():
        try:
            _write(path, text)
        except OSError as error:
            raise WhoWroteError(f"{path} cannot be written: {error.strerror}") from error


def _read_record(project: Project) -> list[Row]:
    rows: list[Row] = load_json(_read(project.record) or "[]")
    return rows


def _file(project: Project, name: str) -> Path:
    """A file by its name from the top of the project, links followed.

    Raises WhoWroteError for one that is elsewhere, or git's own.
    """
    path = (project.root / name).resolve()
    is_inside = path.is_relative_to(project.root) and ".git" not in path.parts
    if is_inside or path == project.hook:
        return path
    raise WhoWroteError("it is not in the project, or a link leads out of it")


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
        path.chmod(_EXECUTABLE)
