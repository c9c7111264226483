"""Labels of a language model for the sessions of a database, and how well they agree with people's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from attribution.judge.prompts import Request
from attribution.judge.run import JudgeOptions, JudgeRun, QuestionFilter
from attribution.judge.validation import Judge, Validation
from attribution.queries.repositories import all_repositories, known_clones
from attribution.queries.sessions import find_session
from attribution.stages import judge as stage
from attribution.stages import judge_validation
from attribution.stages.failure_modes import fill_failure_modes
from attribution.stages.turn_outcomes import labelled
from collector.errors import WhoWroteError
from collector.runtime.locks import writing_database
from collector.runtime.progress import Progress
from collector.storage.store import Store


class JudgeRequests(NamedTuple):
    requests: list[Request]
    notes: list[str]  # one for each clone that is gone


def judge_requests(store: Store, repo: int | None, wanted: QuestionFilter, progress: Progress) -> JudgeRequests:
    """The questions about the sessions of one repository or of all. Raises WhoWroteError when there is none."""
    session = find_session(store, wanted.session, repo) if wanted.session else None
    known = known_clones(store, repo)
    requests = stage.all_requests(store, [(c.repo_id, c.clone) for c in known.clones], wanted.questions, session, progress)
    if wanted.limit is not None:
        kept = list(dict.fromkeys(request.session_id for request in requests))[: wanted.limit]
        requests = [request for request in requests if request.session_id in kept]
    if not requests:
        raise WhoWroteError("no session has a conversation to judge", "List the sessions with: whowrote sessions")
    return JudgeRequests(requests, known.notes)


def run_judge(store: Store, repo: int | None, requests: Sequence[Request], options: JudgeOptions, progress: Progress) -> JudgeRun:
    """Runs the judge, then decides the failure modes again."""
    with writing_database(store, progress):
        try:
            return stage.run(store, requests, options, progress)
        finally:
            for row in all_repositories(store, repo):
                fill_failure_modes(store, row.id)
                labelled(store, row.id)


def validated(store: Store, path: Path, judge: Judge) -> Validation:
    """Compares the labels of a judge with people's and stores how well they agree. Raises WhoWroteError."""
    return judge_validation.validate(store, path, judge)
