"""Agents whose sessions are on the machine, or were, and cannot be read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from collector.agents.machine.model import Machine


@dataclass(frozen=True, slots=True)
class Unreadable:
    agent: str  # slug
    places: Callable[[Machine], list[Path]]
    why: str


_UNTESTED = "no real session of it was ever there to write a reader after"
UNREADABLE = (
    Unreadable("windsurf", lambda m: [m.home / ".codeium" / "windsurf" / "cascade"], "encrypted by Windsurf; it cannot be read"),
    Unreadable("amp", lambda m: [m.data / "amp"], "since March 2026 Amp keeps its threads on its server"),
    Unreadable("goose", lambda m: [m.data / "goose" / "sessions"], _UNTESTED),
    Unreadable("zed", lambda m: [m.data / "zed" / "threads"], _UNTESTED),
    Unreadable(
        "copilot",
        lambda m: [m.config / "github-copilot"],
        "Copilot in JetBrains editors keeps no edits; the directory is not read",
    ),
)
