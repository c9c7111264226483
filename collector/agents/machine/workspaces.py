"""Editors that grew out of VS Code: where they keep their users' data, and which folders a window showed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from collector.agents.common.uris import path_of
from collector.agents.machine import files
from collector.agents.machine.model import Machine
from collector.json_values import get_list, get_str


def editor_users(machine: Machine, editors: Iterable[str]) -> list[Path]:
    """The directories `User` of these editors on Linux, macOS and Windows."""
    homes = [machine.config, machine.home / "Library" / "Application Support", machine.home / "AppData" / "Roaming"]
    return [home / editor / "User" for home in homes for editor in editors]


def folders(workspace: Path) -> list[str]:
    """Directories that a window showed: one, or those of a file that lists several."""
    about = files.document(workspace / "workspace.json")
    listed = path_of(get_str(about, "workspace"))
    several = files.document(Path(listed)) if listed.endswith(".code-workspace") else None
    inside = [str(Path(listed).parent / get_str(entry, "path")) for entry in get_list(several, "folders")]
    return [entry for entry in (path_of(get_str(about, "folder")), *inside) if entry]
