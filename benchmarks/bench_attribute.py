"""What a first run, one with nothing new, one into another database and one with ten new commits
cost, against the least that any program must do.

    python benchmarks/bench_attribute.py [--runs N] [--markdown] REPOSITORY ...

The floor is the sum of three things, each done once: inflating every transcript that has to be read
(a stored copy that is the beginning of the session's longest one has not), without checking hashes;
parsing every distinct line of them with orjson; and `git log --raw -M -m` of HEAD. Every
measurement is a process of its own, the kinds in turn; CPU seconds (user and system) and peak
memory as the operating system counts them, medians, ratios run by run. Elapsed time is that of the
first run; where other work shares the machine it says little. The run with ten new commits has no
new transcript. The new session is the one nearest to 5 MB that shares no checkpoint with another: a
copy of the clone is attributed without it, then its checkpoints are put back. Each round has its
own cache of sessions.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import orjson  # noqa: E402
from processes import Spent, drain, own_seconds, run_ours, seconds_of_children  # noqa: E402

from collector.checkpoints import is_checkpoint_ref, read_all  # noqa: E402
from collector.git.repository import GitRepo, blob_id  # noqa: E402
from collector.load import SessionFiles, session_files  # noqa: E402

DATABASE = "bench.db"
SESSION = 5_000_000  # bytes of the new session, about
NOBODY = ("-c", "user.name=bench", "-c", "user.email=bench@example.org")


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
class Arrival:
    """A clone to which a session was added after it had been attributed."""

    copy: Path
    folder: Path  # of the database: the cache knows it by its path
    before: Path  # a copy of the folder, from before
    size: int  # bytes of the session


@dataclass(frozen=True, slots=True)
class Session:
    """CPU seconds of a run with one new session, and of the next one with nothing new; bytes of
    the session.
    """

    new: float
    unchanged: float
    size: int


@dataclass(frozen=True, slots=True)
class Round:
    """One measurement of everything: CPU seconds, peak memory of the first run in kilobytes,
    bytes of the database.
    """

    floor: Floor
    first: float
    elapsed: float  # seconds of the first run by the clock
    second: float  # nothing new
    another: float  # into another database
    commits: float  # ten new commits
    session: Session | None  # one new session
    memory: int
    database: int

    @property
    def ratio(self) -> float:
        return self.first / self.floor.seconds


def needed(repo: GitRepo, files: SessionFiles) -> set[str]:
    """Blobs of one session's transcripts without which something of it would be missing."""
    copies = sorted(
        files.copies(), key=lambda copy: sum(repo.blob_size(oid) or 0 for oid in copy), reverse=True
    )
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
    """The JSON texts of a transcript: its lines, or all of it where the first line is no value
    by itself.
    """
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
        before = own_seconds()
        data = repo.blob(oid) or b""
        inflated += own_seconds() - before
        size += len(data)
        fresh = [text for text in documents(data) if hash(text) not in seen]
        seen.update(map(hash, fresh))
        before = own_seconds()
        for text in fresh:
            parse(text)
        parsed += own_seconds() - before
    return Floor(inflated, parsed, seconds_of_children(lambda: log(repo)), size)


def log(repo: GitRepo) -> None:
    with repo.open_scratch() as git:
        drain(git, ["log", "--raw", "-M", "-m", "--no-abbrev", repo.default_branch().sha])


def floor(repository: Path) -> Floor:
    done = subprocess.run(
        [sys.executable, __file__, "--floor", str(repository)],
        capture_output=True,
        text=True,
        check=True,
    )
    return Floor(**json.loads(done.stdout))


def attribute(repository: Path, folder: Path, *options: object) -> Spent:
    """A whole run of the command, with the database and the cache of sessions in a directory."""
    words = ["attribute", "repo", repository.resolve(), "--db", folder / DATABASE, "-q", *options]
    return run_ours(words, {"WHOWROTE_SESSIONS": str(folder / "sessions.db")})


def measure(repository: Path, runs: int) -> list[Round]:
    rounds = []
    with tempfile.TemporaryDirectory() as place:
        late = arriving(repository, Path(place))
        for _ in range(runs):
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                least = floor(repository)
                began = time.monotonic()
                first = attribute(repository, folder)
                elapsed = time.monotonic() - began
                second = attribute(repository, folder).seconds
                another = attribute(repository, folder, "--db", folder / "another.db").seconds
                attribute(repository, folder, "--branch", before_head(repository))
                commits = attribute(repository, folder).seconds
                size = (folder / DATABASE).stat().st_size
            session = one_session(late) if late else None
            later = second, another, commits
            rounds.append(Round(least, first.seconds, elapsed, *later, session, first.memory, size))
    return rounds


# --- one new session ------------------------------------------------------------------------------


def arriving(repository: Path, place: Path) -> Arrival | None:
    """A copy of the clone, attributed without one of its sessions; None when every session
    shares its checkpoints with others.
    """
    repo = GitRepo(repository)
    found = alone(repo)
    if found is None:
        return None
    copy, folder, before = place / "copy.git", place / "database", place / "before"
    folder.mkdir()
    git(place, "clone", "-q", "--mirror", "--shared", str(repository.resolve()), str(copy))
    tips = without(copy, found[1])
    attribute(copy, folder)
    shutil.copytree(folder, before)
    for name, oid in tips.items():
        git(copy, "update-ref", name, oid)
    return Arrival(copy, folder, before, sum(repo.blob_size(oid) or 0 for oid in found[0]))


