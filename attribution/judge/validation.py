"""A model's labels against a CSV of people's."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from attribution.judge.agreement import Confusion, Corrected, confusion, corrected, kappa
from attribution.judge.labels import LABELS
from attribution.stats.correlation import pearson, spearman
from collector.errors import WhoWroteError

SUCCESS = 50  # success_score from which a session counts as a success, as in the source
_CUT = {"success_score": (SUCCESS, f">={SUCCESS}", f"<{SUCCESS}")}
_HINT = (
    "It needs a header with the columns session (key, or its first six characters or more), turn (number; empty or 0 for labels\n"
    f"of the whole session), label and value. Labels: {', '.join(LABELS)}"
)


@dataclass(frozen=True, slots=True)
class Judge:
    """Whose labels: a model and the version of the question."""

    model: str
    prompt_version: str


@dataclass(frozen=True, slots=True)
class ClassAgreement:
    name: str
    counts: Confusion
    share: float | None  # of all labels of the judge, validated or not
    of: int
    corrected: Corrected


@dataclass(frozen=True, slots=True)
class LabelAgreement:
    """One label. Numbers have correlations, and classes only where a cut is documented."""

    label: str
    compared: int
    agree: float | None  # share of equal classes
    kappa: float | None
    classes: list[ClassAgreement]
    pearson: float | None = None
    spearman: float | None = None
    mean_difference: float | None = None  # mean of |model - person|

    def class_rows(self) -> list[dict[str, Any]]:
        """Plain values of each class, for --csv."""
        return [
            {"label": self.label, "compared": self.compared, "kappa": self.kappa, "class": c.name, **asdict(c.counts),
             "sensitivity": c.counts.sensitivity, "specificity": c.counts.specificity, "share": c.share, "of": c.of,
             **asdict(c.corrected)}
            for c in self.classes
        ]  # fmt: skip


@dataclass(slots=True)
class Validation:
    judge: Judge
    rows: int
    labels: list[LabelAgreement] = field(default_factory=list)
    unmatched: list[str] = field(default_factory=list)  # sessions or turns without a label of this judge


class LabelPlace(NamedTuple):
    """What a label is of."""

    session: str  # its key
    turn: int  # 0: the whole session
    label: str


class PersonLabel(NamedTuple):
    """A label that a person gave: a row of the CSV."""

    session: str  # a key, or the beginning of one
    turn: int
    label: str
    value: Any  # a class, or a number


def compare_with_people(path: Path, judge: Judge, stored: Mapping[LabelPlace, Any]) -> Validation:
    """The stored labels of a judge against those of a CSV. Raises WhoWroteError when the file cannot be read as one."""
    people = _people(path)
    keys = sorted({place.session for place in stored})
    result, pairs = Validation(judge, len(people)), defaultdict[str, list[tuple[Any, Any]]](list)
    for session, turn, label, value in people:
        matching = [key for key in keys if key == session] or [k for k in keys if len(session) >= 6 and k.startswith(session)]
        by_model = stored.get(LabelPlace(matching[0], turn, label)) if len(matching) == 1 else None
        if by_model is None:
            result.unmatched.append(f"{session}{f' turn {turn}' if turn else ''} {label}")
        else:
            pairs[label].append((value, by_model))
    for label in LABELS:
        if label in pairs:
            every = [value for place, value in stored.items() if place.label == label]
            result.labels.append(_label(label, pairs[label], every))
    return result


def _label(label: str, pairs: Sequence[tuple[Any, Any]], every: Sequence[Any]) -> LabelAgreement:
    if LABELS[label].classes:
        return _classes(label, pairs, LABELS[label].classes, every)
    numbers = [(float(person), float(model)) for person, model in pairs]
    cut = _CUT.get(label)
    classes: LabelAgreement | None = None
    if cut is not None:
        at, above, below = cut
        named = [tuple(above if value >= at else below for value in pair) for pair in numbers]
        every_named = [above if value >= at else below for value in every]
        classes = _classes(label, [(p, m) for p, m in named], (above,), every_named)
    return LabelAgreement(
        label, len(numbers), classes.agree if classes else None, classes.kappa if classes else None,
        classes.classes if classes else [], pearson(numbers), spearman(numbers), sum(abs(m - p) for p, m in numbers) / len(numbers),
    )  # fmt: skip


def _classes(label: str, pairs: Sequence[tuple[str, str]], names: Sequence[str], every: Sequence[str]) -> LabelAgreement:
    counts, found = Counter(every), []
    for name in names:
        one = confusion(pairs, name)
        share = counts[name] / len(every) if every else None
        found.append(ClassAgreement(name, one, share, len(every), corrected(counts[name], len(every), one)))
    return LabelAgreement(label, len(pairs), sum(1 for p, m in pairs if p == m) / len(pairs), kappa(pairs), found)


# --- the file ---------------------------------------------------------------------------------------------------------


def _people(path: Path) -> list[PersonLabel]:
    """Raises WhoWroteError."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            if not {"session", "label", "value"} <= set(reader.fieldnames or ()):
                raise WhoWroteError(f"{path} has no columns session, label and value", _HINT)
            return [_person(path, number, row) for number, row in enumerate(reader, 2)]
    except OSError as error:
        raise WhoWroteError(f"{path} cannot be read: {error.strerror}", _HINT) from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise WhoWroteError(f"{path} is not a CSV file in UTF-8: {error}", _HINT) from error


def _person(path: Path, number: int, row: Mapping[str, str | None]) -> PersonLabel:
    session, turn, name, value = ((row.get(column) or "").strip() for column in ("session", "turn", "label", "value"))
    label = LABELS.get(name)
    if label is None:
        raise WhoWroteError(f"{path}, line {number}: no such label: {name}", _HINT)
    if label.classes and value not in label.classes:
        raise WhoWroteError(f"{path}, line {number}: {name} has no class {value}", f"Classes: {', '.join(label.classes)}")
    try:
        return PersonLabel(session, int(turn or 0), name, value if label.classes else float(value))
    except ValueError as error:
        raise WhoWroteError(f"{path}, line {number}: {error}", _HINT) from error
