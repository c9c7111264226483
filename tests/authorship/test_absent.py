"""Which missing copies of a session are a gap, and how far it reaches."""

from __future__ import annotations

from dataclasses import replace

import pytest

from attribution.authorship.absent import add_missing_ends
from attribution.authorship.commits import CommitHistory
from attribution.authorship.links import link_by_trailer
from attribution.authorship.run_data import RunInputs, SessionsRead, TranscriptReach
from attribution.authorship.session_edits import SessionEdits, add_missing_parents
from collector.json_values import JsonObject
from collector.model import Checkpoint, Commit, SessionRecord
from collector.vocabulary.lines import Reason
from collector.vocabulary.sessions import CheckpointStore, StoredTranscript

EARLY = "a1b2c3d4e5f6"
LATE = "0123456789ab"
NEVER = "ffffffffffff"
_PRESENT = SessionRecord(
    EARLY,
    0,
    "s",
    "s",
    created_at=1_000.0,
    transcript_state=StoredTranscript.PRESENT,
    cli_version="0.9.0",
    turn_id="t",
)
_MISSING = replace(
    _PRESENT, checkpoint_id=LATE, created_at=5_003.0, transcript_state=StoredTranscript.MISSING_BLOB
)


def _commit(key: str, at: float, committed: float = 0.0) -> Commit:
    who = ("Ada", "ada@example.com")
    return Commit(
        f"c-{key}-{at}",
        (),
        "t",
        *who,
        at,
        *who,
        committed or at,
        f"Title\n\nEntire-Checkpoint: {key}\n",
    )


_COMMITS = (_commit(EARLY, 998.0), _commit(LATE, 5_000.0))


def _gap(
    *records: SessionRecord, commits: tuple[Commit, ...] = _COMMITS, compact: bool = False
) -> tuple[float, list[str]]:
    """Up to when the session's end is missing (0: it is not), and the commits that are told so.
    Its last event was at 1,001.
    """
    track = SessionEdits(1, "s", "/w", ("/w",), 500.0, 1_001.0)
    reach = {"s": TranscriptReach("partial", 1_001.0, compact)}
    checkpoints = [
        Checkpoint(one.checkpoint_id, CheckpointStore.V1, "r", sessions=(one,)) for one in records
    ]
    links = link_by_trailer(commits, checkpoints)
    sessions = add_missing_ends(SessionsRead({"s": 1}, reach, [track]), checkpoints, links)
    evidence = RunInputs(checkpoints, sessions, CommitHistory([], {}), links)
    told = [sha for sha, link in links.items() if evidence.missing_transcripts(link)]
    return max((action.until for action in track.actions), default=0.0), told


def test_a_missing_copy_reaches_up_to_its_commit() -> None:
    """It is stored some seconds later, when the lines of the next commit are already being
    written.
    """
    assert _gap(_PRESENT, _MISSING) == (5_000.0, [_COMMITS[1].sha])


@pytest.mark.parametrize(
    ("committed", "stored", "until"),
    [
        (5_000.0, 900_000.0, 5_000.0),  # checkpoints of old commits were stored later
        (7_000.0, 7_002.0, 7_000.0),  # amended, and stored again
        (9_000.0, 5_003.0, 5_000.0),  # rebased since
    ],
)
def test_the_moment_of_a_copy_is_that_of_its_commit(
    committed: float, stored: float, until: float
) -> None:
    commits = (_COMMITS[0], _commit(LATE, 5_000.0, committed))
    assert _gap(_PRESENT, replace(_MISSING, created_at=stored), commits=commits)[0] == until


def test_a_copy_that_no_commit_names_reaches_up_to_when_it_was_stored() -> None:
    assert _gap(_PRESENT, replace(_MISSING, checkpoint_id=NEVER)) == (5_003.0, [])


@pytest.mark.parametrize(
    ("present", "missing", "compact"),
    [
        ({"content_hash": "h"}, {"content_hash": "h"}, False),  # another copy of the same text
        # a later copy
        (
            {"checkpoint_id": LATE, "created_at": 5_001.0},
            {"checkpoint_id": EARLY, "created_at": 1_000.0},
            False,
        ),
        ({}, {"compact": "c"}, True),  # its compact form was read
    ],
)
def test_a_missing_copy_is_no_gap_when_another_one_holds_all(
    present: JsonObject, missing: JsonObject, compact: bool
) -> None:
    assert _gap(replace(_PRESENT, **present), replace(_MISSING, **missing), compact=compact) == (
        0.0,
        [],
    )


@pytest.mark.parametrize(
    ("present", "missing"),
    [
        ({"content_hash": ""}, {"content_hash": ""}),
        ({"content_hash": "h"}, {"content_hash": "other"}),
        ({}, {"compact": "c"}),  # no reader got anything from it
        # stored later, nobody knows of which moment
        ({"checkpoint_id": NEVER, "created_at": 9_000.0}, {}),
    ],
)
def test_otherwise_it_is_a_gap(present: JsonObject, missing: JsonObject) -> None:
    assert _gap(replace(_PRESENT, **present), replace(_MISSING, **missing)) == (
        5_000.0,
        [_COMMITS[1].sha],
    )


def test_copies_of_old_recorders_hold_only_what_was_new() -> None:
    old = replace(_PRESENT, checkpoint_id=LATE, created_at=5_001.0, cli_version="")
    missing = replace(_MISSING, checkpoint_id=EARLY, created_at=3_000.0)
    commits = (_commit(EARLY, 2_998.0), _commit(LATE, 5_000.0))
    assert _gap(old, missing, commits=commits) == (2_998.0, [commits[0].sha])


@pytest.mark.parametrize(
    ("readable", "unseen"), [((), [(400.0 - 86_400.0, 900.0)]), (("parent",), [])]
)
def test_a_session_that_started_others_and_cannot_be_read_was_at_work(
    readable: tuple[str, ...], unseen: list[tuple[float, float]]
) -> None:
    children = [
        SessionEdits(1, "a", "/w", ("/w",), 600.0, 900.0),
        SessionEdits(2, "b", "/w", ("/w",), 400.0, 500.0),
    ]
    for child in children:
        child.parent = "parent"
    sessions = [*children, *(SessionEdits(9, key, "/w", ("/w",), 1.0, 2.0) for key in readable)]
    add_missing_parents(sessions, {"parent"})
    actions = [action for session in sessions for action in session.actions]
    assert [(action.at, action.until) for action in actions] == unseen
    assert {action.unseen for action in actions} <= {Reason.TRANSCRIPT_MISSING}


def test_what_copies_show_of_others_has_an_order_of_its_own() -> None:
    """A run looks up what an earlier one has kept by the text of it, in another process."""
    records = [replace(_PRESENT, checkpoint_id=f"{n:012}") for n in range(20)]
    checkpoints = [
        Checkpoint(one.checkpoint_id, CheckpointStore.V1, "r", sessions=(one,)) for one in records
    ]
    track = SessionEdits(1, "s", "/w", ("/w",), 500.0, 1_001.0)
    read = SessionsRead({"s": 1}, {"s": TranscriptReach("partial", 1_001.0)}, [track])
    held = add_missing_ends(read, checkpoints, {}).reach["s"].held
    assert list(held) == [(one.checkpoint_id, 0) for one in records]
