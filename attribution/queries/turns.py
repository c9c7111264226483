"""What a user asked for in a turn of a session. Turn 0 is what happened before the first prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collector.storage.store import Store


class Prompt(NamedTuple):
    """The message of a turn; empty where there is no such turn, or what is not stored."""

    text: str = ""
    at: str = ""


def prompt(store: Store, session_id: int | None, index: int | None) -> Prompt:
    sql = "SELECT COALESCE(prompt, '') AS text, COALESCE(at, '') AS at FROM turns WHERE session_id = ? AND turn_index = ?"
    return store.select_one(Prompt, sql, (session_id, index)) or Prompt()


def prompt_of(store: Store, session_id: int | None, index: int | None) -> str:
    """The text of the prompt; "" when there is none."""
    return prompt(store, session_id, index).text
