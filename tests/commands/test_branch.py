"""`whowrote review`."""

from __future__ import annotations

from support.answers import pick
from support.commands import Analysed, run, run_json


def test_a_review_begins_with_what_nobody_approved_and_no_test_followed(
    branch: Analysed,
) -> None:
    repo, db = branch
    found = run_json("review", "main", repo, db=db)
    assert [pick(row, "path", "tested", "prompt") for row in found["blocks"]] == [
        ("mean.py", False, "Add the mean"),
        ("sum.py", True, "Add the sum"),
    ]
    shown = run("review", "main", repo, db=db).stdout
    assert "2 of 4 lines to look at first, 2 more of agents" in shown
    assert len(shown.splitlines()) <= 20
