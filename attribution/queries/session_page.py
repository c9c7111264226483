"""One session as a page: its turns with their calls and edits, regions, what became of it, features and score taken apart."""

from __future__ import annotations

import difflib
import json
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from attribution.features import groups
from attribution.queries.features import features_ready, session_features
from attribution.queries.scores import session_scores
from attribution.queries.sessions import region_rows
from collector.storage.store import Store

TURNS = 40  # turns on one page
_CALLS = 400  # calls of one turn that are shown
_DIFF = 60  # lines of one edit that are shown
_TEXT = 4000  # characters of a prompt


@dataclass(slots=True)
class CallRow:
    """A tool call; `diff` are (mark, text) of an edit, `text` what else there is to show."""

    row: dict[str, Any]
    paths: list[dict[str, Any]]  # edits of the call: path, outcome, lines added and removed
    diff: list[tuple[str, str]] = field(default_factory=list)
    cut: int = 0  # lines of the diff that are left out
    text: str = ""


@dataclass(slots=True)
class TurnRow:
    index: int
    row: dict[str, Any]
    calls: list[CallRow]
    more: int  # calls left out
    lines: int  # lines of commits written in it


@dataclass(slots=True)
class SessionPage:
    session: dict[str, Any]
    repo: dict[str, Any]
    stats: dict[str, Any]
    features: list[tuple[str, list[tuple[str, Any, str]]]]  # title of the group -> (name, value, what it is)
    score: dict[str, Any] | None
    signals: list[dict[str, Any]]
    turns: list[TurnRow]
    first: int  # number of the first turn shown
    turn_count: int
    commits: list[dict[str, Any]]
    regions: list[dict[str, Any]]
    children: list[dict[str, Any]]


def session_page(store: Store, session_id: int, first: int = 0) -> SessionPage | None:
    """None when the database has no such session. `first` is the first turn to show (0: what happened before the first prompt)."""
    found = store.rows("SELECT * FROM sessions WHERE id = ?", (session_id,))
    if not found:
        return None
    session = found[0]
    stats = store.rows("SELECT * FROM session_stats WHERE session_id = ?", (session_id,))
    score = next((r for r in session_scores(store, session["repo_id"]) if r["session_id"] == session_id), None)
    return SessionPage(
        session,
        store.rows("SELECT * FROM repos WHERE id = ?", (session["repo_id"],))[0],
        stats[0] if stats else {},
        _features(store, session),
        score,
        json.loads(score["parts"])["signals"] if score else [],
        _turns(store, session_id, first),
        first,
        store.value("SELECT COUNT(*) FROM turns WHERE session_id = ?", (session_id,)),
        store.rows(
            "SELECT c.id, c.label, c.author_at, cs.method, cs.confidence, cs.agent_lines FROM commit_sessions cs "
            "JOIN commits c ON c.id = cs.commit_id WHERE cs.session_id = ? ORDER BY c.position",
            (session_id,),
        ),
        region_rows(store, session["repo_id"], False, str(session_id))[:30],
        store.rows("SELECT id, label FROM sessions WHERE repo_id = ? AND parent_key = ?", (session["repo_id"], session["key"])),
    )


def _features(store: Store, session: dict[str, Any]) -> list[tuple[str, list[tuple[str, Any, str]]]]:
    if not features_ready(store):
        return []
    row = next((r for r in session_features(store, session["repo_id"]) if r["session_id"] == session["id"]), None)
    if row is None:
        return []
    return [(g.TITLE, [(f.name, row.get(f.name), f.description) for f in g.FEATURES]) for g in groups()]


def _turns(store: Store, session_id: int, first: int) -> list[TurnRow]:
    last = first + TURNS - 1
    prompts = {
        r["turn_index"]: r
        for r in store.rows("SELECT * FROM turns WHERE session_id = ? AND turn_index BETWEEN ? AND ?", (session_id, first, last))
    }
    calls: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for r in store.rows(
        "SELECT * FROM tool_calls WHERE session_id = ? AND turn_index BETWEEN ? AND ? ORDER BY id", (session_id, first, last)
    ):
        calls[r["turn_index"]].append(r)
    edits: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for r in store.rows(
        "SELECT call_id, path, op, outcome, detail, lines_added, lines_removed FROM edits WHERE session_id = ? "
        "AND turn_index BETWEEN ? AND ? ORDER BY id",
        (session_id, first, last),
    ):
        edits[r["call_id"]].append(r)
    written = {
        r["turn_index"]: r["lines"]
        for r in store.rows(
            "SELECT o.turn_index, SUM(s.nonblank) AS lines FROM origins o JOIN spans s ON s.origin_id = o.id "
            "WHERE o.session_id = ? GROUP BY 1",
            (session_id,),
        )
    }
    return [
        TurnRow(
            index,
            prompts.get(index, {"at": "", "origin": "", "prompt": ""}),
            [_call(r, edits[r["call_id"]]) for r in calls[index][:_CALLS]],
            max(0, len(calls[index]) - _CALLS),
            written.get(index, 0),
        )
        for index in sorted({*prompts, *(i for i in calls if calls[i])})
    ]


def _call(row: dict[str, Any], edits: list[dict[str, Any]]) -> CallRow:
    call = CallRow(row, edits)
    if row["command"]:
        call.text = row["command"][:_TEXT]
        return call
    try:
        arguments = json.loads(row["input"] or "{}")
    except ValueError:
        arguments = {}
    diff = list(_diff(arguments)) if edits and isinstance(arguments, dict) else []
    call.diff, call.cut = diff[:_DIFF], max(0, len(diff) - _DIFF)
    if not diff:
        call.text = (row["input"] or "")[:_TEXT]
    return call


def _diff(arguments: dict[str, Any]) -> list[tuple[str, str]]:
    """(mark, line) of the texts an edit tool was given: old and new strings, whole contents, patches."""
    found: list[tuple[str, str]] = []
    several = arguments.get("edits")
    for one in several if isinstance(several, list) else [arguments]:
        if not isinstance(one, dict):
            continue
        text = {k.lower().replace("_", ""): v for k, v in one.items() if isinstance(v, str)}
        old = next((text[k] for k in ("oldstring", "oldstr", "oldtext", "search") if k in text), "")
        new = next((text[k] for k in ("newstring", "newstr", "newtext", "replace", "content", "filetext") if k in text), None)
        patch = next((text[k] for k in ("patch", "patchtext", "diff", "input") if k in text), None)
        if new is not None:
            found += _lines(old, new)
        elif patch is not None:
            found += [(line[:1] if line[:1] in "+-@" else " ", line) for line in patch.split("\n")]
    return found


def _lines(old: str, new: str) -> list[tuple[str, str]]:
    before, after = old.split("\n") if old else [], new.split("\n")
    if len(before) * len(after) > 4_000_000:
        return [("-", line) for line in before] + [("+", line) for line in after]
    found: list[tuple[str, str]] = []
    for tag, a0, a1, b0, b1 in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            found += [(" ", line) for line in after[b0:b1]]
        else:
            found += [("-", line) for line in before[a0:a1]] + [("+", line) for line in after[b0:b1]]
    return found
