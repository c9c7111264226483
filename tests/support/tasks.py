"""Tasks for workers: some behave, some do not. A module of its own, because every worker imports
it.
"""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from collector.errors import DatabaseUnusable
from collector.runtime.workers import Task, TaskLimits, note_input, run

known = ""


def work(what: str, place: str = "") -> str:
    global known
    if what == "die at its second input":
        note_input("reading the first")
        note_input("reading the second")
    if what.startswith("die at") or what == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if what == "die once" and not Path(place).exists():
        Path(place).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    if what == "sleep":
        time.sleep(60)
    if what == "hold 200 MB":
        return str(len(bytearray(b"x") * (200 << 20)))
    if what == "eat":
        return str(len(bytearray(1 << 30)))
    if what == "ask two workers":
        known = "what the first one knows"
        began = time.monotonic()
        answers = sorted(
            str(done.value)
            for done in run(work, [Task("1", ("tell",)), Task("2", ("tell",))], 2, TaskLimits())
        )
        return f"{answers} {time.monotonic() - began < 4}"
    if what == "tell":
        return known
    if what == "pid":
        return str(os.getpid())
    if what == "raise":
        raise ValueError("broken")
    if what == "refuse":
        raise DatabaseUnusable("no", "do this")
    return what + " done"


def nest(levels: int) -> int:
    """How many workers of workers there are below this one."""
    if not levels:
        return 0
    (done,) = run(nest, [Task("below", (levels - 1,))], 1, TaskLimits(seconds=20, attempts=1))
    assert not done.error, done.error
    return 1 + int(done.value)
