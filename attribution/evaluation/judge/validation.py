"""A model's labels against a CSV of people's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from attribution.evaluation.judge.labels import LABELS
from attribution.evaluation.judge.queries import LabelPlace, corrected_columns
from attribution.evaluation.people import matching_key, read_people
from attribution.stats.agreement import confusion, kappa, pearson, spearman
from collector.errors import WhoWroteError

_CUTS = {"success_score": 50}  # numbers that are also compared as a class, from there on: a success in the source
_HINT = (
    "It needs a header with the columns session (key, or its first six characters or more), turn (number; empty or 0 for labels\n"
    f"of the whole session), label and value. Labels: {', '.join(LABELS)}"
)
Pairs = Sequence[tuple[Any, Any]]
"""(what a person said, what the model said)."""


class Validation(NamedTuple):
    people: int  # labels in the CSV
    rows: list[dict[str, Any]]  # one for each class, and for each number
    unmatched: list[str]  # sessions or turns without a label of this judge


def compare_with_people(path: Path, stored: Mapping[LabelPlace, Any]) -> Validation:
    """The stored labels of a judge against those of a CSV. Raises WhoWroteError when the file cannot be read as one."""
    people = labels_of(path)
    keys = {key for key, _, _ in stored}
    unmatched: list[str] = []
    pairs = defaultdict[str, list[tuple[Any, Any]]](list)
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
        for row in _rows(label, pairs[label], [value for (_, _, name), value in stored.items() if name == label])
    ]
    return Validation(len(people), rows, unmatched)


def _rows(label: str, pairs: Pairs, every: Sequence[Any]) -> Iterator[dict[str, Any]]:
    """Numbers have correlations, and classes only where a cut is documented. `every`: all labels of the judge."""
    if LABELS[label].classes:
        yield from _class_rows(label, LABELS[label].classes, pairs, every)
        return
    difference = sum(abs(model - person) for person, model in pairs) / len(pairs)
    numbers = {"pearson": pearson(pairs), "spearman": spearman(pairs), "mean_difference": difference}
    if label not in _CUTS:
        yield {"label": label, "class": "", "compared": len(pairs)} | numbers
        return
    cut = _CUTS[label]
    above = [(person >= cut, model >= cut) for person, model in pairs]
    for row in _class_rows(label, (True,), above, [value >= cut for value in every]):
        yield row | {"class": f">={cut}"} | numbers


def _class_rows(label: str, names: Sequence[Any], pairs: Pairs, every: Sequence[Any]) -> Iterator[dict[str, Any]]:
    agree = sum(1 for person, model in pairs if person == model) / len(pairs)
    head = {"label": label, "compared": len(pairs), "agree": agree, "kappa": kappa(pairs)}
    for name in names:
        counts, n = confusion(pairs, name), sum(value == name for value in every)
        shares = {"share": n / len(every) if every else None, "of": len(every)}
        yield head | {"class": name, **asdict(counts)} | shares | corrected_columns(n, len(every), counts)


def labels_of(path: Path) -> list[tuple[LabelPlace, Any]]:
    """The labels that a person gave. Raises WhoWroteError when the file cannot be read as such."""
    return [_person(path, number, row) for number, row in enumerate(read_people(path, ("session", "label", "value"), _HINT), 2)]


def _person(path: Path, number: int, row: Mapping[str, str]) -> tuple[LabelPlace, Any]:
    """A row of the CSV: the session as it is named there, turn and label, with a class or a number."""
    session, turn, name, value = (row.get(column, "") for column in ("session", "turn", "label", "value"))
    label = LABELS.get(name)
    if label is None:
        raise WhoWroteError(f"{path}, line {number}: no such label: {name}", _HINT)
    if label.classes and value not in label.classes:
        raise WhoWroteError(f"{path}, line {number}: {name} has no class {value}", f"Classes: {', '.join(label.classes)}")
    try:
        return (session, int(turn or 0), name), value if label.classes else float(value)
    except ValueError as error:
        raise WhoWroteError(f"{path}, line {number}: {error}", _HINT) from error
