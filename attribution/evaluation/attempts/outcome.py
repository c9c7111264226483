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


# Tests that the gold patch does not fix either need not be fixed.
LABEL = f"""
CASE
  WHEN evaluated = 0 OR patch_exists = 0 THEN NULL
  WHEN patch_applies = 0 OR (reward IS NULL AND fail_to_pass_count IS NULL AND error <> '') THEN '{PatchOutcome.UNVERIFIABLE}'
  WHEN fail_to_pass_count IS NULL OR pass_to_fail_count IS NULL THEN
    CASE WHEN reward >= 1 THEN '{PatchOutcome.CORRECT}' WHEN reward > 0 THEN '{PatchOutcome.PARTIAL}' END
  WHEN pass_to_fail_count = 0 AND COALESCE(tests_to_fix_failed, fail_to_fail_count, 0) = 0
    AND (fail_to_pass_count > 0 OR reward = 1) THEN '{PatchOutcome.CORRECT}'
  WHEN fail_to_pass_count > 0 THEN '{PatchOutcome.PARTIAL}'
  WHEN pass_to_fail_count > 0 THEN '{PatchOutcome.REGRESSIVE}'
  ELSE '{PatchOutcome.NO_EFFECT}'
END
"""
"""patch_outcome_label of a row of `attempts`, as SQL."""
