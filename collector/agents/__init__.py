"""Agents' transcripts: one module per format, found by its `NAME`. Bytes in, `Session` out; the content decides, labels do not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from collector.agents.common.jsonl import first_value
from collector.model import TranscriptReader
from collector.plugins import modules_of

# What a transcript can tell, in the order of the table in docs/agents.md. A reader declares its part as `GIVES`; the tests compare
# that with what it finds in its sample.
FACETS = {
    "times": "when each call was made",
    "results": "whether a call succeeded",
    "text": "the exact text an edit writes",
    "before": "the whole text before an edit",
    "positions": "line numbers of an edit",
    "reads": "what the agent saw of files",
    "commands": "shell commands",
    "commits": "commits a command made",
    "subagents": "calls of subagents, in the same transcript",
    "models": "the model of each response",
    "tokens": "tokens used",
    "directory": "the working directory",
}


def readers() -> list[TranscriptReader]:
    return [cast(TranscriptReader, module) for module in modules_of(__name__)]


WHOLLY = "all of it"


def untested_part(reader: TranscriptReader) -> str:
    """What its reader has never met in a real transcript: "", WHOLLY, or the name of a part. A reader declares it as `UNTESTED`.

    Such a reader follows documents and excerpts, and its sample was written after them.
    """
    return str(getattr(reader, "UNTESTED", ""))


def readers_for(blob: bytes, known: Sequence[TranscriptReader] | None = None) -> list[TranscriptReader]:
    """The readers that recognise the first JSON value, the one to use first; more than one is a fault of a sniffer."""
    head = first_value(blob)
    return [reader for reader in (known or readers()) if reader.sniff(head)] if head is not None else []


def reader_for(blob: bytes, known: Sequence[TranscriptReader] | None = None) -> TranscriptReader | None:
    """The reader whose format this is; None when no reader recognises the first JSON value."""
    return next(iter(readers_for(blob, known)), None)
