"""Twice the input has no more than 2.5 times as many calls, for every size that a repository
decides.

Calls of functions are counted, not seconds: the same on every machine. What is slow within a single
call of C shows in benchmarks/scaling.py alone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType

import pytest
import scaling


def calls_of(work: Callable[[], object]) -> int:
    """How many functions a piece of work calls, those of C included."""
    count = 0

    def count_call(frame: FrameType, event: str, value: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count_call)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("name", scaling.SIZES)
def test_twice_the_input_has_few_more_calls(name: str, tmp_path: Path) -> None:
    make, _, small = scaling.SIZES[name]
    counted = []
    for number, n in enumerate((1, 1, small, 2 * small)):  # the first one fills caches
        repository = scaling.made(make, n, tmp_path / str(number))
        counted.append(calls_of(partial(scaling.attributed, repository, tmp_path / f"{number}.db")))
    _, nothing, once, twice = counted
    assert twice - nothing <= scaling.MOST * (once - nothing) + 2_000, counted
