"""What happened to the files of a commit in the commits before it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from attribution.maintainability.measure import Author, PastCommit, PastFile, file_history
from attribution.maintainability.model import FileHistory


class EarlierWork:
    """The changed files of all ordinary commits, oldest first, found again by name."""

    def __init__(self, commits: Iterable[tuple[str, str, Sequence[PastFile]]], is_ancestor: Callable[[str, str], bool]) -> None:
        """`commits`: (id, e-mail of the author, changed files); `is_ancestor(a, b)`: whether b comes after a."""
        self._is_ancestor = is_ancestor
        self._authors: dict[str, Author] = {}
        self._order: dict[str, int] = {}
        self._by_name: dict[str, list[tuple[str, PastFile]]] = defaultdict(list)
        for sha, email, files in commits:
            self._authors[sha] = Author(email)
            self._order[sha] = len(self._order)
            for file in files:
                self._by_name[file.new_path].append((sha, file))

    def before(self, sha: str, paths: Sequence[str]) -> FileHistory | None:
        """Of files with these names before the commit `sha`; None when all of them are new."""
        names, known = list(paths), set(paths)
        commits: dict[str, list[PastFile]] = defaultdict(list)
        for name in names:  # grows: a file is followed to the names that it had before
            for other, file in self._by_name.get(name, ()):
                if self._is_ancestor(other, sha):
                    commits[other].append(file)
                    if file.renamed and file.old_path not in known:
                        known.add(file.old_path)
                        names.append(file.old_path)
        newest_first = sorted(commits, key=self._order.__getitem__, reverse=True)
        return file_history(paths, [PastCommit(self._authors[other], commits[other]) for other in newest_first])
