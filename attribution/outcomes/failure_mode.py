"""How a session failed, or that it did not: a fixed decision tree over measured features, embeddings and a judge's labels. Pure.

The questions are asked in order and the first rule that holds decides; a question without an answer ends the tree with NULL: a
later rule must not stand in for an earlier one.

1. stuck_loop: at least 5 calls repeat an earlier one exactly, and they are 30 % of all calls.
2. assumption_locked: assumption_lock_turn is set (needs embeddings, and a language that the classifier was measured on).
3. scope_drift above 2, more than twice the files needed (needs a judge; no file changed: not asked):
   multi_intent_confusion if the scope was wide from the first turn (conflation_turn there or nowhere) under a plan of 8 steps or
   more, scope_bleed if conflation_turn names a turn; else no rule fits.
4. shifted_intent: drift_onset_calibrated is set, and the user pushed back little.
5. clean: no such drift, and the user pushed back little.
6. Else no rule fits.

Little: pushback_turns up to a quarter of turns_classified, the later messages in a language that the classifier was measured on.
When these are fewer than half of the later messages, nothing is known about the user's words.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

VERSION = 2
MODES = ("clean", "shifted_intent", "assumption_locked", "scope_bleed", "stuck_loop", "multi_intent_confusion")
REPEATED, REPETITION_RATE = 5, 0.3
SCOPE_DRIFT = 2.0
MANY_STEPS = 8
FEW_PUSHBACKS = 0.25
COVERED = 0.5  # share of the later messages that the classifier must have read

_SILENT = "most later messages are in a language that the classifier was not measured on"

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
        return FailureVerdict(None, "no embeddings; run: whowrote data embed")
    if given["assumption_lock_turn"] is not None:
        return FailureVerdict("assumption_locked", f"pushed back twice from turn {given['assumption_lock_turn']} on without effect")
    if _later(given) > 1 and _pushback_share(given) is None:
        return FailureVerdict(None, _SILENT)
    return None


def _scope(given: Inputs) -> FailureVerdict | None:
    """None: the scope was kept, or nothing was changed."""
    if given["files_changed"] and not given["judged"]:
        return FailureVerdict(None, "no labels by a judge; run: whowrote data judge run")
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
    if not given["user_msg_lengths"]:
        return FailureVerdict(None, "the user typed nothing")
    share = _pushback_share(given)
    if share is None:
        return FailureVerdict(None, _SILENT)
    if share > FEW_PUSHBACKS:
        return FailureVerdict(None, f"no rule fits: {100 * share:.0f} % of the later messages push back, but the agent followed")
    if given["drift_onset_calibrated"] is not None:
        return FailureVerdict("shifted_intent", f"the user's messages leave the task at turn {given['drift_onset_calibrated']}")
    return FailureVerdict("clean", "no drift, little pushback")


def _later(given: Inputs) -> int:
    """Messages that the user typed after the first."""
    return max(0, len(given["user_msg_lengths"] or ()) - 1)


def _pushback_share(given: Inputs) -> float | None:
    """Of the later messages that were classified; None: too few were."""
    later, classified = _later(given), given["turns_classified"] or 0
    if not later:
        return 0.0
    return (given["pushback_turns"] or 0) / classified if classified >= COVERED * later and classified else None
