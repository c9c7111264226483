"""Forgotten sessions, planted lines and decoys: measured on a committed fixture, where the
answers are known.
"""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import decoys
import leave_one_out
import part_of_session
import pytest
import spike_in
from part_of_session import Part
from support.answers import analysed_store, pick
from support.commands import clone
from variants import Variants

from collector.vocabulary.lines import Reason

_DONATED = [f"const ancient{n} = compute(previous{n}, following{n});" for n in range(60)]


def _donor(where: Path) -> Path:
    """A project with lines from before 2021."""
    where.mkdir()
    (where / "old.js").write_text("\n".join(_DONATED) + "\n")
    (where / "old.py").write_text("\n".join(_DONATED) + "\n")
    when = {"GIT_AUTHOR_DATE": "2015-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2015-01-01T00:00:00Z"}
    who = ["-c", "user.name=Old", "-c", "user.email=old@example.com"]
    for command in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "Old"]):
        subprocess.run(
            ["git", "-C", str(where), *command], check=True, env=when | {"PATH": "/usr/bin:/bin"}
        )
    return where


def test_same_verdicts_as_a_whole_run(tmp_path: Path, db: Path) -> None:
    repo = clone("example", tmp_path)
    variants = Variants(repo)
    said = variants.ask(variants.repo, variants.repo.default_branch()[1]).lines()
    with analysed_store(repo, db) as store:
        rows = store.rows(
            "SELECT commit_sha, path, start_line, end_line, author, how, evidence, reason FROM"
            " line_spans"
        )
    stored = {
        (row["commit_sha"], row["path"], number): pick(row, "author", "how", "evidence", "reason")
        for row in rows
        for number in range(row["start_line"], row["end_line"] + 1)
    }
    assert {place: (v.author, v.how, v.evidence, v.reason) for place, v in said.items()} == stored


def test_lines_of_a_forgotten_session_are_nobodys(tmp_path: Path) -> None:
    found = leave_one_out.measure(clone("example", tmp_path), 3, random.Random(1))
    assert found.sessions and found.lines
    assert {"human observed", "another session"}.isdisjoint(found.answers)


@pytest.mark.parametrize(
    ("fixture", "part"),
    [
        ("human_between_edits", Part.FIRST),
        ("example", Part.LAST),
        ("visible_subagent", Part.SUBAGENT),
        ("example", Part.COPY),
    ],
)
def test_lines_of_a_lost_part_are_nobodys(fixture: str, part: Part, tmp_path: Path) -> None:
    found = leave_one_out.measure(clone(fixture, tmp_path), 3, random.Random(2), part)
    assert found.sessions and found.lines
    assert {"human observed", "human inferred", "another session"}.isdisjoint(found.answers)


@pytest.mark.parametrize("part", [Part.FIRST, Part.LAST])
def test_beginning_or_end_of_a_session_is_lost(part: Part, tmp_path: Path) -> None:
    variants = Variants(clone("errors_and_rejections", tmp_path))
    (whole,) = variants.sessions.edits
    rest = part_of_session.without_part(variants, whole.key, part, random.Random(1))
    assert rest is not None and rest.edits is not None
    lost = [raw.at for raw in whole.edits if raw.call.call_id in rest.forgotten]
    kept = [raw.at for raw in rest.edits.edits]
    assert lost and kept
    assert len(lost) + len(kept) == len(whole.edits)
    assert max(lost) <= min(kept) if part is Part.FIRST else max(kept) <= min(lost)
    assert rest.edits.ended == whole.ended if part is Part.FIRST else rest.edits.ended < whole.ended


def test_subagent_that_is_lost_was_still_started(tmp_path: Path) -> None:
    variants = Variants(clone("visible_subagent", tmp_path))
    (whole,) = variants.sessions.edits
    rest = part_of_session.without_part(variants, whole.key, Part.SUBAGENT, random.Random(1))
    assert rest is not None and rest.edits is not None
    assert any(raw.call.agent_id for raw in whole.edits)
    assert not any(raw.call.agent_id for raw in rest.edits.edits)
    assert any(action.unseen == Reason.INVISIBLE_SUBAGENT for action in rest.edits.actions)
    assert not any(action.unseen for action in whole.actions)


def test_session_without_a_second_copy_loses_none(tmp_path: Path) -> None:
    variants = Variants(clone("visible_subagent", tmp_path))
    (whole,) = variants.sessions.edits
    assert part_of_session.without_part(variants, whole.key, Part.COPY, random.Random(1)) is None


def test_planted_lines_are_never_an_agents(tmp_path: Path) -> None:
    rng = random.Random(1)
    donors = spike_in.Donors([_donor(tmp_path / "old")], rng)
    found = spike_in.measure(clone("example", tmp_path), donors, 3, rng)
    answers = {
        answer
        for kinds in found.values()
        for kind in ("after", "inside", "elsewhere")
        for answer in kinds.get(kind, ())
    }
    assert answers
    assert not any(answer.startswith("agent") for answer in answers)


def test_decoys_get_nothing(tmp_path: Path) -> None:
    first, second = clone("example", tmp_path / "one"), clone("noisy_session", tmp_path / "two")
    found = decoys.measure(first, [second], 2, random.Random(1))
    assert found.decoys == 2
    assert found.written and found.certain
    assert not found.given


def test_decoy_works_where_and_when_the_session_did(tmp_path: Path) -> None:
    sessions = [
        one for one in Variants(clone("example", tmp_path)).sessions.edits if len(one.edits) >= 3
    ]
    target, foreign = sessions[0], sessions[-1]
    decoy = decoys.mapped(foreign, target, 99, random.Random(1))
    assert {raw.edit.path for raw in decoy.edits} <= {raw.edit.path for raw in target.edits}
    assert all(
        target.edits[0].at <= raw.at <= max(one.at for one in target.edits) for raw in decoy.edits
    )
    assert {raw.call.session_id for raw in decoy.edits} == {99}
