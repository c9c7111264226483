"""What a first run, one with nothing new and one with ten new commits cost, against the least that any program must do.

    python benchmarks/bench_attribute.py [--runs N] [--markdown] REPOSITORY ...

The floor is the sum of three things, each done once: inflating every transcript that has to be read (a stored copy that is the
beginning of the session's longest one has not), without checking hashes; parsing every distinct line of them with orjson; and
`git log --raw -M -m` of HEAD. Every measurement is a process of its own, the kinds in turn; CPU seconds (user and system) and peak
memory as the operating system counts them, medians, ratios run by run. Elapsed time is that of the first run; where other work
shares the machine it says little. The run with ten new commits has no new transcript. Each round has its own cache of sessions.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import orjson  # noqa: E402

from collector.checkpoints import read_all  # noqa: E402
from collector.git.program import open_scratch  # noqa: E402
from collector.git.repository import GitRepo, blob_id  # noqa: E402
from collector.load import SessionFiles, session_files  # noqa: E402


@dataclass(frozen=True, slots=True)
class Floor:
    """CPU seconds of the least work, and bytes of the transcripts that it reads."""

    inflate: float
    parse: float
    log: float
    size: int

    @property
    def seconds(self) -> float:
        return self.inflate + self.parse + self.log


@dataclass(frozen=True, slots=True)
class Round:
    """One measurement of everything: CPU seconds, peak memory of the first run in kilobytes, bytes of the database."""

    floor: Floor
    first: float
    elapsed: float  # seconds of the first run by the clock
    second: float  # nothing new
    commits: float  # ten new commits
    memory: int
    database: int

    @property
    def ratio(self) -> float:
        return self.first / self.floor.seconds


def needed(repo: GitRepo, files: SessionFiles) -> set[str]:
    """Blobs of one session's transcripts without which something of it would be missing."""
    copies = sorted(files.copies(), key=lambda copy: sum(repo.blob_size(oid) or 0 for oid in copy), reverse=True)
    found = {*files.tasks(), *files.compacts(unread=not copies)}
    if copies:
        longest = b"\n".join(repo.blob(oid) or b"" for oid in copies[0])
        found.update(copies[0])
        for copy in copies[1:]:
            beginning = memoryview(longest)[: repo.blob_size(copy[0]) or 0]
            if len(copy) > 1 or blob_id(beginning, copy[0]) != copy[0]:
                found.update(copy)
    return {oid for oid in found if repo.has(oid)}


def documents(data: bytes) -> Iterator[bytes]:
    """The JSON texts of a transcript: its lines, or all of it where the first line is no value by itself."""
    head, _, rest = data.lstrip().partition(b"\n")
    try:
        orjson.loads(head)
    except orjson.JSONDecodeError:
        yield data
        return
    yield head
    yield from (line for line in rest.split(b"\n") if line.strip())


def parse(text: bytes) -> None:
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        return  # cut off, or no JSON: trying was the cost


def floor_of(path: Path) -> Floor:
    """Measured inside this process, which should be a fresh one."""
    repo = GitRepo(path)
    blobs = sorted(set().union(*(needed(repo, files) for files in session_files(read_all(repo)))))
    repo = GitRepo(path)  # has nothing in memory
    inflated = parsed = 0.0
    size, seen = 0, set[int]()
    for oid in blobs:
        before = used()
        data = repo.blob(oid) or b""
        inflated += used() - before
        size += len(data)
        fresh = [text for text in documents(data) if hash(text) not in seen]
        seen.update(map(hash, fresh))
        before = used()
        for text in fresh:
            parse(text)
        parsed += used() - before
    return Floor(inflated, parsed, measured(lambda: log(repo)), size)


def log(repo: GitRepo) -> None:
    with open_scratch(repo) as git:
        stream = git.stream(["log", "--raw", "-M", "-m", "--no-abbrev", repo.default_branch().sha])
        while stream.read():
            pass
        stream.failed()


def used() -> float:
    own = resource.getrusage(resource.RUSAGE_SELF)
    return own.ru_utime + own.ru_stime


