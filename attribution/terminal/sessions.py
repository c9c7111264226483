"""Sessions on a terminal: features, rounds of edits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from attribution.features import groups
from attribution.lineage import minimum
from attribution.terminal.style import grid, minute, number, plain, prefixes, show, source, title, words
from collector.console.terminal import one_line
from collector.vocabulary.agents import label_of

if TYPE_CHECKING:
    from attribution.queries.features import SessionFeatures
    from attribution.queries.pushback import PushbackShare
    from attribution.queries.sessions import Region
    from attribution.queries.turn_outcomes import TurnRow

_MOST_LINES = 12
_TREND = {"converging": "green", "expanding": "yellow", "oscillating": "red"}


def turn_table(console: Console, rows: Sequence[TurnRow]) -> None:
    """One line for each turn."""
    head = (
        "session", "turn", "when", "said", "calls", "failed", "USD", "written", "next changed", "undone", "committed",
        "alive at 30 d", "HEAD", "prompt",
    )  # fmt: skip
    table = grid("<~", ">", "<", "<", ">", ">", ">", ">", ">", ">", ">", ">", ">", "<~", head=head)
    for row in rows:
        o = row.outcome
        alive = f"{number(o.alive_30)} of {number(o.old_30)}" if o.old_30 else ""
        table.add_row(
            plain(row.session), str(o.turn_index), minute(o.at or ""), o.pushback or o.message_class or "", number(o.calls),
            number(o.failed_calls), "" if o.cost_usd is None else f"{o.cost_usd:.2f}", number(o.produced), number(o.changed_next),
            number(o.places_undone), number(o.committed), alive, number(o.present), plain(row.prompt or ""),
        )  # fmt: skip
    show(console, table, 0)
    produced, changed = sum(row.outcome.produced for row in rows), sum(row.outcome.changed_next for row in rows)
    edited, again = sum(row.outcome.places for row in rows), sum(row.outcome.places_again for row in rows)
    console.print(
        Text(
            f"{number(len(rows))} turns; the next turn changed {number(changed)} of {number(produced)} non-blank lines, and edited "
            f"{number(again)} of {number(edited)} places again",
            "dim",
        )
    )
    dictated, lost = sum(row.outcome.dictated for row in rows), sum(row.outcome.discarded for row in rows)
    console.print(
        Text(
            f"{number(dictated)} of the lines stood in what the user had said; later sessions removed {number(lost)} before a "
            "commit had them",
            "dim",
        )
    )


def pushback_table(console: Console, rows: Sequence[PushbackShare], by: str) -> None:
    """Shares by agent or language."""
    head = (
        by, "later messages", "classified", "push back", "95 % interval", "by word lists", "after lines", "lines changed", "undone",
        "word and deed agree", "kappa",
    )  # fmt: skip
    table = grid("<", *[">"] * 10, head=head)
    for row in rows:
        rate, deeds = row.corrected, row.deeds
        few, little = row.classified < minimum.MESSAGES, deeds.classified < minimum.MESSAGES
        share = "" if few or rate.rate is None else f"{rate.rate:.0%}"
        interval = rate.note if few or rate.low is None or rate.high is None else f"{rate.low:.0%} to {rate.high:.0%}"
        interval = "too few messages" if few and row.classified else interval
        table.add_row(
            label_of(row.name) or row.name, number(row.messages), number(row.classified), share, interval, number(row.listed),
            number(deeds.answers), number(deeds.changed), number(deeds.undone),
            "" if little or deeds.agree is None else f"{deeds.agree:.0%} of {number(deeds.classified)}",
            "" if little or deeds.kappa is None else f"{deeds.kappa:.2f}",
        )  # fmt: skip
    show(console, table, 0)
    console.print(Text("Shares of the classified messages, corrected for the classifier's errors (docs/turns.md).", "dim"))
    console.print(Text("After lines: messages after a turn that wrote lines; changed, undone: by the turn of the message.", "dim"))


def feature_table(console: Console, rows: Sequence[SessionFeatures]) -> None:
    """A few important features of each session."""
    head = ("session", "started", "turns", "calls", "errors", "files", "edited", "re-edits", "USD", "outcome", "first prompt")
    table = grid("<", "<", ">", ">", ">", ">", ">", ">", ">", "<", "<~", head=head)
    named, own = prefixes(row.key for row in rows), [row for row in rows if row.parent_key is None]
    for row in own:
        r = row.values
        cost = "" if r["cost_usd"] is None else f"{r['cost_usd']:.2f}"
        table.add_row(
            plain(named[row.key]), (row.started_at or "")[:10], number(r["user_turn_count"]), number(r["tool_call_count"]),
            number(r["tool_errors"]), number(len(r["touched_files"] or ())), number(r["diff_lines"]),
            number(r["region_re_edit_count"]), cost, words(r["session_outcome"] or ""), plain(row.label),
        )  # fmt: skip
    show(console, table, 0)
    console.print(Text(f"{_counted(own, rows)}; for all features of one: --session KEY, of all: --csv or --json", "dim"))


def feature_list(console: Console, row: SessionFeatures, why: Mapping[str, str]) -> None:
    """Every feature of one session, with its unit; `why` says why a feature has no value."""
    title(console, row.label, f"{label_of(row.agent or '') or 'unknown agent'}, {row.key}")
    for group in groups():
        console.print()
        table = grid("<", "<~", "<~")
        table.add_row(Text(group.TITLE, "bold"), "", "")
        for feature in group.FEATURES:
            value = row.values[feature.name]
            missing = Text(f"none: {why.get(feature.name, '')}", "dim")
            table.add_row("  " + feature.name, missing if value is None else plain(_short(value)), Text(feature.unit, "dim"))
        show(console, table)


def _short(value: Any) -> str:
    text = f"{value:.4g}" if isinstance(value, float) and abs(value) < 1e6 else str(value)
    return text if len(text) <= 90 else text[:89] + "…"


# --- regions ----------------------------------------------------------------------------------------------------------


def region_list(console: Console, rows: Sequence[Region], counts: Mapping[str | None, int]) -> None:
    """Re-edited regions with their rounds. `counts`: convergence -> number of all regions, shown or not."""
    for r in rows:
        place = f"{r.path}:{r.start_line}" if r.start_line else r.path
        trend = r.convergence or ""
        symbol = next((edit.symbol for edit in r.edits if edit.symbol), "")
        console.print(Text.assemble((one_line(place), "bold"), "  ", (trend, _TREND[trend]), _back(r)))
        console.print(Text(one_line(f"  {r.label}  ({r.session[:8]})"), "dim"))
        if symbol:
            console.print(Text(one_line(f"  in {symbol}"), "dim"))
        last = 0
        for edit in r.edits:
            if edit.round != last:
                last = edit.round
                when = minute(edit.at or "")
                console.print(Text(f"  {last}. {edit.tool} in turn {edit.turn_index}, {when}", "dim"))
            _lines(console, edit.removed, "-", "red")
            _lines(console, edit.added, "+", "green")
        console.print()
    parts = ", ".join(f"{number(counts[name])} {name}" for name in _TREND if counts.get(name))
    every = sum(counts.values())
    console.print(Text(f"{number(every)} regions edited by two or more calls{': ' + parts if parts else ''}", "dim"))
    if every > len(rows):
        console.print(Text(f"{number(len(rows))} are shown; for more: --limit N, for one session: --session KEY", "dim"))


def _back(row: Region) -> str:
    if row.returned_to is None:
        return ""
    return "  back to the text before the session" if row.returned_to == 0 else f"  back to round {row.returned_to}"


def _lines(console: Console, text: str | None, mark: str, style: str) -> None:
    lines = (text or "").split("\n") if text else []
    for line in lines[:_MOST_LINES]:
        console.print(Text(f"     {mark} {source(line)}", style), soft_wrap=True)
    if len(lines) > _MOST_LINES:
        console.print(Text(f"     {mark} … {len(lines) - _MOST_LINES} more lines", "dim"))


def _counted(own: Sequence[object], every: Sequence[object]) -> str:
    """Sessions of people, and apart from them those that other sessions spawned."""
    spawned = len(every) - len(own)
    return f"{number(len(own))} sessions" + (f", {number(spawned)} subagents that are stored as sessions" if spawned else "")
