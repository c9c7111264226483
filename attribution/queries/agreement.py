"""The self-check of the history: does it say what git blame says?"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from attribution.lineage.blame_check import BlameAgreement, BlameSample, verify
from attribution.lineage.walk import open_scratch
from collector.git.repository import GitRepo
from collector.runtime.progress import Progress


def agreement(path: str, branch: str, sample: int | None, commits: int, seed: int, progress: Progress) -> dict[str, BlameAgreement]:
    """Commit -> agreement, at the tip and at `commits` others drawn at random. Raises NotARepository, UnknownBranch, GitFailed."""
    repo = GitRepo(path)
    tip = repo.resolve(branch)[1] if branch else repo.default_branch()[1]
    with open_scratch(repo) as git:
        others = [commit.sha for commit in repo.history(tip) if commit.sha != tip] if commits else []
        wanted = [tip, *random.Random(seed).sample(others, min(commits, len(others)))]
        compared = BlameSample(wanted, files=sample, seed=seed)
        return verify(repo, git, tip, compared, lambda done, total: progress("following lines", done, total))


def rows(found: Mapping[str, BlameAgreement]) -> list[dict[str, Any]]:
    """Plain values, for data."""
    return [
        {
            "commit": sha, "files": one.files, "lines": one.lines, "same": one.same, "same_commit": one.same_commit,
            "share": one.share, "skipped_files": one.skipped,
            "differing": " ".join(f"{path}({lines})" for _, path, lines in one.differing),
        }
        for sha, one in found.items()
    ]  # fmt: skip
