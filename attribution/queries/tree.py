"""A directory of a repository's HEAD: what is in it, with lines by class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from attribution.queries.overview import CLASSES, TipFileRow
from attribution.queries.repositories import RepositoryRow
from collector.errors import WhoWroteError
from collector.git.repository import GitRepo
from collector.storage.store import Store, columns_of


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """A file or directory."""

    name: str
    path: str
    is_directory: bool
    files: int
    by_class: Mapping[str, int]  # lines with text; {} where nothing was followed

    @property
    def lines(self) -> int:
        return sum(self.by_class.values())


@dataclass(frozen=True, slots=True)
class Tree:
    """Directories first, then files, both in order of their names."""

    repo: RepositoryRow
    path: str  # "" is the top
    entries: list[TreeEntry]
    followed: bool  # False: names alone, from the clone


def tree(store: Store, repo: RepositoryRow, path: str = "") -> Tree | None:
    """None when there is no such directory."""
    sql = f"SELECT {columns_of(TipFileRow, 'f')} FROM tip_files f WHERE f.repo_id = ?"
    files = store.select(TipFileRow, sql, (repo.id,))
    followed = bool(files)
    found = [(file.path, file.by_class) for file in files] if followed else [(name, {}) for name in _names(repo)]
    entries = _entries(path, found)
    return Tree(repo, path, entries, followed) if entries or not path else None


def _names(repo: RepositoryRow) -> list[str]:
    """Files of HEAD, from the clone; none when it is gone."""
    if not repo.path or not repo.head_sha:
        return []
    try:
        clone = GitRepo(repo.path)
    except WhoWroteError:
        return []
    return list(clone.paths(repo.head_sha)) if clone.has(repo.head_sha) else []


def _entries(path: str, files: Iterable[tuple[str, Mapping[str, int]]]) -> list[TreeEntry]:
    prefix = f"{path}/" if path else ""
    lines: dict[tuple[str, bool], Counter[str]] = {}
    counts = Counter[tuple[str, bool]]()
    for name, by_class in files:
        if name.startswith(prefix):
            first, slash, _ = name[len(prefix) :].partition("/")
            lines.setdefault((first, bool(slash)), Counter()).update(by_class)
            counts[first, bool(slash)] += 1
    return [
        TreeEntry(name, prefix + name, inside, counts[name, inside], {k: of[k] for k in (*CLASSES, "older") if of[k]})
        for (name, inside), of in sorted(lines.items(), key=lambda item: (not item[0][1], item[0][0]))
    ]
