"""What other tools claim about a clone, read and checked."""

from __future__ import annotations

from typing import NamedTuple

from attribution.queries.repositories import repository_named
from attribution.stages.claims import ClaimsUpdate, check_claims
from collector.git.repository import GitRepo
from collector.load import describe_repo, refuse_namesake, repo_name, repo_row
from collector.runtime.progress import Progress, no_progress
from collector.runtime.stages import RunContext, StageName, last_run
from collector.storage.store import Store


class CheckedClaims(NamedTuple):
    repo_id: int
    update: ClaimsUpdate


def claims_checked(store: Store, path: str, branch: str = "", progress: Progress = no_progress) -> CheckedClaims:
    """Reads and checks the claims of the clone at `path`; attributed it need not be. Raises what opening it raises."""
    repo = GitRepo(path)
    refuse_namesake(store, repo)
    name = repo_name(repo)
    known = repository_named(store, name)
    wanted = branch or (known.branch if known is not None else None)
    short, head = repo.resolve(wanted) if wanted else repo.default_branch()
    context = RunContext(store, repo, repo_row(store, name), progress)
    if last_run(store, context.repo_id, StageName.LINES) is None:
        with store.transaction():
            describe_repo(context, short, head)
    return CheckedClaims(context.repo_id, check_claims(context, head))
