"""Which directories of this machine are worktrees of a repository."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collector.git.repository import GitRepo
from collector.text import normal_path

_DRIVE = re.compile(r"/[a-z]/")
_PRIVATE = "/private/"  # macOS: /tmp and /var are links into it
_SHORTEST = 2  # parts of a path; a clone in `/` or `/home` would take every session for its own


def comparable(path: str) -> str:
    """One spelling of a path: NFC, `/` between parts, no link that macOS adds, Windows paths in lower case."""
    normal = unicodedata.normalize("NFC", normal_path(path))
    if normal.startswith(_PRIVATE):
        normal = normal[len(_PRIVATE) - 1 :]
    return normal.lower() if _DRIVE.match(normal) else normal


@dataclass(frozen=True, slots=True)
class Roots:
    """The worktrees of a repository; `anywhere`: every directory counts as one."""

    paths: tuple[str, ...]  # as `comparable` writes them, longest first
    anywhere: bool = False
    _others: dict[str, bool] = field(default_factory=dict)

    @classmethod
    def of_repository(cls, repo: GitRepo, former: Iterable[str] = ()) -> Roots:
        """The worktrees of a clone, as they are named and where links lead; `former`: where it was before."""
        spelled = {comparable(str(form)) for path in repo.worktrees() for form in (path, path.resolve())}
        return cls.of_paths([*spelled, *former])

    @classmethod
    def of_paths(cls, paths: Iterable[str]) -> Roots:
        existing = {path for chosen in paths if (path := comparable(chosen)).count("/") >= _SHORTEST}
        return cls(tuple(sorted(existing, key=lambda path: (-len(path), path))))

    def of(self, path: str) -> str:
        """The worktree that contains a directory or file; "" for any other, and for one of another repository inside it."""
        if not path:
            return ""
        inner = comparable(path)
        if self.anywhere:
            return inner
        root = next((entry for entry in self.paths if inner == entry or inner.startswith(entry + "/")), "")
        return "" if root and self._is_of_another(inner, root) else root

    def _is_of_another(self, path: str, root: str) -> bool:
        """Whether a repository of its own lies between a worktree and a path in it."""
        if path not in self._others:
            between = [path[:end] for end in range(len(root) + 1, len(path) + 1) if end == len(path) or path[end] == "/"]
            self._others[path] = any((Path(step) / ".git").exists() for step in between)
        return self._others[path]

    def above(self, home: Path) -> Iterator[str]:
        """Directories between a worktree and the home directory, without both: agents are started there, too."""
        top = comparable(str(home))
        for root in self.paths:
            for parent in Path(root).parents:
                if str(parent).startswith(top + "/"):
                    yield str(parent)


ANYWHERE = Roots((), anywhere=True)
