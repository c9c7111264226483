"""Random histories with known authors: a small share of what `make accuracy` runs."""

from __future__ import annotations

from collections import Counter

import pytest
from support import random_history
from support.builder import import_stream
from support.truth import compare, run

SEEDS = range(6)


@pytest.fixture(scope="module")
def confusion(tmp_path_factory: pytest.TempPathFactory) -> Counter[tuple[str, str]]:
    """(truth, said) -> lines over all seeds."""
    total: Counter[tuple[str, str]] = Counter()
    for seed in SEEDS:
        where = tmp_path_factory.mktemp("random")
        stream, expected = random_history.generate(seed)
        import_stream(stream, where / "repo")
        said, _ = run(where / "repo", where / "out.db")
        total += compare(expected, said).confusion
    return total


# Most of a person's lines in these histories have no witness: whole files that only the commit shows.
@pytest.mark.parametrize(("author", "precision", "recall"), [("agent", 0.99, 0.99), ("human", 0.97, 0.2)])
def test_precision_and_recall(confusion: Counter[tuple[str, str]], author: str, precision: float, recall: float) -> None:
    right = confusion[author, author]
    said = sum(n for (_, s), n in confusion.items() if s == author)
    true = sum(n for (t, _), n in confusion.items() if t == author)
    assert right > 80
    assert right / said >= precision, confusion
    assert right / true >= recall, confusion


def test_wrong_with_confidence_is_rare(confusion: Counter[tuple[str, str]]) -> None:
    wrong = sum(n for (truth, said), n in confusion.items() if said != "unknown" and truth != said)
    assert wrong / confusion.total() < 0.01, confusion
