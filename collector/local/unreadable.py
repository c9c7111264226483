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


UNREADABLE = (
    Unreadable("windsurf", lambda m: [m.home / ".codeium" / "windsurf" / "cascade"], "encrypted by Windsurf; it cannot be read"),
    Unreadable("amp", lambda m: [m.data / "amp"], "since March 2026 Amp keeps threads on its server; older ones are read"),
    Unreadable(
        "copilot",
        lambda m: [m.config / "github-copilot"],
        "Copilot in JetBrains editors keeps no edits; the directory is not read",
    ),
)
