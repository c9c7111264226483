"""Kills worker processes, of `--jobs` or of a cluster, at random moments, and compares what becomes
of the database.

As a program: `killed_workers.py FOLDER TRIALS SEED [cluster]` prints a line of JSON for each trial
that went wrong, and one with counts. A worker has no statement that could be counted from outside,
so the moment is one of the time that a whole run takes.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

from support.commands import clone
from support.interleaved import differences
from support.killed import copied, done

ROOT = Path(__file__).parent.parent.parent
ENVIRONMENT = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}"}
CLUSTER = (
    "from distributed import LocalCluster\nif __name__ == '__main__':\n    c ="
    " LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None,"
    " host='127.0.0.1')\n    print(c.scheduler_address, flush=True); input(); c.close()\n"
)
_MORE = 10  # trials that may follow where each run was over before its worker was to die
MOST_RUNS = 4  # until a command that lost a worker is done: a task is tried twice in each


@contextmanager
def cluster(folder: Path) -> Iterator[tuple[str, int]]:
    """(address of a scheduler with two workers, process that started them)."""
    program = folder / "cluster.py"
    program.write_text(CLUSTER)
    process = subprocess.Popen(
        [sys.executable, program],
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
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def workers_below(process: int) -> list[int]:
    """Processes with tasks that a process started, and those that they started."""
    found, waiting = [], [process]
    while waiting:
        for path in Path("/proc").glob(f"{waiting.pop()}/task/*/children"):
            with suppress(OSError):
                waiting += (children := [int(number) for number in path.read_text().split()])
                found += [child for child in children if _is_worker(child)]
    return found


def _is_worker(process: int) -> bool:
    with suppress(OSError):
        return b"spawn_main" in Path(f"/proc/{process}/cmdline").read_bytes()
    return False


def ran(
    command: list[object], kill: random.Random | None = None, seconds: float = 0.0, below: int = 0
) -> tuple[int, int]:
    """(exit code, workers killed) of `attribute` with these arguments; a worker dies after
    `seconds`, or when there is one.
    """
    program = [sys.executable, "-c", "from attribution.cli import main; main()", *map(str, command)]
    process = subprocess.Popen(
        program, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    killed = 0
    if kill is not None:
        time.sleep(seconds)
        while process.poll() is None and not killed:
            victims = workers_below(below or process.pid)
            if victims:
                with suppress(ProcessLookupError):
                    os.kill(kill.choice(victims), signal.SIGKILL)
                    killed = 1
            time.sleep(0.02)
    return process.wait(), killed


def trials(folder: Path, count: int, seed: int, on_cluster: bool) -> Iterator[dict[str, Any]]:
    """What went wrong, then the counts."""
    rng, tried = random.Random(seed), Counter[str]()
    start, whole, db = folder / "start.db", folder / "whole.db", folder / "trial" / "x.db"
    for case in ("example", "squash", "crlf"):
        assert done(("repo", clone(case, folder)), start) == 0
    assert done(("forget",), start) == 0
    copied(start, whole)
    assert done(("db", "--jobs", "1", "-q"), whole) == 0
    with cluster(folder) if on_cluster else nullcontext() as running:
        address, below = running or ("", 0)
        command: list[object] = [
            "db",
            db,
            "-q",
            *(("--scheduler", address) if running else ("--jobs", "2")),
        ]
        longest = 0.0
        for number in range(-1, count + _MORE):  # the first one only measures how long a run takes
            if number >= count and tried["killed"]:
                break
            shutil.rmtree(db.parent, ignore_errors=True)
            db.parent.mkdir()
            copied(start, db)
            began = time.monotonic()
            code, killed = ran(command, rng if number >= 0 else None, rng.random() * longest, below)
            longest = longest or time.monotonic() - began
            runs = 1
            while code and runs < MOST_RUNS:
                code, _ = ran([*command, "--retry"])
                runs += 1
            tried["killed" if killed else "finished"] += number >= 0
            wrong = differences(db, whole)
            left = sorted(
                p.name
                for p in db.parent.iterdir()
                if not p.name.startswith("x.db") and "cache" not in p.name
            )
            if code or wrong or left:
                tried["wrong"] += 1
                yield {
                    "trial": number,
                    "code": code,
                    "runs": runs,
                    "differences": wrong,
                    "left": left,
                }
    yield {"counts": dict(tried)}


if __name__ == "__main__":
    for found in trials(
        Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), "cluster" in sys.argv[4:]
    ):
        print(json.dumps(found, default=str), flush=True)
