"""The labels that models gave: whose there are, each of them, and the shares of their classes with and without their errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from attribution.judge.agreement import Confusion, Corrected, corrected
from attribution.judge.labels import LABELS
from attribution.judge.validation import Judge, LabelPlace
from attribution.queries.sessions import find_session
from collector.errors import WhoWroteError

if TYPE_CHECKING:
    from collector.storage.store import Store


def judges(store: Store) -> list[Judge]:
    """All that have labels, the one that answered last first."""
    return store.select(
        Judge,
        "SELECT l.model, l.prompt_version FROM judge_labels l JOIN judgements j ON j.id = l.judgement_id "
        "GROUP BY l.model, l.prompt_version ORDER BY MAX(j.at) DESC, l.model",
    )


def judge_named(store: Store, model: str) -> Judge:
    """The latest judge, or the latest of that model. Raises WhoWroteError."""
    every = judges(store)
    latest = next((judge for judge in every if model in ("", judge.model)), None)
    if latest is None:
        names = ", ".join(sorted({judge.model for judge in every}))
        hint = f"Models with labels: {names}" if every else "Get some with: whowrote data judge run"
        raise WhoWroteError(f"no labels{f' of {model}' if model else ''}", hint)
    return latest


@dataclass(frozen=True, slots=True)
class LabelRow:
    """One label of a judge, with sensitivity and specificity of its class where they are known."""

    repo: str
    session: str  # its key
    turn: int | None
    label: str
    value: str | None
    number: float | None
    model: str
    prompt_version: str
    sensitivity: float | None
    specificity: float | None
    validated_on: int | None
    prompt: str | None  # the beginning of the user's message


def label_rows(store: Store, judge: Judge, repo: int | None, session: str = "") -> list[LabelRow]:
    """Every label of a judge."""
    session_id = find_session(store, session, repo) if session else None
    return store.select(
        LabelRow,
        "SELECT r.name AS repo, s.key AS session, l.turn_index AS turn, l.label, l.value, l.number, l.model, l.prompt_version, "
        "l.sensitivity, l.specificity, l.validated_on, substr(t.prompt, 1, 200) AS prompt FROM judged l "
        "JOIN sessions s ON s.id = l.session_id JOIN repos r ON r.id = s.repo_id "
        "LEFT JOIN turns t ON t.session_id = s.id AND t.turn_index = l.turn_index "
        "WHERE l.model = ? AND l.prompt_version = ? AND (? IS NULL OR s.repo_id = ?) AND (? IS NULL OR s.id = ?) "
        "ORDER BY r.name, s.started_at DESC, s.id, l.turn_index, l.label",
        (judge.model, judge.prompt_version, repo, repo, session_id, session_id),
    )


class _StoredLabel(NamedTuple):
    session: str
    turn: int
    label: str
    value: str | None
    number: float | None


def stored_labels(store: Store, judge: Judge) -> dict[LabelPlace, str | float]:
    """Labels of a judge, without those that it could not tell."""
    rows = store.select(
        _StoredLabel,
        "SELECT s.key AS session, l.turn_index AS turn, l.label, l.value, l.number FROM judge_labels l "
        "JOIN sessions s ON s.id = l.session_id "
        "WHERE l.model = ? AND l.prompt_version = ? AND (l.value IS NOT NULL OR l.number IS NOT NULL)",
        (judge.model, judge.prompt_version),
    )
    values = ((LabelPlace(row.session, row.turn, row.label), row.value if row.value is not None else row.number) for row in rows)
    return {place: value for place, value in values if value is not None}


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


def class_shares(store: Store, judge: Judge, repo: int | None) -> list[ClassShare]:
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
    result = []
    for name, label in LABELS.items():
        if name not in means:
            continue
        if not label.classes:
            of_number = means[name]
            result.append(
                ClassShare(name, "", of_number.n, of_number.n, None, of_number.mean, Corrected(None, None, None, ""), None)
            )
            continue
        of = sum(row.n for row in counts if row.label == name and row.value is not None)
        for value in label.classes:
            result.append(_class_share(name, value, by_class.get((name, value), 0), of, validated.get((name, value))))
    return result


def _class_share(label: str, value: str, n: int, of: int, known: Confusion | None) -> ClassShare:
    better = corrected(n, of, known) if known is not None else Corrected(None, None, None, "not validated")
    return ClassShare(label, value, n, of, n / of if of else None, None, better, known)
