"""Words about how sessions failed and what patches of evaluation runs did. Pure."""

from __future__ import annotations

from collector.vocabulary import Word


class FailureMode(Word):
    """How a session failed, by a fixed decision tree."""

    CLEAN = "clean", "it did not: no drift, few corrections"
    SHIFTED_INTENT = "shifted_intent", "the user's messages leave the task"
    ASSUMPTION_LOCKED = "assumption_locked", "the agent continued as before although the user had corrected it twice"
    SCOPE_BLEED = "scope_bleed", "the agent worked on something nobody had asked for"
    STUCK_LOOP = "stuck_loop", "calls repeat earlier ones exactly"
    MULTI_INTENT = "multi_intent_confusion", "the scope was wide from the first turn on"


class PatchOutcome(Word):
    """What the patch of an attempt did to the tests."""

    CORRECT = "correct", "every test to fix is fixed and none is broken"
    PARTIAL = "partial", "some are fixed: not all, or others are broken"
    REGRESSIVE = "regressive", "none is fixed, some are broken"
    NO_EFFECT = "no_effect", "no test changed"
    UNVERIFIABLE = "unverifiable", "the patch did not apply, or the verifier gave no result"
