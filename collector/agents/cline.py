"""Cline: one JSON document `{task, api, ui}`, put together from the files of a task's directory."""

from __future__ import annotations

from collections.abc import Iterable

from collector.agents.formats import tasks
from collector.agents.formats.tasks import is_task, read_task
from collector.model import Session

NAME = "cline"
GIVES = tasks.GIVES | {"reads", "before"}
ORDER = 23


def sniff(head: object) -> bool:
    return is_task(head, NAME)


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    return read_task(NAME, session_id, blobs)
