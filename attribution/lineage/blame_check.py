"""The self-check: do our origins agree with `git blame`, line by line?"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from attribution.lineage.git_blame import blame
from attribution.lineage.model import LineHistory, State, numbers
from attribution.lineage.walk import HistoryWalk, StateVisit, WalkOptions
from collector.git.program import GitFailed, ScratchGit
from collector.git.repository import GitRepo


class DifferingFile(NamedTuple):
    """A file where the history and git blame disagree."""

    commit: str
    path: str
    lines: int  # that differ


@dataclass(slots=True)
class BlameAgreement:
    files: int = 0
    lines: int = 0
    same: int = 0  # commit, path and line number agree
    same_commit: int = 0
    skipped: int = 0  # files that git blame could not read
    differing: list[DifferingFile] = field(default_factory=list)

    @property
    def share(self) -> float | None:
        return self.same / self.lines if self.lines else None


@dataclass(frozen=True, slots=True)
class BlameSample:
    """The files to compare; by default every file of the tip."""

    commits: Collection[str] = ()  # the tip, or commits before it
    files: int | None = None  # of each commit; None: all
    files_at: Mapping[str, int | None] = field(default_factory=dict)  # of these commits, instead
    seed: int = 0
    options: WalkOptions | None = None


def verify(
    repo: GitRepo, git: ScratchGit, tip: str, sample: BlameSample, tell: Callable[[int, int], None] | None = None
) -> dict[str, BlameAgreement]:
    """Commit -> agreement. `tell`: commits followed, of how many."""
    commits = list(sample.commits) or [tip]
    states: dict[str, State] = {}
    visit = StateVisit(set(commits), lambda sha, state: states.update({sha: state.copy()}))
    history = HistoryWalk(repo, git, sample.options).run(tip, visit=visit, progress=tell)
    chosen = {sha: pick(states[sha], sample.files_at.get(sha, sample.files), sample.seed) for sha in commits}
    return {sha: compare(git, history, sha, states[sha], paths) for sha, paths in chosen.items()}


def pick(state: State, sample: int | None, seed: int) -> list[str]:
    paths = sorted(path for path, file in state.items() if file.vector)
    return paths if sample is None or sample >= len(paths) else random.Random(seed).sample(paths, sample)


def compare(git: ScratchGit, history: LineHistory, sha: str, state: State, paths: Sequence[str]) -> BlameAgreement:
    """Our origins of some files of a commit against git blame there."""
    result = BlameAgreement()
    for path in paths:
        try:
            theirs = blame(git, sha, path)
        except (GitFailed, UnicodeEncodeError):
            result.skipped += 1
            continue
        ours = [history.line(origin) for origin in numbers(state[path].vector)]
        same = sum(a == tuple(b) for a, b in zip(ours, theirs, strict=False))
        longer = max(len(ours), len(theirs))
        result.files += 1
        result.lines += longer
        result.same += same
        result.same_commit += sum(a[0] == b.sha for a, b in zip(ours, theirs, strict=False))
        if same != longer:
            result.differing.append(DifferingFile(sha, path, longer - same))
    return result
