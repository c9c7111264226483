"""What each turn of a session did, and what became of its lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from collector.storage.store import columns_of

if TYPE_CHECKING:
    from collector.storage.store import Store


class TurnOutcome(NamedTuple):
    """A row of the view `turn_outcomes`, which describes the columns."""

    repo_id: int
    session_id: int
    turn_index: int
    at: str | None
    origin: str
    agent: str | None
    model: str | None
    prompt_characters: int | None
    calls: int
    failed_calls: int
    edits: int
    lines_written: int
    places: int
    places_again: int
    places_undone: int
    committed: int
    old_enough: int | None  # this and the next two: None before the lines were followed
    gone_30_days: int | None
    present: int | None


class TurnRow(NamedTuple):
    """A turn with the name of its session and the beginning of its prompt."""

    session: str
    prompt: str | None
    outcome: TurnOutcome

    def data(self) -> dict[str, object]:
        """Plain values, for --json and --csv."""
        return {"session": self.session, **self.outcome._asdict(), "prompt": self.prompt}


def turn_rows(store: Store, repo: int | None = None, session: str = "") -> list[TurnRow]:
    """Turns that did something, of a repository or of all, or of the sessions whose key begins with `session`; in order of time."""
    outcomes = store.select(
        TurnOutcome,
        f"SELECT {columns_of(TurnOutcome, 'o')} FROM turn_outcomes o WHERE (?1 IS NULL OR o.repo_id = ?1) "
        "AND o.session_id IN (SELECT id FROM sessions WHERE substr(key, 1, length(?2)) = ?2) AND o.calls > 0 "
        "ORDER BY o.at, o.session_id, o.turn_index",
        (repo, session),
    )
    texts = {
        (row["session_id"], row["turn_index"]): (row["label"], row["prompt"])
        for row in store.rows(
            "SELECT t.session_id, t.turn_index, s.label, substr(t.prompt, 1, 200) AS prompt FROM turns t "
            "JOIN sessions s ON s.id = t.session_id"
        )
    }
    return [TurnRow(*texts[one.session_id, one.turn_index], one) for one in outcomes]
