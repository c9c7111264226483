"""What `collect run` and `whowrote db` cost on many small repositories.

    python benchmarks/bench_many.py [--repositories 200,1000,3000] [--work DIR]

The repositories are copies of the fixtures under other names, served on the loopback interface.
Prints a line of JSON for each run: seconds by the clock and of the processor with all workers, and
memory of the command.
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
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.git_server import GitServer  # noqa: E402
from support.served import publish  # noqa: E402

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


def ran(program: str, arguments: Sequence[object]) -> dict[str, Any]:
    """A command: exit code, seconds by the clock and of the processor, memory of the largest
    of its processes in MB.
    """
    module = {"collect": "collector.cli", "attribute": "attribution.cli"}[program]
    began = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-c", f"from {module} import main; main()", *map(str, arguments)],
        env=ENVIRONMENT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds, cpu = time.monotonic() - began, used.ru_utime + used.ru_stime
    return {
        "code": process.returncode,
        "seconds": round(seconds, 1),
        "cpu": round(cpu, 1),
        "MB": round(used.ru_maxrss / 1024),
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


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repositories", default="200,1000,3000")
    parser.add_argument("--work", type=Path)
    given = parser.parse_args()
    sizes = [int(one) for one in given.repositories.split(",") if one]
    with tempfile.TemporaryDirectory(dir=given.work) as folder:
        work = Path(folder)
        for size in sizes:
            here = work / str(size)
            (here / "served").mkdir(parents=True)
            names = served(here / "served", size)
            with GitServer(here / "served") as server:
                measure(here, names, server.base)
            shutil.rmtree(here)


if __name__ == "__main__":
    main()
