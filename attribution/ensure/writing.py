"""The only writer of a repository, and of its database."""

from collections.abc import Iterator
from contextlib import contextmanager

from attribution.queries.open_repo import OpenRepo
from attribution.queries.repositories import repository
from collector.errors import WhoWroteError
from collector.git.repository import GitRepo
from collector.repository_rows import claim_repo, give_up_claim
from collector.runtime.locks import writing_database, writing_repository
from collector.runtime.progress import Progress
from collector.storage.store import Store


@contextmanager
def claim_repository(store: Store, repo: GitRepo, name: str, progress: Progress) -> Iterator[int]:
    """Claims a repository and is its only writer inside; gives its number. Raises NameTaken."""
    with writing_database(store, progress):
        repo_id = claim_repo(store, repo, name)
        with writing_repository(store, repo_id, progress):
            try:
                yield repo_id
            except WhoWroteError:
                give_up_claim(store, repo_id)
                raise


@contextmanager
def sole_writer(clone: OpenRepo, progress: Progress) -> Iterator[None]:
    """The only writer of an attributed repository, which stands at the commit that it was last
    attributed at.
    """
    with (
        writing_database(clone.store, progress),
        writing_repository(clone.store, clone.repo_id, progress),
    ):
        row = repository(clone.store, clone.repo_id)
        if row is None:
            raise WhoWroteError(
                f"{clone.name} was removed from the database", "Run the same command again"
            )
        # another run may have moved it in the meantime
        if row.head_sha is not None and clone.repo.has(row.head_sha):
            clone.head, clone.branch = row.head_sha, row.branch or ""
        yield
