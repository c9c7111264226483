"""Edits that were made on the parent's text, although the replay had another state of the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from attribution.authorship.case import AddedFile, added_file
from attribution.authorship.replay import ReplayStep, Worktree
from attribution.authorship.timeline import Timeline
from attribution.authorship.verdicts import CallRef
from attribution.authorship.worktrees import CommitProbe, Runner, replay_on_parent
from collector.model import Edit, Replacement

F = "src/app.py"
PARENT = "alpha = 1\nbeta = 2\nomega = 9\n"
COMMITTED = "alpha = 1\nbeta = 3\ngamma = 4\nomega = 9\n"
FILE = added_file(F, F, COMMITTED, [(1, 3)], PARENT)


def _step(
    old: str, new: str, at: float = 50.0, number: int = 1, before: str | None = None
) -> ReplayStep:
    edit = Edit(F, "edit", (Replacement(old, new),), before=before, before_known=before is not None)
    return ReplayStep(at, number, F, edit, CallRef(1, f"c{number}", 1, at))


FIRST, SECOND = _step("beta = 2", "beta = 3"), _step("beta = 3\n", "beta = 3\ngamma = 4\n", 60.0, 2)


def _said(file: AddedFile, *steps: ReplayStep) -> list[tuple[int, str]]:
    found = replay_on_parent(file, steps)
    assert all(
        (one.author, one.how, one.evidence) == ("agent", "exact", "replayed")
        for one in found.values()
    )
    return [(index, one.call.call_id) for index, one in found.items() if one.call is not None]


def test_edits_that_lead_from_the_parent_to_the_commit_wrote_it() -> None:
    assert _said(FILE, SECOND, FIRST) == [(1, "c1"), (2, "c2")]


@pytest.mark.parametrize(
    "steps",
    [
        (),
        (FIRST,),  # another text than the committed one
        (FIRST, SECOND, _step("delta", "d", 70.0, 3)),  # does not fit
        (replace(FIRST, edit=Edit(F, "delete")), SECOND),
        # made on a text that is on record
        (_step("beta = 2", "beta = 3", before="other\nbeta = 2\n"), SECOND),
    ],
)
def test_otherwise_nothing_is_said(steps: Sequence[ReplayStep]) -> None:
    assert _said(FILE, *steps) == []


def test_a_new_file_has_no_parent() -> None:
    assert _said(replace(FILE, before_text=""), FIRST, SECOND) == []


def test_edits_on_a_stale_text_take_the_parents_where_it_fits() -> None:
    """An older session left a draft that was thrown away; a rename of everything fits it as well
    as the parent's text.
    """
    parent = "x = get(a)\ny = get(b)\nz = 1\n"
    committed = "x = fetch(a)\ny = fetch(b)\nz = 1\n"
    draft = ReplayStep(
        5.0, 0, F, Edit(F, "write", content="x = get(a)\nz = 1\n"), CallRef(9, "old", 1, 5.0)
    )
    rename = ReplayStep(
        50.0,
        1,
        F,
        Edit(F, "edit", (Replacement("get(", "fetch(", True),)),
        CallRef(1, "c1", 1, 50.0),
    )
    timeline = Timeline("/w", steps=[draft, rename], sessions={1, 9})
    timeline.windows.settle()
    for text, expected in ((committed, "agent"), (committed.replace("z", "q"), "human")):
        file = added_file(F, F, text, [(0, 2)], parent)
        files = {"c": [file]}
        runner = Runner(
            timeline,
            Worktree(lambda *_: (), lambda *_: False),
            files.__getitem__,
            lambda _: 1.0,
            lambda *_: False,
        )
        (seen,) = runner.run([CommitProbe(100.0, "c", 10.0)]).seen
        assert [one.author for one in seen.files[0].verdicts.values()] == ["agent", expected]
