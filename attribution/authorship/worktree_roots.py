"""Where in the repository a path of a transcript lies. Pure.

Agents record absolute paths of the author's machine. A directory is a worktree of this repository
when what follows it are paths that the repository has, for enough different files: one is enough in
a session that names no working directory, and in a directory of worktrees inside another. Each
worktree is followed on its own.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from collector.text import canonical_path, comparable_path

# Directories in which tools put further worktrees of the same repository, inside the main one.
_WORKTREE = re.compile(r"^(?:/[^/]+)?/\.?worktrees?/.+$")
_MIN_FILES = 2
_MOST_LINKS = 5  # links that lead to links; they may lead in a circle


class PlacedPath(NamedTuple):
    """A file of a worktree."""

    root: str  # "" where the worktree is not known
    path: str  # in the repository


@dataclass(slots=True)
class WorktreeRoots:
    """Learns the worktree roots from all sessions of a repository, then places paths."""

    known: frozenset[str]  # every path the repository ever had
    # path of a symbolic link -> the path that it leads to
    links: Mapping[str, str] = field(default_factory=dict)
    # directories outside of the clone that a link makes a worktree -> that worktree
    aliases: Mapping[str, str] = field(default_factory=dict)
    # path of a file as it was written -> where git first saw it
    moved: dict[str, str] = field(default_factory=dict)
    votes: Counter[str] = field(default_factory=Counter)
    deep_votes: Counter[str] = field(default_factory=Counter)
    cwds: Counter[str] = field(default_factory=Counter)
    stated: set[str] = field(default_factory=set)  # git, or what git printed, says that they are
    # roots that sessions without any working directory speak for
    homeless: set[str] = field(default_factory=set)
    roots: tuple[str, ...] = ()
    # of roots: as `comparable_path` writes it, the root
    _keys: list[tuple[str, str]] = field(default_factory=list)
    _seen: set[str] = field(default_factory=set)
    _placed: dict[str, PlacedPath | None] = field(default_factory=dict)
    _folded: dict[str, str] = field(default_factory=dict)

    def learn(self, paths: Iterable[str], cwds: Iterable[str]) -> None:
        """Takes note of one session: the files it worked on and its working directories."""
        named = {canonical_path(self.real(cwd)) for cwd in cwds}
        self.cwds.update(named)
        for path in (canonical_path(self.real(path)) for path in paths):
            if path in self._seen or not path.startswith("/"):
                continue
            self._seen.add(path)
            suffix = self._longest_suffix(path)
            if suffix:
                root = path[: -len(suffix) - 1]
                self.votes[root] += 1
                self.deep_votes[root] += "/" in suffix
                if not named:
                    self.homeless.add(root)

    def real(self, path: str) -> str:
        """A path without the link that leads to a worktree."""
        return next(
            (
                root + path[len(alias) :]
                for alias, root in self.aliases.items()
                if f"{path}/".startswith(alias + "/")
            ),
            path,
        )

    def _longest_suffix(self, path: str) -> str:
        parts = path.strip("/").split("/")
        suffixes = ("/".join(parts[start:]) for start in range(1, len(parts)))
        return next(
            (
                suffix
                for suffix in suffixes
                if suffix in self.known or (not suffix.isascii() and self._usual_spelling(suffix))
            ),
            "",
        )

    def state(self, directory: str) -> None:
        """Takes note of a worktree that is known to be one; of the one around a directory, if
        files of it are known.
        """
        directory = canonical_path(directory)
        around = [
            root
            for root in self.votes
            if f"{directory}/".startswith(root + "/") and self._has(directory[len(root) + 1 :])
        ]
        if around or not any(directory.startswith(cwd + "/") for cwd in self.cwds):
            self.stated.add(max(around, key=len, default=directory))

    def _has(self, directory: str) -> bool:
        """Whether the repository ever had a directory; "" is its top."""
        return not directory or any(path.startswith(directory + "/") for path in self.known)

    def settle(self) -> None:
        """Decides which directories are worktree roots. Call once all sessions are learnt."""
        accepted: list[str] = sorted(self.stated)
        for root, count in sorted(
            self.votes.items(),
            key=lambda item: (-item[1], item[0] not in self.cwds, len(item[0]), item[0]),
        ):
            if root not in self.stated and self._is_root(root, count, accepted):
                accepted.append(root)
        if not self.known:  # sessions without a repository: each directory stands for itself
            homes = sorted((cwd for cwd in self.cwds if cwd.count("/") > 1), key=len)
            accepted = [
                cwd
                for n, cwd in enumerate(homes)
                if not any(cwd.startswith(outer + "/") for outer in homes[:n])
            ]
        # only files that were never committed: the usual directory is the best guess
        elif not any(map(self._is_used, accepted)):
            accepted += [cwd for cwd, _ in self.cwds.most_common(1) if cwd.count("/") > 1]
        self.roots = tuple(sorted(accepted, key=len, reverse=True))
        self._keys = [(comparable_path(root), root) for root in self.roots]
        self._placed.clear()

    def _is_used(self, root: str) -> bool:
        """Whether a session worked in the directory; git lists the clone itself, wherever the
        sessions were.
        """
        return root in self.votes or any(
            cwd == root or cwd.startswith(root + "/") for cwd in self.cwds
        )

    def _is_root(self, root: str, count: int, accepted: list[str]) -> bool:
        inside = max((a for a in accepted if root.startswith(a + "/")), key=len, default=None)
        if inside is not None and not _WORKTREE.match(root[len(inside) :]):
            return False  # `sub/README.md` of the real root, not a root `sub`
        inner = [
            a for a in accepted if a.startswith(root + "/") and not _WORKTREE.match(a[len(root) :])
        ]
        if any(
            a not in self.stated or (count <= self.votes[a] and root not in self.cwds)
            for a in inner
        ):
            return False  # the parent directory of a root with more evidence
        working = any(cwd == root or cwd.startswith(root + "/") for cwd in self.cwds)
        enough = 1 if inside is not None or root in self.homeless else _MIN_FILES
        return working or (count >= enough and self.deep_votes[root] >= 1)

    def move(self, path: str, home: str) -> None:
        """Takes note of a file that somebody moved before it was committed. Call after `settle`."""
        self.moved[path] = home
        self._placed.clear()

    def place(self, path: str, cwd: str = "") -> PlacedPath | None:
        """None for a file outside every worktree."""
        if path.startswith("~/"):
            return None
        if not path.startswith("/"):
            root = self.root_of(cwd)
            if root is None:
                path = self.moved.get(path, path)
                return PlacedPath("", path) if path in self.known else self._path_from_above(path)
            path = f"{cwd}/{path}" if path not in self.known else f"{root}/{path}"
        if path not in self._placed:
            real = self.real(path)
            root = self.root_of(real) or ""
            below = canonical_path(real)
            file = self._follow(below[len(root) + 1 :])
            # on some machines `Readme.md` and `README.md` are one file, as are both forms of an
            # accent
            if file not in self.known:
                file = self._usual_spelling(file) or self.moved.get(file, file)
            self._placed[path] = PlacedPath(root, file) if root and len(below) > len(root) else None
        return self._placed[path]

    def _path_from_above(self, path: str) -> PlacedPath | None:
        """Where a path leads that names the worktree, too: the editor was opened on a directory
        above it.
        """
        above, _, below = path.partition("/")
        root = next((root for root in self.roots if root.endswith(f"/{above}")), None)
        return PlacedPath(root, below) if root is not None and below in self.known else None

    def _follow(self, path: str) -> str:
        """The file that a path leads to: git has a link (CLAUDE.md -> AGENTS.md, a linked
        directory) and its target apart.
        """
        for _ in range(_MOST_LINKS):
            parts = path.split("/")
            prefixes = ("/".join(parts[:length]) for length in range(1, len(parts) + 1))
            link = next((prefix for prefix in prefixes if prefix in self.links), None)
            if link is None:
                break
            path = self.links[link] + path[len(link) :]
        return path

    def _usual_spelling(self, path: str) -> str:
        if not self._folded:
            for known in sorted(self.known):
                self._folded[_fold(known)] = "" if _fold(known) in self._folded else known
        return self._folded.get(_fold(path), "")

    def root_of(self, path: str) -> str | None:
        """The innermost worktree root that contains `path`."""
        path = comparable_path(self.real(path)) + "/"
        return next((root for key, root in self._keys if path.startswith(key + "/")), None)


def _fold(path: str) -> str:
    return unicodedata.normalize("NFC", path).lower()
