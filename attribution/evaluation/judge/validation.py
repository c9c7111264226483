"""A model's labels against a CSV of people's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from attribution.evaluation.judge.labels import LABELS
from attribution.evaluation.judge.queries import LabelPlace
from attribution.evaluation.people import matching_key, read_people
from attribution.stats.agreement import confusion, correct_share, kappa
from attribution.stats.correlation import pearson, spearman
from collector.errors import WhoWroteError

SUCCESS = 50  # success_score from which a session counts as a success, as in the source
_CUTS = {"success_score": SUCCESS}  # numbers that are also compared as a class
_HINT = (
    "It needs a header with the columns session (key, or its first six characters or more), turn (number; empty or 0 for labels\n"
    f"of the whole session), label and value. Labels: {', '.join(LABELS)}"
)


@dataclass(slots=True)
class Validation:
    people: int  # labels in the CSV
    rows: list[dict[str, Any]] = field(default_factory=list)  # one for each class, and for each number
    unmatched: list[str] = field(default_factory=list)  # sessions or turns without a label of this judge


class PersonLabel(NamedTuple):
    """A label that a person gave: a row of the CSV."""

    session: str  # a key, or the beginning of one
    turn: int
    label: str
    value: Any  # a class, or a number


Pairs = Sequence[tuple[Any, Any]]
"""(what a person said, what the model said)."""


def compare_with_people(path: Path, stored: Mapping[LabelPlace, Any]) -> Validation:
    """The stored labels of a judge against those of a CSV. Raises WhoWroteError when the file cannot be read as one."""
    rows = read_people(path, ("session", "label", "value"), _HINT)
    people = [_person(path, number, row) for number, row in enumerate(rows, 2)]
    keys = {about.session for about in stored}
    result, pairs = Validation(len(people)), defaultdict[str, list[tuple[Any, Any]]](list)
    for session, turn, label, value in people:
        key = matching_key(session, keys)
        by_model = stored.get(LabelPlace(key, turn, label)) if key is not None else None
        if by_model is None:
            result.unmatched.append(f"{session}{f' turn {turn}' if turn else ''} {label}")
        else:
            pairs[label].append((value, by_model))
    for label in LABELS:
        if label in pairs:
            every = [value for about, value in stored.items() if about.label == label]
            result.rows += _number_rows(label, pairs[label], every) or _class_rows(
                label, LABELS[label].classes, pairs[label], every
            )
    return result


def _number_rows(label: str, pairs: Pairs, every: Sequence[Any]) -> list[dict[str, Any]]:
    """Numbers have correlations, and classes only where a cut is documented; empty for a label with classes."""
    if LABELS[label].classes:
        return []
    numbers = [(float(person), float(model)) for person, model in pairs]
    difference = sum(abs(model - person) for person, model in numbers) / len(numbers)
    row = {"pearson": pearson(numbers), "spearman": spearman(numbers), "mean_difference": difference}
    if label not in _CUTS:
        return [{"label": label, "class": "", "compared": len(pairs)} | row]
    cut = _CUTS[label]
    above = f">={cut}"
    classes = [tuple(above if value >= cut else f"<{cut}" for value in pair) for pair in numbers]
    every_class = [above if value >= cut else f"<{cut}" for value in every]
    return [counts | row for counts in _class_rows(label, (above,), [(p, m) for p, m in classes], every_class)]


def _class_rows(label: str, names: Sequence[str], pairs: Pairs, every: Sequence[str]) -> Iterator[dict[str, Any]]:
    """`every`: all labels of the judge, validated or not, of which each class has a share."""
    agree = sum(1 for person, model in pairs if person == model) / len(pairs)
    head = {"label": label, "compared": len(pairs), "agree": agree, "kappa": kappa(pairs)}
    for name in names:
        counts, n = confusion(pairs, name), sum(value == name for value in every)
        rate = correct_share(n, len(every), counts)
        yield head | {
            "class": name, **asdict(counts), "sensitivity": counts.sensitivity, "specificity": counts.specificity,
            "share": n / len(every) if every else None, "of": len(every), "corrected": rate.rate, "low": rate.low,
            "high": rate.high, "note": rate.note,
        }  # fmt: skip


# --- the file ---------------------------------------------------------------------------------------------------------


def _person(path: Path, number: int, row: Mapping[str, str]) -> PersonLabel:
    session, turn, name, value = (row.get(column, "") for column in ("session", "turn", "label", "value"))
    label = LABELS.get(name)
    if label is None:
        raise WhoWroteError(f"{path}, line {number}: no such label: {name}", _HINT)
    if label.classes and value not in label.classes:
        raise WhoWroteError(f"{path}, line {number}: {name} has no class {value}", f"Classes: {', '.join(label.classes)}")
    try:
        return PersonLabel(session, int(turn or 0), name, value if label.classes else float(value))
    except ValueError as error:
        raise WhoWroteError(f"{path}, line {number}: {error}", _HINT) from error
