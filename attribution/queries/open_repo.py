"""The clone that is looked at and its rows in the database, and how a file is found in it.

A clone that the database does not know yet is attributed first.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from collector.errors import UnknownBranch, WhoWroteError
from collector.git.repository import GitRepo
from collector.storage.store import Store
from collector.text import normal_path

SHORT = 9  # digits of a commit id for people


@dataclass(slots=True)
class KnownRepo:
    """A repository of the database."""

    store: Store
    repo_id: int
    name: str
    head: str  # tip of the branch when it was attributed
    branch: str
    notes: list[str] = field(default_factory=list)


@dataclass(slots=True)
class OpenRepo(KnownRepo):
    """An attributed clone."""

    repo: GitRepo = field(kw_only=True)


def _repo_row(store: Store, name: str) -> dict[str, Any] | None:
    rows = store.rows(
        "SELECT r.* FROM repos r JOIN stage_runs s ON s.repo_id = r.id AND s.stage = 'lines' WHERE r.name = ?", (name,)
    )
    return rows[0] if rows else None


def file_in(where: OpenRepo, sha: str, given: str) -> tuple[str, bytes]:
    """(path, content) of a file of a commit; `given` may also be relative to the working directory. Raises UnknownBranch."""
    for path in (given, normal_path(given), *_from_here(where.repo, given)):
        oid = where.repo.file_at(sha, path) if path else None
        if oid is not None:
            data = where.repo.blob(oid)
            if data is None:
                raise WhoWroteError(
                    f"the content of {path} is not in this clone", "It is a partial clone; fetch that file with git"
                )
            return path, data
    names = list(where.repo.paths(sha))
    same = [n for n in names if n.rpartition("/")[2] == given.rpartition("/")[2]]
    near = same[:3] or difflib.get_close_matches(given, names, 3, 0.7)
    hint = "Did you mean: " + ", ".join(near) if near else "Paths are relative to the root of the repository"
    raise UnknownBranch(f"there is no file {given} in {sha[:SHORT]}", hint)


def _from_here(repo: GitRepo, given: str) -> Iterator[str]:
    """The path below the work tree, when `given` is one of its files."""
    top = repo.path.parent.resolve()
    full = Path(given).resolve()
    if repo.path.name == ".git" and full.is_relative_to(top):
        yield full.relative_to(top).as_posix()
