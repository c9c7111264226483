"""What scanning the introduced code of a history costs, against scanning the whole tree before and
after each commit.

    python benchmarks/bench_scan.py [--commits N] [--jobs N] [--rules PATH] REPOSITORY ...

Every run is a process of its own; CPU seconds (user and system) with all children, as the operating
system counts them. The yardstick lays out both trees of N commits drawn evenly from the history,
scans each with the same rules and options in one process, and is extrapolated to all commits that
are no merges. Memory is the most that all processes of a run held together, sampled.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from attribution.authorship.options import AttributeOptions  # noqa: E402
from attribution.stages.lines import attribute_repo  # noqa: E402
from attribution.weaknesses.rules.languages import kind_of  # noqa: E402
from attribution.weaknesses.rules.rulesets import named  # noqa: E402
from attribution.weaknesses.scan.engine import ScanLimits, Target, find_engine, scan  # noqa: E402
from attribution.weaknesses.stage.scan import ScanRequest, scan_repository  # noqa: E402
from collector.files.analysed import ANALYSED, place_of  # noqa: E402
from collector.git.repository import GitRepo  # noqa: E402
from collector.runtime.stages import RunContext  # noqa: E402
from collector.storage.store import Store  # noqa: E402

_WHOLE = ScanLimits(targets=1_000_000, size=1 << 40, start=3600.0, memory=1 << 40)


def cpu() -> float:
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def introduced(
    path: Path, database: Path, kept: Path, jobs: int, rules: tuple[str, ...]
) -> dict[str, Any]:
    """One run of the stage in this process."""
    began, started = cpu(), time.monotonic()
    repo = GitRepo(path)
    with Store(database) as store:
        row = store.rows("SELECT id, head_sha FROM repos")[0]
        wanted = ScanRequest(rules, jobs=jobs, cache=kept)
        done = scan_repository(RunContext(store, repo, row["id"]), row["head_sha"], wanted)
        lines = store.value("SELECT SUM(lines) FROM scanned_lines WHERE scanned = 1")
    with Store(kept) as store:
        texts = store.rows(
            "SELECT COUNT(*) AS texts, SUM(lines) AS lines FROM blob_scans WHERE status IN ('ok',"
            " 'partial')"
        )[0]
    return {
        "state": done.state,
        "cpu": cpu() - began,
        "wall": time.monotonic() - started,
        "texts": texts["texts"],
        "lines": texts["lines"],
        "given": done.given,
        "given_lines": done.given_lines,
        "findings": done.findings,
        "added": lines,
    }


def trees(path: Path, sample: int, rules: tuple[str, ...]) -> dict[str, Any]:
    """CPU seconds for both trees of some commits, and for all."""
    repo = GitRepo(path)
    commits = [c for c in repo.history(repo.default_branch().sha) if len(c.parents) == 1]
    drawn = commits[:: max(1, len(commits) // sample)][:sample]
    rule_set = named(rules)
    engine = find_engine()
    began = cpu()
    for commit in drawn:
        for tree in (commit.parents[0], commit.sha):
            some = {}
            for name, blob in repo.paths(tree).items():
                kind = kind_of(name)
                if rule_set.covers(kind.language) and place_of(name) in ANALYSED:
                    some[blob, kind.suffix] = Target(blob, kind.suffix, repo.blob(blob) or b"")
            for _ in scan(engine, rule_set, some.values(), 1, _WHOLE):
                pass
    each = (cpu() - began) / max(1, len(drawn))
    return {
        "sample": len(drawn),
        "commits": len(commits),
        "cpu_each": each,
        "cpu": each * len(commits),
    }


# --- processes ------------------------------------------------------------------------------------


def memory(root: int) -> int:
    """Bytes held by a process and all that descend from it."""
    parents: dict[int, int] = {}
    held: dict[int, int] = {}
    page = os.sysconf("SC_PAGE_SIZE")
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(entry.name)] = int(
                (entry / "stat").read_text("ascii", "replace").rpartition(")")[2].split()[1]
            )
            held[int(entry.name)] = int((entry / "statm").read_text().split()[1]) * page
        except (OSError, ValueError, IndexError):
            continue
    mine = {root}
    while more := {child for child, parent in parents.items() if parent in mine} - mine:
        mine |= more
    return sum(held.get(one, 0) for one in mine)


def start(*arguments: object) -> dict[str, Any]:
    """This program again; what it found, with the memory of all its processes."""
    command = [sys.executable, __file__, "--one", *(str(a) for a in arguments)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    most = 0
    ended = threading.Event()

    def watch() -> None:
        nonlocal most
        while not ended.wait(0.2):
            most = max(most, memory(process.pid))

    watcher = threading.Thread(target=watch)
    watcher.start()
    out, _ = process.communicate()
    ended.set()
    watcher.join()
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    found: dict[str, Any] = json.loads(out)
    return found | {"memory": most}


def bench(path: Path, sample: int, jobs: int, rules: tuple[str, ...]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        database, kept = Path(folder) / "bench.db", Path(folder) / "cache.db"
        with Store(database) as store:
            attribute_repo(store, path, AttributeOptions())
        options = ["--jobs", jobs, *(word for rule in rules for word in ("--rules", rule)), path]
        first = start("introduced", "--database", database, "--cache", kept, *options)
        second = start("introduced", "--database", database, "--cache", kept, *options)
        whole = start("trees", "--commits", sample, *options)
    print(
        f"{path}: {first['texts']} versions of files, {first['lines']} lines, {first['findings']}"
        " findings introduced"
    )
    print(
        f"  introduced code: {first['cpu']:.1f} s CPU, {first['wall']:.1f} s with {jobs} jobs,"
        f" {first['texts'] / first['cpu']:.0f} versions/s and {first['lines'] / first['cpu']:.0f}"
        f" lines/s of CPU; {first['given']} versions given to the scanner;"
        f" {first['memory'] / 1e6:.0f} MB"
    )
    print(f"  again: {second['state']}, {second['wall']:.2f} s, {second['cpu']:.2f} s CPU")
    print(
        f"  trees before and after each commit: {whole['cpu_each']:.1f} s CPU a commit"
        f" ({whole['sample']} drawn), {whole['cpu']:.0f} s for {whole['commits']} commits ="
        f" {whole['cpu'] / first['cpu']:.0f} times"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--commits", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--rules", action="append", default=[])
    parser.add_argument("--one", default="", help=argparse.SUPPRESS)
    parser.add_argument("--database", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--cache", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("repositories", nargs="+", type=Path)
    options = parser.parse_args()
    rules = tuple(options.rules)
    for path in options.repositories:
        if options.one == "trees":
            print(json.dumps(trees(path, options.commits, rules)))
        elif options.one:
            print(
                json.dumps(introduced(path, options.database, options.cache, options.jobs, rules))
            )
        else:
            bench(path, options.commits, options.jobs, rules)


if __name__ == "__main__":
    main()