def measured(work: Callable[[], object]) -> float:
    """CPU seconds of the processes that it starts and waits for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    work()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def floor(repository: Path) -> Floor:
    done = subprocess.run([sys.executable, __file__, "--floor", str(repository)], capture_output=True, text=True, check=True)
    return Floor(**json.loads(done.stdout))


def attribute(repository: Path, database: Path, *options: str) -> tuple[float, int]:
    """(CPU seconds, peak memory in kilobytes) of a whole run of the command."""
    code = "import sys; sys.path.insert(0, sys.argv.pop(1)); from attribution.cli import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(ROOT), "repo", str(repository), "--db", str(database), "-q", *options],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "WHOWROTE_SESSIONS": str(database.with_name("sessions.db"))},
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"attribute repo {repository} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def measure(repository: Path, runs: int) -> list[Round]:
    rounds = []
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as directory:
            database = Path(directory) / "bench.db"
            least = floor(repository)
            began = time.monotonic()
            first, memory = attribute(repository, database)
            elapsed = time.monotonic() - began
            second, _ = attribute(repository, database)
            attribute(repository, database, "--branch", before_head(repository))
            commits, _ = attribute(repository, database)
            rounds.append(Round(least, first, elapsed, second, commits, memory, database.stat().st_size))
    return rounds


def before_head(repository: Path, back: int = 10) -> str:
    """The commit so many steps before HEAD on its main line, or the first one."""
    repo = GitRepo(repository)
    commit = repo.commit(repo.default_branch().sha)
    for _ in range(back):
        parent = repo.commit(commit.parents[0]) if commit is not None and commit.parents else None
        commit = parent if parent is not None else commit
    if commit is None:
        raise SystemExit(f"{repository}: HEAD cannot be read")
    return commit.sha


def described(repository: Path, rounds: list[Round], markdown: bool) -> str:
    """One line about a repository, as prose or as a row of the table in docs/performance.md."""

    def median(value: Callable[[Round], float]) -> float:
        return statistics.median(value(one) for one in rounds)

    size, least = median(lambda r: r.floor.size) / 1e6, median(lambda r: r.floor.seconds)
    parts = [median(lambda r: r.floor.inflate), median(lambda r: r.floor.parse), median(lambda r: r.floor.log)]
    first, second, ratio = median(lambda r: r.first), median(lambda r: r.second), median(lambda r: r.ratio)
    spread = f"{min(r.ratio for r in rounds):.1f} to {max(r.ratio for r in rounds):.1f}"
    elapsed, commits = median(lambda r: r.elapsed), median(lambda r: r.commits)
    memory, database = median(lambda r: r.memory) / 1024, median(lambda r: r.database) / 1e6
    if markdown:
        cells = [f"{size:.0f}", *(f"{part:.2f}" for part in parts), f"{least:.2f}", f"{first:.1f}", f"{ratio:.1f} ({spread})"]
        cells += [f"{elapsed:.1f}", f"{second:.2f}", f"{commits:.1f}", f"{memory:.0f}"]
        return f"| {'/'.join(repository.parts[-2:])} | {' | '.join(cells)} |"
    inflate, parsing, logging = parts
    return (
        f"{repository}: {size:.0f} MB of transcripts; floor {least:.2f} s (inflate {inflate:.2f}, parse {parsing:.2f}, log "
        f"{logging:.2f}); first run {first:.2f} s = {ratio:.1f} times ({spread}), {elapsed:.1f} s by the clock; "
        f"nothing new {second:.2f} s; ten new commits {commits:.2f} s; peak {memory:.0f} MB; "
        f"database {database:.1f} MB (CPU seconds, medians of {len(rounds)})"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--markdown", action="store_true", help="rows of a table")
    parser.add_argument("--floor", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("repositories", nargs="+", type=Path)
    options = parser.parse_args()
    if options.floor:
        print(json.dumps(asdict(floor_of(options.repositories[0]))))
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for repository in options.repositories:
        print(described(repository, measure(repository, options.runs), options.markdown), flush=True)


if __name__ == "__main__":
    main()
