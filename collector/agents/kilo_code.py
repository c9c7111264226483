"""Kilo Code, which grew out of OpenCode in 2026: sessions as OpenCode keeps them, in a database
of its own.
"""

from collections.abc import Iterable

from collector.agents.common.reader import FACETS
from collector.agents.formats.opencode import find, load, read_exported
from collector.agents.machine.model import Store
from collector.model import Session
from collector.vocabulary.agents import Agent

NAME = "kilo-code"
AGENT = Agent(NAME, "Kilo Code", accounts=r"kiloconnect\[bot\]", aliases=("kilo", "kilocode"))
GIVES = frozenset(FACETS) - {"commits", "subagents"}
ORDER = 23


def sniff(head: object) -> bool:
    # a session looks like one of OpenCode; whoever finds the database knows whose it is
    return False


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    return read_exported(NAME, session_id, blobs)


STORES = (
    Store(
        NAME,
        at=("${XDG_DATA_HOME:-~/.local/share}/kilo/kilo.db",),
        find=find,
        load=load,
    ),
)
