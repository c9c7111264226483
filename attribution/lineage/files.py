"""Contents of files for the history pass: blobs within bounds, their line counts and their
differences.
"""

from collections import OrderedDict

from attribution.lineage.model import BINARY, UNREADABLE
from collector.git.base import BlobEntry
from collector.git.diff_tree import Range
from collector.git.renames import RenameTexts
from collector.git.repository import GitRepo, line_changes
from collector.model import Problem
from collector.text import is_binary, split_lines

STAGE = "history"
_CACHE = 32 << 20  # bytes of blobs kept
_MAX_PROBLEMS = 10_000
_COMPARISONS = 1_000_000  # of two files in one commit, in the search of renames


class Contents:
    """Blobs of one repository, none larger than `max_file`."""

    def __init__(self, repo: GitRepo, max_file: int) -> None:
        self._repo = repo
        self._max = max_file
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._size = 0
        self.problems: list[Problem] = []
        self.written: set[str] = set()  # contents that some commit wrote so far
        self._reported: set[tuple[str, str]] = set()

    def get(self, oid: str) -> bytes | None:
        """Content, or None: missing, or larger than the bound."""
        cached = self._kept.get(oid)
        if cached is not None:
            self._kept.move_to_end(oid)
            return cached
        data = self._repo.text_blob(oid, self._max)
        if data is not None:
            self._kept[oid] = data
            self._size += len(data)
            while self._size > _CACHE:
                self._size -= len(self._kept.popitem(last=False)[1])
        return data

    def count(self, oid: str) -> tuple[int, int]:
        """(lines, flags) of a blob; no lines when it cannot be read."""
        data = self.get(oid)
        if data is None:
            self.unreadable(oid)
            return 0, UNREADABLE
        return data.count(b"\n") + (not data.endswith(b"\n") if data else 0), (
            BINARY if is_binary(data) else 0
        )

    def blank(self, oid: str) -> list[int]:
        """The lines of a blob that have no text, from 0 on; none when it is binary or cannot be
        read.
        """
        data = self.get(oid)
        if data is None or is_binary(data):
            return []
        return [n for n, line in enumerate(split_lines(data)) if not line.strip()]

    def diff(self, old: str, new: str) -> list[Range] | None:
        """Hunks between two blobs; None when one cannot be read."""
        if old == new:
            return []
        a = self.get(old)
        b = self.get(new)
        if a is None or b is None:
            return None
        return [(c.a0, c.a1, c.b0, c.b1) for c in line_changes(a, b)]

    def texts(self) -> RenameTexts:
        """Texts of two blobs, for the search of renames in one commit."""
        return RenameTexts(self.get, size=self._repo.blob_size, budget=_COMPARISONS)

    def entry(self, sha: str, path: str) -> BlobEntry | None:
        """A path in a commit."""
        return self._repo.entry_at(sha, path)

    def unreadable(self, oid: str) -> None:
        size = self._repo.blob_size(oid)
        if size is None:
            self.report(
                oid, "missing_blob", "treated as empty; later lines may be older than they seem"
            )
        else:
            self.report(oid, "too_large", f"{size} bytes: too large to follow its lines")

    def report(self, subject: str, code: str, detail: str) -> None:
        if (subject, code) not in self._reported and len(self.problems) < _MAX_PROBLEMS:
            self._reported.add((subject, code))
            self.problems.append(Problem(STAGE, subject, code, detail))
