"""A clone with what is known of it: nothing that attributes is loaded when it is known already."""

from collections.abc import Callable, Collection
from functools import partial

from attribution.queries.open_repo import OpenRepo, commits_since
from attribution.queries.repositories import attributed_repository
from collector.errors import WhoWroteError
from collector.git.repository import GitRepo
from collector.hooks import plugins
from collector.repository_rows import find_repo, repo_name
from collector.runtime.progress import Progress, no_progress
from collector.storage.store import Store
from collector.text import command_line


def attributed_clone(
    store: Store, repo: GitRepo, tell: Callable[[str], None], progress: Progress = no_progress
) -> OpenRepo:
    """A clone with its rows; attributed first, in a process of its own, when the database does not
    know it.

    Raises DatabaseUnusable, WhoWroteError: also where that process was killed.
    """
    path = repo.path
    row = attributed_repository(store, find_repo(store, repo))
    if row is None:
        from attribution.ensure.lines import AttributeRequest, attribute_each

        tell(f"{repo_name(repo)} is not in {store.path} yet: attributing it first")
        (done,) = attribute_each([AttributeRequest(str(path), store.path)], 1, progress)
        done.raise_error()
        row = attributed_repository(store, find_repo(store, repo))
    if row is None or row.head_sha is None or not repo.has(row.head_sha):
        raise WhoWroteError(
            f"the commit that {store.path} was made from is not in {path}",
            f"Update the database with: {command_line('whowrote', 'repo', path)}",
        )
    clone = OpenRepo(store, row.id, row.name, row.head_sha, row.branch or "", repo=repo)
    now = commits_since(repo, clone.branch, clone.head)
    clone.branch, clone.tip, clone.newer = now
    clone.complete = partial(_complete, store)
    if differs := now.differs(row.branch or "", clone.head):
        again = command_line("whowrote", "repo", repo.worktree() or repo.path)
        clone.notes.append(f"{differs}; to keep what is worked out for it: {again}")
    return clone


def _complete(base: Store, clone: OpenRepo, paths: Collection[str] = ()) -> None:
    from attribution.ensure.current import complete  # most questions are about what is attributed

    complete(base, clone, paths)


def mirror_address(address: str, progress: Progress) -> str:
    """Fetches the default branch, checkpoints and notes; returns the mirror's directory.

    Raises WhoWroteError, BadName, InUse.
    """
    for plugin in plugins():
        if (path := plugin.mirror(address, progress)) is not None:
            return path
    raise WhoWroteError(
        "this installation cannot mirror repositories",
        "Clone it with git, and give the clone's path",
    )
