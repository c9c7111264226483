"""What a judge would cost, which answers are stored, the labels taken from them, and how they
agree with a CSV of people's.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from attribution.evaluation.judge.labels import LABELS, QUESTIONS
from attribution.evaluation.judge.prompts import Request
from attribution.evaluation.people import matching_key, read_people
from attribution.features.prices import Prices
from attribution.stats.agreement import (
    Confusion,
    confusion,
    correct_share,
    kappa,
    pearson,
    spearman,
)
from collector.errors import WhoWroteError
from collector.json_values import Numbers, Row, Texts
from collector.storage.store import Store
from collector.text import file_name


class Judge(NamedTuple):
    """Whose labels: a model and the version of the question."""

    model: str
    prompt_version: str


def judges(store: Store) -> list[Judge]:
    """All that have labels, the one that answered last first."""
    return store.select(
        Judge,
        "SELECT l.model, l.prompt_version FROM judge_labels l JOIN judgements j ON j.id ="
        " l.judgement_id GROUP BY l.model, l.prompt_version ORDER BY MAX(j.at) DESC, l.model",
    )


def judge_named(store: Store, model: str) -> Judge:
    """The judge that answered last; with a model the last one of that model.

    Raises WhoWroteError.
    """
    every = judges(store)
    latest = next((judge for judge in every if model in ("", judge.model)), None)
    if latest is None:
        names = ", ".join(sorted({judge.model for judge in every}))
        hint = f"Models with labels: {names}" if every else "Get some with: whowrote data judge run"
        raise WhoWroteError(f"no labels{f' of {model}' if model else ''}", hint)
    return latest


class JudgeCost(NamedTuple):
    """Estimated. USD is None when the price of the model is not known."""

    sessions: int
    questions: int
    known: int  # questions that were answered before
    input_tokens: int
    output_tokens: int
    usd: float | None


def stored_answers(store: Store, model: str, requests: Iterable[Request]) -> Numbers:
    """Input hash -> number of the stored answer, for those of these questions that have one."""
    answers: Numbers = {}
    for name in {request.question.name for request in requests}:
        rows = store.rows(
            "SELECT input_hash, id FROM judgements WHERE model = ? AND prompt = ? AND"
            " prompt_version = ?",
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
    return JudgeCost(
        sessions,
        len(requests),
        len(requests) - len(new),
        *tokens,
        list_price(model, prices, *tokens),
    )


def list_price(model: str, prices: Prices, input_tokens: int, output_tokens: int) -> float | None:
    """USD at list prices, by the name of the model with or without its vendor; None when neither
    has a price.
    """
    price = prices.of(model) or prices.of(file_name(model))
    if price is None:
        return None
    return (input_tokens * price["input"] + output_tokens * price["output"]) / 1e6


LabelPlace = tuple[str, int, str]
"""Key of a session, turn (0: the whole session), label."""


def stored_labels(store: Store, judge: Judge) -> dict[LabelPlace, str | float]:
    """Labels of a judge, without those that it could not tell."""
    rows = store.rows(
        "SELECT s.key, l.turn_index, l.label, COALESCE(l.value, l.number) AS value FROM"
        " judge_labels l JOIN sessions s ON s.id = l.session_id WHERE l.model = ? AND"
        " l.prompt_version = ? AND (l.value IS NOT NULL OR l.number IS NOT NULL)",
        judge,
    )
    return {(row["key"], row["turn_index"], row["label"]): row["value"] for row in rows}


def latest_labels(store: Store) -> dict[LabelPlace, str | float]:
    """What the judge that answered last said."""
    return {
        place: value
        for judge in judges(store)[:1]
        for place, value in stored_labels(store, judge).items()
    }


def class_shares(store: Store, judge: Judge, repo: int | None) -> list[Row]:
    """A row for every class of every label that the judge gave, with the corrected rate where it
    was validated.

    `n` of `of` labels are of the class. A label that is a number has one row, of the class "", with
    its mean.
    """
    rows = store.rows(
        "SELECT l.label, l.value, COUNT(*) AS n, COUNT(l.number) AS numbers, AVG(l.number) AS mean"
        " FROM judge_labels l JOIN sessions s ON s.id = l.session_id WHERE l.model = ? AND"
        " l.prompt_version = ? AND (? IS NULL OR s.repo_id = ?) GROUP BY l.label, l.value",
        (*judge, repo, repo),
    )
    stored = store.rows(
        "SELECT label, class, tp, fp, fn, tn FROM judge_validations WHERE model = ? AND"
        " prompt_version = ?",
        judge,
    )
    validated = {
        (row["label"], row["class"]): Confusion(row["tp"], row["fp"], row["fn"], row["tn"])
        for row in stored
    }
    shares = []
    for name, label in LABELS.items():
        counts = {row["value"]: row for row in rows if row["label"] == name}
        if counts and not label.classes:
            number = counts[None]
            shares.append(
                {
                    "label": name,
                    "class": "",
                    "n": number["numbers"],
                    "of": number["numbers"],
                    "mean": number["mean"],
                }
            )
            continue
        of = sum(row["n"] for value, row in counts.items() if value is not None)
        for value in label.classes if counts else ():
            n = counts[value]["n"] if value in counts else 0
            head = {
                "label": name,
                "class": value,
                "n": n,
                "of": of,
                "share": n / of if of else None,
            }
            shares.append(head | corrected_columns(n, of, validated.get((name, value))))
    return shares


def corrected_columns(n: int, of: int, validated: Confusion | None) -> Row:
    """The share of a class without the judge's errors; None: nobody validated the class."""
    if validated is None:
        return {"note": "not validated"}
    rate = correct_share(n, of, validated)
    return {
        "corrected": rate.rate,
        "low": rate.low,
        "high": rate.high,
        "sensitivity": validated.sensitivity,
        "specificity": validated.specificity,
        "note": rate.note,
    }


