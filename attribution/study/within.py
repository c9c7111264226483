"""What happens within sessions: the tool before an interruption, tools by their place in the session, languages of prompts."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import groupby

from attribution.features.tools import category_of
from attribution.lineage import minimum
from attribution.queries.study import OrderedCall, SessionStops, ordered_calls, session_stops
from attribution.study import paper
from attribution.study.model import StudyRow, StudyTable
from collector.storage.store import Store

NAME = "within"
ORDER = 52
_PARTS = ("first fifth", "second", "third", "fourth", "last fifth")
_NO_CALL, _OTHERS, _UNTOLD = "no call before", "others", "not told"
_MOST = 10  # tools with a row of their own


def tables(store: Store) -> list[StudyTable]:
    sessions = session_stops(store)
    return [_last_tools(sessions), _by_position(ordered_calls(store) if sessions else []), _languages(sessions)]


def _last_tools(sessions: Sequence[SessionStops]) -> StudyTable:
    stops = [stop for session in sessions if session.agent == "claude-code" for stop in json.loads(session.stops)]
    counts = Counter(str(stop.get("tool") or _NO_CALL) for stop in stops)
    named = dict.fromkeys((*paper.LAST_TOOL, *(name for name, _ in counts.most_common(_MOST))))
    shown = {name: counts[name] for name in named} | {_OTHERS: sum(counts.values()) - sum(counts[name] for name in named)}
    rows = (
        [
            {"tool": name, "interruptions": n, "share": n / len(stops), "n": len(stops), "paper_v1": paper.LAST_TOOL.get(name)}
            for name, n in shown.items()
            if n or name in paper.LAST_TOOL
        ]
        if stops
        else []
    )
    note = "The tool that the main agent had called last in that turn; a plan or a question that was refused counts as well."
    title = "The last tool of Claude Code before the user interrupted it"
    return StudyTable("last_tools", title, rows, [note] if stops else ["No interruption is on record."])


def _by_position(calls: Sequence[OrderedCall]) -> StudyTable:
    counts: dict[str, list[int]] = defaultdict(lambda: [0] * len(_PARTS))
    sessions = 0
    for _, group in groupby(calls, key=lambda call: call.session_id):
        own = list(group)
        if len(own) < len(_PARTS):
            continue
        sessions += 1
        for number, call in enumerate(own):
            counts[category_of(call.name, call.command)][number * len(_PARTS) // len(own)] += 1
    sums = [sum(part) for part in zip(*counts.values(), strict=True)]
    rows: list[StudyRow] = []
    for name in sorted(counts, key=lambda name: -sum(counts[name])):
        shares = {part: n / whole for part, n, whole in zip(_PARTS, counts[name], sums, strict=True)}
        rows.append({"category": name, **shares, "calls": sum(counts[name])})
    notes = [
        f"Share of the calls in each fifth of {sessions:,} sessions with at least {len(_PARTS)} calls of their main agent. By "
        "name and command: an edit through the shell counts as its command."
    ]
    return StudyTable(
        "tools_by_position", "Tool calls by their place in the session", rows, notes if rows else ["No session has calls."]
    )


def _languages(sessions: Sequence[SessionStops]) -> StudyTable:
    months: dict[str, Counter[str]] = defaultdict(Counter)
    of: dict[str, int] = Counter()
    for session in sessions:
        found = [str(language or _UNTOLD) for language in json.loads(session.languages)]
        if found and session.month:
            months[session.month].update(found)
            of[session.month] += 1
    whole = sum(months.values(), Counter[str]())
    rows = [_language_row(month, months[month], of[month], whole) for month in sorted(months)]
    if rows:
        rows.append(_language_row("all", whole, sum(of.values()), whole))
    notes = [
        "Typed messages by script and common words, which tells English, Japanese, Korean, Chinese and languages in Cyrillic "
        f"letters. No share where fewer than {minimum.SESSIONS} sessions would stand behind it."
    ]
    return StudyTable(
        "prompt_languages", "Languages of prompts by month", rows, notes if rows else ["No message of a user is stored."]
    )


def _language_row(month: str, counts: Mapping[str, int], sessions: int, whole: Counter[str]) -> StudyRow:
    every = sum(counts.values())
    enough = sessions >= minimum.SESSIONS
    shares = {name: counts.get(name, 0) / every if enough else None for name, _ in whole.most_common()}
    return {"month": month, "prompts": every, "sessions": sessions, **shares}
