"""What other tools claim about a clone, read and checked."""

from __future__ import annotations

from typing import NamedTuple

from attribution.ensure.writing import claimed
from attribution.queries.repositories import repository
from attribution.stages.claims import ClaimsUpdate, check_claims
from collector.git.repository import GitRepo
from collector.repository_rows import describe_repo
from collector.runtime.progress import Progress, no_progress
from collector.runtime.stages import RunContext, StageName, last_run
from collector.storage.store import Store


class CheckedClaims(NamedTuple):
    repo_id: int
    update: ClaimsUpdate


def claims_checked(store: Store, path: str, branch: str = "", progress: Progress = no_progress) -> CheckedClaims:
    """Reads and checks the claims of the clone at `path`; attributed it need not be. Raises what opening it raises."""
    repo = GitRepo(path)
    with claimed(store, repo, "", progress) as repo_id:
        known = repository(store, repo_id)
        wanted = branch or (known.branch if known is not None else None)
        short, head = repo.resolve(wanted) if wanted else repo.default_branch()
        context = RunContext(store, repo, repo_id, progress)
        if last_run(store, repo_id, StageName.LINES) is None:
            with store.transaction():
                describe_repo(context, short, head)
        return CheckedClaims(repo_id, check_claims(context, head))
