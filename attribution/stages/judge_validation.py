"""Stores how well a judge agrees with people."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from attribution.judge.validation import Judge, LabelAgreement, Validation, compare_with_people
from attribution.queries.judge_labels import stored_labels
from collector.storage.store import Store, iso

_COLUMNS = (
    "model", "prompt_version", "label", "class", "tp", "fp", "fn", "tn", "sensitivity", "specificity", "kappa", "at",
)  # fmt: skip


def validate(store: Store, path: Path, judge: Judge) -> Validation:
    """Compares, and stores sensitivity and specificity in `judge_validations`. Raises WhoWroteError when the file is none."""
    result = compare_with_people(path, judge, stored_labels(store, judge))
    _store(store, judge, result.labels)
    return result


def _store(store: Store, judge: Judge, labels: Iterable[LabelAgreement]) -> None:
    at = iso(datetime.now(UTC).timestamp())
    with store.transaction() as connection:
        for label in labels:
            connection.execute(
                "DELETE FROM judge_validations WHERE model = ? AND prompt_version = ? AND label = ?",
                (judge.model, judge.prompt_version, label.label),
            )
            rows = [
                (
                    judge.model, judge.prompt_version, label.label, c.name, c.counts.tp, c.counts.fp, c.counts.fn, c.counts.tn,
                    c.counts.sensitivity, c.counts.specificity, label.kappa, at,
                )
                for c in label.classes
            ]  # fmt: skip
            store.insert("judge_validations", _COLUMNS, rows)
