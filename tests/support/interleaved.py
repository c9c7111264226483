"""Runs commands at the same time, with pauses at random moments, and compares the database with one
that was filled in order.

As a program, since it forks: `interleaved.py FOLDER SCHEDULES SEED` prints one line of JSON for
each schedule that went wrong.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from attribution import demo as example
from attribution.ensure.lines import AttributeRequest, attribute_clone
from collector.json_values import JsonObject
from collector.storage.compare import compare
from collector.storage.connection import OwnConnection
from collector.storage.store import Store
from support.commands import clone, run

Command = tuple[object, ...]
_LONGEST = 0.02  # seconds of a pause


def pausing(rng: random.Random) -> None:
    """From now on this process pauses before and in transactions."""
    whole = Store.transaction

    @contextmanager
    def slow(self: Store) -> Iterator[OwnConnection]:
        time.sleep(rng.random() * _LONGEST)
        with whole(self) as connection:
            yield connection
            time.sleep(rng.random() * _LONGEST / 4)

    Store.transaction = slow  # type: ignore[method-assign]


def at_once(commands: Sequence[Command], db: Path, rng: random.Random) -> list[int]:
    """Exit codes of commands that run at the same time."""
    children = []
    for command in commands:
        seed = rng.random()
        child = os.fork()
        if not child:
            own = random.Random(seed)
            pausing(own)
            time.sleep(own.random() * 0.2)
            os._exit(run(*command, code=None, db=db).exit_code)
        children.append(child)
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]


def differences(one: Path, other: Path) -> JsonObject:
    return {d.table: (d.only_first, d.only_second) for d in compare(one, other) if d.differs}


def schedules(folder: Path, count: int, seed: int) -> Iterator[JsonObject]:
    """What went wrong, schedule by schedule."""
    (folder / "elsewhere").mkdir()
    one = clone("example", folder)
    two = clone("squash", folder)
    namesake = clone("crlf", folder / "elsewhere").rename(folder / "elsewhere" / "example")
    commands: list[Command] = [
        ("repo", one),
        ("repo", one, "--history", "-q"),
        ("survival", one, "--no-curves"),
        ("data", "claims", one),
        ("repo", two),
        ("survival", two, "--no-curves"),
        ("repo", one, two),
        ("repo", namesake, "--name", "third"),
        ("sessions", one, "--columns", "features"),
        ("why", "--history", one, f"{example.FILE}:2"),
    ]
    for path in (one, namesake):
        attribute_clone(AttributeRequest(str(path), folder / f"{path.parent.name}.db"))
    rng = random.Random(seed)
    for number in range(count):
        chosen = rng.sample(commands, rng.randint(2, 4))
        in_order = folder / f"{number}-in-order.db"
        db = folder / f"{number}.db"
        for command in chosen:
            run(*command, db=in_order)
        codes = at_once(chosen, db, rng)
        wrong = differences(db, in_order)
        if wrong or any(codes):
            yield {
                "schedule": number,
                "commands": [str(c[0]) for c in chosen],
                "codes": codes,
                "differences": wrong,
            }
        if number % 4 == 0:
            yield from _namesakes(one, namesake, folder, number, rng)


def _namesakes(
    one: Path, other: Path, folder: Path, number: int, rng: random.Random
) -> Iterator[JsonObject]:
    """Two repositories of one name: one is stored whole, and the other run says that it was
    refused.
    """
    db = folder / f"{number}-namesakes.db"
    codes = at_once(
        [("repo", one, "--name", "example"), ("repo", other, "--name", "example")], db, rng
    )
    stored = [
        path for path in (one, other) if not differences(db, folder / f"{path.parent.name}.db")
    ]
    winner = {(0, 2): [one], (2, 0): [other]}.get((codes[0], codes[1]))
    if stored != winner:
        yield {
            "schedule": number,
            "commands": "namesakes",
            "codes": codes,
            "stored": [str(path) for path in stored],
        }


if __name__ == "__main__":
    for found in schedules(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])):
        print(json.dumps(found, default=str), flush=True)
