"""`report compare` finds an effect that was planted in a history, and none where there is none;
benchmarks/planted.py does it two hundred times.
"""

from __future__ import annotations

from pathlib import Path

import planted
import pytest
import scaling
from support.commands import run

from collector.git.program import import_repository


@pytest.mark.parametrize(("seed", "effect"), [(1002, 1.0), (1001, 3.0)])
def test_the_interval_holds_the_planted_ratio(seed: int, effect: float, tmp_path: Path) -> None:
    found = planted.ratios(tmp_path, planted.history(seed, effect))
    for outcome in planted.OUTCOMES:
        ratio = found[outcome, "others of the same author"]
        assert ratio["low"] < effect < ratio["high"]
        assert (ratio["low"] > 1) == (effect > 2)
        assert ratio["shuffles_that_hold_1"] >= 85


def test_a_history_of_more_than_a_thousand_commits_is_followed_again(tmp_path: Path) -> None:
    clone = tmp_path / "r"
    import_repository(clone, b"".join(scaling.commits(1100)))
    for how in ("--full", "--exact"):
        run("survival", clone, "-q", how, db=tmp_path / "r.db")
