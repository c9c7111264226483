"""The whole way from names to verdicts, killed and undisturbed, with real repositories and no
network.

    python benchmarks/bench_collect.py DIRECTORY [--work DIR] [--kills N] [--seed N] [--jobs N]
    [--skip OWNER/NAME] [--json FILE]

DIRECTORY holds bare repositories (owner/name.git, or owner+name/repo). The stand-in GitHub of the
tests serves them all, git by `git http-backend`; its searches answer from their contents, its rate
limits are out of the way.

    alone      discover; then fetch, load, attribute of what discovery confirmed, then of all the
               others (`--allow-no-checkpoints`)
    killed     the same in three commands (discover, run, whowrote db), each killed with its whole
               process group (SIGKILL) at drawn moments and begun again, until it ends
    again      all commands once more for both databases: nothing is new
    compared   every table of the two databases row by row, numbers of rows replaced by what the
               rows say; the refs of the mirrors

Left out of the comparison are times and the logs of runs: LEFT_OUT. Exit code 1 when anything
differs.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.github_server import GIT_SETTINGS, TOKEN, GitHubServer, Repo, World  # noqa: E402

from collector.discovery.mirrors.disk import size_of  # noqa: E402

TIMES = {
    "first_seen_at",
    "probed_at",
    "next_attempt_at",
    "metadata_at",
    "seen_at",
    "updated_at",
    "tried_at",
    "fetched_at",
    "finished_at",
    "seconds",
}
LEFT_OUT: dict[str, set[str]] = {
    "repos": {"path"},  # the two databases lie in two directories
    "mirrors": {"path", "bytes"},  # packs and requests depend on where a transfer was cut
    "jobs": {"attempts", "cpu_seconds", "peak_bytes"},
    # of a mirror that lacks objects the names of its packs are part of it
    "stage_runs": {"input_key"},
}
_MOMENTS = {
    "fetch": (0.1, 0.9),
    "load": (0.1, 0.9),
    "discover": (0.1, 0.9),
    "attribute": (0.05, 0.95),
}
_POLL = 0.2


@dataclass
class Cost:
    """What one command took. Bytes are those of the server's answers."""

    command: str
    code: int = 0
    wall: float = 0.0
    cpu: float = 0.0  # of the command and everything it started and waited for
    largest: int = 0  # bytes, of the largest process
    together: int = 0  # bytes of private memory of all its processes at the same time
    requests: Counter[str] = field(default_factory=Counter)
    sent: int = 0
    said: str = ""


# --- the served world -----------------------------------------------------------------------------


def world(directory: Path, skip: Sequence[str]) -> World:
    """All bare repositories below a directory, as GitHub would know them."""
    hidden = {name.lower() for name in skip}
    found = []
    for head in sorted([*directory.glob("*/HEAD"), *directory.glob("*/*/HEAD")]):
        name = name_of(head.parent.relative_to(directory).as_posix())
        if name and name.lower() not in hidden and (head.parent / "objects").is_dir():
            found.append(repository(name, head.parent))
    return World(found)


def name_of(place: str) -> str:
    """owner/name of `owner/name.git`, `owner+name/repo`, `owner+name.git`; '' for another
    directory.
    """
    bare = place.removesuffix("/repo").removesuffix(".git")
    name = bare if "/" in bare else bare.replace("+", "/", 1)
    return name if name.count("/") == 1 else ""


def repository(name: str, path: Path) -> Repo:
    settings = git(path, "show", "HEAD:.entire/settings.json")
    commits = []
    for record in git(
        path, "log", "HEAD", "--grep=Entire-Checkpoint", "--format=%H%x00%ct%x00%B%x01"
    ).split("\x01\n"):
        parts = record.strip("\n").split("\0")
        if len(parts) == 3 and parts[1].isdigit():
            commits.append(
                (
                    parts[0],
                    f"{datetime.fromtimestamp(int(parts[1]), UTC):%Y-%m-%dT%H:%M:%SZ}",
                    parts[2],
                )
            )
    files = {".entire/settings.json": settings} if settings else {}
    return Repo(
        name, git_dir=path.resolve(), files=files, commits=commits, size_kb=size_of(path) >> 10
    )


