"""Kills worker processes, of `--jobs`, at random moments, and compares what becomes
of the database.

As a program: `killed_workers.py FOLDER TRIALS SEED` prints a line of JSON for each trial
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
from contextlib import suppress
from pathlib import Path

from collector.json_values import JsonObject
from support import ROOT
from support.commands import clone
from support.interleaved import differences
from support.killed import copied, done

ENVIRONMENT = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}"}
_MORE = 10  # trials that may follow where each run was over before its worker was to die
MOST_RUNS = 4  # until a command that lost a worker is done: a task is tried twice in each


def workers_below(process: int) -> list[int]:
    """Processes with tasks that a process started, and those that they started."""
    found = []
    waiting = [process]
    while waiting:
        for path in Path("/proc").glob(f"{waiting.pop()}/task/*/children"):
            with suppress(OSError):
                waiting += (children := [int(number) for number in path.read_text().split()])
                found += [child for child in children if _is_worker(child)]
    return found


def _is_worker(process: int) -> bool:
    with suppress(OSError):
        command = Path(f"/proc/{process}/cmdline").read_bytes()
        return b"spawn_main" in command or b"attribution.cli" in command
    return False


def ran(
    command: list[object], kill: random.Random | None = None, seconds: float = 0.0
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
            victims = workers_below(process.pid)
            if victims:
                with suppress(ProcessLookupError):
                    os.kill(kill.choice(victims), signal.SIGKILL)
                    killed = 1
            time.sleep(0.02)
    return process.wait(), killed


def trials(folder: Path, count: int, seed: int) -> Iterator[JsonObject]:
    """What went wrong, then the counts."""
    rng = random.Random(seed)
    tried = Counter[str]()
    start = folder / "start.db"
    whole = folder / "whole.db"
    db = folder / "trial" / "x.db"
    for case in ("example", "squash", "crlf"):
        assert done(("repo", clone(case, folder)), start) == 0
    assert done(("forget",), start) == 0
    copied(start, whole)
    assert done(("db", "--jobs", "1", "-q"), whole) == 0
    command: list[object] = ["db", db, "-q", "--jobs", "2"]
    longest = 0.0
    for number in range(-1, count + _MORE):  # the first one only measures how long a run takes
        if number >= count and tried["killed"]:
            break
        shutil.rmtree(db.parent, ignore_errors=True)
        db.parent.mkdir()
        copied(start, db)
        began = time.monotonic()
        code, killed = ran(command, rng if number >= 0 else None, rng.random() * longest)
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
    for found in trials(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])):
        print(json.dumps(found, default=str), flush=True)
