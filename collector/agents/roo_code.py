"""Roo Code: `{task, api, ui}` as Cline has it, from which it grew; messages have a time of their own."""

from __future__ import annotations

from collections.abc import Iterable

from collector.agents.formats.tasks import GIVES, is_task, read_task, task_store
from collector.agents.machine.model import Known
from collector.model import Session
from collector.vocabulary.agents import Agent

__all__ = ["GIVES"]

NAME = "roo-code"
AGENT = Agent(
    NAME,
    "Roo Code",
    accounts=r"roomote@roocode\.com|roomote\[bot\]",
    aliases=("roo",),
    tools={
        "read": "read_file",
        "grep": "search_files codebase_search",
        "glob": "list_files",
        "write": "write_to_file",
        "edit": "apply_diff insert_content search_and_replace",
        "ask": "ask_followup_question",
    },
)
ORDER = 23
UNTESTED = "all of it"


def sniff(head: object) -> bool:
    return is_task(head, NAME)


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    return read_task(NAME, session_id, blobs)


STORES = (
    task_store(
        NAME,
        "rooveterinaryinc.roo-cline",
        "`globalStorage/rooveterinaryinc.roo-cline/tasks/<id>/` of an editor; `history_item.json` names the directory.",
        Known.DOCUMENTATION,
        "its source",
    ),
)
