"""How turns go: interruptions, questions of the agent, how long it works alone, its tools, languages of prompts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from attribution.evaluation.study import paper
from attribution.evaluation.study.numbers import CLAUDE_CODE, EVERY_MODE, FEW_NOTE, StudyUnit, pooled, quantile
from attribution.evaluation.study.sessions import Row, counted_once
from attribution.features.tools import category_of
from attribution.lineage import minimum
from collector.storage.store import Store
from collector.storage.views import Table, table_of

NAME = "turns"
ORDER = 50
_FIFTHS = ("first fifth", "second", "third", "fourth", "last fifth")
_NO_CALL, _OTHERS, _NO_LANGUAGE = "no call before", "others", "not told"
_MOST = 10  # tools with a row of their own
_QUANTILES = {0.5: "< 1 min", 0.9: "< 7 min", 0.99: "", 0.999: "> 100 min"}  # quantile -> what the paper says


def tables(store: Store, sessions: list[Row]) -> list[Table]:
    counted = counted_once(sessions)
    claude = [session for session in counted if session["agent"] == CLAUDE_CODE]
    with_turns = [session for session in claude if session["turns"]]
    return [
        _outcomes(with_turns), _autonomy(with_turns), _autonomy_over_time(claude), _tools(counted), _last_tools(claude),
        _tools_by_position(store, bool(counted)), _languages(counted),
    ]  # fmt: skip


def _outcomes(sessions: Sequence[Row]) -> Table:
    rows = []
    for mode in EVERY_MODE:
        members = [session for session in sessions if mode in ("all", session["coding_mode"])]
        for what, name, published in (
            ("interrupted by the user", "interruptions", paper.INTERRUPTED),
            ("agent asks", "asked", paper.ASKED),
        ):
            ratio = pooled([StudyUnit(session["repo_id"], session[name], session["turns"]) for session in members])
            turns = sum(session["turns"] for session in members)
            head = {"turns": what, "mode": mode, **ratio._asdict()}
            rows.append(head | {"number of turns": turns, "paper_v1": published.get(mode)})
    title = "Turns of Claude Code that were interrupted, or in which the agent asked"
    notes = ["Pushback needs a judge and is not in this table (`whowrote data judge`)."]
    return table_of(rows, notes=notes, name="turn_outcomes", title=title)


# --- how long the agent works alone -----------------------------------------------------------------------------------


def _seconds(session: Row) -> list[float]:
    return [seconds for seconds in session["per_turn_agent_latency_s"] if isinstance(seconds, int | float)]


def _autonomy(sessions: Iterable[Row]) -> Table:
    latencies = [seconds for session in sessions for seconds in _seconds(session)]
    rows = []
    for share, text in _QUANTILES.items():
        seconds = quantile(latencies, share)
        minutes = None if seconds is None else seconds / 60
        rows.append({"quantile": share, "minutes": minutes, "n": len(latencies), "paper_v1": text})
    return table_of(rows, name="autonomy", title="How long Claude Code works on one prompt")


def _autonomy_over_time(sessions: Iterable[Row]) -> Table:
    periods: dict[str, list[float]] = defaultdict(list)
    counts: Counter[str] = Counter()
    for session in sessions:
        if session["fortnight"] and _seconds(session):
            periods[session["fortnight"]] += _seconds(session)
            counts[session["fortnight"]] += 1
    rows: list[Row] = []
    for since, seconds in sorted(periods.items()):
        minutes = {f"p{100 * share:g} minutes": _minutes(seconds, share) for share in _QUANTILES}
        few = counts[since] < minimum.SESSIONS
        head: Row = {"fortnight from": since, "sessions": counts[since], "turns": len(seconds)}
        rows.append(head | (dict.fromkeys(minutes) if few else minutes))
    notes = [
        FEW_NOTE,
        "No quantile above which less than one turn lies.",
        "The paper draws the same quantiles over rolling weeks, without numbers.",
    ]
    title = "How long Claude Code works on one prompt, by fortnight"
    return table_of(rows, notes=notes, name="autonomy_over_time", title=title)


def _minutes(seconds: list[float], share: float) -> float | None:
    """None where less than one turn lies above the quantile."""
    at_share = quantile(seconds, share)
    return None if at_share is None or len(seconds) * (1 - share) < 1 else at_share / 60


# --- tools ------------------------------------------------------------------------------------------------------------


def _tools(sessions: Iterable[Row]) -> Table:
    counts: Counter[str] = Counter()
    for session in sessions:
        counts.update({name: calls for name, calls in session["tool_counts"].items() if isinstance(calls, int)})
    every = sum(counts.values())
    rows = []
    for name in dict.fromkeys((*paper.TOOLS, *counts)):
        v1, v2 = paper.TOOLS.get(name, (None, None))
        share = counts[name] / every if every else None
        rows.append({"category": name, "calls": counts[name], "share": share, "paper_v1": v1, "paper_v2": v2})
    notes = [
        "Ours files a command under its first effective program (`cd x && pytest` is a build), the paper under its first word: "
        "bash:file. The paper's parser kept the last block of a message only and so lost one call in seven."
    ]
    return table_of(rows, notes=notes, name="tools", title="Tool calls by category")


def _last_tools(sessions: Iterable[Row]) -> Table:
    stops = [stop for session in sessions for stop in session["interruption_events"]]
    counts = Counter(str(stop.get("tool") or _NO_CALL) for stop in stops)
    names = dict.fromkeys((*paper.LAST_TOOL, *(name for name, _ in counts.most_common(_MOST))))
    counted = {name: counts[name] for name in names} | {_OTHERS: sum(counts.values()) - sum(counts[name] for name in names)}
    rows = [
        {"tool": name, "interruptions": n, "share": n / len(stops), "n": len(stops), "paper_v1": paper.LAST_TOOL.get(name)}
        for name, n in counted.items()
        if stops and (n or name in paper.LAST_TOOL)
    ]
    note = "The tool that the main agent had called last in that turn; a plan or a question that was refused counts as well."
    title = "The last tool of Claude Code before the user interrupted it"
    return table_of(rows, notes=[note] if stops else ["No interruption is on record."], name="last_tools", title=title)


def _tools_by_position(store: Store, has_sessions: bool) -> Table:
    calls = store.rows(
        "SELECT c.session_id, c.name, substr(c.command, 1, 2000) AS command FROM tool_calls c "
        "JOIN corpus_sessions k ON k.session_id = c.session_id WHERE c.agent_id IS NULL ORDER BY c.session_id, c.id"
    )
    counts: dict[str, list[int]] = defaultdict(lambda: [0] * len(_FIFTHS))
    sessions = 0
    for _, group in groupby(calls if has_sessions else (), key=lambda call: call["session_id"]):
        members = list(group)
        if len(members) < len(_FIFTHS):
            continue
        sessions += 1
        for number, call in enumerate(members):
            counts[category_of(call["name"], call["command"])][number * len(_FIFTHS) // len(members)] += 1
    sums = [sum(part) for part in zip(*counts.values(), strict=True)]
    rows: list[Row] = []
    for name in sorted(counts, key=lambda name: -sum(counts[name])):
        shares = {part: n / whole for part, n, whole in zip(_FIFTHS, counts[name], sums, strict=True)}
        rows.append({"category": name, **shares, "calls": sum(counts[name])})
    notes = [
        f"Share of the calls in each fifth of {sessions:,} sessions with at least {len(_FIFTHS)} calls of their main agent. By "
        "name and command: an edit through the shell counts as its command."
    ]
    title = "Tool calls by their place in the session"
    return table_of(rows, notes=notes if rows else ["No session has calls."], name="tools_by_position", title=title)


# --- languages --------------------------------------------------------------------------------------------------------


def _languages(sessions: Iterable[Row]) -> Table:
    months: dict[str, Counter[str]] = defaultdict(Counter)
    counts: Counter[str] = Counter()
    for session in sessions:
        languages, month = (
            [str(language or _NO_LANGUAGE) for language in session["turn_languages"]],
            (session["started_at"] or "")[:7],
        )
        if languages and month:
            months[month].update(languages)
            counts[month] += 1
    whole = sum(months.values(), Counter[str]())
    rows = [_language_row(month, months[month], counts[month], whole) for month in sorted(months)]
    if rows:
        rows.append(_language_row("all", whole, sum(counts.values()), whole))
    notes = [
        "Typed messages by script and common words, which tells English, Japanese, Korean, Chinese and languages in Cyrillic "
        f"letters. No share where fewer than {minimum.SESSIONS} sessions would stand behind it."
    ]
    title = "Languages of prompts by month"
    return table_of(rows, notes=notes if rows else ["No message of a user is stored."], name="prompt_languages", title=title)


def _language_row(month: str, counts: Mapping[str, int], sessions: int, whole: Counter[str]) -> Row:
    every = sum(counts.values())
    has_enough = sessions >= minimum.SESSIONS
    shares = {name: counts.get(name, 0) / every if has_enough else None for name, _ in whole.most_common()}
    return {"month": month, "prompts": every, "sessions": sessions, **shares}
