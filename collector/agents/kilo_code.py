"""Kilo Code, which grew out of OpenCode in 2026: sessions as OpenCode keeps them, in a database of its own."""

from __future__ import annotations

from collections.abc import Iterable

from collector.agents import opencode
from collector.agents.machine.model import Known, Store
from collector.model import Session
from collector.vocabulary.agents import Agent

NAME = "kilo-code"
AGENT = Agent(NAME, "Kilo Code", aliases=("kilo", "kilocode"))
GIVES = opencode.GIVES
ORDER = 23


def sniff(head: object) -> bool:
    return False  # a session looks like one of OpenCode; whoever finds the database knows whose it is


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    return opencode.read(session_id, blobs, NAME)


STORES = (
    Store(
        NAME,
        "`~/.local/share/kilo/kilo.db`, with the tables of OpenCode.",
        Known.REAL,
        at=("${XDG_DATA_HOME:-~/.local/share}/kilo/kilo.db",),
        find=opencode.find,
        load=opencode.load,
    ),
)
