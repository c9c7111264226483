"""What each commit changed, file by file and hunk by hunk: git's own streams, and a slow way for what git gives up on.

One git child prints the patches of all ordinary commits, another one the changed paths of all merges against their first
parent, both in the order asked for. At an object that the clone does not have git dies: that commit is then read file by file
through libgit2, where a missing object is a gap and not the end, and the child is started again behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from attribution.lineage.model import Range
from attribution.lineage.patch import Broken, FileDelta, Patches, RawLists, files_only
from collector.git.program import ScratchGit
from collector.git.repository import GitRepo

_RESTARTS = 8
_PATCH = ("diff-tree", "--stdin", "-r", "--root", "-p", "-U0", "--no-renames", "--full-index", "--no-color", "--no-ext-diff")
_PATCH_TAIL = ("--no-textconv", "--submodule=short", "--src-prefix=a/", "--dst-prefix=b/")
_RAW = ("diff-tree", "--stdin", "-r", "--raw", "--no-renames", "--no-abbrev", "-z")


class ChangeSource:
    """Changes of commits, to be asked for in the order in which `start` was told them."""

    def __init__(self, repo: GitRepo, git: ScratchGit, max_file: int, with_text: bool) -> None:
        self._repo = repo
        self._git = git
        self._settings = [f"core.bigFileThreshold={max_file}"]
        self._with_text = with_text
        self._plain = _Child(self._open_plain)
        self._merges = _Child(self._open_merges)

    def start(self, commits: Sequence[tuple[str, tuple[str, ...]]]) -> None:
        self._plain.feed([sha for sha, parents in commits if len(parents) < 2])
        self._merges.feed([f"{sha} {parents[0]}" for sha, parents in commits if len(parents) > 1])

    def close(self) -> None:
        self._plain.close()
        self._merges.close()

    def changes(self, sha: str, parents: Sequence[str]) -> list[FileDelta] | None:
        """Against the only parent, or against nothing; None when a tree is missing."""
        found = self._plain.read(sha)
        return self._slowly(sha, parents) if found is None else found

    def merge_changes(self, sha: str, parents: Sequence[str]) -> list[FileDelta] | None:
        """Against the first parent, without hunks; None when a tree is missing."""
        found = self._merges.read(sha)
        return self._slowly(sha, parents) if found is None else found

    def _open_plain(self, wanted: Sequence[str]) -> Patches:
        args = [*_PATCH, *_PATCH_TAIL] if self._with_text else [*_PATCH, "--irreversible-delete", *_PATCH_TAIL]
        return Patches(self._git.stream(args, _lines(wanted), self._settings), self._with_text)

    def _open_merges(self, wanted: Sequence[str]) -> RawLists:
        return RawLists(self._git.stream(_RAW, _lines(wanted), self._settings))

    def _slowly(self, sha: str, parents: Sequence[str]) -> list[FileDelta] | None:
        """Through libgit2, which goes on where git gives up."""
        commit = self._repo.commit(sha)
        if commit is None:
            return None
        old = self._repo.commit(parents[0]) if parents else None
        changes = self._repo.tree_changes(old.tree if old else "", commit.tree, renames=False)
        if changes is None:
            return None
        found: list[FileDelta] = []
        for change in changes:
            if change.status == "T":
                found.append(FileDelta(change.path, change.old or "", "", change.old_mode, 0, []))
                found.append(FileDelta(change.path, "", change.new or "", 0, change.new_mode, None))
                continue
            old_mode, new_mode = (change.old_mode if change.old else 0), (change.new_mode if change.new else 0)
            hunks: list[Range] | None = [] if not change.new else None
            found.append(FileDelta(change.path, change.old or "", change.new or "", old_mode, new_mode, hunks))
        return files_only(found)


def _lines(wanted: Sequence[str]) -> bytes:
    return "".join(f"{line}\n" for line in wanted).encode()


class _Child:
    """A reader of one git child, started when first asked and again behind each commit at which git gave up."""

    def __init__(self, start: Callable[[Sequence[str]], Patches | RawLists]) -> None:
        self._start = start
        self._wanted: list[str] = []
        self._at = 0
        self._reader: Patches | RawLists | None = None
        self._left = _RESTARTS

    def feed(self, wanted: list[str]) -> None:
        self.close()
        self._wanted, self._at, self._left = wanted, 0, _RESTARTS

    def read(self, sha: str) -> list[FileDelta] | None:
        """The next commit; None when git cannot tell."""
        at, self._at = self._at, self._at + 1
        if not self._left:
            return None
        if self._reader is None:
            self._reader = self._start(self._wanted[at:])
        try:
            return self._reader.commit(sha.encode())
        except Broken:
            self.close()
            self._left -= 1
            return None

    def close(self) -> None:
        if self._reader is not None:
            self._reader.stream.close()
            self._reader = None
