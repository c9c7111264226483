"""What other clocks than the author's and the committer's say of the time of commits: tags, and
signatures of OpenPGP.

Nothing is verified: these times can only make a commit younger or contradict it.
"""

import base64
import binascii
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from collector.git.repository import GitRepo
from collector.json_values import Moment

_TAGGED = re.compile(
    rb"^object ([0-9a-f]{40,64})$.*?^tagger [^\n]*> (\d{1,12}) [+-]\d{4}$", re.M | re.S
)
_ARMOUR = re.compile(
    rb"-----BEGIN PGP SIGNATURE-----\n(?:[^\n]+: [^\n]*\n)*\s*\n(.*?)\n(?:=|-----END)", re.S
)
_PACKET = re.compile(rb"(?:\x88.|\x89..|\xc2(?:[\x00-\xbf]|[\xc0-\xdf].))\x04", re.DOTALL)
# number of the field with the time at which it was made, and its bytes
_CREATED = 2
_CREATED_SIZE = 5


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


def signature_time(text: bytes) -> Moment:
    """When an OpenPGP signature was made, in seconds since 1970; None where the text is none, or
    does not say.

    RFC 9580: after the head of a packet with a signature of version 4 stand its fields, each with
    its length and number.
    """
    armour = _ARMOUR.search(text)
    try:
        data = base64.b64decode(armour[1]) if armour else b""
    except binascii.Error:
        return None
    head = _PACKET.match(data)
    size = int.from_bytes(data[head.end() + 3 : head.end() + 5], "big") if head else 0
    fields = data[head.end() + 5 :][:size] if head else b""
    while len(fields) > _CREATED_SIZE:
        if fields[1] & 0x7F == _CREATED:
            return float(int.from_bytes(fields[2:6], "big"))
        fields = fields[fields[0] + 1 :]
    return None
