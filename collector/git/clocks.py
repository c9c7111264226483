"""What other clocks than the author's and the committer's say of the time of commits: tags, and signatures of OpenPGP.

Nothing is verified: these times can only make a commit younger or contradict it.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collector.git.repository import GitRepo

_TAGGED = re.compile(rb"^object ([0-9a-f]{40,64})$.*?^tagger [^\n]*> (\d{1,12}) [+-]\d{4}$", re.M | re.S)
_ARMOUR = re.compile(rb"-----BEGIN PGP SIGNATURE-----\n(?:[^\n]+: [^\n]*\n)*\s*\n(.*?)\n(?:=|-----END)", re.S)
_SIGNATURE, _CREATED = 2, 2  # numbers of RFC 9580: a packet with a signature, and in it the time at which it was made


class TagTime(NamedTuple):
    """When a commit was tagged, by the clock of whoever tagged it; in seconds since 1970."""

    commit: str
    at: float


class OtherClocks(NamedTuple):
    """Times of commits that neither their author nor their committer states."""

    tags: tuple[TagTime, ...] = ()
    signed: Mapping[str, float] = {}  # commit -> when it was signed, in seconds since 1970


def other_clocks(repo: GitRepo, commits: Iterable[str]) -> OtherClocks:
    """The annotated tags of a repository, and when these commits were signed."""
    signed = ((sha, signature_time(repo.signature_text(sha))) for sha in commits)
    return OtherClocks(tuple(_tags(repo)), {sha: at for sha, at in signed if at is not None})


def _tags(repo: GitRepo) -> Iterator[TagTime]:
    for name, oid in sorted(repo.refs().items()):
        tag = _TAGGED.match(repo.tag_text(oid)) if name.startswith("refs/tags/") else None
        if tag:
            yield TagTime(tag[1].decode("ascii"), float(tag[2]))


def signature_time(text: bytes) -> float | None:
    """When an OpenPGP signature was made, in seconds since 1970; None where the text is none, or does not say."""
    armour = _ARMOUR.search(text)
    try:
        data = base64.b64decode(armour[1]) if armour else b""
    except binascii.Error:
        return None
    packet, rest = _length(data[1:], new=bool(data[:1] and data[0] & 0x40), kind=data[0] & 3 if data else 0)
    is_signature = bool(data) and (data[0] & 0x3F if data[0] & 0x40 else data[0] >> 2 & 0xF) == _SIGNATURE
    body = rest[:packet]
    return _creation(body) if is_signature and len(body) > 6 else None


def _length(data: bytes, new: bool = True, kind: int = 0) -> tuple[int, bytes]:
    """(a length, what follows it), as packets of the new and the old form and subpackets write it."""
    first = data[0] if data else 0
    if not new:
        return int.from_bytes(data[: 1 << kind], "big"), data[1 << kind :]
    if first < 192:
        return first, data[1:]
    if first < 255:
        return (first - 192 << 8) + (data[1] if len(data) > 1 else 0) + 192, data[2:]
    return int.from_bytes(data[1:5], "big"), data[5:]


def _creation(body: bytes) -> float | None:
    """The time in the body of a signature: a field of version 3, a hashed subpacket of later ones."""
    if body[0] == 3:
        return float(int.from_bytes(body[3:7], "big"))
    width = 4 if body[0] == 6 else 2
    hashed = body[4 + width :][: int.from_bytes(body[4 : 4 + width], "big")]
    while hashed:
        size, hashed = _length(hashed)
        if size and hashed and hashed[0] & 0x7F == _CREATED:
            return float(int.from_bytes(hashed[1:5], "big"))
        hashed = hashed[max(size, 1) :]
    return None
