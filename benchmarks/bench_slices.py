"""The beginning of a long history without sessions, against `git log -p -U0 -M` of the same
commits.

    python benchmarks/bench_slices.py [--runs N] [--commits 20000,40000,80000] CLONE

`whowrote repo --branch COMMIT`, COMMIT being the last one of the main line
that so many commits lead up to at most. git does not look at merges there, we do. CPU seconds of
whole processes, by turns; medians and ratios round by round.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]

from pages import table  # noqa: E402
from processes import Spent, drain, run_ours, seconds_of_children, spread, times_of  # noqa: E402

from collector.git.program import ScratchGit  # noqa: E402
from collector.git.repository import GitRepo  # noqa: E402


def last_of_first(git: ScratchGit, tip: str, wanted: int) -> tuple[str, int]:
    """(the newest commit of the main line that at most `wanted` commits lead up to, how many
    do); else the first one.
    """

    def count(sha: str) -> int:
        return int(git.output(["rev-list", "--count", sha]))

    chain = git.output(["rev-list", "--first-parent", "--reverse", tip]).decode().split()
    low, high = 0, len(chain) - 1
    while low < high:  # the number of commits grows along the chain
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count(chain[middle]) <= wanted else (low, middle - 1)
    return chain[low], count(chain[low])


def attribute(clone: Path, commit: str) -> Spent:
    with tempfile.TemporaryDirectory() as folder:
        words = [
            "attribute",
            "repo",
            clone.resolve(),
            "--db",
            Path(folder) / "bench.db",
            "--branch",
            commit,
        ]
        return run_ours([*words, "-q"], {"WHOWROTE_SESSIONS": "off"})


def measure(clone: Path, commit: str, runs: int) -> tuple[list[float], list[Spent]]:
    git_seconds, ours = [], []
    with GitRepo(clone).open_scratch() as git:
        for _ in range(runs):
            git_seconds.append(
                seconds_of_children(lambda: drain(git, ["log", "-p", "-U0", "-M", commit]))
            )
            ours.append(attribute(clone, commit))
    return git_seconds, ours


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--commits", default="20000,40000,80000")
    parser.add_argument("clone", type=Path)
    given = parser.parse_args()
    repo = GitRepo(given.clone)
    rows = []
    for wanted in map(int, given.commits.split(",")):
        with repo.open_scratch() as git:
            commit, count = last_of_first(git, repo.default_branch().sha, wanted)
        git_seconds, ours = measure(given.clone, commit, given.runs)
        seconds, peak = [one.seconds for one in ours], max(one.memory for one in ours) / 1024
        rows.append(
            [
                f"{count:,}",
                spread(git_seconds),
                spread(seconds),
                times_of(seconds, git_seconds),
                f"{peak:.0f}",
            ]
        )
    header = ["commits", "git log -p -U0 -M", "whowrote repo", "times", "peak, MB"]
    print(
        f"{given.clone}: CPU seconds, medians of {given.runs} (smallest to"
        f" largest)\n\n{table(header, rows)}\n"
    )


if __name__ == "__main__":
    main()
