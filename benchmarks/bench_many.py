"""What `collect run` and `whowrote db` cost on many small repositories, and what a long ledger of
candidates costs.

    python benchmarks/bench_many.py [--repositories 200,1000,3000] [--candidates N] [--work DIR]

The repositories are copies of the fixtures under other names, served on the loopback interface.
Prints a line of JSON for each run: seconds by the clock and of the processor with all workers, and
memory of the command. `ledger` are the commands that read candidates, on as many as were asked for.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.git_server import GitServer  # noqa: E402
from support.served import publish  # noqa: E402

from collector.storage.store import Store  # noqa: E402

CASES = (
    "example",
    "squash",
    "per_checkpoint_refs",
    "visible_subagent",
    "crlf",
    "formatter_after_agent",
)
ENVIRONMENT = os.environ | {
    "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}",
    "WHOWROTE_SESSIONS": "off",
}
LEDGER = ("status", "report")
# the n-th names every n-th candidate
LEDGER_CHANNELS = ("code_search", "commit_search", "listing")


def ran(program: str, arguments: Sequence[object]) -> dict[str, Any]:
    """A command: exit code, seconds by the clock and of the processor, largest memory of its main
    process in MB.
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


def measure(work: Path, names: Sequence[str], base: str) -> None:
    start = work / "start.db"
    listed = work / "names"
    listed.write_text("\n".join(names) + "\n")
    ENVIRONMENT["GITHUB_SERVER_URL"] = base
    loaded = ran("collect", ["run", "--db", start, "-q", "--list", listed, "--jobs", 1])
    say(run="collect run --jobs 1", repositories=len(names), **loaded)
    attributed = ran("attribute", ["db", start, "-q", "--jobs", 1])
    say(run="whowrote db --jobs 1", repositories=len(names), **attributed)


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
    parser.add_argument("--candidates", type=int, default=1_000_000)
    parser.add_argument("--work", type=Path)
    given = parser.parse_args()
    sizes = [int(one) for one in given.repositories.split(",") if one]
    with tempfile.TemporaryDirectory(dir=given.work) as folder:
        work = Path(folder)
        if given.candidates:
            ledger(work, given.candidates)
        for size in sizes if sizes != [0] else []:
            here = work / str(size)
            (here / "served").mkdir(parents=True)
            names = served(here / "served", size)
            with GitServer(here / "served") as server:
                measure(here, names, server.base)
            shutil.rmtree(here)


if __name__ == "__main__":
    main()
