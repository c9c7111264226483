"""A repository that is a dictionary: what readers of checkpoints and claims ask of a clone,
without git.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import cast

from collector.errors import UnknownBranch
from collector.git.base import NamedCommit, TreeEntry
from collector.git.repository import GitRepo
from collector.json_values import Texts
from collector.model import Commit

Tree = dict[str, "Tree | bytes"]
_ABSENT = "f" * 40


class MemoryRepo:
    """`refs`: name -> files by path. An object whose content is None is listed and not there."""

    refs_left_out = 0

    def __init__(
        self, refs: Mapping[str, Mapping[str, bytes | None]], message: str, author: str
    ) -> None:
        self._objects: dict[str, bytes | dict[str, TreeEntry] | Commit] = {}
        self._refs: Texts = {}
        for ref, files in refs.items():
            tree = self._tree(files)
            sha = self._id()
            self._objects[sha] = Commit(
                sha, (), tree, author, author, 1.0, author, author, 1.0, message
            )
            self._refs[ref] = sha

    def as_git(self) -> GitRepo:
        return cast(GitRepo, self)

    def content(self, oid: str) -> bytes:
        return self.blob(oid) or b""

    def default_branch(self) -> NamedCommit:
        # records among the files of commits are searched by git itself
        raise UnknownBranch("HEAD points to no commit")

    def _id(self) -> str:
        return f"{len(self._objects) + 1:040x}"

    def _tree(self, files: Mapping[str, bytes | None]) -> str:
        inner: dict[str, dict[str, bytes | None]] = {}
        entries: dict[str, TreeEntry] = {}
        for path, data in files.items():
            name, slash, rest = path.partition("/")
            if slash:
                inner.setdefault(name, {})[rest] = data
            else:
                oid = _ABSENT
                if data is not None:
                    oid = self._id()
                    self._objects[oid] = data
                entries[name] = TreeEntry(oid, False)
        entries |= {name: TreeEntry(self._tree(below), True) for name, below in inner.items()}
        oid = self._id()
        self._objects[oid] = entries
        return oid

    def refs(self) -> Texts:
        return dict(self._refs)

    def peel_commit(self, oid: str) -> str | None:
        return oid if isinstance(self._objects.get(oid), Commit) else None

    def commit(self, oid: str) -> Commit | None:
        found = self._objects.get(oid)
        return found if isinstance(found, Commit) else None

    def signature(self, oid: str) -> str:
        return ""

    def history(self, tip: str) -> Iterator[Commit]:
        return self.history_of([tip])

    def history_of(self, tips: Iterable[str], hide: object = None) -> Iterator[Commit]:
        return (found for tip in tips if (found := self.commit(tip)) is not None)

    def entries(self, oid: str) -> dict[str, TreeEntry]:
        found = self._objects.get(oid)
        if isinstance(found, Commit):
            found = self._objects.get(found.tree)
        return found if isinstance(found, dict) else {}

    def paths(self, oid: str) -> Texts:
        found: Texts = {}
        for name, entry in self.entries(oid).items():
            below = {f"{name}/{path}": blob for path, blob in self.paths(entry.oid).items()}
            found |= below if entry.is_tree else {name: entry.oid}
        return found

    def blob(self, oid: str) -> bytes | None:
        found = self._objects.get(oid)
        return found if isinstance(found, bytes) else None

    def blob_size(self, oid: str) -> int | None:
        found = self.blob(oid)
        return None if found is None else len(found)

    def has(self, oid: str) -> bool:
        return oid in self._objects
