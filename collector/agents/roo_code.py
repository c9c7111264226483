"""Roo Code: `{task, api, ui}` as Cline has it, from which it grew; messages have a time of their own."""

from __future__ import annotations

from collections.abc import Iterable

from collector.agents.formats.tasks import GIVES, is_task, read_task
from collector.model import Session

__all__ = ["GIVES"]

NAME = "roo-code"
ORDER = 23
UNTESTED = "all of it"


def sniff(head: object) -> bool:
    return is_task(head, NAME)


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    return read_task(NAME, session_id, blobs)
