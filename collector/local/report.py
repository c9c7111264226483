"""What a person is told before anything is read: which agents are on this machine, and which
files would be opened.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from collector.agents import stores, unproven
from collector.agents.machine import databases
from collector.agents.machine.model import Machine, Store
from collector.git.repository import GitRepo
from collector.json_values import Row
from collector.local import find_sessions
from collector.local.archived import archived, kept_note
from collector.local.model import LocalOptions, elsewhere_note, traces_note
from collector.storage.views import Table, table_of

UNPROVEN = "unproven: no real transcript of this agent was ever read"
_NO_SAMPLE = "no real session of it was ever there to write a reader after"
# agent -> where its sessions are on the machine, or were, and why they cannot be read
UNREADABLE = {
    "windsurf": ("~/.codeium/windsurf/cascade", "encrypted by Windsurf; it cannot be read"),
    "amp": (
        "${XDG_DATA_HOME:-~/.local/share}/amp",
        "since March 2026 Amp keeps its threads on its server",
    ),
    "goose": ("${XDG_DATA_HOME:-~/.local/share}/goose/sessions", _NO_SAMPLE),
    "zed": ("${XDG_DATA_HOME:-~/.local/share}/zed/threads", _NO_SAMPLE),
    "copilot": (
        "${XDG_CONFIG_HOME:-~/.config}/github-copilot",
        "Copilot in JetBrains editors keeps no edits; the directory is not read",
    ),
}


def would_read(repo: GitRepo, options: LocalOptions) -> Table:
    """The sessions of this machine that would be read for a clone, latest first, and what could not
    be looked at.

    `written` is when a session was last written (UTC).
    """
    result = find_sessions(repo, options)
    sizes = {row["id"]: row["bytes"] for row in archived()[0]}
    rows = []
    for session in sorted(result.sessions.values(), key=lambda session: -session.at):
        size = sum(path.stat().st_size for path in session.files if path.exists())
        why = f"{session.why}; gone since, kept in the archive" if session.kept else session.why
        rows.append(
            {
                "agent": session.agent,
                "session": session.id,
                "files": len(session.files),
                "bytes": sizes.get(session.id) if session.kept else size,
                "written": _minute(session.at),
                "why": why,
                "path": str(session.files[0]),
            }
        )
    for problem in result.problems:
        why = f"cannot be read: {problem.detail}"
        rows.append(
            {
                "agent": problem.subject,
                "session": "",
                "files": 0,
                "bytes": 0,
                "written": "",
                "why": why,
                "path": "",
            }
        )
    note = "only what shows whose sessions these are was read, and only that is kept"
    if not rows:
        note = (
            "no transcripts on this machine would be read; checkpoints in the clone are read in any"
            " case"
        )
    elsewhere = elsewhere_note(result)
    notes = (
        [note, f"{elsewhere}; others of these directories: --was-at DIR"] if elsewhere else [note]
    )
    lost = traces_note(result)
    if lost:
        notes += [f"{lost}: nobody is named for what changed meanwhile"]
    return table_of(rows, {"agent": "agent", "bytes": "bytes", "written": "UTC"}, notes)


def survey(machines: Iterable[Machine]) -> Table:
    """Which agents keep sessions where on these machines; only names, sizes and times of files are
    looked at.

    `oldest` and `newest` are when files of sessions were last written (UTC). `kept_days`: the agent
    deletes older ones by itself. `tested`: whether the place was ever read with real files: real or
    documentation; "" where it cannot be read.
    """
    rows = []
    for machine in machines:
        rows += [_stored(store, place) for store in stores() for place in store.places(machine)]
        for agent, (pattern, why) in UNREADABLE.items():
            rows += [
                _unreadable(agent, place, why) for place in machine.existing(machine.paths(pattern))
            ]
    notes = (
        [] if rows else ["no coding agent has left sessions in the usual places of this machine"]
    )
    kept, problems = archived()
    notes += [note for note in (kept_note(kept), *(problem.detail for problem in problems)) if note]
    return table_of(
        rows,
        {"agent": "agent", "bytes": "bytes", "oldest": "date", "newest": "date", "tested": "word"},
        notes,
    )


def _unreadable(agent: str, place: Path, why: str) -> Row:
    empty = {"files": 0, "bytes": 0, "oldest": "", "newest": "", "kept_days": None, "tested": ""}
    return {"agent": agent, "path": str(place), **empty, "note": why}


def _stored(store: Store, place: Path) -> Row:
    # a database with its log
    states = [databases.state(path) for path in store.stored(place) if path.exists()]
    times = [max(time for _, time in state) / 1e9 for state in states]
    oldest = min(times, default=0.0)
    newest = max(times, default=0.0)
    notes = [UNPROVEN] if store.agent in unproven() else []
    if store.kept_days is not None and times:
        notes.append(f"by default deletes sessions after {store.kept_days} days")
    return {
        "agent": store.agent,
        "path": str(place),
        "files": len(times),
        "bytes": sum(size for state in states for size, _ in state),
        "oldest": _minute(oldest),
        "newest": _minute(newest),
        "kept_days": store.kept_days,
        "tested": "real" if store.proven else "documentation",
        "note": "; ".join(notes),
    }


def _minute(moment: float) -> str:
    if moment:
        return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M")
    return ""
