"""Turns of sessions and their tool calls, as the database has them."""

from __future__ import annotations

from typing import NamedTuple

from collector.storage.store import Store, columns_of


class TurnRow(NamedTuple):
    """A row of `turns`: what the user asked for. Turn 0 is what happened before the first prompt."""

    turn_index: int
    at: str | None
    origin: str
    prompt: str | None  # None where texts are not stored


class CallRow(NamedTuple):
    """A row of `tool_calls`."""

    turn_index: int
    call_id: str
    name: str
    at: str | None
    status: str
    error: str | None
    agent_id: str | None  # of the subagent that made it
    model: str | None
    command: str | None  # of a shell
    input: str | None  # JSON of the arguments, cut
    output: str | None  # beginning of what a shell command printed
    result_size: int | None  # characters of the whole result


class MessageRow(NamedTuple):
    """A row of `messages`: what the agent said."""

    turn_index: int
    at: str | None
    agent_id: str | None  # of the subagent that said it
    text: str  # cut
    length: int  # characters of the whole


_TURNS = f"SELECT {columns_of(TurnRow, 't')} FROM turns t WHERE t.session_id = ?"
_CALLS = f"SELECT {columns_of(CallRow, 'c')} FROM tool_calls c WHERE c.session_id = ?"
_MESSAGES = f"SELECT {columns_of(MessageRow, 'm')} FROM messages m WHERE m.session_id = ?"
_EVERY = (-1, 2**62)


def turn(store: Store, session_id: int | None, index: int | None) -> TurnRow | None:
    return store.select_one(TurnRow, f"{_TURNS} AND t.turn_index = ?", (session_id, index))


def prompt_of(store: Store, session_id: int | None, index: int | None) -> str:
    """What the user asked for in a turn; "" when there is no such turn, or its text is not stored."""
    row = turn(store, session_id, index)
    return (row.prompt if row is not None else "") or ""


def turns(store: Store, session_id: int, first: int = _EVERY[0], last: int = _EVERY[1]) -> dict[int, TurnRow]:
    """Those of a session from `first` to `last`, by their numbers."""
    rows = store.select(TurnRow, f"{_TURNS} AND t.turn_index BETWEEN ? AND ?", (session_id, first, last))
    return {row.turn_index: row for row in rows}


def calls_in_order(store: Store, session_id: int, first: int = _EVERY[0], last: int = _EVERY[1]) -> list[CallRow]:
    """As they stand in the transcript."""
    return store.select(CallRow, f"{_CALLS} AND c.turn_index BETWEEN ? AND ? ORDER BY c.id", (session_id, first, last))


def messages_in_order(store: Store, session_id: int, first: int = _EVERY[0], last: int = _EVERY[1]) -> list[MessageRow]:
    """What the agent said, as it stands in the transcript."""
    return store.select(MessageRow, f"{_MESSAGES} AND m.turn_index BETWEEN ? AND ? ORDER BY m.id", (session_id, first, last))
