"""What each turn of a session did, and what became of its lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from collector.storage.store import columns_of

if TYPE_CHECKING:
    from collector.storage.store import Store


class TurnOutcome(NamedTuple):
    """A row of the table `turn_outcomes`, which describes the columns."""

    repo_id: int
    session_id: int
    turn_index: int
    at: str | None
    origin: str
    agent: str | None
    model: str | None
    prompt_characters: int | None
    language: str | None
    message_class: str | None
    intent: str | None
    pushback: str | None
    latency_s: float | None
    interrupted: int | None
    cost_usd: float | None
    calls: int
    failed_calls: int
    edits: int
    lines_written: int
    produced: int
    dictated: int
    changed_next: int
    discarded: int
    discarded_by: int | None
    places: int
    places_again: int
    places_undone: int
    committed: int
    old_1: int | None  # this and the next ones: None before the lines were followed
    alive_1: int | None
    old_7: int | None
    alive_7: int | None
    old_30: int | None
    alive_30: int | None
    old_90: int | None
    alive_90: int | None
    present: int | None
    findings_introduced: int | None  # None before a scan
    findings_fixed: int | None


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
    where, values = ["(o.calls > 0 OR o.committed > 0)"], list[int | str]()
    if repo is not None:  # an optional condition in SQL would keep SQLite from its indexes
        where.append("o.repo_id = ?")
        values.append(repo)
    if session:
        where.append("substr(s.key, 1, ?) = ?")
        values += [len(session), session]
    chosen = (
        "FROM turn_outcomes o JOIN sessions s ON s.id = o.session_id "
        "JOIN turns t ON t.session_id = o.session_id AND t.turn_index = o.turn_index "
        f"WHERE {' AND '.join(where)} ORDER BY o.at, o.session_id, o.turn_index"
    )
    outcomes = store.select(TurnOutcome, f"SELECT {columns_of(TurnOutcome, 'o')} {chosen}", values)
    texts = store.rows(f"SELECT s.label, substr(t.prompt, 1, 200) AS prompt {chosen}", values)
    return [TurnRow(text["label"], text["prompt"], one) for text, one in zip(texts, outcomes, strict=True)]


def turn_outcomes(store: Store, session_id: int) -> list[TurnOutcome]:
    """Of one session, in order."""
    sql = f"SELECT {columns_of(TurnOutcome, 'o')} FROM turn_outcomes o WHERE o.session_id = ? ORDER BY o.turn_index"
    return store.select(TurnOutcome, sql, (session_id,))


class TurnPage(NamedTuple):
    """Turns of a repository that wrote lines, latest first, a page of them; and sums over all."""

    repo_id: int
    name: str
    turns: list[TurnRow]
    every: int  # turns on all pages
    first: int
    totals: dict[str, int | float | None]


PAGE = 100
_SUMS = (
    "produced", "dictated", "changed_next", "discarded", "committed", "cost_usd", "old_1", "alive_1", "old_7", "alive_7", "old_30",
    "alive_30", "old_90", "alive_90",
)  # fmt: skip


def turn_page(store: Store, repo_id: int, first: int = 0) -> TurnPage | None:
    """None when there is no such repository. `first`: number of turns to skip."""
    name = store.value("SELECT name FROM repos WHERE id = ?", (repo_id,))
    if name is None:
        return None
    wrote = "FROM turn_outcomes o WHERE o.repo_id = ? AND o.produced + o.committed > 0"
    sums = ", ".join(f"SUM({column}) AS {column}" for column in _SUMS)
    (totals,) = store.rows(f"SELECT COUNT(*) AS turns, {sums} {wrote}", (repo_id,))
    order = "ORDER BY o.at DESC, o.session_id, o.turn_index LIMIT ? OFFSET ?"
    found = store.select(TurnOutcome, f"SELECT {columns_of(TurnOutcome, 'o')} {wrote} {order}", (repo_id, PAGE, first))
    rows = [TurnRow(*_texts(store, one), one) for one in found]
    return TurnPage(repo_id, str(name), rows, totals["turns"], first, totals)


def _texts(store: Store, one: TurnOutcome) -> tuple[str, str | None]:
    (row,) = store.rows(
        "SELECT s.label, substr(t.prompt, 1, 200) AS prompt FROM turns t JOIN sessions s ON s.id = t.session_id "
        "WHERE t.session_id = ? AND t.turn_index = ?",
        (one.session_id, one.turn_index),
    )
    return row["label"], row["prompt"]
