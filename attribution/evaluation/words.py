"""Words about sessions, commits and evaluation runs: what they were for, how they went, why one
was not measured. Pure.
"""

from collector.vocabulary import Word


class FailureMode(Word):
    """How a session failed, by a fixed decision tree."""

    CLEAN = "clean", "it did not: no drift, few corrections"
    SHIFTED_INTENT = "shifted_intent", "the user's messages leave the task"
    ASSUMPTION_LOCKED = (
        "assumption_locked",
        "the agent continued as before although the user had corrected it twice",
    )
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


class TaskType(Word):
    """What a session was for."""

    CODING = "coding", "it changed files or made a commit, or was asked to"
    OPERATIONS = "operations", "it mostly ran commands, or was asked to"
    RESEARCH = "research", "it called tools and changed nothing"
    CHAT = "chat", "it called no tool"
    DISCOVERY = "discovery", "it wrote plans, designs or notes only"
    HEARTBEAT = "heartbeat", "a scheduled check"


class Work(Word):
    """Kinds of work that sessions are compared by."""

    MONITORING = "monitoring", "looking whether something runs"
    SELF_REVIEW = "self-review", "a review, audit or check of what is there"
    CONTENT = "content", "documentation and other texts"
    TRIAGE = "triage", "a bug, an error, something that fails"
    NOVELTY = "novelty", "a prototype, an experiment, a new program"
    CLEAN_UP = "clean-up", "refactoring, renaming, removing, formatting"
    CODE = "code", "any other change"


class Tier(Word):
    """Grades of the quality score, the best first."""

    EXCELLENT = "Excellent", "from 0.90"
    GOOD = "Good", "from 0.75"
    ACCEPTABLE = "Acceptable", "from 0.60"
    POOR = "Poor", "from 0.40"
    FAILED = "Failed", "below 0.40"


class SpecialScore(Word):
    """Sessions that are scored by a rule of their own, or not at all."""

    EMPTY = "empty", "nothing happened"
    NO_REPLY = "no_reply", "a check that asked for no reply"
    HEARTBEAT_OK = "heartbeat_ok", "a check that found everything in order"
    NO_PROMPT = "no_prompt", "no person typed anything, as in a subagent's session: it has no score"
    QUIET_CRON = "quiet_cron", "a scheduled session that found nothing"
    NO_TASK = "no_task", "the user typed commands of the agent's program only: no score"
    NO_OUTCOME = "no_outcome", "it worked on files, and nothing tells what became of that: no score"


class Unmeasured(Word):
    """Why a commit has no value of the delta maintainability model."""

    MERGE = "merge", "what it changed was measured in the commits that it merges"
    NO_CODE = "no_code", "it adds no line to a file that counts"
    VOLUME_UNCHANGED = "volume_unchanged", "no function grew, shrank, came or went"
    TOO_LARGE = "too_large", "more changed text than is read for one commit"
    UNREADABLE = "unreadable", "the clone lacks an object of it"
    NOT_PARSED = "not_parsed", "lizard failed on one of its files"
    FAILED = "failed", "it took too long or too much memory, or pydriller failed"


EXPECTED = (Unmeasured.MERGE, Unmeasured.NO_CODE, Unmeasured.VOLUME_UNCHANGED)
"""Ordinary reasons, which are counted; of the others every commit is a problem."""
