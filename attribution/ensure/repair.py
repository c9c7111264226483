"""Repositories whose rows are a mixture of several runs, read again from their clones."""

from __future__ import annotations

from attribution.authorship.options import AttributeOptions
from attribution.ensure.history import lines_followed
from attribution.ensure.writing import claim_repository
from attribution.lineage.requests import HistoryRequest
from attribution.queries.checks import mixed_repositories
from attribution.queries.open_repo import OpenRepo
from attribution.queries.repositories import attributed_repository, known_clones
from attribution.stages.lines import attribute_repo
from collector.runtime.progress import Progress
from collector.runtime.stages import StageName, forget_runs, last_run
from collector.storage.store import Store


def repair(store: Store, progress: Progress) -> list[str]:
    """Reads every mixed repository again. Notes for people. Raises WhoWroteError when a clone is no longer where it was."""
    notes = []
    for repo_id in mixed_repositories(store):
        (source,) = known_clones(store, repo_id).clones
        was_followed = last_run(store, repo_id, StageName.HISTORY) is not None
        with claim_repository(store, source.clone, source.name, progress):
            with store.transaction():
                forget_runs(store, tuple(StageName), repo_id)
            attribute_repo(store, source.clone, AttributeOptions(anyway=True, name=source.name), progress)
        row = attributed_repository(store, repo_id)
        if was_followed and row is not None and row.head_sha is not None:
            clone = OpenRepo(store, repo_id, row.name, row.head_sha, row.branch or "", repo=source.clone)
            lines_followed(clone, HistoryRequest(), progress)
        notes.append(f"{source.name} was read again from {source.clone.path}")
    return notes
