"""Agents' transcripts: one module per format, found by its `NAME`. Bytes in, `Session` out; the content decides, labels do not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from collector.discovery import modules_of
from collector.model import TranscriptReader
from collector.transcripts.jsonl import first_value


def readers() -> list[TranscriptReader]:
    return [cast(TranscriptReader, module) for module in modules_of(__name__)]


def reader_for(blob: bytes, known: Sequence[TranscriptReader] | None = None) -> TranscriptReader | None:
    """The reader whose format this is; None when no reader recognises the first JSON value."""
    head = first_value(blob)
    if head is None:
        return None
    return next((reader for reader in (known or readers()) if reader.sniff(head)), None)
