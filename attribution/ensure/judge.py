"""Labels of a language model for the sessions of a database, and how well they agree with people's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from attribution.judge.prompts import Request
from attribution.judge.run import JudgeOptions, JudgeRun, QuestionFilter
from attribution.judge.validation import Judge, Validation
from attribution.queries.embeddings import clones
from attribution.queries.sessions import session_id
from attribution.stages import judge as stage
from attribution.stages import judge_validation
from attribution.stages.failure_modes import fill_failure_modes
from collector.errors import WhoWroteError
from collector.runtime.progress import Progress
from collector.storage.store import Store


def judge_requests(store: Store, repo: int | None, wanted: QuestionFilter, progress: Progress) -> tuple[list[Request], list[str]]:
    """The questions about the sessions of one repository or of all, and notes. Raises WhoWroteError when there is none."""
    session = session_id(store, wanted.session, repo) if wanted.session else None
    known, notes = clones(store, repo)
    found = stage.all_requests(store, [(number, clone) for number, _, clone in known], wanted.questions, session, progress)
    if wanted.limit is not None:
        kept = list(dict.fromkeys(r.session_id for r in found))[: wanted.limit]
        found = [r for r in found if r.session_id in kept]
    if not found:
        raise WhoWroteError("there is no session with a conversation to judge", "See what was read with: attribute sessions")
    return found, notes


def run_judge(store: Store, repo: int | None, requests: Sequence[Request], options: JudgeOptions, progress: Progress) -> JudgeRun:
    """Runs the judge, then decides the failure modes anew."""
    try:
        return stage.run(store, requests, options, progress)
    finally:
        for row in store.rows("SELECT id FROM repos WHERE ? IS NULL OR id = ?", (repo, repo)):
            fill_failure_modes(store, row["id"])


def validated(store: Store, path: Path, judge: Judge) -> Validation:
    """Compares the labels of a judge with people's and stores how well they agree. Raises WhoWroteError."""
    return judge_validation.validate(store, path, judge)
