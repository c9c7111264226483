"""Kills commands at random statements, or takes the power away there, and compares what the next
run makes of the database.

As a program, since it forks: `killed.py FOLDER TRIALS SEED [CASE]` prints a line of JSON for each
trial that went wrong, and one with counts. `killed.py FOLDER writes SEED [CASE]` takes the power
away after each block of the log that a command writes, and within each, instead of at random. CASE
is the fixture: `example`, or a smaller one, with which a trial takes a tenth of the time.

A killed process leaves what it wrote. Without power, what was never synced is gone as well: the
database is in WAL mode with synchronous = NORMAL, where only a checkpoint syncs. So the log is cut
at a random byte, unless a checkpoint has touched the database.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import signal
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from collector.discovery.commands import running
from collector.discovery.selection import run as selection
from collector.git.repository import GitRepo
from collector.json_values import JsonObject
from collector.storage.connection import OwnConnection
from support import numbered_text
from support.commands import clone, collect, run
from support.interleaved import Command, differences
from support.tasks_here import tasks_here


def dying(after: int) -> list[int]:
    """From now on this process is killed at its statement number `after`, counted over all of
    its databases; gives what is left.
    """
    left = [after]
    whole = OwnConnection.__init__

    def traced(self: OwnConnection, *given: Any, **named: Any) -> None:
        whole(self, *given, **named)

        def count(statement: str) -> None:
            left[0] -= 1
            if left[0] <= 0:
                os.kill(os.getpid(), signal.SIGKILL)

        self.set_trace_callback(count)

    OwnConnection.__init__ = traced  # type: ignore[method-assign,assignment]
    return left


def forked(command: Command, db: Path, after: int) -> int:
    """Status of a command that is killed at a statement: the signal as a negative number, or its
    own exit code.
    """
    child = os.fork()
    if not child:
        dying(after)
        os._exit(done(command, db))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def done(command: Command, db: Path) -> int:
    with tasks_here():  # it may be killed in what a worker does as well
        return _done(command, db)


def _done(command: Command, db: Path) -> int:
    if command[0] == "merge":
        return collect("merge", *command[1:], "-o", db, "-q", code=None).exit_code
    # of collect; nobody is probed, and the mirrors are the same for all databases
    if command[0] in ("discover", "run"):
        mirrors = patch.object(running, "_mirrors_of", lambda db: db.parent.parent / "mirrors")
        with patch.object(selection, "due", lambda log: []), mirrors:
            return collect(*command, code=None, db=db).exit_code
    if command[0] == "db":
        return run("db", db, *command[1:], code=None).exit_code
    if command[0] == "forget":  # what was concluded is to be concluded again
        with closing(sqlite3.connect(db)) as connection, connection:
            connection.execute("DELETE FROM stage_runs WHERE stage = 'lines'")
        return 0
    return run(*command, code=None, db=db).exit_code


def statements_of(command: Command, db: Path) -> int:
    """How many statements a whole run has in its first process, found by a run on a copy that
    counts them.
    """
    copy = db.with_name("count.db")
    counted = db.with_name("counted")
    copied(db, copy)
    child = os.fork()
    if not child:
        left = dying(1 << 40)
        done(command, copy)
        counted.write_text(str((1 << 40) - left[0]))
        os._exit(0)
    os.waitpid(child, 0)
    return int(counted.read_text())


# What the commands of `collect` say beside the times at which they said it.
SAID = {
    "candidates": "SELECT server, full_name, outcome, exclusion FROM candidates",
    "discoveries": (
        "SELECT full_name, channel, hits, evidence FROM discoveries d JOIN candidates c ON c.id ="
        " d.candidate_id"
    ),
    "cursors": "SELECT channel, query, slice, state, found FROM cursors",
    "mirrors": "SELECT name, url, path IS NULL, refs_key, checkpoint_refs FROM mirrors",
}


def unlike(one: Path, other: Path) -> JsonObject:
    """What differs between two databases, the times of `collect` left out."""
    found = differences(one, other)
    for table in SAID.keys() & found.keys():
        rows = []
        for db in (one, other):
            with closing(sqlite3.connect(db)) as connection:
                rows.append(sorted(map(repr, connection.execute(SAID[table]))))
        if rows[0] == rows[1]:
            del found[table]
    return found


def copied(db: Path, to: Path) -> None:
    if db.exists():
        with closing(sqlite3.connect(db)) as source, closing(sqlite3.connect(to)) as copy:
            source.backup(copy)


def cut(db: Path, before: bytes, rng: random.Random) -> bool:
    """What is left of the log when the power goes; False where a checkpoint has synced it."""
    log = db.with_name(db.name + "-wal")
    if not log.exists() or _digest(db) != before:
        return False
    db.with_name(db.name + "-shm").unlink(missing_ok=True)
    with log.open("r+b") as file:
        size = file.seek(0, os.SEEK_END)
        at = rng.randint(0, size)
        file.truncate(at)
        if at and rng.random() < 0.5:  # the last block may hold anything
            file.seek(max(0, at - 512))
            file.write(rng.randbytes(min(512, at)))
    return True


def _digest(path: Path) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest() if path.exists() else b""


class Case(NamedTuple):
    """A command, the database before it, the one that a whole run leaves, and the number of its
    statements.
    """

    command: Command
    start: Path
    whole: Path
    length: int


def cases(folder: Path, fixture: str) -> list[Case]:
    """Every command that writes, with what must be there before it."""
    one = clone(fixture, folder)
    two = clone("squash", folder)
    repo = GitRepo(one)
    file = sorted(repo.paths(repo.default_branch().sha))[-1]
    shards = folder / "shards.db"
    names = folder / "names"
    names.write_text(numbered_text(40, "o/r{n}\n"))
    served: Command = ("run", f"file://{one}", f"file://{two}", "-q", "--jobs", "1")
    assert done(("repo", two), shards) == 0
    # what is there before; the command that is killed
    wanted: list[tuple[Sequence[Command], Command]] = [
        ((), ("repo", one)),
        ((), ("repo", one, "--history", "-q")),
        ((("repo", one),), ("survival", one, "--no-curves")),
        ((("repo", one),), ("data", "claims", one)),
        ((("repo", one),), ("why", "--history", one, f"{file}:2")),
        ((("repo", one),), ("merge", shards)),
        ((("repo", one),), ("repo", two)),
        ((("survival", one, "--no-curves"), ("forget",)), ("data", "check", "--repair")),
        ((("repo", one), ("repo", two), ("forget",)), ("db", "--jobs", "2", "-q")),
        ((), ("discover", "--list", names)),
        ((), served),
        ((served,), served),
    ]
    prepared = []
    for number, (before, command) in enumerate(wanted):
        start = folder / f"case{number}" / "start.db"
        whole = folder / f"case{number}" / "whole.db"
        start.parent.mkdir()
        for earlier in before:
            assert done(earlier, start) == 0, earlier
        length = statements_of(command, start)
        copied(start, whole)
        assert done(command, whole) == 0, command
        prepared.append(Case(command, start, whole, length))
    return prepared


def _fresh(place: Path, mirrors: Path) -> Path:
    for old in (place, mirrors):
        shutil.rmtree(old, ignore_errors=True)
    place.mkdir()
    return place / "x.db"


def _went_on(case: Case, db: Path) -> JsonObject:
    """What is wrong after the next run; empty when all is as if nothing had been."""
    code = done(case.command, db)
    wrong = unlike(db, case.whole)
    left = sorted(
        path.name
        for path in db.parent.iterdir()
        if not path.name.startswith("x.db") and "cache" not in path.name
    )
    return {"code": code, "differences": wrong, "left": left} if code or wrong or left else {}


def trials(folder: Path, count: int, seed: int, fixture: str = "example") -> Iterator[JsonObject]:
    """What went wrong, then the counts."""
    rng = random.Random(seed)
    tried = Counter[str]()
    mirrors = folder / "mirrors"
    prepared = cases(folder, fixture)
    for number in range(count):
        case = rng.choice(prepared)
        db = _fresh(folder / "trial", mirrors)
        copied(case.start, db)
        digest = _digest(db)
        status = forked(case.command, db, rng.randint(1, case.length))
        how = "finished" if status >= 0 else "killed"
        if how == "killed" and rng.random() < 0.5 and cut(db, digest, rng):
            how = "without power"
        tried[how] += 1
        if wrong := _went_on(case, db):
            yield {"trial": number, "command": [str(c) for c in case.command], "how": how} | wrong
            tried["wrong"] += 1
    yield {"counts": dict(tried)}


# bytes; source: https://www.sqlite.org/fileformat2.html#walformat
_LOG_HEAD = 32
_FRAME_HEAD = 24


def every_write(folder: Path, seed: int, fixture: str) -> Iterator[JsonObject]:
    """The power goes after each block of the log of each command, and within it; what went
    wrong, then the counts by command.
    """
    rng = random.Random(seed)
    tried = Counter[str]()
    mirrors = folder / "mirrors"
    for case in cases(folder, fixture):
        db = _fresh(folder / "trial", mirrors)
        log = db.with_name(db.name + "-wal")
        copied(case.start, db)
        before = _digest(db)
        last = case.length
        while forked(case.command, db, last) >= 0 or not log.exists() or _digest(db) != before:
            # a whole run puts its log into the database: stop a little earlier
            db = _fresh(db.parent, mirrors)
            last -= 1
            copied(case.start, db)
            if last < case.length - 60:
                break
        else:
            kept = folder / "kept"
            data = log.read_bytes()
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(db.parent, kept)
            frame = _FRAME_HEAD + int.from_bytes(data[8:12], "big")
            name = " ".join(Path(str(part)).name for part in case.command[:2])
            for end in range(_LOG_HEAD, len(data) + 1, frame):
                for torn in (b"", rng.randbytes(rng.randint(1, frame - 1))):
                    shutil.rmtree(db.parent)
                    shutil.copytree(kept, db.parent, ignore=shutil.ignore_patterns("*-shm"))
                    log.write_bytes(data[:end] + torn)
                    tried[name] += 1
                    if wrong := _went_on(case, db):
                        tried["wrong"] += 1
                        yield {
                            "command": [str(c) for c in case.command],
                            "end": end,
                            "torn": len(torn),
                        } | wrong
    yield {"counts": dict(tried)}


if __name__ == "__main__":
    where, what, start, *fixtures = sys.argv[1:]
    small = fixtures[0] if fixtures else "example"
    results = (
        every_write(Path(where), int(start), small)
        if what == "writes"
        else trials(Path(where), int(what), int(start), small)
    )
    for found in results:
        print(json.dumps(found, default=str), flush=True)
