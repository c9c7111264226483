"""What a person is told before anything is read: which agents are on this machine, and which files would be opened."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from collector.agents import stores, unproven
from collector.agents.machine.model import Machine, Store
from collector.git.repository import GitRepo
from collector.local import find_sessions
from collector.local.model import LocalOptions
from collector.local.unreadable import UNREADABLE

_DAY = 86_400.0
UNPROVEN = "unproven: no real transcript of this agent was ever read"


@dataclass(frozen=True, slots=True)
class FoundTranscript:
    """A session that would be read."""

    agent: str
    session: str
    files: int
    bytes: int
    written: str  # when it was last written, UTC
    why: str
    path: str


def would_read(repo: GitRepo, options: LocalOptions) -> list[FoundTranscript]:
    """The sessions of this machine that would be read for a clone, latest first, and what could not be looked at."""
    value = find_sessions(repo, options)
    rows = []
    for entry in sorted(value.sessions.values(), key=lambda session: -session.at):
        size = sum(path.stat().st_size for path in entry.files if path.exists())
        rows.append(FoundTranscript(entry.agent, entry.id, len(entry.files), size, _day(entry.at), entry.why, str(entry.files[0])))
    rows += [FoundTranscript(p.subject, "", 0, 0, "", f"cannot be read: {p.detail}", "") for p in value.problems]
    return rows


@dataclass(frozen=True, slots=True)
class Survey:
    """What one agent keeps in one place of this machine."""

    agent: str
    path: str
    files: int
    bytes: int
    oldest: str  # when files of sessions were last written, UTC
    newest: str
    kept_days: int | None  # the agent deletes older ones by itself
    tested: str  # whether the place was ever read with real files: real, documentation, untested; "": it cannot be read
    note: str


def survey(machine: Machine) -> list[Survey]:
    """Which agents are on a machine; only names, sizes and times of files are looked at."""
    results = [_survey(store, location) for store in stores() for location in store.places(machine)]
    for entry in UNREADABLE:
        for location in machine.existing(entry.places(machine)):
            results.append(Survey(entry.agent, str(location), 0, 0, "", "", None, "", entry.why))
    return results


def _survey(store: Store, location: Path) -> Survey:
    abouts = [path.stat() for path in store.stored(location) if path.exists()]
    times = [about.st_mtime for about in abouts]
    size, oldest, newest = sum(about.st_size for about in abouts), min(times, default=0.0), max(times, default=0.0)
    notes = [UNPROVEN] if store.agent in unproven() else []
    if store.kept_days is not None and times:
        retained = "deletes sessions" if newest - oldest < (store.kept_days + 1) * _DAY else "by default deletes sessions"
        notes.append(f"{retained} after {store.kept_days} days")
    return Survey(
        store.agent, str(location), len(times), size, _day(oldest), _day(newest), store.kept_days, store.known, "; ".join(notes)
    )


def _day(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%d %H:%M") if time else ""
