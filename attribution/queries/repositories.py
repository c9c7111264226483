"""Repositories of a database: their rows, and where their clones are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from collector.errors import NotARepository, WhoWroteError
from collector.storage.store import Store, columns_of

if TYPE_CHECKING:
    from collector.git.repository import GitRepo


@dataclass(frozen=True, slots=True)
class RepositoryRow:
    id: int
    name: str
    path: str | None  # of the clone when it was attributed
    url: str | None
    branch: str | None
    head_sha: str | None  # tip of the branch when it was attributed; None before
    shallow: int  # 1: the clone lacks the past before some commit
    partial: int  # 1: the clone lacks blobs that the server has
    first_commit_at: str | None
    last_commit_at: str | None


_ROWS = f"SELECT {columns_of(RepositoryRow, 'r')} FROM repos r"


def repository(store: Store, repo_id: int) -> RepositoryRow | None:
    return store.select_one(RepositoryRow, f"{_ROWS} WHERE r.id = ?", (repo_id,))


def repository_named(store: Store, name: str) -> RepositoryRow | None:
    return store.select_one(RepositoryRow, f"{_ROWS} WHERE r.name = ?", (name,))


def attributed_repository(store: Store, repo_id: int | None) -> RepositoryRow | None:
    """The repository with that number, once its lines were attributed."""
    joined = "JOIN stage_runs s ON s.repo_id = r.id AND s.stage = 'lines'"
    return store.select_one(RepositoryRow, f"{_ROWS} {joined} WHERE r.id = ?", (repo_id,))


def all_repositories(store: Store, repo_id: int | None = None) -> list[RepositoryRow]:
    """The repositories in order of their names; with `repo_id` only that repository."""
    return store.select(
        RepositoryRow, f"{_ROWS} WHERE ? IS NULL OR r.id = ? ORDER BY r.name", (repo_id, repo_id)
    )


def uses_entire(store: Store, repo_id: int, clone: GitRepo, head: str) -> bool:
    """Whether Entire ever kept checkpoints of the repository, as far as the clone shows."""
    from collector.checkpoints.entire import SETTINGS, is_checkpoint_ref

    named = "SELECT 1 FROM commits WHERE repo_id = ? AND checkpoint_ids > 0 LIMIT 1"
    return (
        any(map(is_checkpoint_ref, clone.refs()))
        or clone.file_at(head, SETTINGS) is not None
        or store.value(named, (repo_id,)) is not None
    )


def clone_at(path: str | None) -> GitRepo | None:
    """The clone where it was when it was attributed; None when it is gone."""
    from collector.git.repository import GitRepo

    try:
        return GitRepo(path) if path else None
    except WhoWroteError:
        return None


def known_clones(
    store: Store, repo_id: int | None
) -> tuple[list[tuple[int, str, GitRepo]], list[str]]:
    """(number, name and clone of all repositories, or of one; a note for each clone that is no
    longer where it was).

    Raises WhoWroteError when none is.
    """
    from collector.git.repository import GitRepo

    clones = []
    notes = []
    for row in all_repositories(store, repo_id):
        try:
            clones.append((row.id, row.name, GitRepo(row.path or "")))
        except NotARepository:
            notes.append(f"the clone of {row.name} is no longer at {row.path}; add its path")
    if not clones:
        raise WhoWroteError(
            "the texts of the sessions are in the clones, and no clone was found",
            "\n".join(notes) or "Add the path of a clone",
        )
    return clones, notes
