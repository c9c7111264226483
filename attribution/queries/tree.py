"""A directory of a repository's HEAD: what is in it, with lines by class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from attribution.queries.overview import CLASSES, by_class
from attribution.queries.repositories import RepositoryRow
from collector.errors import WhoWroteError
from collector.git.repository import GitRepo
from collector.storage.store import Store
from collector.storage.views import Column, Table, described_view, read_view


def tree(store: Store, repo: RepositoryRow, path: str = "") -> Table | None:
    """What is in a directory of HEAD, directories first, in order of their names; None when there is no such directory."""
    files = [(row["path"], by_class(row)) for row in read_view(store, "tip_files", {"repo_id": repo.id})]
    rows = _entries(path, files or [(name, {}) for name in _names(repo)])
    if not rows and path:
        return None
    named = [Column("name", "text", "file or directory"), Column("files", "integer", "files in a directory; NULL for a file")]
    lines = Column("lines", "integer", "non-blank lines; NULL where they were not followed [lines]")
    classes = [column for column in described_view("tip_files").columns if column.name in (*CLASSES, "older")]
    return Table("tree", "What is in a directory.", [*named, lines, *classes], rows)


def _names(repo: RepositoryRow) -> list[str]:
    """Files of HEAD, from the clone; none when it is gone."""
    if not repo.path or not repo.head_sha:
        return []
    try:
        clone = GitRepo(repo.path)
    except WhoWroteError:
        return []
    return list(clone.paths(repo.head_sha)) if clone.has(repo.head_sha) else []


def _entries(path: str, files: Iterable[tuple[str, Mapping[str, int]]]) -> list[dict[str, Any]]:
    prefix = f"{path}/" if path else ""
    lines: dict[tuple[bool, str], Counter[str]] = {}
    counts = Counter[tuple[bool, str]]()
    for name, classes in files:
        if name.startswith(prefix):
            first, slash, _ = name[len(prefix) :].partition("/")
            lines.setdefault((not slash, first), Counter()).update(classes)
            counts[not slash, first] += 1
    return [
        {
            "name": name, "path": prefix + name, "is_directory": not is_file, "files": None if is_file else counts[is_file, name],
            "lines": sum(of.values()) if of else None, **{kind: of[kind] for kind in (*CLASSES, "older")},
        }
        for (is_file, name), of in sorted(lines.items())
    ]  # fmt: skip
