"""What an attempt came to, by documented rules. Pure.

Counts are transitions of tests from before the patch to after it. SWE-bench names categories by what the gold patch does to a test,
and `success` by whether the attempt did the same or better:

    fail_to_pass_count  FAIL_TO_PASS.success + FAIL_TO_FAIL.success (fixed although the gold patch does not)
    fail_to_fail_count  FAIL_TO_PASS.failure + FAIL_TO_FAIL.failure
    pass_to_pass_count  PASS_TO_PASS.success + PASS_TO_FAIL.success
    pass_to_fail_count  PASS_TO_PASS.failure; tests that the gold patch breaks as well are no regression

patch_outcome_label, the first rule that holds:

    unverifiable  the patch did not apply, or the verifier gave no result
    (none)        there was no patch, or a reward of less than 1 is all that is known
    correct       every test to fix is fixed and none is broken; without counts, a reward of 1
    partial       some are fixed: not all, or others are broken; without counts, a reward between 0 and 1
    regressive    none is fixed, some are broken
    no_effect     no test changed
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attribution.evaluation.words import PatchOutcome

COUNTS = ("fail_to_pass_count", "pass_to_pass_count", "pass_to_fail_count", "fail_to_fail_count")


def counts(tests: Mapping[str, list[int]]) -> dict[str, int]:
    """Transitions from the categories; empty when there are none."""
    if "FAIL_TO_PASS" not in tests and "PASS_TO_PASS" not in tests:
        return {}
    categories = ("FAIL_TO_PASS", "PASS_TO_PASS", "FAIL_TO_FAIL", "PASS_TO_FAIL")
    to_fix, to_keep, lost, given_up = (tests.get(name, [0, 0]) for name in categories)
    return {
        "fail_to_pass_count": to_fix[0] + lost[0],
        "fail_to_fail_count": to_fix[1] + lost[1],
        "pass_to_pass_count": to_keep[0] + given_up[0],
        "pass_to_fail_count": to_keep[1],
    }


def label(row: Mapping[str, Any]) -> PatchOutcome | None:
    """patch_outcome_label of a row of `attempts`. Tests that the gold patch does not fix either need not be fixed."""
    reward, fixed, broken = row.get("reward"), row.get("fail_to_pass_count"), row.get("pass_to_fail_count")
    if row.get("patch_exists") == 0:
        return None
    if row.get("patch_applies") == 0 or (reward is None and fixed is None and row.get("error")):
        return PatchOutcome.UNVERIFIABLE
    if fixed is None or broken is None:
        return _reward_label(reward)
    unfixed = row.get("fail_to_fail_count") if row.get("tests_to_fix_failed") is None else row["tests_to_fix_failed"]
    if not broken and not unfixed and (fixed or reward == 1):
        return PatchOutcome.CORRECT
    if fixed:
        return PatchOutcome.PARTIAL
    return PatchOutcome.REGRESSIVE if broken else PatchOutcome.NO_EFFECT


def _reward_label(reward: float | None) -> PatchOutcome | None:
    if reward is None or reward <= 0:
        return None
    return PatchOutcome.CORRECT if reward >= 1 else PatchOutcome.PARTIAL
