"""A finished pass as bytes, so that the next run costs only the commits that are new.

Vectors are stored as runs of consecutive origins and the tables column by column, compressed. What cannot be read back is None:
the caller then starts over.
"""

from __future__ import annotations

import json
import struct
import sys
import zlib
from array import array
from collections.abc import Iterable
from typing import NamedTuple

from attribution.lineage.lifetimes import LineLifetimes, Removals
from attribution.lineage.model import BEFORE, FileLines, LineHistory, OriginColumns, Origins, runs, vector
from collector.git.program import GitFailed, ScratchGit

_MAGIC = b"whowrote history 3\n"
_COLUMNS = ("commit", "path", "line")


def continues(git: ScratchGit, saved_tip: str, tip: str) -> bool:
    """Whether a history saved at `saved_tip` can go on to `tip`: it must lie on the tip's chain of first parents.

    False after a force-push, and when the branch was moved to a branch that had merged it: the main line is then different.
    """
    if saved_tip == tip:
        return True
    try:
        chain = git.output(["rev-list", "--first-parent", "--parents", tip, f"^{saved_tip}"]).decode("ascii").split("\n")
    except GitFailed:
        return False
    last = [line.split(" ") for line in chain if line][-1:]
    return bool(last) and last[0][1:2] == [saved_tip]


class SavedHistory(NamedTuple):
    """The line history of a repository as it was saved at a commit."""

    lines: LineHistory
    lifetimes: LineLifetimes | None  # None: they were not saved with it


def dump(history: LineHistory, lifetimes: LineLifetimes | None = None) -> bytes:
    origins = history.origins
    paths = sorted(history.state)
    head = {
        "tip": history.tip,
        "complete": history.complete,
        "boundary": sorted(history.boundary),
        "next": origins.next,
        "paths": origins.paths,
        "files": [[path, history.state[path].oid, history.state[path].mode] for path in paths],
        "width": len(history.tip) // 2,
        "into": lifetimes.removals.paths if lifetimes is not None else [],
    }
    parts = [
        json.dumps(head).encode("ascii"),
        b"".join(bytes.fromhex(sha) for sha in history.shas),
        _integers(origins.first),
        *(_integers(getattr(origins, name)) for name in _COLUMNS),
        origins.flags.tobytes(),
        _integers(history.present),
        *_vectors(history.state[path].vector for path in paths),
        *(_lifetime_parts(lifetimes) if lifetimes is not None else ()),
    ]
    return _MAGIC + zlib.compress(b"".join(struct.pack("<Q", len(part)) + part for part in parts), 3)


def load(data: bytes) -> SavedHistory | None:
    """Reads what `dump` wrote; None if the data is something else or damaged."""
    if not data.startswith(_MAGIC):
        return None
    try:
        parts = _parts(zlib.decompress(data[len(_MAGIC) :]))
        return _restore(parts)
    except (zlib.error, struct.error, ValueError, KeyError, IndexError):
        return None


def _restore(parts: list[bytes]) -> SavedHistory:
    head = json.loads(parts[0])
    width = head["width"]
    shas = [parts[1][start : start + width].hex() for start in range(0, len(parts[1]), width)]
    origins = Origins()
    columns = OriginColumns(_array(parts[2]), _array(parts[3]), _array(parts[4]), _array(parts[5]), array("b", parts[6]))
    origins.restore(columns, head["paths"], head["next"])
    lengths, starts, counts = (_array(part) for part in parts[8:11])
    state = {}
    start = 0
    for (path, oid, mode), length in zip(head["files"], lengths, strict=True):
        pieces = zip(starts[start : start + length], counts[start : start + length], strict=True)
        state[path] = FileLines(oid, mode, b"".join(_run(first, count) for first, count in pieces))
        start += length
    boundary = frozenset(head["boundary"])
    history = LineHistory(shas, origins, head["tip"], state, [], head["complete"], boundary, _array(parts[7]))
    return SavedHistory(history, _restore_lifetimes(parts[11:], history, head["into"]) if len(parts) > 11 else None)


def _vectors(vectors: Iterable[bytes]) -> list[bytes]:
    lengths, starts, counts = array("i"), array("i"), array("i")
    for values in vectors:
        before = len(starts)
        for first, count in runs(values):
            starts.append(first)
            counts.append(count)
        lengths.append(len(starts) - before)
    return [_integers(lengths), _integers(starts), _integers(counts)]


def _run(first: int, count: int) -> bytes:
    return vector([BEFORE]) * count if first == BEFORE else vector(range(first, first + count))


def _lifetime_parts(lifetimes: LineLifetimes) -> list[bytes]:
    others = array("i", [v for origin, rows in lifetimes.others.items() for row in rows for v in (origin, row)])
    same = array("i", [v for pair in lifetimes.same.items() for v in pair])
    removals = lifetimes.removals
    columns = (
        removals.commit,
        removals.path,
        removals.line,
        removals.lines,
        lifetimes.remover,
        lifetimes.left,
        lifetimes.landed,
        others,
        same,
    )
    return [bytes(removals.cause), bytes(lifetimes.blank), *map(_integers, columns)]


def _restore_lifetimes(parts: list[bytes], history: LineHistory, paths: list[str]) -> LineLifetimes:
    commit, path, line, lines, remover, left, landed, others, same = (_array(part) for part in parts[2:11])
    removals = Removals(commit, bytearray(parts[0]), path, line, lines)
    removals.restore(paths)
    lifetimes = LineLifetimes(remover, left, bytearray(parts[1]), landed=landed, removals=removals)
    for index in range(0, len(others), 2):
        lifetimes.others.setdefault(others[index], []).append(others[index + 1])
    lifetimes.same.update(zip(same[::2], same[1::2], strict=True))
    lifetimes.know(history.shas)
    return lifetimes


def _integers(values: array[int]) -> bytes:
    if sys.byteorder == "big":
        values = array(values.typecode, values)
        values.byteswap()
    return values.tobytes()


def _array(data: bytes) -> array[int]:
    values = array("i")
    values.frombytes(data)
    if sys.byteorder == "big":
        values.byteswap()
    return values


def _parts(data: bytes) -> list[bytes]:
    parts: list[bytes] = []
    offset = 0
    while offset < len(data):
        (length,) = struct.unpack_from("<Q", data, offset)
        offset += 8
        if offset + length > len(data):
            raise ValueError("cut off")
        parts.append(data[offset : offset + length])
        offset += length
    return parts
