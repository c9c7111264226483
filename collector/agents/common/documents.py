"""Transcripts that are JSON documents, `{…}` over many lines, rather than JSON lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from collector.agents.common.jsonl import MAX_DETAIL, copies, values
from collector.model import Problem


def documents(blobs: Iterable[bytes], problems: list[Problem], session_id: str) -> Iterator[object]:
    """The documents of all copies, largest copy first.

    A long session is stored as several documents, one after the other. What follows an unreadable one is lost; the copy becomes a
    problem.
    """
    for blob in copies(blobs):
        try:
            yield from values(blob)
        except (ValueError, RecursionError) as error:
            problems.append(Problem("transcripts", session_id, "unreadable_document", str(error)[:MAX_DETAIL]))
