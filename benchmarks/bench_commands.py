"""What commands that only read cost: `why` and `blame` in clones, lists and pages of a database.

    python benchmarks/bench_commands.py [--runs N] [--file PATH] [--db FILE] [CLONE ...]

CLONE is attributed first, which is not measured; then one line of a file is explained and the file
blamed, beside `git blame` of it and the bare start of Python. The file is the one at HEAD that most
commits changed, unless `--file` names it; the line is the middle one. FILE is a database with line
history (`whowrote survival CLONE --db FILE`): `sessions`, `survival`, and each page of Datasette,
asked for inside one process (a full-text index is added to the database, as by `whowrote browse`).
CPU seconds of whole processes, of pages those of all threads; the kinds in turn, medians.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]

from pages import table  # noqa: E402
from processes import drain, own_seconds, run, run_ours, seconds_of_children, spread  # noqa: E402

from collector.git.repository import GitRepo  # noqa: E402
from collector.storage.store import Store  # noqa: E402

SLOW = 0.3  # seconds; a page that takes longer is counted
_MOST_CHANGED = """
SELECT f.path FROM commit_files f JOIN commits c ON c.id = f.commit_id
WHERE f.kind IN ('source', 'test') GROUP BY f.path ORDER BY COUNT(*) DESC, f.path
"""
Seconds = dict[str, list[float]]


def in_turn(work: Mapping[str, Callable[[], float]], runs: int) -> Seconds:
    """Each once, unmeasured, so that files are in memory and modules compiled; then all in turn."""
    for one in work.values():
        one()
    found: Seconds = {name: [] for name in work}
    for _ in range(runs):
        for name, one in work.items():
            found[name].append(one())
    return found


# --- a clone --------------------------------------------------------------------------------------


def a_file(db: Path, repo: GitRepo) -> str:
    """The source file of HEAD that most commits changed."""
    there = repo.paths(repo.default_branch().sha)
    with Store(db, create=False) as store:
        return next(str(row["path"]) for row in store.rows(_MOST_CHANGED) if row["path"] in there)


def of_clone(clone: Path, file: str, runs: int) -> Seconds:
    with tempfile.TemporaryDirectory() as folder:
        db, repo = Path(folder) / "bench.db", GitRepo(clone)
        run_ours(
            ["attribute", "repo", clone.resolve(), "--db", db, "-q"],
            {"WHOWROTE_SESSIONS": "off"},
        )
        tip = repo.default_branch().sha
        file = file or a_file(db, repo)
        lines = (repo.blob(repo.file_at(tip, file) or "") or b"").count(b"\n")
        with repo.open_scratch() as git:

            def blame_of_git() -> float:
                return seconds_of_children(
                    lambda: drain(git, ["blame", "--porcelain", tip, "--", file])
                )

            def ours(command: str, place: str) -> Callable[[], float]:
                return lambda: (
                    run_ours(["attribute", command, clone.resolve(), place, "--db", db]).seconds
                )

            print(f"{clone}: {file}, {lines} lines\n", flush=True)
            work = {
                "why": ours("why", f"{file}:{max(1, lines // 2)}"),
                "blame": ours("blame", file),
                "git blame --porcelain": blame_of_git,
                "the start of Python": lambda: run([sys.executable, "-c", "pass"]).seconds,
            }
            return in_turn(work, runs)


# --- a database -----------------------------------------------------------------------------------


def of_database(db: Path, runs: int) -> Seconds:
    def ours(*words: str) -> Callable[[], float]:
        return lambda: run_ours(["attribute", *words, "--db", db]).seconds

    kinds = (
        ["sessions"],
        ["sessions", "--columns", "features"],
        ["survival", "--no-curves"],
        ["survival"],
    )
    return in_turn({" ".join(words): ours(*words) for words in kinds}, runs)


def pages_of(db: Path) -> dict[str, float]:
    """Address -> CPU seconds, inside this process: the start page, and each table and view."""
    from attribution.browse.serve import application

    with Store(db, create=False) as store:
        names = store.rows(
            "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name"
        )
    found = {}
    with asyncio.Runner() as runner:
        site = application(db)
        runner.run(site.invoke_startup())
        addresses = [f"/{db.stem}/{row['name']}" for row in names]
        runner.run(site.client.get(addresses[0]))  # templates are loaded
        for address in ["/-/whowrote/pages", *addresses]:
            before = own_seconds()
            answer = runner.run(site.client.get(address))
            if answer.status_code == 200:  # of hidden tables there is none
                found[address] = own_seconds() - before
    return found


def of_pages(db: Path, runs: int) -> Seconds:
    found: Seconds = {}
    for _ in range(runs):
        done = subprocess.run(
            [sys.executable, __file__, "--pages", str(db)], capture_output=True, check=True
        )
        for address, seconds in json.loads(done.stdout).items():
            found.setdefault(address, []).append(seconds)
    return found


def shown_pages(found: Seconds) -> str:
    middle = {address: statistics.median(values) for address, values in found.items()}
    slow = sum(1 for seconds in middle.values() if seconds > SLOW)
    slowest = sorted(middle, key=lambda address: (-middle[address], address))[:3]
    rows = [[address, spread(found[address])] for address in slowest]
    return (
        f"{len(found)} pages of Datasette, {slow} of them over {SLOW} s; the"
        f" slowest:\n\n{table(['page', 'CPU seconds'], rows)}\n"
    )


def shown(found: Seconds) -> str:
    return (
        table(
            ["command", "CPU seconds"], [[name, spread(values)] for name, values in found.items()]
        )
        + "\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--file", default="", help="of the clones")
    parser.add_argument("--db", type=Path)
    parser.add_argument("--pages", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("clones", nargs="*", type=Path)
    given = parser.parse_args()
    if given.pages:
        print(json.dumps(pages_of(given.pages)))
        return
    print(f"Commands that only read: CPU seconds, medians of {given.runs} (smallest to largest)\n")
    for clone in given.clones:
        print(shown(of_clone(clone, given.file, given.runs)), flush=True)
    if given.db:
        print(
            f"{given.db}: {given.db.stat().st_size / 1e6:.0f}"
            f" MB\n\n{shown(of_database(given.db.resolve(), given.runs))}"
        )
        print(shown_pages(of_pages(given.db.resolve(), given.runs)), flush=True)


if __name__ == "__main__":
    main()
