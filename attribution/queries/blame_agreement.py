"""The self-check of the line history: does it say what git blame says?"""

import random
from collections.abc import Callable

from attribution.lineage.blame_check import verify
from attribution.lineage.walk import HistoryWalk
from collector.git.repository import GitRepo
from collector.storage.views import Table, table_of

_EXAMPLES = 10  # differing files of a commit that are named


def blame_agreement(
    path: str,
    branch: str,
    sample: int | None,
    commits: int,
    seed: int,
    progress: Callable[[str, int, int], None],
) -> Table:
    """How far the line history and git blame agree at the tip and at `commits` others, chosen at
    random.

    `same` are lines of which commit, path and number agree. Raises NotARepository, UnknownBranch,
    GitFailed.
    """
    repo = GitRepo(path)
    tip = (repo.resolve(branch) if branch else repo.default_branch()).sha
    with repo.open_scratch() as git:
        others = (
            [commit.sha for commit in repo.history(tip) if commit.sha != tip] if commits else []
        )
        compared = [tip, *random.Random(seed).sample(others, min(commits, len(others)))]
        agreements = verify(
            HistoryWalk(repo, git), tip, dict.fromkeys(compared, sample), seed, progress
        )
    rows = []
    notes = []
    for sha, result in agreements.items():
        rows.append(
            {
                "commit": sha,
                "files": result.files,
                "lines": result.lines,
                "same": result.same,
                "same_commit": result.same_commit,
                "share": result.share,
                "skipped_files": result.skipped,
                "differing": " ".join(f"{file.path}({file.lines})" for file in result.differing),
            }
        )
        notes += [
            f"lines that differ in {file.commit[:9]}:{file.path}: {file.lines:,}"
            for file in result.differing[:_EXAMPLES]
        ]
        if result.skipped:
            notes.append(f"files that git blame could not process: {result.skipped:,}")
    return table_of(rows, {"commit": "sha", "share": "share"}, notes)
