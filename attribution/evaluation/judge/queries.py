"""What a judge would cost, which answers are stored, and the labels taken from them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from attribution.evaluation.judge.labels import LABELS, QUESTIONS
from attribution.stats.agreement import Confusion, correct_share
from collector.errors import WhoWroteError

if TYPE_CHECKING:
    from attribution.evaluation.judge.prompts import Request
    from attribution.features.prices import Prices
    from collector.storage.store import Store


class Judge(NamedTuple):
    """Whose labels: a model and the version of the question."""

    model: str
    prompt_version: str


def judges(store: Store) -> list[Judge]:
    """All that have labels, the one that answered last first."""
    return store.select(
        Judge,
        "SELECT l.model, l.prompt_version FROM judge_labels l JOIN judgements j ON j.id = l.judgement_id "
        "GROUP BY l.model, l.prompt_version ORDER BY MAX(j.at) DESC, l.model",
    )


def judge_named(store: Store, model: str) -> Judge:
    """The judge that answered last; with a model the last one of that model. Raises WhoWroteError."""
    every = judges(store)
    latest = next((judge for judge in every if model in ("", judge.model)), None)
    if latest is None:
        names = ", ".join(sorted({judge.model for judge in every}))
        hint = f"Models with labels: {names}" if every else "Get some with: whowrote data judge run"
        raise WhoWroteError(f"no labels{f' of {model}' if model else ''}", hint)
    return latest


# --- before asking ----------------------------------------------------------------------------------------------------


class JudgeCost(NamedTuple):
    """Estimated. USD is None when the price of the model is not known."""

    sessions: int
    questions: int
    known: int  # questions that were answered before
    input_tokens: int
    output_tokens: int
    usd: float | None


def stored_answers(store: Store, model: str, requests: Iterable[Request]) -> dict[str, int]:
    """Input hash -> number of the stored answer, for those of these questions that have one."""
    answers: dict[str, int] = {}
    for name in {request.question.name for request in requests}:
        rows = store.rows(
            "SELECT input_hash, id FROM judgements WHERE model = ? AND prompt = ? AND prompt_version = ?",
            (model, name, QUESTIONS[name].version),
        )
        answers.update((row["input_hash"], row["id"]) for row in rows)
    return answers


def judge_cost(store: Store, model: str, requests: Sequence[Request], prices: Prices) -> JudgeCost:
    """What asking would cost; a second question with the same words is free."""
    answers = stored_answers(store, model, requests)
    new = {r.input_hash: r for r in requests if r.input_hash not in answers}.values()
    tokens = sum(r.input_tokens for r in new), sum(r.output_tokens for r in new)
    sessions = len({r.session_id for r in requests})
    return JudgeCost(sessions, len(requests), len(requests) - len(new), *tokens, list_price(model, prices, *tokens))


def list_price(model: str, prices: Prices, input_tokens: int, output_tokens: int) -> float | None:
    """USD at list prices, by the name of the model with or without its vendor; None when neither has a price."""
    price = prices.of(model) or prices.of(model.rpartition("/")[2])
    return None if price is None else (input_tokens * price["input"] + output_tokens * price["output"]) / 1e6


# --- labels -----------------------------------------------------------------------------------------------------------

LabelPlace = tuple[str, int, str]
"""Key of a session, turn (0: the whole session), label."""


def stored_labels(store: Store, judge: Judge) -> dict[LabelPlace, str | float]:
    """Labels of a judge, without those that it could not tell."""
    rows = store.rows(
        "SELECT s.key, l.turn_index, l.label, COALESCE(l.value, l.number) AS value FROM judge_labels l "
        "JOIN sessions s ON s.id = l.session_id "
        "WHERE l.model = ? AND l.prompt_version = ? AND (l.value IS NOT NULL OR l.number IS NOT NULL)",
        judge,
    )
    return {(row["key"], row["turn_index"], row["label"]): row["value"] for row in rows}


def class_shares(store: Store, judge: Judge, repo: int | None) -> list[dict[str, Any]]:
    """A row for every class of every label that the judge gave, with the corrected rate where it was validated.

    `n` of `of` labels are of the class. A label that is a number has one row, of the class "", with its mean.
    """
    rows = store.rows(
        "SELECT l.label, l.value, COUNT(*) AS n, COUNT(l.number) AS numbers, AVG(l.number) AS mean FROM judge_labels l "
        "JOIN sessions s ON s.id = l.session_id WHERE l.model = ? AND l.prompt_version = ? AND (? IS NULL OR s.repo_id = ?) "
        "GROUP BY l.label, l.value",
        (*judge, repo, repo),
    )
    stored = store.rows("SELECT label, class, tp, fp, fn, tn FROM judge_validations WHERE model = ? AND prompt_version = ?", judge)
    validated = {(row["label"], row["class"]): Confusion(row["tp"], row["fp"], row["fn"], row["tn"]) for row in stored}
    shares: list[dict[str, Any]] = []
    for name, label in LABELS.items():
        counts = {row["value"]: row for row in rows if row["label"] == name}
        if counts and not label.classes:
            number = counts[None]
            shares.append({"label": name, "class": "", "n": number["numbers"], "of": number["numbers"], "mean": number["mean"]})
            continue
        of = sum(row["n"] for value, row in counts.items() if value is not None)
        for value in label.classes if counts else ():
            n = counts[value]["n"] if value in counts else 0
            head = {"label": name, "class": value, "n": n, "of": of, "share": n / of if of else None}
            shares.append(head | corrected_columns(n, of, validated.get((name, value))))
    return shares


def corrected_columns(n: int, of: int, validated: Confusion | None) -> dict[str, Any]:
    """The share of a class without the judge's errors; None: nobody validated the class."""
    if validated is None:
        return {"note": "not validated"}
    rate = correct_share(n, of, validated)
    return {
        "corrected": rate.rate, "low": rate.low, "high": rate.high, "sensitivity": validated.sensitivity,
        "specificity": validated.specificity, "note": rate.note,
    }  # fmt: skip
