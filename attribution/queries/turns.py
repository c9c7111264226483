"""Turns of sessions: what a user asked for, what each did, and what became of its lines. Turn 0 is before the first prompt."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from collector.slash_commands import as_typed
from collector.storage.views import Table, read_view

if TYPE_CHECKING:
    from collector.storage.store import Store

PAGE = 100
_SUMS = (
    "produced", "dictated", "changed_next", "discarded", "committed", "places", "places_again", "old_1", "alive_1", "old_7",
    "alive_7", "old_30", "alive_30", "old_90", "alive_90",
)  # fmt: skip


class Prompt(NamedTuple):
    """The message of a turn; empty where there is no such turn, or what is not stored."""

    text: str = ""
    at: str = ""


def prompt(store: Store, session_id: int | None, index: int | None) -> Prompt:
    sql = "SELECT COALESCE(prompt, '') AS text, COALESCE(at, '') AS at FROM turns WHERE session_id = ? AND turn_index = ?"
    stored = store.select_one(Prompt, sql, (session_id, index)) or Prompt()
    return stored._replace(text=as_typed(stored.text))


def prompt_of(store: Store, session_id: int | None, index: int | None) -> str:
    """The text of the prompt; "" when there is none."""
    return prompt(store, session_id, index).text


def turn_table(store: Store, repo: int | None = None, session: str = "") -> Table:
    """Turns that did something, of a repository or of all, or of the sessions whose key begins with `session`; in order of time."""
    keys = None
    if session:
        keys = [row["key"] for row in store.rows("SELECT key FROM sessions WHERE substr(key, 1, ?) = ?", (len(session), session))]
    table = read_view(store, "turn_list", {"repo_id": repo, "key": keys}, "at, session_id, turn_index")
    table.rows = _typed(row for row in table if row["calls"] or row["committed"])
    return table


def _typed(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row | {"prompt": as_typed(row["prompt"])} if row["prompt"] else row for row in rows]


def turn_page(store: Store, repo_id: int, first: int = 0) -> dict[str, Any]:
    """Turns of a repository that wrote lines, latest first: a `table` of those from `first` on, and sums over all."""
    table = read_view(store, "turn_list", {"repo_id": repo_id}, "at DESC, session_id, turn_index")
    table.rows = [row for row in table if row["produced"] + row["committed"]]
    page = {"every": len(table), "first": first, "totals": sums(table), "table": table}
    table.rows = _typed(table.rows[first : first + PAGE])
    return page


def sums(table: Table) -> dict[str, Any]:
    """Column -> sum over all turns; None where no turn has a value."""
    values = {name: [row[name] for row in table if row[name] is not None] for name in _SUMS}
    return {name: sum(of_column) if of_column else None for name, of_column in values.items()}
