"""Scores of sessions as tables: all of them, one taken apart, by either weights, by week, and
models by quality and cost.
"""

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from attribution.evaluation.scores.quality import AGREEMENT, PARTS, RATED_WEIGHTS, mix
from attribution.hooks import OfRepository, OfSession, Section
from attribution.queries.sessions import find_session
from collector.console.tables import html
from collector.errors import WhoWroteError
from collector.groups import group_pairs
from collector.json_values import Row
from collector.storage.store import Store
from collector.storage.views import Table, read_view, table_of


def score_table(store: Store, rated: bool = False) -> Table:
    """Scores with their sessions, best first. `rated`: q, tier and parts are those of `q_rated`."""
    table = read_view(
        store,
        "session_scores",
        order=f"repo, {'q_rated' if rated else 'q'} DESC, session_id",
    )
    if rated:
        table.rows = [_rated(row, _stored(store, row["session_id"])) for row in table]
    table.notes += [
        (
            "Q and tier are"
            f" {'q_rated and tier_fitted, made from ratings' if rated else 'those of the source'}:"
            " see --weights."
        ),
        (
            "q_rank: share of sessions of the same task in public repositories with a lower Q. To"
            " explain one score: --explain KEY."
        ),
        AGREEMENT,
    ]
    return table


def explained_score(store: Store, key: str, rated: bool = False) -> Table:
    """The signals of the score of the session that `key` names, part by part.

    Raises WhoWroteError.
    """
    table = signal_table(store, find_session(store, key, None), rated)
    if table is None:
        raise WhoWroteError(
            f"session {key} has no score: its transcript could not be read",
            "See: whowrote data problems",
        )
    return table


def signal_table(store: Store, session: int, rated: bool = False) -> Table | None:
    """The signals that the score of a session is made of; None without a score.

    A signal without a score was left out.
    """
    scores = read_view(store, "session_scores", {"session_id": session})
    if not len(scores):
        return None
    score = scores.rows[0]
    stored = _stored(store, session)
    if rated:
        score = _rated(score, stored)
    used, weight = (
        (mix(score, RATED_WEIGHTS).weights, "rated") if rated else (stored["weights"], "weight")
    )
    rows = []
    for part in PARTS:
        rows.append(
            {
                "part": part,
                "signal": "",
                "weight": used.get(part),
                "score": score[part],
                "value": None,
            }
        )
        of_part = (
            signal for signal in stored["signals"] if signal["part"] == part and signal[weight]
        )
        for signal in of_part:
            rows.append(
                {
                    "part": part,
                    "signal": signal["signal"],
                    "weight": signal[weight],
                    "score": signal["score"],
                }
            )
            rows[-1]["value"] = _short(signal["value"])
    return table_of(
        rows, {"signal": "word"}, [_summary(score), AGREEMENT], "score", "Quality score"
    )


def _stored(store: Store, session: int) -> Row:
    """Weights, signals and parts by the rated weights, as the database keeps them."""
    stored: Row = json.loads(
        store.value("SELECT parts FROM scores WHERE session_id = ?", (session,))
    )
    return stored


def _summary(score: Row) -> str:
    if score["special"] and score["q"] is None:
        return f"Not scored: {score['special'].replace('_', ' ')}."
    grade = f"Q = {score['q']:.2f}, {score['tier']}" if score["q"] is not None else "Q = none"
    rule = (
        f" (by a rule of its own: {score['special'].replace('_', ' ')})" if score["special"] else ""
    )
    cost = (
        ""
        if score["roi"] is None
        else f"; {score['cost_usd']:.2f} USD, Q per USD {score['roi']:.2f}"
    )
    return (
        f"{grade}{rule}; {score['task_type']}; signals cover {score['weight_covered']:.0%} of the"
        f" weight{cost}."
    )


def _short(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, dict | list):
        return json.dumps(value)
    return str(value)


def _rated(row: Row, stored: Row) -> Row:
    """The score by the signals and weights that were chosen by ratings."""
    q = row["q_rated"]
    roi = q / row["cost_usd"] if q is not None and row["cost_usd"] else None
    return {
        **row,
        **stored["rated"],
        "q": q,
        "q_rank": None,
        "tier": row["tier_fitted"],
        "roi": roi,
    }


def section(store: Store, subject: OfSession | OfRepository) -> Iterator[Section]:
    """The score of a session, taken apart; the mean scores of a repository by agent and model."""
    if isinstance(subject, OfSession):
        score = signal_table(store, subject.session_id)
        if score is not None:
            yield Section(score.title, html(score))
        return
    order = "scored DESC, agent, model"
    table = read_view(store, "agent_scores", {"repo_id": subject.repo_id}, order=order)
    table.notes.append(AGREEMENT)
    if len(table):
        yield Section("Quality of sessions", html(table, _MEANS))


_MEANS = "agent, model, scored=sessions with a score, mean_q=mean Q, failed=below 0.40"


def started(session: Row) -> datetime | None:
    """When a session with `started_at` began; None when that is not recorded."""
    try:
        return datetime.fromisoformat(session["started_at"]) if session["started_at"] else None
    except ValueError:
        return None


def iso_week(session: Row) -> str | None:
    """Week in which it began, 2026-W07; None when that is not recorded."""
    began = started(session)
    return None if began is None else "{}-W{:02}".format(*began.isocalendar())


def week_table(scored: Iterable[Row], least: float) -> Table:
    """Digest of each week with scored sessions: how many, mean and lowest `q`, how many are
    below `least`, and their cost.
    """
    groups = group_pairs(
        (iso_week(session) or UNKNOWN, session) for session in scored if session["q"] is not None
    )
    rows = [
        {
            "week": week,
            "sessions": len(group),
            "mean_q": sum(row["q"] for row in group) / len(group),
            "lowest_q": min(row["q"] for row in group),
            "below": sum(row["q"] < least for row in group),
            "cost_usd": sum(row["cost_usd"] or 0.0 for row in group),
        }
        for week, group in sorted(groups.items())
    ]
    notes = [f"below: sessions with Q under {least:g}. A session is of the week in which it began."]
    return table_of(rows, {"cost_usd": "USD"}, notes, "weeks", "Quality by week")


UNKNOWN = "unknown"


def model_table(scored: Iterable[Row]) -> Table:
    """Mean quality and cost of each model over the sessions with `model`, `q` and `cost_usd`,
    cheapest first.

    `frontier`: 1 where no other model is both cheaper and better.
    """
    groups = group_pairs(
        (session["model"], (session["q"], session["cost_usd"]))
        for session in scored
        if session["model"] not in (None, "", UNKNOWN)
        and session["q"] is not None
        and session["cost_usd"]
    )
    means = sorted(
        (sum(c for _, c in g) / len(g), sum(q for q, _ in g) / len(g), model)
        for model, g in groups.items()
    )
    rows = [
        {
            "model": model,
            "sessions": len(groups[model]),
            "mean_q": q,
            "mean_cost_usd": cost,
            "q_per_usd": q / cost,
            "frontier": int(
                not any(c <= cost and b >= q and (c, b) != (cost, q) for c, b, _ in means)
            ),
        }
        for cost, q, model in means
    ]
    notes = [
        "frontier: no other model is both cheaper and better. Over the sessions that have a score"
        " and a cost."
    ]
    return table_of(rows, {"mean_cost_usd": "USD"}, notes, "models", "Quality and cost by model")
