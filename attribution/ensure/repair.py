"""Repositories whose rows are a mixture of several runs, read again from their clones."""

from __future__ import annotations

from attribution.authorship.options import AttributeOptions
from attribution.ensure.history import lines_followed
from attribution.ensure.writing import claimed
from attribution.lineage.requests import HistoryRequest
from attribution.queries.checks import mixed_repositories
from attribution.queries.open_repo import OpenRepo
from attribution.queries.repositories import attributed_repository, known_clones
from attribution.stages.lines import attribute_repo
from collector.runtime.progress import Progress
from collector.runtime.stages import StageName, forget_runs, last_run
from collector.storage.store import Store


def repaired(store: Store, progress: Progress) -> list[str]:
    """Reads every mixed repository again. Notes for people. Raises WhoWroteError when a clone is no longer where it was."""
    notes = []
    for repo_id in mixed_repositories(store):
        (known,) = known_clones(store, repo_id).clones
        was_followed = last_run(store, repo_id, StageName.HISTORY) is not None
        with claimed(store, known.clone, known.name, progress):
            with store.transaction():
                forget_runs(store, tuple(StageName), repo_id)
            attribute_repo(store, known.clone, AttributeOptions(anyway=True, name=known.name), progress)
        row = attributed_repository(store, repo_id)
        if was_followed and row is not None and row.head_sha is not None:
            where = OpenRepo(store, repo_id, row.name, row.head_sha, row.branch or "", repo=known.clone)
            lines_followed(where, HistoryRequest(), progress)
        notes.append(f"{known.name} was read again from {known.clone.path}")
    return notes
