"""Embeddings on a terminal: a row per session, and the curves and turns of one session."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from attribution.terminal.style import grid, number, opening, plain, prefixes, show, title, words

if TYPE_CHECKING:
    from attribution.queries.embeddings import SessionCurves, SessionEmbedding


def embedding_table(console: Console, rows: Sequence[SessionEmbedding]) -> None:
    """What the curves of each session say."""
    head = ("session", "started", "turns", "max CP", ">0.2 at", "drift at", "lock at", "plan", "close", "mode", "first prompt")
    table = grid("<", "<", ">", ">", ">", ">", ">", ">", ">", "<", "<~", head=head)
    named = prefixes(r.key for r in rows)
    for r in rows:
        table.add_row(
            plain(named[r.key]), (r.started_at or "")[:10], number(len(r.curve_turns or ())), _share(r.max_cp),
            number(r.drift_onset_turn), number(r.drift_onset_calibrated), number(r.assumption_lock_turn),
            _share(r.plan_ged), _share(r.goal_alignment_at_close), words(r.session_failure_mode or ""), plain(r.label),
        )  # fmt: skip
    show(console, table, 0)
    console.print(Text(f"{len(rows)} sessions; for the curves and turns of one session: --session KEY", "dim"))


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def curve_view(console: Console, curves: SessionCurves) -> None:
    """Each turn of the user with its distance from the task and how close the agent's answer is to it."""
    session = curves.session
    title(console, session.label, f"{session.key}, {session.model}")
    table = grid(">", ">", ">", "<~", head=("n", "CP", "coherence", "prompt"))
    for t in curves.turns:
        mark = "" if t.origin == "prompt" else f"({t.origin}) "
        table.add_row(number(t.n), _share(t.cp), _share(t.coherence), plain(mark + opening(t.prompt or "")))
    show(console, table, 0)
    mode = session.session_failure_mode
    console.print(Text(f"failure mode: {words(mode) if mode else 'undecided'} ({session.reason})" if session.reason else "", "dim"))
