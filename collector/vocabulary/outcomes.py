"""Words about how sessions went. Pure."""

from __future__ import annotations

from collector.vocabulary import Word


class Convergence(Word):
    """How a region that several calls edited developed."""

    CONVERGING = "converging", "the edits get smaller"
    OSCILLATING = "oscillating", "an earlier state came back, or there is no trend"
    EXPANDING = "expanding", "the edits get larger"


class SessionOutcome(Word):
    """What became of a session's work: the first that applies."""

    REJECTED = "explicitly_rejected", "a person reverted it, or the user refused the changes"
    ACCEPTED = "accepted", "lines were committed, or the user accepted them"
    RESTARTED = "restarted_same_task", "another session on the same files followed within half an hour"
    ANSWERED = "answered", "it wrote nothing and ended with the agent's words"
    ABANDONED = "abandoned_mid_session", "none of these"
