"""A ledger in TypeScript on which an agent works, and to which a person adds a line."""

from __future__ import annotations

from pathlib import Path

from support.builder import Commit, Session, World
from support.line_answers import Answer, answers

APP = """\
import { Row } from './rows'

export function total(rows: Row[]) {
  if (!rows.length) return 0
  return rows.map(row => row.cents).reduce((sum, cents) => sum + cents, 0)
}
"""
PERSONS = "export const currency = 'EUR'"
EDIT = ("if (!rows.length) return 0", "if (rows.length === 0) return 0")


def start(name: str) -> tuple[World, Session]:
    """A person's commit, and a session that goes on."""
    world = World(name)
    world.human_write("src/app.ts", APP)
    world.commit("Start the ledger")
    return world, world.session(prompt="Please go on with the ledger")


def start_edit(name: str) -> tuple[World, Session]:
    """The same, where the session has changed a line."""
    world, session = start(name)
    session.edit("src/app.ts", *EDIT)
    return world, session


def insert_line(world: World) -> None:
    """The person's line."""
    world.human_insert("src/app.ts", f"\n{PERSONS}\n")


def look_again(session: Session, command: str = "") -> None:
    """The agent reads the file, once the command has run if there is one, and goes on."""
    session.prompt("Now look again")
    if command:
        session.bash(command)
    session.read("src/app.ts")
    session.edit("src/app.ts", "sum + cents, 0", "sum + cents, 0.0")


def finish(world: World, *sessions: Session, message: str = "Go on") -> Commit:
    for session in sessions:
        session.end_turn()
    return world.commit(message, sessions)


def answers_at_end(world: World, session: Session, directory: Path) -> dict[str, list[Answer]]:
    """What is said of the lines that are committed when the session ends."""
    return answers(world, finish(world, session), directory)
