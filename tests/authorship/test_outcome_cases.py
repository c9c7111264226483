"""Regions and outcomes of small histories against what their makers know."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.outcome_cases import CASES, answers


@pytest.mark.parametrize("name", CASES)
def test_a_case(name: str, tmp_path: Path) -> None:
    wrong = [answer for answer in answers(CASES[name], tmp_path) if answer.said != answer.expected]
    assert not wrong


def test_there_are_enough() -> None:
    assert len(CASES) >= 25