def alone(repo: GitRepo) -> tuple[set[str], set[str]] | None:
    """(blobs, checkpoints) of the session nearest to 5 MB whose checkpoints hold no other
    session.
    """
    sessions = session_files(read_all(repo))
    shared = Counter(
        key for files in sessions for key in {record.checkpoint_id for record in files.records}
    )
    found = []
    for files in sessions:
        checkpoints, blobs = {record.checkpoint_id for record in files.records}, needed(repo, files)
        if blobs and all(shared[key] == 1 for key in checkpoints):
            found.append(
                (
                    abs(sum(repo.blob_size(oid) or 0 for oid in blobs) - SESSION),
                    sorted(checkpoints),
                    blobs,
                )
            )
    if not found:
        return None
    _, keys, nearest = min(found, key=lambda one: one[:2])
    return nearest, set(keys)


def without(copy: Path, checkpoints: set[str]) -> dict[str, str]:
    """Takes checkpoints out of all refs of a bare clone; returns where these refs were."""
    listed = git(copy, "for-each-ref", "--format=%(refname) %(objectname)").decode().split("\n")
    moved = {}
    for name, oid in (line.split() for line in listed if line):
        if not is_checkpoint_ref(name):
            continue
        if name.rpartition("/")[2] in checkpoints:
            git(copy, "update-ref", "-d", name)
            moved[name] = oid
        elif (tree := tree_without(copy, oid, checkpoints)) != git(
            copy, "rev-parse", f"{oid}^{{tree}}"
        ).decode().strip():
            git(
                copy,
                "update-ref",
                name,
                git(copy, *NOBODY, "commit-tree", tree, "-p", oid, "-m", "One less")
                .decode()
                .strip(),
            )
            moved[name] = oid
    return moved


def tree_without(copy: Path, commit: str, checkpoints: set[str]) -> str:
    places = tuple(f"{key[:2]}/{key[2:]}/".encode() for key in checkpoints)
    entries = git(copy, "ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0")
    kept = b"\0".join(
        entry for entry in entries if not entry.partition(b"\t")[2].startswith(places)
    )
    index = {"GIT_INDEX_FILE": str(copy / "bench.index")}
    git(copy, "read-tree", "--empty", variables=index)
    git(copy, "update-index", "-z", "--index-info", stdin=kept, variables=index)
    return git(copy, "write-tree", "--missing-ok", variables=index).decode().strip()


def git(
    directory: Path,
    *words: str,
    stdin: bytes = b"",
    variables: Mapping[str, str] = MappingProxyType({}),
) -> bytes:
    command = ["git", "-C", str(directory), *words]
    return subprocess.run(
        command, input=stdin, stdout=subprocess.PIPE, env={**os.environ, **variables}, check=True
    ).stdout


def one_session(late: Arrival) -> Session:
    """A run after the session arrived, and one with nothing new after it."""
    shutil.rmtree(late.folder)
    shutil.copytree(late.before, late.folder)
    arrived = attribute(late.copy, late.folder).seconds
    return Session(arrived, attribute(late.copy, late.folder).seconds, late.size)


# --- words ----------------------------------------------------------------------------------------


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
    parts = [
        median(lambda r: r.floor.inflate),
        median(lambda r: r.floor.parse),
        median(lambda r: r.floor.log),
    ]
    first, second, ratio = (
        median(lambda r: r.first),
        median(lambda r: r.second),
        median(lambda r: r.ratio),
    )
    spread = f"{min(r.ratio for r in rounds):.1f} to {max(r.ratio for r in rounds):.1f}"
    elapsed, commits = median(lambda r: r.elapsed), median(lambda r: r.commits)
    another = median(lambda r: r.another)
    session = described_session([one.session for one in rounds if one.session])
    memory, database = median(lambda r: r.memory) / 1024, median(lambda r: r.database) / 1e6
    if markdown:
        cells = [
            f"{size:.0f}",
            *(f"{part:.2f}" for part in parts),
            f"{least:.2f}",
            f"{first:.1f}",
            f"{ratio:.1f} ({spread})",
        ]
        times = f"{elapsed:.1f} | {second:.2f} | {another:.1f} | {commits:.1f}"
        cells += [times, session, f"{memory:.0f}"]
        return f"| {'/'.join(repository.parts[-2:])} | {' | '.join(cells)} |"
    inflate, parsing, logging = parts
    return (
        f"{repository}: {size:.0f} MB of transcripts; floor {least:.2f} s (inflate {inflate:.2f},"
        f" parse {parsing:.2f}, log {logging:.2f}); first run {first:.2f} s = {ratio:.1f} times"
        f" ({spread}), {elapsed:.1f} s by the clock; nothing new {second:.2f} s; another"
        f" database {another:.2f} s; ten new commits {commits:.2f} s; one new session {session};"
        f" peak {memory:.0f} MB; database {database:.1f} MB (CPU seconds, medians of {len(rounds)})"
    )


def described_session(found: list[Session]) -> str:
    if not found:
        return "–"
    new, unchanged = (
        statistics.median(one.new for one in found),
        statistics.median(one.unchanged for one in found),
    )
    return (
        f"{new:.2f} s ({found[0].size / 1e6:.1f} MB; {new - unchanged:.2f} s more than nothing new)"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
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
        print(
            described(repository, measure(repository, options.runs), options.markdown), flush=True
        )


if __name__ == "__main__":
    main()
