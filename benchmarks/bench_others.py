"""A first run side by side with programs that answer a part of its question: python
benchmarks/bench_others.py CLONE ... [--runs N]

Each round measures, by turns: the floor (`bench_attribute.py`); `git blame --porcelain` of every
text file of HEAD; PyDriller, which reads the added and deleted lines of every commit of HEAD;
git-of-theseus with its weekly samples, where it is installed or on the path; and `whowrote repo`
with an empty cache. Prints rows of a table: medians of CPU seconds (user and system, with
children), with the smallest and largest ratio of the first run to each. None of the others reads
what agents recorded.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from bench_attribute import attribute, floor
from bench_history import text_files, theseus
from processes import run, seconds_of_children, times_of

from collector.git.repository import GitRepo

FLOOR, BLAME, PYDRILLER, THESEUS, OURS = (
    "floor",
    "git blame",
    "PyDriller",
    "git-of-theseus",
    "first run",
)
_PYDRILLER = """
import sys
from pydriller import Repository
for commit in Repository(sys.argv[1], only_in_branch=sys.argv[2]).traverse_commits():
    for file in commit.modified_files:
        file.diff_parsed
"""


def blame_all(repository: Path) -> float:
    """CPU seconds of git's own answer for every text file of HEAD."""
    repo = GitRepo(repository)
    tip = repo.default_branch().sha
    with repo.open_scratch() as git:
        paths = text_files(repo, git, tip)
    command = ["git", "-C", str(repository), "blame", "--porcelain", tip, "--"]
    return seconds_of_children(
        lambda: [
            subprocess.run([*command, p], stdout=subprocess.DEVNULL, check=True) for p in paths
        ]
    )


def pydriller(repository: Path) -> float:
    branch = GitRepo(repository).default_branch().name
    with tempfile.TemporaryDirectory() as folder:  # of the mirrors it does not read all
        subprocess.run(
            ["git", "clone", "-q", "--shared", "--no-checkout", str(repository), folder], check=True
        )
        return run([sys.executable, "-c", _PYDRILLER, folder, branch]).seconds


def first_run(repository: Path) -> float:
    with tempfile.TemporaryDirectory() as folder:
        return attribute(repository, Path(folder)).seconds


def weekly_samples(repository: Path) -> float:
    with tempfile.TemporaryDirectory() as folder:
        return seconds_of_children(theseus(repository, Path(folder)))


def programs() -> Mapping[str, Callable[[Path], float]]:
    """Each gives the CPU seconds for a repository."""
    found = {
        FLOOR: lambda repository: floor(repository).seconds,
        BLAME: blame_all,
        PYDRILLER: pydriller,
    }
    if (
        shutil.which("git-of-theseus-analyze")
        or (Path(sys.executable).parent / "git-of-theseus-analyze").exists()
    ):
        found[THESEUS] = weekly_samples
    return {**found, OURS: first_run}


def row(repository: Path, times: Mapping[str, list[float]]) -> str:
    ours = times[OURS]
    cells = [
        f"{statistics.median(values):.2f} [{times_of(ours, values)}]"
        for name, values in times.items()
        if name != OURS
    ]
    return (
        f"| {'/'.join(repository.parts[-2:])} | {' | '.join(cells)} |"
        f" {statistics.median(ours):.2f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("clones", type=Path, nargs="+", metavar="CLONE")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    measure = programs()
    print(f"| repository | {' | '.join(measure)} |\n|{'---|' * (len(measure) + 1)}")
    for repository in options.clones:
        times: dict[str, list[float]] = {name: [] for name in measure}
        for _ in range(options.runs):
            for name, seconds in measure.items():
                times[name].append(seconds(repository))
        print(row(repository, times), flush=True)


if __name__ == "__main__":
    main()
