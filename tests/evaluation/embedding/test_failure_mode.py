"""The decision tree of failure modes: each rule, each missing answer, and the order of the
rules.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support.answers import analysed_store, column, pick
from support.commands import clone

from attribution.evaluation.failure_modes.stage import failure_mode, fill_failure_modes
from attribution.evaluation.words import FailureMode
from collector.json_values import Row

_CLEAN: Row = {
    "tool_call_count": 20,
    "repeated_calls": 0,
    "repetition_rate": 0.0,
    "embedded": {"model": "m"},
    "files_changed": True,
    "assumption_lock_turn": None,
    "drift_onset_calibrated": None,
    "plan_steps_first": None,
    "scope_drift": 1.0,
    "conflation_turn": None,
    "user_msg_lengths": [9, 9, 9, 9, 9],
    "turns_classified": 4,
    "pushback_turns": 0,
    "first_turn": 1,
    "turn_pushes_back": [0, 0, 0, 0, 0],
    "touched_per_committed": None,
    "first_outside": None,
    "plan_steps_detected": 0,
}


MODES: dict[str, list[Row]] = {
    "clean": [
        {},
        {"repeated_calls": 4, "repetition_rate": 0.4},
        {"repeated_calls": 6, "repetition_rate": 0.29},
        {"scope_drift": 2.0, "conflation_turn": 4},
        {"turns_classified": 2},
        {"user_msg_lengths": [9], "turns_classified": 0, "pushback_turns": None},
        # Where words have no answer, sentence vectors have one; where words have one, they decide.
        {
            "turns_classified": 0,
            "pushback_turns": None,
            "embedded": {"turns_classified": 4, "pushback_turns": 1},
        },
        {"pushback_turns": 1, "embedded": {"turns_classified": 4, "pushback_turns": 4}},
        {"files_changed": False, "scope_drift": None},
        # Without a judge the files of the session's commits say what was needed; without a commit
        # nobody is asked.
        {"scope_drift": None},
        {"scope_drift": None, "touched_per_committed": 2.0, "first_outside": 3},
        # the judge is believed
        {"scope_drift": 1.0, "touched_per_committed": 9.0, "first_outside": 3},
        # Without embeddings: a single message leaves no task, and nobody is locked who was not
        # pushed back twice in a row.
        {"embedded": {}, "user_msg_lengths": [9], "turns_classified": 0},
    ],
    "stuck_loop": [
        {"repeated_calls": 6, "repetition_rate": 0.3},
        # The first rule that holds decides.
        {
            "repeated_calls": 9,
            "repetition_rate": 0.9,
            "assumption_lock_turn": 1,
            "embedded": {},
        },
    ],
    "assumption_locked": [
        {"assumption_lock_turn": 2},
        {"assumption_lock_turn": 1, "scope_drift": 9.0, "conflation_turn": 2},
    ],
    "scope_bleed": [
        {"scope_drift": 3.0, "conflation_turn": 4},
        {"scope_drift": 3.0, "plan_steps_first": 8, "conflation_turn": 2},
        {"scope_drift": 3.0, "plan_steps_first": 7, "conflation_turn": 1},
        {"scope_drift": None, "touched_per_committed": 3.0, "first_outside": 3},
        {
            "scope_drift": None,
            "touched_per_committed": 3.0,
            "first_outside": 3,
            "plan_steps_detected": 8,
        },
        {"embedded": {}, "scope_drift": 3.0, "conflation_turn": 4},
    ],
    "multi_intent_confusion": [
        {"scope_drift": 3.0, "plan_steps_first": 8},
        {"scope_drift": 3.0, "plan_steps_first": 8, "conflation_turn": 1},
        {
            "scope_drift": None,
            "touched_per_committed": 3.0,
            "first_outside": 1,
            "plan_steps_detected": 8,
        },
    ],
    "shifted_intent": [
        {"drift_onset_calibrated": 3},
        {"drift_onset_calibrated": 3, "pushback_turns": 1},
    ],
}


@pytest.mark.parametrize(
    ("changed", "mode"),
    [(changed, mode) for mode, several in MODES.items() for changed in several],
)
def test_rules(changed: Row, mode: str) -> None:
    found, reason = failure_mode({**_CLEAN, **changed})
    assert found == mode and found in list(FailureMode) and reason


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"tool_call_count": None}, "cannot be read"),
        ({"embedded": {}}, "whowrote data embed"),
        (
            {
                "embedded": {},
                "turn_pushes_back": [0, 1, 1, 0, 0],
                "scope_drift": 9.0,
                "conflation_turn": 2,
            },
            "whowrote data embed",
        ),
        (
            {"scope_drift": None, "touched_per_committed": 3.0, "first_outside": 1},
            "no turn where it began",
        ),
        ({"scope_drift": 5.0}, "no turn where it began"),
        ({"user_msg_lengths": []}, "typed nothing"),
        ({"user_msg_lengths": None}, "typed nothing"),
        ({"pushback_turns": 2}, "50 % of the later messages push back"),
        # A language without a measured classifier says nothing about corrections, and so nothing
        # about a lock.
        ({"turns_classified": 0, "pushback_turns": None}, "language"),
        ({"turns_classified": 1}, "language"),
        (
            {"turns_classified": 0, "embedded": {"turns_classified": 1, "pushback_turns": 0}},
            "language",
        ),
        (
            {"turns_classified": 0, "embedded": {"turns_classified": 4, "pushback_turns": 2}},
            "50 % of the later messages push back",
        ),
        (
            {
                "turns_classified": 0,
                "pushback_turns": None,
                "scope_drift": 9.0,
                "conflation_turn": 2,
            },
            "language",
        ),
    ],
)
def test_what_is_not_known_is_null(changed: Row, reason: str) -> None:
    mode, why = failure_mode({**_CLEAN, **changed})
    assert mode is None and reason in why


def test_the_table_has_a_row_for_every_session_and_labels_of_judges_do_not_mix(
    tmp_path: Path,
    db: Path,
) -> None:
    repo = clone("example", tmp_path)
    with analysed_store(repo, db) as store:
        insert = store.connection.execute
        for number, (model, at) in enumerate((("old", "2026-01-01"), ("new", "2026-02-01")), 1):
            insert(
                "INSERT INTO judgements VALUES (?, ?, 'session', '1', 'i', '{}', 1, NULL, NULL,"
                " NULL, ?)",
                (number, model, at),
            )
        insert("INSERT INTO judge_labels VALUES (1, 0, 'scope_drift', NULL, 9.0, 'old', '1', 1)")
        insert("INSERT INTO judge_labels VALUES (1, 0, 'conflation_turn', NULL, 2, 'old', '1', 1)")
        insert("INSERT INTO judge_labels VALUES (1, 0, 'scope_drift', NULL, 1.0, 'new', '1', 2)")
        insert(
            "INSERT INTO session_embeddings (session_id, backend, model, version, texts) VALUES (1,"
            " 'ngrams', 'm', 'v', 2)"
        )
        assert [
            r["session_failure_mode"]
            for r in store.rows("SELECT * FROM session_failure_modes WHERE session_id = 1")
        ] == [None]
        with store.transaction():
            fill_failure_modes(store, 1)
        rows = {row["session_id"]: row for row in store.rows("SELECT * FROM session_failure_modes")}
        assert rows.keys() == set(column(store, "SELECT session_id FROM session_features"))
        assert pick(rows[1], "session_failure_mode", "judge_model", "embedding_model") == (
            "clean",
            "new",
            "m",
        )
        assert (
            rows[2]["session_failure_mode"] is None and "whowrote data embed" in rows[2]["reason"]
        )
