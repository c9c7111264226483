"""A finished pass as bytes, so that the next run costs only the commits that are new.

A line of JSON, then the columns of all tables as integers, compressed; vectors are stored as runs
of consecutive origins. What cannot be read back is None: the caller then starts over.
"""

from __future__ import annotations

import json
import sys
import zlib
from array import array
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from attribution.lineage.lifetimes import LineLifetimes, Removals
from attribution.lineage.model import (
    BEFORE,
    WIDTH,
    FileLines,
    LineHistory,
    Origins,
    Paths,
    integers,
    runs,
    vector,
)
from collector.git.program import GitFailed, ScratchGit
from collector.json_values import Row

_MAGIC = f"whowrote history 4 {sys.byteorder}\n".encode()


def continues(git: ScratchGit, saved_tip: str, tip: str) -> bool:
    """Whether a history saved at `saved_tip` can go on to `tip`: it must lie on the tip's chain of
    first parents.

    False after a force-push, and when the branch was moved to a branch that had merged it: the main
    line is then different.
    """
    if saved_tip == tip:
        return True
    try:
        chain = (
            git.output(["rev-list", "--first-parent", "--parents", tip, f"^{saved_tip}"])
            .decode("ascii")
            .split("\n")
        )
    except GitFailed:
        return False
    last = [line.split(" ") for line in chain if line][-1:]
    return bool(last) and last[0][1:2] == [saved_tip]


class SavedHistory(NamedTuple):
    """The line history of a repository as it was saved at a commit, with the lifetimes of its
    lines.
    """

    lines: LineHistory
    lifetimes: LineLifetimes


def dump(history: LineHistory, lifetimes: LineLifetimes) -> bytes:
    origins = history.origins
    removals = lifetimes.removals
    files = sorted(history.state.items())
    pieces = [list(runs(file.vector)) for _, file in files]
    columns = [
        origins.first,
        origins.commit,
        origins.path,
        origins.line,
        origins.flags,
        history.present,
    ]
    columns += [
        integers(*map(len, pieces)),
        *(array("i", [piece[part] for row in pieces for piece in row]) for part in (0, 1)),
    ]
    columns += [removals.commit, removals.cause, removals.path, removals.line, removals.lines]
    columns += [lifetimes.remover, lifetimes.left, lifetimes.landed]
    columns.append(
        array(
            "i",
            [v for origin, rows in lifetimes.others.items() for row in rows for v in (origin, row)],
        )
    )
    columns.append(array("i", [v for pair in lifetimes.same.items() for v in pair]))
    head = {
        "tip": history.tip,
        "shas": history.shas,
        "complete": history.complete,
        "boundary": sorted(history.boundary),
        "next": origins.next,
        "paths": origins.paths.names,
        "files": [[path, file.oid, file.mode] for path, file in files],
        "into": removals.paths.names,
        "lengths": [len(column) for column in columns],
    }
    parts = [
        json.dumps(head).encode("ascii"),
        b"\n",
        *(column.tobytes() for column in columns),
        bytes(lifetimes.blank),
    ]
    return _MAGIC + zlib.compress(b"".join(parts), 3)


def load(data: bytes) -> SavedHistory | None:
    """Reads what `dump` wrote; None if the data is something else or damaged."""
    if not data.startswith(_MAGIC):
        return None
    try:
        return _restore(zlib.decompress(data[len(_MAGIC) :]))
    except (zlib.error, ValueError, TypeError, LookupError):
        return None


def _restore(data: bytes) -> SavedHistory:
    end = data.index(b"\n") + 1
    head = json.loads(data[:end])
    columns = []
    for length in head["lengths"]:
        columns.append(integers())
        columns[-1].frombytes(memoryview(data)[end : end + length * WIDTH])
        end += length * WIDTH
    first, commit, path, line, flags, present, lengths, firsts, counts, *others = columns
    pieces = zip(firsts, counts, strict=True)
    runs = (
        vector([BEFORE]) * n if start == BEFORE else vector(range(start, start + n))
        for start, n in pieces
    )
    state = {
        name: FileLines(oid, mode, b"".join(islice(runs, length)))
        for (name, oid, mode), length in zip(head["files"], lengths, strict=True)
    }
    origins = Origins(first, commit, path, line, flags, Paths(head["paths"]), head["next"])
    boundary = frozenset(head["boundary"])
    history = LineHistory(
        head["shas"], origins, head["tip"], state, [], head["complete"], boundary, present
    )
    return SavedHistory(history, _restore_lifetimes(others, head, bytearray(data[end:])))


def _restore_lifetimes(columns: Sequence[array[int]], head: Row, blank: bytearray) -> LineLifetimes:
    commit, cause, path, line, lines, remover, left, landed, others, same = columns
    removals = Removals(commit, cause, path, line, lines, Paths(head["into"]))
    lifetimes = LineLifetimes(remover, left, blank, landed=landed, removals=removals)
    for origin, row in zip(others[::2], others[1::2], strict=True):
        lifetimes.others.setdefault(origin, []).append(row)
    lifetimes.same.update(zip(same[::2], same[1::2], strict=True))
    lifetimes.know(head["shas"])
    return lifetimes
