"""Curves worked out by hand from vectors chosen by hand; the cache, the resuming run, the
backends.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from support.commands import Analysed, clone, run
from support.schema_columns import columns

from attribution.authorship.options import AttributeOptions
from attribution.evaluation.conversation import Conversation, conversation_of
from attribution.evaluation.embedding.drift import (
    FEATURES,
    compute,
    edit_distance,
    lasting_onset,
    texts,
)
from attribution.evaluation.embedding.stage import EmbeddingRun, embed_repo
from attribution.evaluation.models import NGRAMS, Scale, cosine, embedder
from attribution.stages.lines import attribute_repo
from collector.git.repository import GitRepo
from collector.model import AgentMessage, Session, SessionEvent, ToolCall, Turn
from collector.runtime.stages import RunContext
from collector.storage.connection import cache_path
from collector.storage.store import Store

SCALE = Scale(drift=0.5, flat=0.05, same=0.9)


def _angle(degrees: float) -> list[float]:
    return [math.cos(math.radians(degrees)), math.sin(math.radians(degrees))]


def _conversation(*pairs: tuple[str, str], **more: object) -> Conversation:
    """Turns as (what the user typed, what the agent said)."""
    turns = tuple(Turn(i, float(10 * i), asked) for i, (asked, _) in enumerate(pairs, 1))
    said = tuple(
        AgentMessage(10.0 * i + 1, i, "text", answer)
        for i, (_, answer) in enumerate(pairs, 1)
        if answer
    )
    return conversation_of(replace(Session("s", "claude-code", turns=turns, messages=said), **more))  # type: ignore[arg-type]


def _computed(conversation: Conversation, angles: dict[str, float]) -> dict[str, object]:
    return dict(
        compute(
            conversation, {text: _angle(angles[text]) for text in texts(conversation, SCALE)}, SCALE
        )
    )


# --- curves ---------------------------------------------------------------------------------------


def test_curves_by_hand() -> None:
    talk = _conversation(
        ("mend the red door today", "on it"),
        ("yes", "still the door"),
        ("now paint the far fence", "painting"),
        ("good", ""),
    )
    found = _computed(
        talk,
        {
            "mend the red door today": 0,
            "on it": 0,
            "still the door": 60,
            "now paint the far fence": 90,
            "painting": 90,
        },
    )
    # The mean of a turn's message and answer; "yes" has no direction, its answer has; the last turn
    # has neither.
    assert found["cp_curve"] == [0.0, 0.5, 1.0, None]
    assert found["curve_turns"] == [1, 2, 3, 4]
    assert found["max_cp"] == 1.0
    assert found["drift_onset_turn"] == 1
    assert found["drift_onset_calibrated"] is None  # one turn beyond 0.5
    assert found["intent_coherence_curve"] == [1.0, 0.5, pytest.approx(0, abs=1e-9), None]
    assert found["goal_alignment_at_close"] == pytest.approx(0, abs=1e-9)
    assert found["plan_ged"] is None and found["assumption_lock_turn"] is None


def test_a_turn_is_the_mean_of_message_and_answer() -> None:
    talk = _conversation(("mend the red door today", ""), ("now paint the far fence", "done"))
    found = _computed(
        talk, {"mend the red door today": 0, "now paint the far fence": 0, "done": 90}
    )
    assert found["cp_curve"] == [0.0, round(1 - math.cos(math.radians(45)), 3)]


def test_a_greeting_is_not_the_task() -> None:
    talk = _conversation(("hello", "hi there"), ("mend the red door today", "done"))
    found = _computed(talk, {"mend the red door today": 0, "done": 0})
    assert found["cp_curve"] == [None, 0.0] and found["max_cp"] is None
    assert found["intent_coherence_curve"] == [None, 1.0]


def test_without_a_task_there_is_nothing() -> None:
    found = _computed(_conversation(("hello", "hi there")), {})
    assert {name for name, value in found.items() if value is not None} == {"curve_turns"}


def test_what_a_harness_says_is_no_turn_and_no_text() -> None:
    turns = (
        Turn(1, 0.0, "mend the red door today"),
        Turn(2, 5.0, "<system>your agent has finished the work</system>", "injected"),
    )
    session = Session(
        "s",
        "claude-code",
        turns=turns,
        messages=(AgentMessage(1.0, 1, "text", "sub", agent_id="x"),),
        marks=(SessionEvent("x", 1.0, 1),),
    )
    assert texts(conversation_of(session), SCALE) == ["mend the red door today"]


@pytest.mark.parametrize(
    ("curve", "onset"),
    [
        ([0.0, 0.6, 0.7], 1),
        ([0.0, 0.6, 0.7, 0.2, 0.1], None),  # an excursion
        ([0.0, 0.6, 0.1, 0.2, 0.7], None),
        ([0.0, 0.6, 0.1, 0.2, 0.7, 0.8], 4),
        ([0.0, 0.6, 0.5, 0.7], 1),  # exactly two thirds; 0.5 is not beyond 0.5
        ([0.0, 0.1, 0.9], None),  # one turn tells nothing
        ([0.0, 0.9, None, 0.8], 1),
        ([0.0, None], None),
        ([], None),
    ],
)
def test_drift_lasts(curve: list[float | None], onset: int | None) -> None:
    assert lasting_onset(curve, 0.5) == onset


# --- assumption lock ------------------------------------------------------------------------------

_TASK = "mend the red door today"
_WRONG = "that's not what I asked for", "no, that is wrong again"


def _corrected(after: float) -> object:
    talk = _conversation(
        (_TASK, "a"), ("please go on with that", "b"), (_WRONG[0], "c"), (_WRONG[1], "d")
    )
    flat = {
        _TASK: 0.0,
        "please go on with that": 0.0,
        _WRONG[0]: 0.0,
        _WRONG[1]: 0.0,
        "a": 0.0,
        "b": 60.0,
        "c": 60.0,
        "d": after,
    }
    return _computed(talk, flat)["assumption_lock_turn"]


def test_an_agent_that_goes_on_although_corrected_twice_is_locked() -> None:
    assert _corrected(after=61.0) == 2


def test_an_agent_that_turns_back_is_not() -> None:
    assert _corrected(after=20.0) is None


def test_one_correction_locks_nothing() -> None:
    talk = _conversation((_TASK, "a"), (_WRONG[0], "b"), ("thanks, that is fine now", "c"))
    angles = dict.fromkeys((_TASK, _WRONG[0], "thanks, that is fine now", "a", "b", "c"), 0.0)
    assert _computed(talk, angles)["assumption_lock_turn"] is None


# --- plans ----------------------------------------------------------------------------------------


def test_edit_distance_of_plans() -> None:
    rows = {
        "read": _angle(0),
        "write": _angle(90),
        "test": _angle(180),
        "write it": _angle(90),
        "half": _angle(60),
    }
    assert edit_distance(["read", "write"], ["read", "write"], rows, 0.9) == 0
    # the same step in other words
    assert edit_distance(["read", "write"], ["read", "write it"], rows, 0.9) == 0
    assert edit_distance(["read", "write"], ["read", "write", "test"], rows, 0.9) == 1
    assert edit_distance(["read"], ["half"], rows, 0.9) == 0.5
    assert edit_distance(["read"], ["test"], rows, 0.9) == 1  # never worse than another step
    assert edit_distance([], ["read", "test"], rows, 0.9) == 2


def _todo(at: float, *steps: str) -> ToolCall:
    listed = ", ".join(f'{{"content": "{step}", "status": "pending"}}' for step in steps)
    return ToolCall(f"t{at}", "TodoWrite", 1, at, input=f'{{"todos": [{listed}]}}')


def test_plans_of_every_kind_are_found_in_order() -> None:
    session = Session(
        "s",
        "claude-code",
        turns=(
            Turn(1, 0.0, _TASK),
            Turn(2, 20.0, "# Plan\n1. Saw\n2. Sand\n- [ ] Oil\nand rest", "plan"),
        ),
        calls=(
            _todo(5.0, "measure", "cut"),
            ToolCall(
                "u",
                "update_plan",
                1,
                9.0,
                input='{"plan": [{"step": "hinge", "status": "completed"}]}',
            ),
            ToolCall("x", "ExitPlanMode", 1, 10.0, input='{"plan": "1. Paint"}'),
            ToolCall(
                "c", "TaskCreate", 1, 11.0, input='{"subject": "one task at a time is no plan"}'
            ),
            ToolCall("b", "TodoWrite", 1, 12.0, input='{"todos": "broken'),
            ToolCall("e", "TodoWrite", 1, 13.0, input='{"todos": [7, {"content": ""}]}'),
        ),
    )
    assert conversation_of(session).plans == (
        ("measure", "cut"),
        ("hinge",),
        ("Paint",),
        ("Saw", "Sand", "Oil"),
    )


def test_the_same_plan_twice_has_distance_zero_and_one_plan_has_none() -> None:
    once, twice = (
        Session("s", "x", calls=calls)
        for calls in ((_todo(1.0, "cut"),), (_todo(1.0, "cut"), _todo(2.0, "cut")))
    )
    assert _computed(conversation_of(once), {"cut": 0})["plan_ged"] is None
    found = _computed(conversation_of(twice), {"cut": 0})
    assert (found["plan_ged"], found["plan_steps_first"]) == (0, 1)


# --- backends -------------------------------------------------------------------------------------


def test_hashed_words_see_shared_words() -> None:
    ngrams = embedder()
    one, near, far, none = ngrams.embed(
        ["Fix the parser's errors", "the parsing errors are fixed", "paint my fence blue", "the of"]
    )
    assert cosine(one, one) == pytest.approx(1)
    assert (cosine(one, near) or 0) > 0.2 > abs(cosine(one, far) or 0)
    assert cosine(one, none) is None
    assert ngrams.embed(["Fix the parser's errors"]) == [one]  # the same in every process: no seed


# --- the stage ------------------------------------------------------------------------------------


class Counting:
    """Two numbers per text, and how many texts it was asked for."""

    backend = "counting"
    model = "counting-1"
    scale = SCALE

    def __init__(self, stop_after: int | None = None) -> None:
        self.seen: list[str] = []
        self._left = stop_after

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        if self._left is not None and len(self.seen) >= self._left:
            raise KeyboardInterrupt
        self.seen.extend(texts)
        return [_angle(float(len(text) % 90)) for text in texts]


def _attributed(tmp_path: Path) -> Analysed:
    repo = clone("example", tmp_path)
    with Store(tmp_path / "e.db") as store:
        attribute_repo(store, repo, AttributeOptions())
    return Analysed(repo, tmp_path / "e.db")


def _embed(store: Store, path: Path, with_: Counting) -> tuple[int, int, int]:
    done = EmbeddingRun()
    embed_repo(RunContext(store, GitRepo(path), 1), with_, done)
    return done.sessions, done.computed, done.unchanged


def test_a_second_run_does_nothing_and_a_new_model_everything(tmp_path: Path) -> None:
    repo, db = _attributed(tmp_path)
    with Store(db) as store:
        first = Counting()
        sessions, computed, _ = _embed(store, repo, first)
        assert sessions >= 3 and computed == len(first.seen) == len(set(first.seen))
        before = store.rows("SELECT * FROM session_embeddings ORDER BY session_id")
        again = Counting()
        assert _embed(store, repo, again) == (0, 0, sessions) and again.seen == []
        other = Counting()
        other.model = "counting-2"
        assert _embed(store, repo, other)[:2] == (sessions, computed)
        assert (
            store.rows(
                "SELECT * FROM session_embeddings WHERE model = 'counting-1' ORDER BY session_id"
            )
            == before
        )


def test_a_killed_run_goes_on_without_embedding_a_text_twice(tmp_path: Path) -> None:
    repo, db = _attributed(tmp_path)
    with Store(db) as store:
        whole = Counting()
        _embed(store, repo, whole)
        expected = store.rows("SELECT * FROM session_embeddings ORDER BY session_id")
        store.connection.execute("DELETE FROM session_embeddings")
        cache_path(db).unlink()
        store.connection.execute("DELETE FROM stage_runs WHERE stage = 'embed'")
        broken = Counting(stop_after=1)
        with pytest.raises(KeyboardInterrupt):
            _embed(store, repo, broken)
        rest = Counting()
        _embed(store, repo, rest)
        assert sorted(broken.seen + rest.seen) == sorted(whole.seen)
        assert store.rows("SELECT * FROM session_embeddings ORDER BY session_id") == expected


def test_columns_are_what_the_registry_says() -> None:
    first = ["session_id", "backend", "model", "version", "texts"]
    assert list(columns()["session_embeddings"]) == [*first, *(f.name for f in FEATURES)]
    assert {f.kind for f in FEATURES} == {"embedding"}


def test_the_command_shows_sessions(tmp_path: Path) -> None:
    repo, db = _attributed(tmp_path)
    shown = run("data", "embed", repo, "--model", NGRAMS, db=db)
    assert "ngrams-1" in shown.stderr and "texts computed" in shown.stderr
    assert "03631055" in shown.stdout
