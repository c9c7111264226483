"""Brings the line history of a clone up to date."""

from collections.abc import Sequence

from attribution.ensure.writing import sole_writer
from attribution.lineage.requests import HistoryRequest
from attribution.queries.history import is_followed
from attribution.queries.open_repo import OpenRepo
from attribution.queries.survival import SurvivalOptions, SurvivalReport
from attribution.stages.history import follow_history
from attribution.stages.survival import fill_survival, kept_report
from collector.runtime.locks import writing_database, writing_repository
from collector.runtime.progress import Progress, no_progress
from collector.runtime.stages import RunContext
from collector.storage.store import Store


def lines_followed(clone: OpenRepo, request: HistoryRequest, progress: Progress) -> list[str]:
    """Brings the history of a clone up to date, and what is concluded from it. Notes for people."""
    with sole_writer(clone, progress):
        done = follow_history(
            RunContext(clone.store, clone.repo, clone.repo_id, progress), clone.head, request
        )
        progress("joining lines with authors", 0, 0)
        fill_survival(clone.store, clone.repo_id)
    return done.notes


def follow_first(clone: OpenRepo, progress: Progress = no_progress, full: bool = False) -> None:
    """Follows the lines of a clone where nobody has yet."""
    if not is_followed(clone):
        lines_followed(clone, HistoryRequest(full), progress)


def follow_newer(clone: OpenRepo) -> None:
    """The history of lines up to the last commit that was worked out for a question, beside which
    it is kept; nothing where none is followed.
    """
    if clone.newer and is_followed(clone):
        context = RunContext(clone.store, clone.repo, clone.repo_id, no_progress)
        follow_history(context, clone.newer[-1], HistoryRequest(None, None))
        fill_survival(clone.store, clone.repo_id)


def survival_reported(
    store: Store, repo_ids: Sequence[int], options: SurvivalOptions
) -> SurvivalReport:
    """The numbers over some repositories, which are computed once.

    Raises as `survival_report`, DatabaseUnusable.
    """
    survival_current(store, repo_ids)
    return kept_report(store, repo_ids, options)


def survival_current(store: Store, repo_ids: Sequence[int]) -> None:
    """Joins lines and authors again where the verdicts changed since. Raises DatabaseUnusable."""
    for repo_id in repo_ids:
        with writing_database(store), writing_repository(store, repo_id):
            fill_survival(store, repo_id)
