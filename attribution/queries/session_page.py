"""One session as a page: its turns with their calls and edits, regions, what became of it,
features.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from attribution.lineage import minimum
from attribution.queries.calls import MarkedLine, marked_lines
from attribution.queries.features import features_ready, session_features
from attribution.queries.repositories import RepositoryRow, repository
from attribution.queries.sessions import region_table
from collector.groups import group_pairs
from collector.json_values import Row, get_dict, parse_json
from collector.labels import as_typed
from collector.storage.store import Store
from collector.storage.views import Table, read_view
from collector.text import count_of

TURNS = 40  # turns on one page
_CALLS = 400  # calls of one turn that are shown
_DIFF = 60  # lines of one edit that are shown
_TEXT = 4000  # characters of a prompt
_REGIONS = 30
_T = TypeVar("_T")


@dataclass(slots=True)
class ShownCall:
    """A tool call with what there is to show of it: the diff of an edit, or a text."""

    call: Row  # of tool_calls
    edits: Sequence[Row]
    diff: list[MarkedLine] = field(default_factory=list)
    cut: int = 0  # lines of the diff that are left out
    text: str = ""


@dataclass(slots=True)
class TurnPart:
    """What the agent said, and the calls it made until it spoke again."""

    said: Row | None  # of messages; None: it made calls before it said anything
    calls: list[ShownCall] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ShownTurn:
    turn: Row  # of turns
    calls: list[ShownCall]
    parts: list[TurnPart]  # the same calls, with what the agent said between them
    more: int  # calls left out
    lines: int  # lines of commits written in it
    outcome: Row | None  # what became of its lines


@dataclass(frozen=True, slots=True)
class SessionPage:
    """Rows are dictionaries, with the columns of the tables and views of the database."""

    session: Row  # of sessions
    repo: RepositoryRow
    lines: Row | None  # of session_stats; None until its lines were attributed
    ledger: list[
        tuple[str, int, bool]
    ]  # what, lines with text, whether it is a total: between two totals stands what makes the next
    features: Row  # by name; empty when none were computed
    turns: list[ShownTurn]
    first: int  # number of the first turn shown
    turn_count: int
    commits: Table  # of session_commits
    regions: Table  # of region_list, with their edits
    children: Table  # of session_list


def session_page(
    store: Store, session_id: int, first: int = 0, most: int = TURNS
) -> SessionPage | None:
    """None when the database has no such session.

    `first` is the first turn to show (0: what happened before the first prompt), `most` how many
    at most.
    """
    details = _row(store, "sessions", {"id": session_id})
    repo = repository(store, details["repo_id"]) if details is not None else None
    if details is None or repo is None:
        return None
    lines = _row(store, "session_stats", {"session_id": session_id})
    features = session_features(store, session_id=session_id) if features_ready(store) else []
    return SessionPage(
        details,
        repo,
        lines,
        _ledger(store, session_id, lines) if lines is not None else [],
        features[0] if features else {},
        _turns(store, session_id, range(first, first + most)),
        first,
        store.value("SELECT COUNT(*) FROM turns WHERE session_id = ?", (session_id,)),
        read_view(store, "session_commits", {"session_id": session_id}, "commit_id"),
        region_table(store, {"session_id": session_id}, _REGIONS),
        read_view(store, "session_list", {"repo_id": repo.id, "parent": details["key"]}),
    )


def _row(store: Store, table: str, only: Row) -> Row | None:
    return next(iter(read_view(store, table, only)), None)


def _ledger(store: Store, session_id: int, stats: Row) -> list[tuple[str, int, bool]]:
    """From what its edits wrote over its lines in commits to those at HEAD, which are left out
    where lines were not followed.
    """
    written = stats["produced"]
    kept = stats["survived"] + stats["reformatted"]
    committed = sum(_turn_lines(store, session_id).values())
    if not written + committed:
        return []
    ledger = [
        ("written by its recorded edits", written, True),
        ("changed again or not committed", kept - written, False),
        ("by other evidence: subagents, commands, equal text", committed - kept, False),
        ("in commits", committed, True),
    ]
    if store.value(
        "SELECT 1 FROM tip_states t JOIN sessions s ON s.repo_id = t.repo_id WHERE s.id = ?",
        (session_id,),
    ):
        sql = (
            "SELECT COALESCE(SUM(nonblank), 0) FROM tip_lines WHERE session_id = ? AND author ="
            " 'agent'"
        )
        present = store.value(sql, (session_id,))
        ledger += [
            ("changed or removed since", present - committed, False),
            ("at HEAD", present, True),
        ]
    return ledger


def mode_words(lines: Row) -> str:
    """How much of the lines of source and test files in its commits agents wrote; "" where that
    is not known.
    """
    if lines["coding_mode"] is None:
        return ""
    few = lines["agent_lines"] + lines["human_lines"]
    if few < minimum.PART.lines:
        return f"too few lines ({few:,})"
    share = (
        f"agents wrote {lines['agent_percentage']:.0f} % in its"
        f" {count_of(lines['commits'], 'commit')}"
    )
    return f"{lines['coding_mode'].replace('_', ' ')}: {share}"


def _turns(store: Store, session_id: int, numbers: range) -> list[ShownTurn]:
    shown = {"session_id": session_id, "turn_index": numbers}
    turn_rows = {row["turn_index"]: row for row in read_view(store, "turns", shown)}
    calls = _by(read_view(store, "tool_calls", shown, "id"), "turn_index")
    messages = _by(read_view(store, "messages", shown, "id"), "turn_index")
    edits = _by(read_view(store, "edits", {"session_id": session_id}, "id"), "call_id")
    written = _turn_lines(store, session_id)
    outcomes = {row["turn_index"]: row for row in read_view(store, "turn_outcomes", shown)}
    shown_turns = []
    for index in sorted({*turn_rows, *messages, *calls}):
        turn = turn_rows.get(index, {"turn_index": index, "at": None, "origin": "", "prompt": None})
        turn["prompt"] = as_typed(turn["prompt"] or "") or None
        shown_calls = [
            _call(call, edits.get(call["call_id"], [])) for call in calls.get(index, [])[:_CALLS]
        ]
        parts = _parts(messages.get(index, []), shown_calls)
        more = max(0, len(calls.get(index, [])) - _CALLS)
        shown_turns.append(
            ShownTurn(turn, shown_calls, parts, more, written.get(index, 0), outcomes.get(index))
        )
    return shown_turns


def _by(table: Table, name: str) -> dict[Any, list[Row]]:
    """Value of a column -> its rows."""
    groups = group_pairs((row[name], row) for row in table)
    return dict(groups)


def _parts(message_rows: Sequence[Row], calls: Sequence[ShownCall]) -> list[TurnPart]:
    """Sorts items by time; what has none stands where the one before it does, a message before
    the calls of the same moment.
    """
    parts = []
    messages = _date_items([(message["at"], message) for message in message_rows])
    for moment, call in _date_items([(item.call["at"], item) for item in calls]):
        while messages and messages[0][0] <= moment:
            parts.append(TurnPart(messages.pop(0)[1]))
        if not parts:
            parts.append(TurnPart(None))
        parts[-1].calls.append(call)
    return [*parts, *(TurnPart(message) for _, message in messages)]


def _date_items(several: Sequence[tuple[str | None, _T]]) -> list[tuple[str, _T]]:
    last = ""
    result = []
    for moment, item in several:
        last = moment or last
        result.append((last, item))
    return result


def _turn_lines(store: Store, session_id: int) -> dict[int, int]:
    """Turn -> lines with text of commits that were written in it."""
    return store.pairs(
        "SELECT o.turn_index, SUM(s.nonblank) AS lines FROM origins o JOIN spans s ON s.origin_id ="
        " o.id WHERE o.session_id = ? AND o.author = 'agent' GROUP BY 1",
        (session_id,),
    )


def _call(call: Row, edits: Sequence[Row]) -> ShownCall:
    if call["command"]:
        return ShownCall(call, edits, text=call["command"][:_TEXT])
    diff = _diff(get_dict(parse_json(call["input"]))) if edits else []
    text = "" if diff else (call["input"] or "")[:_TEXT]
    return ShownCall(call, edits, diff[:_DIFF], max(0, len(diff) - _DIFF), text)


def _diff(arguments: Row) -> list[MarkedLine]:
    """Compares the texts that an edit tool was given: old and new strings, whole contents,
    patches.
    """
    lines = []
    several = arguments.get("edits")
    for edit in several if isinstance(several, list) else [arguments]:
        if not isinstance(edit, dict):
            continue
        text = {k.lower().replace("_", ""): v for k, v in edit.items() if isinstance(v, str)}
        old = next((text[k] for k in ("oldstring", "oldstr", "oldtext", "search") if k in text), "")
        new = next(
            (
                text[k]
                for k in ("newstring", "newstr", "newtext", "replace", "content", "filetext")
                if k in text
            ),
            None,
        )
        patch = next((text[k] for k in ("patch", "patchtext", "diff", "input") if k in text), None)
        if new is not None:
            lines += marked_lines(old.split("\n") if old else [], new.split("\n"))
        elif patch is not None:
            lines += [(line[:1] if line[:1] in "+-@" else " ", line) for line in patch.split("\n")]
    return lines
