"""Words about processing many repositories. Pure."""

from __future__ import annotations

from collector.vocabulary import Word


class JobState(Word):
    """Result of the last run of a job."""

    DONE = "done", "finished"
    NOTHING = "nothing", "there are no checkpoints"
    FAILED = "failed", "failed; the next run tries again"
    GIVEN_UP = "given_up", "failed twice on the same input; tried again when that changes, or with --retry"
