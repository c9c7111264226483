"""How a session failed, or that it did not: a fixed decision tree over measured features, embeddings and a judge's labels. Pure.

The questions are asked in order and the first rule that holds decides; a question without an answer ends the tree with NULL: a
later rule must not stand in for an earlier one.

1. stuck_loop: at least 5 calls repeat an earlier one exactly, and they are 30 % of all calls.
2. assumption_locked: assumption_lock_turn is set (needs embeddings).
3. scope_drift above 2, more than twice the files needed (needs a judge; no file changed: not asked):
   multi_intent_confusion if the scope was wide from the first turn (conflation_turn there or nowhere) under a plan of 8 steps or
   more, scope_bleed if conflation_turn names a turn; else no rule fits.
4. shifted_intent: drift_onset_calibrated is set, and the user corrected little (correction_ratio up to 0.25).
5. clean: no such drift, and the user corrected little.
6. Else no rule fits.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

VERSION = 1
MODES = ("clean", "shifted_intent", "assumption_locked", "scope_bleed", "stuck_loop", "multi_intent_confusion")
REPEATED, REPETITION_RATE = 5, 0.3
SCOPE_DRIFT = 2.0
MANY_STEPS = 8
FEW_CORRECTIONS = 0.25

Inputs = Mapping[str, Any]
"""Feature -> value. `embedded` and `judged` say whether the session has embeddings and labels; `first_turn` is its number."""


class FailureVerdict(NamedTuple):
    """How a session failed."""

    mode: str | None  # None: it did not, or that cannot be told
    reason: str  # the rule that decided, or what is missing


def failure_mode(given: Inputs) -> FailureVerdict:
    """The first rule that fits."""
    if given["tool_call_count"] is None:
        return FailureVerdict(None, "the transcript cannot be read")
    if (given["repeated_calls"] or 0) >= REPEATED and (given["repetition_rate"] or 0.0) >= REPETITION_RATE:
        return FailureVerdict("stuck_loop", f"{given['repeated_calls']} of {given['tool_call_count']} calls repeat an earlier one")
    return _lock(given) or _scope(given) or _intent(given)


def _lock(given: Inputs) -> FailureVerdict | None:
    """None: the agent followed."""
    if not given["embedded"]:
        return FailureVerdict(None, "no embeddings; run: attribute embed")
    if given["assumption_lock_turn"] is not None:
        return FailureVerdict("assumption_locked", f"corrected twice from turn {given['assumption_lock_turn']} on without effect")
    return None


def _scope(given: Inputs) -> FailureVerdict | None:
    """None: the scope was kept, or nothing was changed."""
    if given["files_changed"] and not given["judged"]:
        return FailureVerdict(None, "no labels by a judge; run: attribute judge run")
    drift = given["scope_drift"]
    if given["files_changed"] and drift is None:
        return FailureVerdict(None, "the judge could not determine scope_drift")
    return _wide(drift, given) if given["files_changed"] and drift > SCOPE_DRIFT else None


def _wide(drift: float, given: Inputs) -> FailureVerdict:
    turn, steps = given["conflation_turn"], given["plan_steps_first"] or 0
    if steps >= MANY_STEPS and (turn is None or turn <= given["first_turn"]):
        return FailureVerdict("multi_intent_confusion", f"scope_drift {drift:g} from the start, a first plan of {steps} steps")
    if turn is not None:
        return FailureVerdict("scope_bleed", f"scope_drift {drift:g}, from turn {turn:g} on")
    return FailureVerdict(None, f"no rule fits: scope_drift {drift:g}, but no turn where it began")


def _intent(given: Inputs) -> FailureVerdict:
    corrections = given["correction_ratio"]
    if corrections is None:
        return FailureVerdict(None, "the user typed nothing, or not in English")
    if corrections > FEW_CORRECTIONS:
        return FailureVerdict(
            None, f"no rule fits: the user corrected in {100 * corrections:.0f} % of the messages, but the agent followed"
        )
    if given["drift_onset_calibrated"] is not None:
        return FailureVerdict("shifted_intent", f"the user's messages leave the task at turn {given['drift_onset_calibrated']}")
    return FailureVerdict("clean", "no drift, few corrections")
