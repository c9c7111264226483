"""Words about how sessions went. Pure."""

from __future__ import annotations

from collector.vocabulary import Word


class Convergence(Word):
    """How a region that several calls edited developed."""

    CONVERGING = "converging", "the edits get smaller"
    OSCILLATING = "oscillating", "an earlier state came back, or there is no trend"
    EXPANDING = "expanding", "the edits get larger"


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


class SessionOutcome(Word):
    """What became of a session's work: the first that applies."""

    REJECTED = "explicitly_rejected", "a person reverted it, or the user refused the changes"
    ACCEPTED = "accepted", "lines were committed, or the user accepted them"
    RESTARTED = "restarted_same_task", "another session on the same files followed within half an hour"
    ANSWERED = "answered", "it wrote nothing and ended with the agent's words"
    ABANDONED = "abandoned_mid_session", "none of these"
