"""What a first and a second run cost, against merely inflating every distinct transcript once.

    python benchmarks/bench_attribute.py [--runs N] REPOSITORY ...

Every run is a process of its own, the two kinds in turn; CPU seconds (user and system) and peak memory as the operating system
counts them, medians, ratios run by run. The yardstick reads each transcript blob once through pygit2 with its default settings.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent

_INFLATE = """
import sys
sys.path.insert(0, sys.argv[2])
import pygit2
verify = pygit2.settings.enable_strict_hash_verification
from collector.checkpoints import read_all
from collector.git.repository import GitRepo
repo = GitRepo(sys.argv[1])
blobs = sorted({oid for c in read_all(repo) for s in c.sessions for oid in s.transcript})
import resource
verify(True)
raw = pygit2.Repository(str(repo.path))
before = resource.getrusage(resource.RUSAGE_SELF)
size = 0
for oid in blobs:
    try:
        size += len(raw.odb.read(oid)[1])
    except KeyError:
        pass
after = resource.getrusage(resource.RUSAGE_SELF)
print(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, size)
"""


def inflate(repository: Path) -> tuple[float, int]:
    """(CPU seconds of reading the blobs, bytes)."""
    done = subprocess.run([sys.executable, "-c", _INFLATE, str(repository), str(ROOT)], capture_output=True, text=True, check=True)
    seconds, size = done.stdout.split()
    return float(seconds), int(size)


def attribute(repository: Path, database: Path) -> tuple[float, int]:
    """(CPU seconds, peak memory in kilobytes) of a whole run of the command."""
    code = "import sys; sys.path.insert(0, sys.argv.pop(1)); from attribution.cli import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(ROOT), "repo", str(repository), "--db", str(database), "-q"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ,
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"attribute repo {repository} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def measure(repository: Path, runs: int) -> str:
    rows = []
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as directory:
            database = Path(directory) / "bench.db"
            yardstick, size = inflate(repository)
            first, memory = attribute(repository, database)
            second, _ = attribute(repository, database)
            rows.append((yardstick, first, second, first / yardstick, memory, size, database.stat().st_size))
    median = [statistics.median(column) for column in zip(*rows, strict=True)]
    spread = f"{min(r[3] for r in rows):.1f} to {max(r[3] for r in rows):.1f}"
    return (
        f"{repository}: transcripts {median[5] / 1e6:.0f} MB, inflated once {median[0]:.2f} s; first run {median[1]:.2f} s "
        f"= {median[3]:.2f} times ({spread}); second run {median[2]:.2f} s; peak {median[4] / 1024:.0f} MB; "
        f"database {median[6] / 1e6:.1f} MB (CPU seconds, medians of {len(rows)})"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("repositories", nargs="+", type=Path)
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for repository in options.repositories:
        print(measure(repository, options.runs), flush=True)


if __name__ == "__main__":
    main()
