"""What other tools claim about a clone, read and checked."""

from __future__ import annotations

from attribution.stages.claims import ClaimsUpdate, check_claims
from collector.git.repository import GitRepo
from collector.load import describe_repo, refuse_namesake, repo_name, repo_row
from collector.runtime.progress import Progress, no_progress
from collector.runtime.stages import RunContext, StageName, last_run
from collector.storage.store import Store


def claims_checked(store: Store, path: str, branch: str = "", progress: Progress = no_progress) -> tuple[int, ClaimsUpdate]:
    """Reads and checks the claims of the clone at `path`; attributed it need not be. Raises what opening it raises."""
    repo = GitRepo(path)
    refuse_namesake(store, repo)
    name = repo_name(repo)
    known = store.rows("SELECT branch FROM repos WHERE name = ? AND branch IS NOT NULL", (name,))
    wanted = branch or (known[0]["branch"] if known else "")
    short, head = repo.resolve(wanted) if wanted else repo.default_branch()
    context = RunContext(store, repo, repo_row(store, name), progress)
    if last_run(store, context.repo_id, StageName.LINES) is None:
        with store.transaction():
            describe_repo(context, short, head)
    return context.repo_id, check_claims(context, head)
