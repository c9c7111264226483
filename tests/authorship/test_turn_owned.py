"""Lines that only a turn can have brought, by what the recorder counted at each prompt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from attribution.authorship.conclude import CommitVerdict, VerdictSpan
from attribution.authorship.diffs import FileDiff
from attribution.authorship.lines import Verdict
from attribution.authorship.links import CommitLinks
from attribution.authorship.replay import CallRef
from attribution.authorship.timeline import SessionEdits
from attribution.authorship.turn_owned import OwnCommits, attribute_to_turn
from collector.model import Commit, FileChange, SessionRecord
from collector.vocabulary.lines import FileKind

SHA, KEY = "abcdef0123456789", "a1b2c3d4e5f6"
CALL = CallRef(1, "c1", 2, 10.0)
_WHO = ("Ada", "ada@example.com")
COMMIT = Commit(SHA, ("p",), "t", *_WHO, 10.0, *_WHO, 10.0, f"Title\n\nEntire-Checkpoint: {KEY}\n")
NOBODYS = '[{"checkpoint_number": 1, "user_lines_added": 0}, {"checkpoint_number": 2, "user_added_per_file": {"other.py": 3}}]'
RECORD = SessionRecord(KEY, 0, "s", "s", vendor_prompts=NOBODYS)


def _said(
    *spans: Verdict,
    link: Mapping[str, Any] | None = None,
    made: Mapping[str, CallRef] | None = None,
    kind: FileKind = FileKind.SOURCE,
) -> list[tuple[str, str]]:
    links = replace(CommitLinks(COMMIT, (KEY,), [RECORD]), **(link or {}))
    track = SessionEdits(1, "s", "/w", ("/w",), 1.0, 20.0, made=dict({SHA[:7]: CALL} if made is None else made))
    change = FileChange("a.py", "a.py", "x", "y", 0o100644, 0o100644, "M")
    verdict = CommitVerdict([(FileDiff(change, "text", kind=kind), [VerdictSpan(n, n, 1, one) for n, one in enumerate(spans, 1)])])
    attribute_to_turn(verdict, links, OwnCommits([track]))
    ((_, found),) = verdict.files
    assert all(one.verdict.call == CALL for one in found if one.verdict.how == "turn")
    return [(one.verdict.author, one.verdict.how) for one in found for _ in range(one.start, one.end + 1)]


def _nobody(reason: str) -> Verdict:
    return Verdict("unknown", "none", "inferred", reason)


OPEN, GIVEN = _nobody("opaque_shell"), ("agent", "turn")


def test_open_lines_of_a_file_that_nobody_else_changed_are_the_turns() -> None:
    human = Verdict("human", "none", "observed")
    assert _said(OPEN, human, _nobody("unobserved")) == [GIVEN, ("human", "none"), GIVEN]


@pytest.mark.parametrize("reason", ["git_operation", "other_branch", "transcript_missing", "checkpoint_missing", "rewritten"])
def test_text_from_elsewhere_or_of_lost_sessions_is_not_the_turns(reason: str) -> None:
    assert _said(_nobody(reason)) == [("unknown", "none")]


@pytest.mark.parametrize(
    "link",
    [
        {"records": [replace(RECORD, vendor_prompts='[{"user_added_per_file": {"a.py": 1}}]')]},
        {"records": [replace(RECORD, vendor_prompts='[{}, {"user_removed_per_file": {"a.py": 1}}]')]},
        {"records": [RECORD, replace(RECORD, index=1, session_id="other", vendor_prompts="")]},  # one session without counts
        {"records": [replace(RECORD, vendor_prompts="[1")]},
        {"records": [replace(RECORD, session_id="another")]},  # the call is of a session that the commit does not name
        {"incomplete": True},
        {"commit": replace(COMMIT, parents=("p", "q"))},
        {"commit": replace(COMMIT, sha="abcdef0999999999"), "named": ()},  # ids that begin alike
    ],
)
def test_without_all_conditions_nothing_is_concluded(link: Mapping[str, Any]) -> None:
    made = {SHA[:12]: CALL} if "named" in link else None
    assert _said(OPEN, link=link, made=made) == [("unknown", "none")]


@pytest.mark.parametrize("kind", [FileKind.LOCK, FileKind.DATA, FileKind.GENERATED])
def test_files_that_programs_write_are_not_the_turns(kind: FileKind) -> None:
    assert _said(OPEN, kind=kind) == [("unknown", "none")]


def test_a_commit_that_no_call_made_may_hold_what_a_person_typed_after_the_turn() -> None:
    assert _said(OPEN, made={}) == [("unknown", "none")]
