"""Do our origins agree with `git blame`, line by line?"""

import random
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from attribution.lineage.git_blame import blame
from attribution.lineage.model import CommitStep, LineHistory, State, numbers
from attribution.lineage.walk import HistoryWalk
from collector.git.program import GitFailed, ScratchGit


@dataclass(slots=True)
class BlameAgreement:
    files: int = 0
    lines: int = 0
    same: int = 0  # commit, path and line number agree
    skipped: int = 0  # files that git blame could not read as text
    # commit, path and how many lines differ
    differing: list[tuple[str, str, int]] = field(default_factory=list)


def verify(
    walk: HistoryWalk, tip: str, samples: Mapping[str, int | None], seed: int = 0
) -> dict[str, BlameAgreement]:
    """Commit -> agreement.

    `samples`: how many files of each commit (the tip, or one before it) are compared; None: all.
    """
    states = {}

    def see(step: CommitStep) -> None:
        if step.sha in samples:
            states[step.sha] = step.state.copy()

    history = walk.run(tip, observers=[see])
    return {
        sha: _compare(walk.git, history, sha, states[sha], _pick(states[sha], files, seed))
        for sha, files in samples.items()
    }


def _pick(state: State, sample: int | None, seed: int) -> list[str]:
    paths = sorted(path for path, file in state.items() if file.vector)
    few = sample is not None and sample < len(paths)
    return random.Random(seed).sample(paths, sample or 0) if few else paths


def _compare(
    git: ScratchGit, history: LineHistory, sha: str, state: State, paths: Sequence[str]
) -> BlameAgreement:
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
        content = git.output(["cat-file", "blob", state[path].oid])
        if same != longer and content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
            result.skipped += 1  # git takes its bytes for lines, not its text
            continue
        result.files += 1
        result.lines += longer
        result.same += same
        if same != longer:
            result.differing.append((sha, path, longer - same))
    return result
