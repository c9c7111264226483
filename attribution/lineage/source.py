"""What each commit changed, file by file and hunk by hunk: git's own stream, and a slow way for what git gives up on.

One git child prints the patches of all ordinary commits in the order asked for. At an object that the clone does not have git dies:
that commit is then read file by file through libgit2, where a missing object is a gap and not the end, and the child is started
again behind it. Merges, of which only the changed paths are asked for, are always read so.
"""

from collections.abc import Sequence

from collector.git.diff_tree import FileDelta, PatchStream, Range, files_only
from collector.git.program import ScratchGit
from collector.git.repository import GitRepo


class ChangeSource:
    """Changes of commits, to be asked for in the order in which `start` was told them."""

    def __init__(self, repo: GitRepo, git: ScratchGit, max_file: int, with_text: bool) -> None:
        self._repo = repo
        self._patches = PatchStream(git, max_file, with_text)

    def start(self, commits: Sequence[tuple[str, tuple[str, ...]]]) -> None:
        self._patches.feed([sha for sha, parents in commits if len(parents) < 2])

    def close(self) -> None:
        self._patches.close()

    def changes(self, sha: str, parents: Sequence[str]) -> list[FileDelta] | None:
        """Against the only parent, or against nothing; None when a tree is missing."""
        deltas = self._patches.read(sha)
        return self.paths_changed(sha, parents) if deltas is None else files_only(deltas)

    def paths_changed(self, sha: str, parents: Sequence[str]) -> list[FileDelta] | None:
        """Against the first parent, or against nothing, without hunks; None when a tree is missing."""
        commit = self._repo.commit(sha)
        if commit is None:
            return None
        old = self._repo.commit(parents[0]) if parents else None
        changes = self._repo.tree_changes(old.tree if old else "", commit.tree, renames=False)
        if changes is None:
            return None
        deltas: list[FileDelta] = []
        for change in changes:
            if change.status == "T":
                deltas.append(FileDelta(change.path, change.old or "", "", change.old_mode, 0, []))
                deltas.append(FileDelta(change.path, "", change.new or "", 0, change.new_mode, None))
                continue
            old_mode, new_mode = (change.old_mode if change.old else 0), (change.new_mode if change.new else 0)
            hunks: list[Range] | None = [] if not change.new else None
            deltas.append(FileDelta(change.path, change.old or "", change.new or "", old_mode, new_mode, hunks))
        return files_only(deltas)
