"""Absolute paths of somebody's machine -> paths of the repository. Pure.

A record gives nothing but `/home/me/src/project/lib/a.py`. Each file of the repository that such a path ends in is a vote for a
directory; the directory of the most votes is a worktree, and paths outside of it are outside of the repository.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable


def root_of(recorded: Iterable[str], paths: Iterable[str]) -> str:
    """The worktree that most of the absolute paths lie in, "" when no path ends in a known file."""
    names = set(paths)
    votes: Counter[str] = Counter()
    for path in set(recorded):
        parts = path.strip("/").split("/")
        for cut in range(1, len(parts)):
            tail = "/".join(parts[cut:])
            if tail in names:
                # The deepest file says most: nearly every project has a README.md.
                votes["/" + "/".join(parts[:cut])] += len(parts) - cut
    return max(votes, key=lambda root: (votes[root], -len(root))) if votes else ""


def relative(path: str, root: str) -> str:
    """The path below the worktree; unchanged when it lies elsewhere."""
    return path[len(root) + 1 :] if root and path.startswith(root + "/") else path