# numbers that are also compared as a class, from there on: a success in the source
_CUTS = {"success_score": 50}
_HINT = (
    "It needs a header with the columns session (key, or its first six characters or more), turn"
    " (number; empty or 0 for labels\nof the whole session), label and value. Labels:"
    f" {', '.join(LABELS)}"
)
Pairs = Sequence[tuple[Any, Any]]
"""(what a person said, what the model said)."""


class Validation(NamedTuple):
    people: int  # labels in the CSV
    rows: list[Row]  # one for each class, and for each number
    unmatched: list[str]  # sessions or turns without a label of this judge


def compare_with_people(path: Path, stored: Mapping[LabelPlace, Any]) -> Validation:
    """The stored labels of a judge against those of a CSV.

    Raises WhoWroteError when the file cannot be read as one.
    """
    people = labels_of(path)
    keys = {key for key, _, _ in stored}
    unmatched = []
    pairs = defaultdict(list)
    for (session, turn, label), value in people:
        by_model = stored.get((matching_key(session, keys) or "", turn, label))
        if by_model is None:
            unmatched.append(f"{session}{f' turn {turn}' if turn else ''} {label}")
        else:
            pairs[label].append((value, by_model))
    rows = [
        row
        for label in LABELS
        if label in pairs
        for row in _rows(
            label, pairs[label], [value for (_, _, name), value in stored.items() if name == label]
        )
    ]
    return Validation(len(people), rows, unmatched)


def _rows(label: str, pairs: Pairs, every: Sequence[Any]) -> Iterator[Row]:
    """Numbers have correlations, and classes only where a cut is documented.

    `every`: all labels of the judge.
    """
    if LABELS[label].classes:
        yield from _class_rows(label, LABELS[label].classes, pairs, every)
        return
    difference = sum(abs(model - person) for person, model in pairs) / len(pairs)
    numbers = {
        "pearson": pearson(pairs),
        "spearman": spearman(pairs),
        "mean_difference": difference,
    }
    if label not in _CUTS:
        yield {"label": label, "class": "", "compared": len(pairs)} | numbers
        return
    cut = _CUTS[label]
    above = [(person >= cut, model >= cut) for person, model in pairs]
    for row in _class_rows(label, (True,), above, [value >= cut for value in every]):
        yield row | {"class": f">={cut}"} | numbers


def _class_rows(
    label: str, names: Sequence[Any], pairs: Pairs, every: Sequence[Any]
) -> Iterator[Row]:
    agree = sum(1 for person, model in pairs if person == model) / len(pairs)
    head = {"label": label, "compared": len(pairs), "agree": agree, "kappa": kappa(pairs)}
    for name in names:
        counts = confusion(pairs, name)
        n = sum(value == name for value in every)
        shares = {"share": n / len(every) if every else None, "of": len(every)}
        yield (
            head
            | {"class": name, **counts._asdict()}
            | shares
            | corrected_columns(n, len(every), counts)
        )


def labels_of(path: Path) -> list[tuple[LabelPlace, Any]]:
    """The labels that a person gave. Raises WhoWroteError when the file cannot be read as such."""
    return [
        _person(path, number, row)
        for number, row in enumerate(read_people(path, ("session", "label", "value"), _HINT), 2)
    ]


def _person(path: Path, number: int, row: Texts) -> tuple[LabelPlace, Any]:
    """A row of the CSV: the session as it is named there, turn and label, with a class or a
    number.
    """
    session, turn, name, value = (
        row.get(column, "") for column in ("session", "turn", "label", "value")
    )
    label = LABELS.get(name)
    if label is None:
        raise WhoWroteError(f"{path}, line {number}: no such label: {name}", _HINT)
    if label.classes and value not in label.classes:
        raise WhoWroteError(
            f"{path}, line {number}: {name} has no class {value}",
            f"Classes: {', '.join(label.classes)}",
        )
    try:
        return (session, int(turn or 0), name), value if label.classes else float(value)
    except ValueError as error:
        raise WhoWroteError(f"{path}, line {number}: {error}", _HINT) from error