def git(path: Path, *args: str) -> str:
    environment = os.environ | {
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    command = ["git", f"--git-dir={path}", "-c", "safe.directory=*", *args]
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    return done.stdout.decode("utf-8", "replace") if not done.returncode else ""


# --- commands -------------------------------------------------------------------------------------


class Bench:
    """Runs commands against the server and measures them."""

    def __init__(self, server: GitHubServer, work: Path, jobs: int) -> None:
        self.server, self.work, self.jobs = server, work, jobs
        self.names = work / "names.txt"
        self.names.write_text("".join(f"{repo.full_name}\n" for repo in server.world.repos))
        self.until = f"{datetime.now(UTC) + timedelta(days=1):%Y-%m-%d}"

    def discover(self, db: Path) -> list[str]:
        channels = [
            "code_search",
            "commit_search",
            "listing",
            "--list",
            str(self.names),
            "--until",
            self.until,
        ]
        return ["collect", "discover", *channels, "--db", str(db), "--csv"]

    def collect(self, db: Path, everything: bool) -> list[str]:
        """Fetches and loads what discovery confirmed, or all repositories."""
        names = ["--list", str(self.names)] if everything else []
        return [
            "collect",
            "run",
            "--db",
            str(db),
            *names,
            "--jobs",
            str(self.jobs),
            "-q",
        ]

    def attribute(self, db: Path) -> list[str]:
        return [
            "attribute",
            "db",
            str(db),
            "--jobs",
            str(self.jobs),
            "-q",
        ]

    def run(self, command: list[str], moment: Callable[[], bool] = lambda: False) -> Cost:
        """Runs to the end, or until `moment()`: then the whole process group is killed."""
        cost = Cost(" ".join(command[:2]))
        place = {"collect": "collector", "attribute": "attribution"}[command[0]]
        code = f"from {place}.cli import main; main()"
        environment = os.environ | {"PYTHONPATH": str(ROOT), "GITHUB_TOKEN": TOKEN}
        environment |= {"GITHUB_API_URL": self.server.api_url, "GITHUB_SERVER_URL": self.server.url}
        requests, sent, began = len(self.server.log), self.server.sent, time.monotonic()
        with tempfile.TemporaryFile() as said:
            process = subprocess.Popen(
                [sys.executable, "-c", code, *command[1:]],
                env=environment,
                stdout=said,
                stderr=said,
                start_new_session=True,
            )
            ended = self._attend(process.pid, cost, moment)
            said.seek(0)
            cost.said = said.read().decode("utf-8", "replace")[-2000:]
        process.returncode = cost.code = os.waitstatus_to_exitcode(ended[1])
        cost.cpu = round(ended[2].ru_utime + ended[2].ru_stime, 1)
        cost.wall = round(time.monotonic() - began, 1)
        with self.server.lock:
            cost.requests = Counter(
                kind(asked.path, asked.body) for asked in self.server.log[requests:]
            )
            cost.sent = self.server.sent - sent
        print(shown(cost), flush=True)
        return cost

    def _attend(self, pid: int, cost: Cost, moment: Callable[[], bool]) -> tuple[int, int, Any]:
        watched = threading.Event()

        def watch() -> None:
            while not watched.wait(0.3):
                largest, together = memory(pid)
                cost.largest, cost.together = (
                    max(cost.largest, largest),
                    max(cost.together, together),
                )

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        try:
            while True:
                ended = os.wait4(pid, os.WNOHANG)
                if ended[0]:
                    return ended
                if moment():
                    os.killpg(pid, signal.SIGKILL)
                    return os.wait4(pid, 0)
                time.sleep(_POLL / 4)
        finally:
            watched.set()
            watcher.join()


def kind(path: str, body: bytes) -> str:
    place = path.partition("?")[0]
    if place.startswith("/api/"):
        return "API"
    if place.endswith("/git-upload-pack"):
        return "ls-refs" if b"command=ls-refs" in body else "transfer"
    return "announcement"


def memory(root: int) -> tuple[int, int]:
    """(largest resident memory a process below `root` ever had, private memory of all of them
    now); Linux only.
    """
    parents: dict[int, int] = {}
    found: dict[int, dict[str, int]] = {}
    for place in Path("/proc").glob("[0-9]*/status"):
        try:
            lines = place.read_text("utf-8", "replace").splitlines()
        except OSError:
            continue
        values = {
            name: rest.split()[0]
            for name, _, rest in (line.partition(":") for line in lines)
            if rest.split()
        }
        number = int(values["Pid"])
        parents[number] = int(values["PPid"])
        found[number] = {name: int(values.get(name, "0")) << 10 for name in ("VmHWM", "RssAnon")}
    family = {root}
    while grown := {
        pid for pid, parent in parents.items() if parent in family and pid not in family
    }:
        family |= grown
    mine = [found[pid] for pid in family if pid in found]
    return max((one["VmHWM"] for one in mine), default=0), sum(one["RssAnon"] for one in mine)


def shown(cost: Cost) -> str:
    asked = (
        ", ".join(f"{count} {name}" for name, count in sorted(cost.requests.items()))
        or "nothing asked"
    )
    numbers = (
        f"code {cost.code}, {cost.wall:.0f} s, {cost.cpu:.0f} s of processor, largest process"
        f" {cost.largest >> 20} MB"
    )
    tail = f"\n{cost.said}" if cost.code not in (0, -signal.SIGKILL) else ""
    return (
        f"{cost.command}: {numbers}, together {cost.together >> 20} MB; {asked};"
        f" {cost.sent / 1e6:.2f} MB{tail}"
    )


# --- undisturbed and killed -----------------------------------------------------------------------


def alone(bench: Bench, db: Path) -> dict[str, Cost]:
    """Step by step, first the repositories with checkpoints, so that each step has its price."""
    costs = {"discover": bench.run(bench.discover(db))}
    for everything, of in ((False, "confirmed"), (True, "others")):
        costs[f"run {of}"] = bench.run(bench.collect(db, everything))
        costs[f"attribute {of}"] = bench.run(bench.attribute(db))
        if not everything:
            prices(db)
    return costs


def killed(
    bench: Bench, db: Path, whole: dict[str, Cost], kills: int, rng: random.Random
) -> list[Cost]:
    """In three commands; each begins again after it was killed. Kills go round discover,
    attribute, fetch, load, attribute.
    """
    plan: dict[str, list[Asked | Finished]] = {"discover": [], "run": [], "attribute": []}
    jobs = len(bench.server.world.repos)
    transfers = sum(sum(whole[f"run {of}"].requests.values()) for of in ("confirmed", "others"))
    rounds = [
        ("discover", "discover"),
        ("attribute", "attribute"),
        ("run", "fetch"),
        ("run", "load"),
        ("attribute", "attribute"),
    ]
    for number in range(kills):
        which, stage = rounds[number % len(rounds)]
        share = rng.uniform(*_MOMENTS[stage])
        if stage == "discover":
            plan[which].append(
                Asked(bench.server, share * sum(whole["discover"].requests.values()))
            )
        elif stage == "fetch":
            plan[which].append(Asked(bench.server, share * transfers))
        else:
            plan[which].append(
                Finished(
                    db, "load" if stage == "load" else "lines", share * jobs, rng.uniform(0, 5)
                )
            )
    costs = []
    commands = {
        "discover": bench.discover(db),
        "run": bench.collect(db, True),
        "attribute": bench.attribute(db),
    }
    for what, command in commands.items():
        begun = len(bench.server.log)
        for moment in sorted(plan[what], key=lambda m: m.order()):
            if isinstance(moment, Asked):
                moment.begun = begun
            costs.append(bench.run(command, moment))
            sound(db)
        costs.append(bench.run(command))
    return costs


@dataclass
class Asked:
    """The moment at which the server was asked so often since `begun`."""

    server: GitHubServer
    count: float
    begun: int = 0

    def order(self) -> tuple[int, float]:
        return 0, self.count

    def __call__(self) -> bool:
        return len(self.server.log) - self.begun >= self.count


@dataclass
class Finished:
    """Some seconds after so many repositories have ended a stage."""

    db: Path
    stage: str
    count: float
    later: float
    reached: float = 0.0
    looked: float = 0.0

    def order(self) -> tuple[int, float]:
        return 1, self.count

    def __call__(self) -> bool:
        now = time.monotonic()
        if self.reached:
            return now >= self.reached + self.later
        if now - self.looked > _POLL:
            self.looked = now
            if jobs_of(self.db, self.stage) >= self.count:
                self.reached = now
        return False


def jobs_of(db: Path, stage: str) -> int:
    try:
        with closing(sqlite3.connect(f"{db.as_uri()}?mode=ro", uri=True)) as connection:
            return int(
                connection.execute(
                    "SELECT count(*) FROM jobs WHERE stage = ?", (stage,)
                ).fetchone()[0]
            )
    except sqlite3.Error:
        return 0


def sound(db: Path) -> None:
    """A killed command leaves a database that is whole."""
    if db.exists():
        with closing(sqlite3.connect(db)) as connection:
            said = connection.execute("PRAGMA quick_check").fetchone()[0]
        print(
            f"  killed; the database: {said}, {jobs_of(db, 'load')} loaded, {jobs_of(db, 'lines')}"
            " attributed",
            flush=True,
        )


def again(bench: Bench, db: Path) -> list[Cost]:
    commands = (bench.discover(db), bench.collect(db, True), bench.attribute(db))
    return [bench.run(command) for command in commands]


# --- comparing ------------------------------------------------------------------------------------


class Digests:
    """Rows of a database as hashes of what they say: the number of a row is replaced by the hash
    of the row it stands for.
    """

    def __init__(self, db: Path) -> None:
        self.connection = sqlite3.connect(db)
        self.connection.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
        sql = (
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER"
            " BY name"
        )
        self.tables = [row[0] for row in self.connection.execute(sql)]
        self.place = str(db.parent)
        self._columns = {
            name: [r[1] for r in self.connection.execute(f"PRAGMA table_info([{name}])")]
            for name in self.tables
        }
        self._links: dict[str, dict[str, tuple[str, str]]] = {}
        for name in self.tables:
            found = self.connection.execute(f"PRAGMA foreign_key_list([{name}])").fetchall()
            compound = {row[0] for row in found if row[1]}
            self._links[name] = {
                row[3]: (row[2], row[4] or "id") for row in found if row[0] not in compound
            }
        self._numbered = {
            (table, to) for links in self._links.values() for table, to in links.values()
        }
        self._known: dict[tuple[str, str], dict[Any, str]] = {}

    def columns(self, table: str) -> list[str]:
        """Those that are compared."""
        hidden = TIMES | LEFT_OUT.get(table, set()) | {"id"}
        return [name for name in self._columns[table] if name not in hidden]

    def rows(self, table: str) -> Counter[str]:
        return Counter(digest for digest, _ in self._digests(table))

    def _digests(self, table: str) -> Iterator[tuple[str, dict[str, Any]]]:
        names, links = self.columns(table), self._links[table]
        for row in self.connection.execute(f"SELECT * FROM [{table}]"):
            values = dict(zip(self._columns[table], row, strict=True))
            said = [self._value(table, links.get(name), values, name) for name in names]
            yield (
                hashlib.sha256(repr(said).encode("utf-8", "surrogateescape")).hexdigest()[:24],
                values,
            )

    def _value(
        self, table: str, link: tuple[str, str] | None, values: dict[str, Any], name: str
    ) -> Any:
        value = values[name]
        if link is None or value is None:
            return value.replace(self.place, "") if isinstance(value, str) else value
        if link[0] == table:  # a row of the same table: its name without what it points to
            return self._own(table, link[1], value)
        return self._by_number(*link).get(value, f"? {value}")

    def _by_number(self, table: str, column: str) -> dict[Any, str]:
        if (table, column) not in self._known:
            self._known[table, column] = {
                values[column]: digest for digest, values in self._digests(table)
            }
        return self._known[table, column]

    def _own(self, table: str, column: str, value: Any) -> str:
        key = (f"{table} without links to itself", column)
        if key not in self._known:
            names = [n for n in self.columns(table) if self._links[table].get(n, ("",))[0] != table]
            links, found = self._links[table], {}
            for row in self.connection.execute(f"SELECT * FROM [{table}]"):
                values = dict(zip(self._columns[table], row, strict=True))
                found[values[column]] = repr(
                    [self._value(table, links.get(n), values, n) for n in names]
                )
            self._known[key] = found
        return self._known[key].get(value, f"? {value}")

    def show(self, table: str, wanted: set[str]) -> Iterator[dict[str, Any]]:
        for digest, values in self._digests(table):
            if digest in wanted:
                yield {name: str(values[name])[:120] for name in self.columns(table)}


def compare(one: Path, other: Path) -> tuple[dict[str, int], list[str]]:
    """(rows per table, differences in words)."""
    first, second = Digests(one), Digests(other)
    differences = (
        []
        if first.tables == second.tables
        else [f"tables differ: {set(first.tables) ^ set(second.tables)}"]
    )
    counts = {}
    for table in first.tables:
        here, there = first.rows(table), second.rows(table)
        counts[table] = here.total()
        if here == there:
            continue
        differences.append(
            f"{table}: {(here - there).total()} rows only undisturbed, {(there - here).total()}"
            " only killed"
        )
        for digests, rows in ((first, here - there), (second, there - here)):
            for _, row in zip(range(2), digests.show(table, set(rows)), strict=False):
                differences.append(f"    {row}")
    for mirror in sorted(Path(f"{one}.mirrors").glob("*/*.git")):
        twin = Path(f"{other}.mirrors") / mirror.relative_to(f"{one}.mirrors")
        if git(mirror, "for-each-ref") != git(twin, "for-each-ref") or not git(
            mirror, "for-each-ref"
        ):
            differences.append(f"refs of {mirror.name} differ")
    return {name: count for name, count in counts.items() if count}, differences


# --- prices ---------------------------------------------------------------------------------------


def prices(db: Path) -> list[dict[str, Any]]:
    """Per repository with checkpoints: mean, median, largest."""
    with closing(sqlite3.connect(db)) as connection:
        columns = {
            "mirror, MB": "SELECT bytes / 1e6 FROM mirrors",
            "loading, s of processor": "SELECT cpu_seconds FROM jobs WHERE stage = 'load'",
            "attributing, s of processor": "SELECT cpu_seconds FROM jobs WHERE stage = 'lines'",
            "memory, MB": "SELECT peak_bytes / 1e6 FROM jobs WHERE stage = 'lines'",
        }
        rows = []
        for name, sql in columns.items():
            values = [row[0] for row in connection.execute(sql)]
            if values:
                middle = [
                    round(statistics.fmean(values), 1),
                    round(statistics.median(values), 1),
                    round(max(values), 1),
                ]
                rows.append(
                    {
                        "what": name,
                        "of": len(values),
                        **dict(zip(("mean", "median", "largest"), middle, strict=True)),
                    }
                )
        sums = (
            "(SELECT count(*) FROM commits), (SELECT sum(lines_added) FROM commit_files), (SELECT"
            " count(*) FROM sessions), (SELECT count(*) FROM checkpoints), (SELECT count(*) FROM"
            " repos)"
        )
        counts = connection.execute(f"SELECT {sums}").fetchone()
    print(
        f"  {len(rows) and rows[0]['of']} mirrors, {counts[4]} loaded: {counts[0]} commits,"
        f" {counts[1]} added lines, {counts[2]} sessions, {counts[3]} checkpoints; database"
        f" {db.stat().st_size / 1e6:.1f} MB"
    )
    for row in rows:
        print(f"  {row}", flush=True)
    return rows


def hook(work: Path) -> dict[str, str]:
    """Settings of a server that hands out what it has: copies made by partial clones lack large
    files.
    """
    script = work / "pack-objects"
    script.write_text('#!/bin/sh\nshift 2\nexec git pack-objects --missing=allow-any "$@"\n')
    script.chmod(0o755)
    return {**GIT_SETTINGS, "uploadpack.packObjectsHook": str(script)}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("directory", type=Path)
    parser.add_argument(
        "--work", type=Path, help="kept afterwards; default: a temporary directory that is removed"
    )
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--skip",
        action="append",
        default=[],
        metavar="OWNER/NAME",
        help="do not serve this one; may be repeated",
    )
    parser.add_argument("--json", type=Path, help="write all measurements there")
    given = parser.parse_args()
    work = given.work or Path(tempfile.mkdtemp(prefix="bench-collect-"))
    one, other = work / "alone" / "all.db", work / "killed" / "all.db"
    for db in (one, other):
        shutil.rmtree(db.parent, ignore_errors=True)
        db.parent.mkdir(parents=True)
    with GitHubServer(world(given.directory, given.skip), git_settings=hook(work)) as server:
        server.limits = dict.fromkeys(server.limits, (1_000_000, 1_000_000, 60))
        bench = Bench(server, work, given.jobs)
        trailers = sum(bool(repo.commits) for repo in server.world.repos)
        print(f"{len(server.world.repos)} repositories are served, {trailers} with trailers")
        print("undisturbed", flush=True)
        costs = alone(bench, one)
        print(f"killed {given.kills} times", flush=True)
        disturbed = killed(bench, other, costs, given.kills, random.Random(given.seed))
        print("nothing new", flush=True)
        quiet = [*again(bench, one), *again(bench, other)]
    counts, differences = compare(one, other)
    print(f"compared: {sum(counts.values())} rows in {len(counts)} tables: {counts}")
    print("\n".join(differences) or "no difference")
    if given.json:
        every = {
            "alone": {name: vars(cost) for name, cost in costs.items()},
            "killed": [vars(cost) for cost in disturbed],
        }
        later = [vars(cost) for cost in quiet]
        given.json.write_text(
            json.dumps({**every, "again": later, "rows": counts, "differences": differences})
        )
    if given.work is None:
        shutil.rmtree(work)
    return 1 if differences or any(cost.code for cost in quiet) else 0


if __name__ == "__main__":
    sys.exit(main())
