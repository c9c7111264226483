"""The coding agents: one module for each, found by its `NAME`, with all that is known of the agent.

`NAME` is the agent's slug, and the name of its module with `-` for `_`. `AGENT` says what its name,
commits and tools look like, `sniff` and `read` take its transcripts, bytes in and `Session` out
(the contract is `TranscriptReader` in `collector/model.py`). `STORES` are the ways in which it
keeps sessions on a developer's machine. The content of a transcript decides whose it is, not its
label. What several agents share is in `formats`, `common` and `machine`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from collector.agents.common.jsonl import first_value
from collector.agents.machine.databases import DATABASE, describe_database
from collector.plugins import modules_of
from collector.text import decode

if TYPE_CHECKING:
    from collector.agents.machine.model import Committed, Store
    from collector.model import TranscriptReader


_BEGINNING = 2_000  # bytes


def readers() -> list[TranscriptReader]:
    return [cast("TranscriptReader", module) for module in modules_of(__name__)]


def stores() -> list[Store]:
    """The ways in which agents keep sessions on a machine, by agent."""
    modules = sorted(modules_of(__name__), key=lambda module: str(module.NAME))
    return [store for module in modules for store in getattr(module, "STORES", ())]


def agents_of_records() -> list[tuple[str, Committed]]:
    """The transcripts of all agents that people commit beside their code, with the slug of the
    agent that keeps each.
    """
    return [
        (str(module.NAME), record)
        for module in modules_of(__name__)
        for record in getattr(module, "COMMITTED", ())
    ]


def unproven() -> list[str]:
    """Slugs of agents of which no real transcript was ever read: their reader and its sample follow
    documents and excerpts.

    A reader says so as `UNPROVEN`.
    """
    return [reader.NAME for reader in readers() if getattr(reader, "UNPROVEN", False)]


def readers_for(
    blob: bytes, existing: Sequence[TranscriptReader] | None = None
) -> list[TranscriptReader]:
    """The readers that recognise the first JSON value, the one to use first; more than one is a
    fault of a sniffer.

    Of a text that is not JSON they are shown the beginning, of a database its tables.
    """
    head = first_value(blob)
    if blob.startswith(DATABASE.encode()):
        head = describe_database(blob)
    elif head is None:
        head = decode(blob[:_BEGINNING].lstrip())
    return [reader for reader in existing or readers() if reader.sniff(head)]


def reader_for(
    blob: bytes, existing: Sequence[TranscriptReader] | None = None
) -> TranscriptReader | None:
    """The reader whose format this is; None when no reader recognises the first JSON value."""
    return next(iter(readers_for(blob, existing)), None)
