"""What `collect run` and `whowrote db` cost on a cluster, and what a long ledger of candidates
costs.

    python benchmarks/bench_cluster.py [--repositories 200,1000,3000] [--workers 2,4] [--candidates
    N] [--work DIR]

The repositories are copies of the fixtures under other names, served on the loopback interface; the
cluster is a scheduler of dask and its workers on this machine. Prints a line of JSON for each run:
seconds by the clock and of the processor (with the workers of `--jobs`, without those of a
cluster), memory of the command, and of a cluster whether the database says the same as that of
`--jobs 1`. The first number of repositories has all runs; further ones are not disturbed and have
the first number of workers.

    killed     a worker of the cluster is killed (SIGKILL) in the middle
    restarted  the scheduler is killed in the middle, another one started, and the command run again
    ledger     the commands that read candidates, on as many as were asked for
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.git_server import GitServer  # noqa: E402
from support.served import publish  # noqa: E402

from collector.storage.compare import compare  # noqa: E402
from collector.storage.store import Store  # noqa: E402

CASES = (
    "example",
    "squash",
    "per_checkpoint_refs",
    "visible_subagent",
    "crlf",
    "formatter_after_agent",
)
CLUSTER = (
    "import sys\nfrom distributed import LocalCluster\nif __name__ == '__main__':\n    c ="
    " LocalCluster(n_workers=int(sys.argv[1]), threads_per_worker=1, dashboard_address=None,"
    " host='127.0.0.1')\n    print(c.scheduler_address, flush=True); input(); c.close()\n"
)
ENVIRONMENT = os.environ | {
    "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}",
    "WHOWROTE_SESSIONS": "off",
}
LEDGER = ("status", "report")
# the n-th names every n-th candidate
LEDGER_CHANNELS = ("code_search", "commit_search", "gharchive")


@contextmanager
def cluster(folder: Path, workers: int) -> Iterator[tuple[str, int]]:
    """(address of the scheduler, process that started it and its workers)."""
    program = folder / "cluster.py"
    program.write_text(CLUSTER)
    process = subprocess.Popen(
        [sys.executable, program, str(workers)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=ENVIRONMENT,
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().decode().strip(), process.pid
    finally:
        end(process.pid)
        process.communicate()


def end(group: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def ran(
    program: str, arguments: Sequence[object], disturb: Any = None, after: float = 0.0
) -> dict[str, Any]:
    """A command: exit code, seconds by the clock and of the processor, largest memory of its main
    process in MB.

    `disturb()` is called after a while.
    """
    module = {"collect": "collector.cli", "attribute": "attribution.cli"}[program]
    began = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-c", f"from {module} import main; main()", *map(str, arguments)],
        env=ENVIRONMENT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    peak, status, used = 0, 0, None
    while used is None:
        with suppress(OSError):
            about = Path(f"/proc/{process.pid}/status").read_text()
            peak = max(
                [
                    peak,
                    *(
                        int(line.split()[1])
                        for line in about.splitlines()
                        if line.startswith("VmHWM")
                    ),
                ]
            )
        if disturb is not None and time.monotonic() - began > after:
            disturb()
            disturb = None
        time.sleep(0.1)
        ended, status, found = os.wait4(process.pid, os.WNOHANG)
        used = found if ended else None
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds, cpu = time.monotonic() - began, used.ru_utime + used.ru_stime
    return {
        "code": process.returncode,
        "seconds": round(seconds, 1),
        "cpu": round(cpu, 1),
        "MB": round(peak / 1024),
    }


def say(**what: Any) -> None:
    print(json.dumps(what), flush=True)


def served(folder: Path, number: int) -> list[str]:
    """Publishes copies of the fixtures; returns their names."""
    first = {case: publish(folder, f"o/{case}", case) for case in CASES}
    names = []
    for i in range(number):
        names.append(f"o{i // 100}/r{i}")
        shutil.copytree(first[CASES[i % len(CASES)]], folder / f"{names[-1]}.git")
    return names


def equal(one: Path, other: Path) -> bool:
    return not any(table.differs for table in compare(one, other) if table.table != "mirrors")


def copied(start: Path, to: Path) -> Path:
    """A copy of a database that is not in use."""
    for old in to.parent.glob(f"{to.stem}*"):
        shutil.rmtree(old) if old.is_dir() else old.unlink()
    with Store(start) as store:
        store.connection.execute("VACUUM INTO ?", (str(to),))
    return to


def a_worker(cluster_process: int) -> int:
    """One of the processes that the cluster started."""
    for path in Path("/proc").glob(f"{cluster_process}/task/*/children"):
        for child in path.read_text().split():
            if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                return int(child)
    return 0


def kill_worker(cluster_process: int) -> None:
    if worker := a_worker(cluster_process):
        os.kill(worker, signal.SIGKILL)


def measure(
    work: Path, names: Sequence[str], base: str, workers: Sequence[int], disturbed: bool
) -> None:
    start, whole = work / "start.db", work / "whole.db"
    listed, half = work / "names", 0.0
    listed.write_text("\n".join(names) + "\n")
    ENVIRONMENT["GITHUB_SERVER_URL"] = base
    at = ["-q", "--list", listed]
    say(
        run="collect run --jobs 1",
        repositories=len(names),
        **ran("collect", ["run", "--db", start, *at, "--jobs", 1]),
    )
    alone = ran("attribute", ["db", copied(start, whole), "-q", "--jobs", 1])
    say(run="whowrote db --jobs 1", repositories=len(names), **alone)
    for number in workers:
        with cluster(work, number) as (address, process):
            if number == workers[0]:
                run = ran(
                    "collect", ["run", "--db", work / "there.db", *at, "--scheduler", address]
                )
                say(
                    run="collect run --scheduler",
                    workers=number,
                    **run,
                    same=equal(work / "there.db", start),
                )
            run = ran(
                "attribute", ["db", copied(start, work / "trial.db"), "-q", "--scheduler", address]
            )
            say(
                run="whowrote db --scheduler",
                workers=number,
                **run,
                same=equal(work / "trial.db", whole),
            )
            half = run["seconds"] / 2
            if disturbed:
                command = ["db", copied(start, work / "trial.db"), "-q", "--scheduler", address]
                run = ran("attribute", command, lambda process=process: kill_worker(process), half)
                say(run="killed", workers=number, **run, same=equal(work / "trial.db", whole))
    if disturbed and workers:
        restarted(work, start, whole, workers[0], half)


def restarted(work: Path, start: Path, whole: Path, workers: int, after: float) -> None:
    trial = copied(start, work / "trial.db")
    with cluster(work, workers) as (address, process):
        first = ran(
            "attribute", ["db", trial, "-q", "--scheduler", address], lambda: end(process), after
        )
    with cluster(work, workers) as (address, _):
        again = ran("attribute", ["db", trial, "-q", "--scheduler", address])
    say(run="restarted", workers=workers, first=first, again=again, same=equal(trial, whole))


def ledger(work: Path, number: int) -> None:
    """One candidate in five holds checkpoints, one in a hundred has another name now, and one to
    three channels named each.
    """
    path, now = work / "ledger.db", "2026-11-23T00:00:00Z"
    columns = (
        "full_name",
        "first_seen_at",
        "probed_at",
        "outcome",
        "confirmed",
        "renamed_to",
        "checkpoint_refs",
        "metadata_at",
        "stars",
        "language",
        "created_at",
    )
    names = [f"owner{i % 50_000}/r{i}" for i in range(number)]
    with Store(path) as store, store.transaction():
        rows = (
            (
                name,
                now,
                now,
                "ok",
                int(i % 5 == 0),
                renamed_to,
                i % 7,
                now,
                i % 1000,
                f"L{i % 30}",
                now,
            )
            for i, name in enumerate(names)
            for renamed_to in [names[i // 2] if i % 100 == 1 else None]
        )
        store.insert("candidates", columns, rows)
        hits = (
            (i, c, "q", "s", now)
            for i in range(1, number + 1)
            for n, c in enumerate(LEDGER_CHANNELS)
            if i % (n + 1) == 0
        )
        store.insert("discoveries", ("candidate_id", "channel", "query", "slice", "seen_at"), hits)
    for command in LEDGER:
        say(ledger=number, run=f"collect {command}", **ran("collect", [command, "--db", path]))
    say(
        ledger=number,
        run="collect merge",
        **ran("collect", ["merge", path, "-o", work / "merged.db"]),
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repositories", default="200,1000,3000")
    parser.add_argument("--workers", default="2,4")
    parser.add_argument("--candidates", type=int, default=1_000_000)
    parser.add_argument("--work", type=Path)
    given = parser.parse_args()
    sizes, workers = (
        [int(one) for one in text.split(",") if one] for text in (given.repositories, given.workers)
    )
    with tempfile.TemporaryDirectory(dir=given.work) as folder:
        work = Path(folder)
        if given.candidates:
            ledger(work, given.candidates)
        for number, size in enumerate(sizes if sizes != [0] else []):
            here = work / str(size)
            (here / "served").mkdir(parents=True)
            names = served(here / "served", size)
            with GitServer(here / "served") as server:
                measure(
                    here,
                    names,
                    server.base,
                    workers if number == 0 else workers[:1],
                    disturbed=number == 0,
                )
            shutil.rmtree(here)


if __name__ == "__main__":
    main()
