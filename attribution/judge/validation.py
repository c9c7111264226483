"""A model's stored labels against a CSV of people's, and the shares of its labels with and without its errors."""

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
from collector.storage.store import Store

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


def judges(store: Store) -> list[Judge]:
    """All that have labels, the one that answered last first."""
    rows = store.rows(
        "SELECT l.model, l.prompt_version, MAX(j.at) AS last FROM judge_labels l JOIN judgements j ON j.id = l.judgement_id "
        "GROUP BY l.model, l.prompt_version ORDER BY last DESC, l.model"
    )
    return [Judge(row["model"], row["prompt_version"]) for row in rows]


def judge_named(store: Store, model: str) -> Judge:
    """The latest judge, or the latest of that model. Raises WhoWroteError."""
    known = judges(store)
    found = next((j for j in known if model in ("", j.model)), None)
    if found is None:
        hint = (
            f"Models with labels: {', '.join(sorted({j.model for j in known}))}" if known else "Get some with: attribute judge run"
        )
        raise WhoWroteError(f"there are no labels{f' of {model}' if model else ''}", hint)
    return found


def compare_with_people(store: Store, path: Path, judge: Judge) -> Validation:
    """A judge's stored labels against those of a CSV. Raises WhoWroteError when the file is none."""
    given = _people(path)
    stored = _stored(store, judge)
    keys = sorted({key for key, _, _ in stored})
    found, pairs = Validation(judge, len(given)), defaultdict[str, list[tuple[Any, Any]]](list)
    for session, turn, label, value in given:
        matching = [key for key in keys if key == session] or [k for k in keys if len(session) >= 6 and k.startswith(session)]
        said = stored.get((matching[0], turn, label)) if len(matching) == 1 else None
        if said is None:
            found.unmatched.append(f"{session}{f' turn {turn}' if turn else ''} {label}")
        else:
            pairs[label].append((value, said))
    found.labels = [_label(label, pairs[label], _every(stored, label)) for label in LABELS if label in pairs]
    return found


def _every(stored: Mapping[tuple[str, int, str], Any], label: str) -> list[Any]:
    return [value for (_, _, name), value in stored.items() if name == label]


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


def _stored(store: Store, judge: Judge) -> dict[tuple[str, int, str], Any]:
    """Labels of a judge by (session key, turn, label), without those it could not tell."""
    rows = store.rows(
        "SELECT s.key, l.turn_index, l.label, l.value, l.number FROM judge_labels l JOIN sessions s ON s.id = l.session_id "
        "WHERE l.model = ? AND l.prompt_version = ? AND (l.value IS NOT NULL OR l.number IS NOT NULL)",
        (judge.model, judge.prompt_version),
    )
    return {(r["key"], r["turn_index"], r["label"]): r["value"] if r["value"] is not None else r["number"] for r in rows}


# --- shares -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ClassShare:
    """How often a judge gave a class, with the corrected rate where it was validated; of a number its mean."""

    label: str
    class_: str  # "" of a number
    n: int
    of: int
    share: float | None
    mean: float | None
    corrected: Corrected
    validated: Confusion | None

    def data(self) -> dict[str, Any]:
        """Plain values, for --json and --csv."""
        better, known = self.corrected, self.validated
        return {
            "label": self.label, "class": self.class_, "n": self.n, "of": self.of, "share": self.share, "mean": self.mean,
            "corrected": better.rate, "low": better.low, "high": better.high,
            "sensitivity": known.sensitivity if known else None, "specificity": known.specificity if known else None,
            "note": better.note,
        }  # fmt: skip


class _ClassCount(NamedTuple):
    label: str
    value: str | None
    n: int


class _LabelMean(NamedTuple):
    label: str
    mean: float | None
    n: int


class _StoredValidation(NamedTuple):
    label: str
    class_: str
    tp: int
    fp: int
    fn: int
    tn: int


def shares(store: Store, judge: Judge, repo: int | None) -> list[ClassShare]:
    """Of every class of every label that the judge gave."""
    whose = (judge.model, judge.prompt_version, repo, repo)
    where = (
        "FROM judge_labels l JOIN sessions s ON s.id = l.session_id "
        "WHERE l.model = ? AND l.prompt_version = ? AND (? IS NULL OR s.repo_id = ?) GROUP BY 1"
    )
    counts = store.select(_ClassCount, f"SELECT l.label, l.value, COUNT(*) AS n {where}, 2", whose)
    by_class = {(row.label, row.value): row.n for row in counts}
    mean_rows = store.select(_LabelMean, f"SELECT l.label, AVG(l.number) AS mean, COUNT(l.number) AS n {where}", whose)
    means = {row.label: row for row in mean_rows}
    stored = store.select(
        _StoredValidation,
        "SELECT label, class AS class_, tp, fp, fn, tn FROM judge_validations WHERE model = ? AND prompt_version = ?",
        whose[:2],
    )
    validated = {(row.label, row.class_): Confusion(row.tp, row.fp, row.fn, row.tn) for row in stored}
    found = []
    for name, label in LABELS.items():
        if name not in means:
            continue
        if not label.classes:
            of_number = means[name]
            found.append(
                ClassShare(name, "", of_number.n, of_number.n, None, of_number.mean, Corrected(None, None, None, ""), None)
            )
            continue
        of = sum(row.n for row in counts if row.label == name and row.value is not None)
        for value in label.classes:
            found.append(_class_share(name, value, by_class.get((name, value), 0), of, validated.get((name, value))))
    return found


def _class_share(label: str, value: str, n: int, of: int, known: Confusion | None) -> ClassShare:
    better = corrected(n, of, known) if known is not None else Corrected(None, None, None, "not validated")
    return ClassShare(label, value, n, of, n / of if of else None, None, better, known)


# --- the file ---------------------------------------------------------------------------------------------------------


def _people(path: Path) -> list[tuple[str, int, str, Any]]:
    """(session, turn, label, value) of each row. Raises WhoWroteError."""
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


def _person(path: Path, number: int, row: Mapping[str, str | None]) -> tuple[str, int, str, Any]:
    session, turn, name, value = ((row.get(column) or "").strip() for column in ("session", "turn", "label", "value"))
    label = LABELS.get(name)
    if label is None:
        raise WhoWroteError(f"{path}, line {number}: there is no label {name}", _HINT)
    if label.classes and value not in label.classes:
        raise WhoWroteError(f"{path}, line {number}: {name} has no class {value}", f"Classes: {', '.join(label.classes)}")
    try:
        return session, int(turn or 0), name, value if label.classes else float(value)
    except ValueError as error:
        raise WhoWroteError(f"{path}, line {number}: {error}", _HINT) from error
