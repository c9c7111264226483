"""The self-check of the line history: does it say what git blame says?"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from attribution.lineage.blame_check import BlameAgreement, BlameSample, verify
from collector.git.program import open_scratch
from collector.git.repository import GitRepo


@dataclass(frozen=True, slots=True)
class CommitAgreement:
    """How far the line history and git blame agree on the files of one commit."""

    commit: str
    agreement: BlameAgreement

    def data(self) -> dict[str, Any]:
        """Plain values, for --json and --csv."""
        result = self.agreement
        return {
            "commit": self.commit, "files": result.files, "lines": result.lines, "same": result.same,
            "same_commit": result.same_commit, "share": result.share, "skipped_files": result.skipped,
            "differing": " ".join(f"{file.path}({file.lines})" for file in result.differing),
        }  # fmt: skip


def blame_agreement(
    path: str, branch: str, sample: int | None, commits: int, seed: int, progress: Callable[[str, int, int], None]
) -> list[CommitAgreement]:
    """At the tip and at `commits` others, chosen at random. Raises NotARepository, UnknownBranch, GitFailed."""
    repo = GitRepo(path)
    tip = (repo.resolve(branch) if branch else repo.default_branch()).sha
    with open_scratch(repo) as git:
        others = [commit.sha for commit in repo.history(tip) if commit.sha != tip] if commits else []
        compared = [tip, *random.Random(seed).sample(others, min(commits, len(others)))]
        chosen = BlameSample(compared, files=sample, seed=seed)
        agreements = verify(repo, git, tip, chosen, lambda done, total: progress("following lines", done, total))
    return [CommitAgreement(sha, agreement) for sha, agreement in agreements.items()]
