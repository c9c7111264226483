"""What whole processes cost, and how rounds of measurements are put into words."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from collector.git.program import ScratchGit  # noqa: E402

_START = "import sys; sys.path.insert(0, sys.argv.pop(1)); from {place}.cli import main; main()"
_PLACES = {"attribute": "attribution", "collect": "collector"}
_NO_VARIABLES: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Spent:
    """Of a process and all that it started and waited for."""

    seconds: float  # of the processor, user and system
    memory: int  # peak of the largest one, in kilobytes
    elapsed: float  # seconds by the clock


def run(command: Sequence[str], variables: Mapping[str, str] = _NO_VARIABLES) -> Spent:
    """Runs a program to its end. What it prints is dropped; one that fails ends the benchmark,
    with its reason.
    """
    started = time.monotonic()
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            command,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            # an installed program is compiled once, not by every run
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "", **variables},
            cwd=ROOT,
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            errors.seek(0)
            raise SystemExit(
                f"{' '.join(command)} ended with {process.returncode}: {errors.read()[:500]}"
            )
    return Spent(usage.ru_utime + usage.ru_stime, usage.ru_maxrss, time.monotonic() - started)


def run_ours(words: Sequence[object], variables: Mapping[str, str] = _NO_VARIABLES) -> Spent:
    """`attribute …` or `collect …` of this checkout."""
    program, *rest = map(str, words)
    return run(
        [sys.executable, "-c", _START.format(place=_PLACES[program]), str(ROOT), *rest], variables
    )


def seconds_of_children(work: Callable[[], object]) -> float:
    """CPU seconds of the processes that a piece of work starts and waits for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    work()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def drain(git: ScratchGit, args: Sequence[str]) -> None:
    """Runs git and reads all that it prints."""
    stream = git.stream(args)
    while stream.lines.read(1 << 20):
        pass
    stream.has_failed()


def own_seconds() -> float:
    """CPU seconds of this process, all its threads."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def spread(values: Sequence[float], digits: int = 2) -> str:
    """The median, with the smallest and the largest."""
    return (
        f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f} to"
        f" {max(values):.{digits}f})"
    )


def times_of(ours: Sequence[float], theirs: Sequence[float]) -> str:
    """How often the one is the other, round by round."""
    return spread([a / b for a, b in zip(ours, theirs, strict=True)], 1)
