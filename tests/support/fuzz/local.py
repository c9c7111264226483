"""Transcripts on a developer's machine: two sessions of each agent, one of them damaged; the
other one is found all the same.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from collector.agents import readers, stores
from collector.agents.machine.databases import DatabaseUnreadable
from collector.agents.machine.model import LocalSession, Machine, Roots, Store
from collector.json_values import JsonObject
from support import local_layouts as layouts
from support.fuzz import Target, scratch
from support.fuzz.choices import Choices
from support.fuzz.damage import ODD, Sample, dumped, flipped, places, put
from support.fuzz.transcripts import check_session
from support.local_clone import AgentSession, Clone

_WRITERS = {
    "antigravity": layouts.antigravity,
    "claude-code": layouts.claude_code,
    "codex": layouts.codex,
    "copilot-chat": layouts.copilot_chat,
    "copilot-cli": layouts.copilot_cli,
    "cursor": layouts.cursor,
    "factory-droid": layouts.factory_droid,
    "gemini-cli": layouts.gemini_cli,
    "opencode": layouts.opencode,
    "pi": layouts.pi,
    "qwen-code": layouts.qwen_code,
}
_ONE = "0197f3a1-5d2c-7b4e-8f60-1a2b3c4d5e6f"
_TWO = "0197f3a1-5d2c-7b4e-8f60-aaaaaaaaaaaa"
_SQLITE = b"SQLite format 3\0"


@dataclass(slots=True)
class Home:
    """One agent's files in a home directory of their own."""

    source: Store
    machine: Machine
    roots: Roots
    files: dict[Path, bytes]
    both: frozenset[str]
    samples: dict[Path, Sample] = field(default_factory=dict)

    def found(self) -> list[LocalSession]:
        return [
            one
            for place in self.source.places(self.machine)
            for one in self.source.sessions(place, self.roots)
        ]

    def own(self) -> list[Path]:
        """Files of the second session, and those that both share."""
        return [path for path in self.files if _ONE not in str(path)]

    def sample(self, path: Path) -> Sample | None:
        """The file as JSON, when it is."""
        if path not in self.samples:
            try:
                self.samples[path] = Sample.of_file(path)
            except ValueError:
                return None
        return self.samples[path]


def _home(place: Path, source: Store) -> Home:
    clone = Clone(place / "work" / "tally")
    for id in (_ONE, _TWO):
        session = AgentSession(clone, id, str(clone.path))
        session.prompt("Add a file")
        session.write(f"src/{id[-4:]}.py", "value = 1\n")
        session.edit(f"src/{id[-4:]}.py", "value = 1", "value = 2")
        session.shell("ls", "src")
        session.say("Done.")
        _WRITERS[source.name](place, session)
    if source.name == "antigravity":
        listed = {_TWO: {"WorkspaceURIs": [clone.path.as_uri()], "workspace": str(clone.path)}}
        layouts.put_text(
            place / ".gemini/antigravity-cli/cache/conversation_metadata.json",
            json.dumps(listed),
            clone.clock,
        )
    files = {
        path: path.read_bytes()
        for path in sorted(place.rglob("*"))
        if path.is_file() and clone.path not in path.parents
    }
    home = Home(source, Machine(place), Roots.of_paths([str(clone.path)]), files, frozenset())
    home.both = frozenset(one.id for one in home.found())
    assert len(home.both) == 2, source.name
    # reading may have taken a log into its database
    home.files = {path: path.read_bytes() for path in files}
    return home


def _cells(path: Path, choices: Choices) -> None:
    """One value of a database exchanged, inside its JSON where it is JSON."""
    with closing(sqlite3.connect(path)) as connection, connection:
        tables = [
            name
            for (name,) in connection.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
            )
        ]
        table = choices.one_of(tables)
        columns = [row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')]
        rows = [row for (row,) in connection.execute(f'SELECT rowid FROM "{table}"')]
        if not rows or not columns:
            return
        row = choices.one_of(rows)
        column = choices.one_of(columns)
        (value,) = connection.execute(
            f'SELECT "{column}" FROM "{table}" WHERE rowid = ?', (row,)
        ).fetchone()
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute(
            f'UPDATE OR IGNORE "{table}" SET "{column}" = ? WHERE rowid = ?',
            (_other(value, choices), row),
        )


def _other(value: Any, choices: Choices) -> Any:
    odd = choices.one_of(ODD)
    try:
        inner = json.loads(value)
    except (TypeError, ValueError):
        inner = None
    if isinstance(inner, dict | list) and not choices.yes(8):
        text = dumped(put(inner, choices.one_of(places(inner)), odd))
        return text if isinstance(value, bytes) else text.decode("utf-8", "replace")
    if isinstance(odd, str):
        return (
            odd.encode("utf-8", "surrogatepass")
            if choices.yes()
            else odd.encode("utf-8", "replace").decode()
        )
    if isinstance(odd, list | dict):
        return dumped(odd).decode("utf-8", "replace")
    return max(-(2**63), min(2**63 - 1, odd)) if isinstance(odd, int) else odd


@contextmanager
def target() -> Iterator[Target]:
    by_name = {reader.NAME: reader for reader in readers()}
    with scratch.directory() as place:
        homes = [
            _home(place / source.name, source) for source in stores() if source.name in _WRITERS
        ]

        def run(data: bytes) -> None:
            choices = Choices(data)
            home = choices.one_of(homes)
            path = choices.one_of(home.own())
            try:
                alone = _TWO in str(path)
                _damage(home, path, choices)
                _look(home, by_name, alone)
            finally:
                for one, content in home.files.items():
                    if one == path or one.parent == path.parent:
                        one.write_bytes(content)

        yield run


def _damage(home: Home, path: Path, choices: Choices) -> None:
    whole = home.files[path]
    sample = None if whole.startswith(_SQLITE) else home.sample(path)
    if whole.startswith(_SQLITE) and not choices.yes(4):
        _cells(path, choices)
    elif choices.yes(16):
        path.write_bytes(choices.rest())
    elif sample is not None:
        path.write_bytes(sample.damaged(choices))
    else:
        path.write_bytes(flipped(whole, choices))


def _look(home: Home, by_name: JsonObject, alone: bool) -> None:
    try:
        found = home.found()
    except (OSError, DatabaseUnreadable, sqlite3.DatabaseError):
        assert not alone, "a damaged file loses the other session"
        return
    assert not alone or min(home.both) in {one.id for one in found}, (
        "a damaged file loses the other session"
    )
    for one in found:
        try:
            blobs = list(home.source.load(one))
        except (OSError, ValueError, DatabaseUnreadable, sqlite3.DatabaseError):
            continue
        check_session(by_name[one.agent].read(one.id, blobs))
