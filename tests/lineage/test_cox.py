"""Cox's model: the same numbers as lifelines, which fits each stratum by itself, and answers that can be told by hand."""

from __future__ import annotations

import math
import warnings
from typing import Any

import pytest

from attribution.stats.cox import Subjects, fit

np = pytest.importorskip("numpy")


def _drawn(seed: int, rows: int, strata: int, decimals: int = 0) -> Subjects:
    generator = np.random.default_rng(seed)
    group = generator.integers(0, 2, rows).astype(float)
    return Subjects(
        stratum=generator.integers(0, strata, rows),
        days=np.round(generator.exponential(30 * np.exp(-0.4 * group)), decimals),
        dead=(generator.random(rows) < 0.6).astype(float),
        weight=generator.integers(1, 40, rows).astype(float),
        group=group,
        cluster=generator.integers(0, max(2, rows // 5), rows),
    )


@pytest.mark.parametrize(("seed", "rows", "strata", "decimals"), [(1, 60, 1, 3), (2, 200, 6, 0), (3, 400, 40, 1), (4, 150, 3, -1)])
def test_the_numbers_are_those_of_lifelines(seed: int, rows: int, strata: int, decimals: int) -> None:
    lifelines: Any = pytest.importorskip("lifelines")
    pandas: Any = pytest.importorskip("pandas")
    subjects = _drawn(seed, rows, strata, decimals)
    theirs = lifelines.CoxPHFitter()
    frame = pandas.DataFrame(subjects._asdict()).astype({"dead": bool})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs.fit(frame, "days", "dead", weights_col="weight", strata=["stratum"], cluster_col="cluster")
    ours = fit(subjects)
    assert ours is not None
    assert ours.coefficient == pytest.approx(theirs.params_["group"], rel=1e-5, abs=1e-6)
    assert ours.error == pytest.approx(theirs.standard_errors_["group"], rel=1e-5)


def test_two_pairs_by_hand() -> None:
    """Of one pair the group dies first, of two others the other one: the odds are 1 to 2."""
    pairs = Subjects(
        stratum=np.array([0, 0, 1, 1, 2, 2]),
        days=np.array([1.0, 2.0, 1.0, 2.0, 1.0, 2.0]),
        dead=np.array([1.0, 0.0, 1.0, 0.0, 1.0, 0.0]),
        weight=np.ones(6),
        group=np.array([1.0, 0.0, 0.0, 1.0, 0.0, 1.0]),
        cluster=np.arange(6),
    )
    found = fit(pairs)
    assert found is not None
    assert found.coefficient == pytest.approx(math.log(1 / 2))


def test_the_order_of_rows_and_strata_without_both_groups_change_nothing() -> None:
    subjects = _drawn(5, 300, 8, decimals=3)
    shuffled = np.random.default_rng(6).permutation(300)
    lonely = Subjects(np.array([99, 99]), np.array([1.0, 2.0]), np.ones(2), np.ones(2), np.ones(2), np.array([900, 901]))
    more = Subjects(*(np.append(column[shuffled], extra) for column, extra in zip(subjects, lonely, strict=True)))
    first, second = fit(subjects), fit(more)
    assert first is not None and second is not None
    assert second == pytest.approx(first, rel=1e-9)


def test_without_a_maximum_there_is_no_ratio() -> None:
    subjects = _drawn(7, 40, 1)
    always_first = subjects._replace(days=2 - subjects.group, dead=np.ones(40))
    alone = subjects._replace(group=np.ones(40))
    assert fit(always_first) is None
    assert fit(alone) is None
