"""`collect run` and then `whowrote db`, against `whowrote repo`, which reads the same once.

    python benchmarks/bench_load.py [--runs N] REPOSITORY ...

Each repository is served on the loopback by the stand-in of the tests and mirrored; fetching is not
measured. CPU seconds of whole processes with one job, medians and ratios round by round; every
round has its own database and its own cache of sessions.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "docs"), str(ROOT / "tests")]

from pages import table  # noqa: E402
from processes import run_ours, spread, times_of  # noqa: E402
from support.github_server import GitHubServer, Repo, World  # noqa: E402

_NAME = "bench/repository"


@dataclass(frozen=True, slots=True)
class Round:
    """CPU seconds."""

    load: float
    attribute: float  # `whowrote db`, after it
    alone: float  # `whowrote repo` of the same mirror

    @property
    def both(self) -> float:
        return self.load + self.attribute


def measure(repository: Path, runs: int) -> list[Round]:
    rounds = []
    with GitHubServer(World([Repo(_NAME, git_dir=repository.resolve())])) as server:
        for _ in range(runs):
            with tempfile.TemporaryDirectory() as folder:
                rounds.append(one_round(server.url, Path(folder)))
    return rounds


def one_round(server: str, folder: Path) -> Round:
    db, apart = folder / "bench.db", folder / "alone.db"
    names = ["collect", "run", _NAME, "--db", db, "-q"]
    run_ours(names, {"GITHUB_SERVER_URL": server, "WHOWROTE_SESSIONS": "off"})
    for file in folder.glob("bench*.db*"):  # the mirror stays
        if file.is_file():
            file.unlink()
    (mirror,) = Path(f"{db}.mirrors").glob("*/*.git")
    shared, own = (
        {"WHOWROTE_SESSIONS": str(folder / "shared")},
        {"WHOWROTE_SESSIONS": str(folder / "own")},
    )
    how = ["--jobs", "1", "-q"]
    load = run_ours(names, shared | {"GITHUB_SERVER_URL": server})
    attribute = run_ours(["attribute", "db", db, *how], shared)
    alone = run_ours(["attribute", "repo", mirror, "--db", apart, *how], own)
    return Round(load.seconds, attribute.seconds, alone.seconds)


def row(repository: Path, rounds: list[Round]) -> list[str]:
    both, alone = [one.both for one in rounds], [one.alone for one in rounds]
    load, attribute = [one.load for one in rounds], [one.attribute for one in rounds]
    return [
        "/".join(repository.parts[-2:]),
        *map(spread, (load, attribute, both, alone)),
        times_of(both, alone),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("repositories", nargs="+", type=Path)
    given = parser.parse_args()
    header = ["repository", "collect run", "whowrote db", "both", "whowrote repo", "times"]
    rows = [row(path, measure(path, given.runs)) for path in given.repositories]
    print(
        f"Loading, then attributing: CPU seconds, medians of {given.runs} (smallest to"
        f" largest)\n\n{table(header, rows)}\n"
    )


if __name__ == "__main__":
    main()
