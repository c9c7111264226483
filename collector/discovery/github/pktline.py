"""Pure: git's pkt-line framing and the one request of protocol 2 that is made with it, ls-refs.

A server may be hostile: every size is bounded, every line is checked, and anything unexpected is BadProtocol, never a guess.
Formats: gitprotocol-common and gitprotocol-v2 of git's own documentation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

FLUSH, DELIM = b"0000", b"0001"
LONGEST = 65516  # bytes of data in one packet
MOST_REFS = 2_000_000
_OID = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_NAME = re.compile(rb"[^\x00-\x20\x7f~^:?*\[\\]{1,1024}")
_AGENT = b"agent=whowrote"


class BadProtocol(ValueError):
    """The answer is not what git's protocol allows."""


class ServerSays(ValueError):
    """The server answered with an error of its own, in an ERR packet."""


class Packet(NamedTuple):
    """`data` of a packet; `mark` is FLUSH, DELIM or another one without data when it is one of those."""

    data: bytes
    mark: bytes = b""


@dataclass(slots=True)
class Refs:
    """What ls-refs said: objects by ref; the ref that HEAD points to."""

    oids: dict[str, str] = field(default_factory=dict)
    head: str | None = None


def packet(data: bytes) -> bytes:
    if len(data) > LONGEST:
        raise ValueError(f"{len(data)} bytes do not fit into a packet")
    return b"%04x" % (len(data) + 4) + data


def packets(answer: bytes) -> Iterator[Packet]:
    """Packets of an answer, which must end with one. Raises BadProtocol."""
    start = 0
    while start < len(answer):
        head = answer[start : start + 4]
        if not re.fullmatch(rb"[0-9a-fA-F]{4}", head):
            raise BadProtocol(f"no packet begins with {head!r}")
        size = int(head, 16)
        if size == 3 or size > LONGEST + 4:
            raise BadProtocol(f"a packet of {size} bytes")
        end = start + max(size, 4)
        if end > len(answer):
            raise BadProtocol("the answer ends within a packet")
        yield Packet(b"", head) if size < 4 else Packet(answer[start + 4 : end])
        start = end


def ls_refs_request(prefixes: Sequence[str], sha256: bool = False) -> bytes:
    """Asks for the refs that begin with one of `prefixes`."""
    lines = [b"command=ls-refs\n", _AGENT]
    if sha256:
        lines.append(b"object-format=sha256")
    arguments = [b"symrefs\n", *(b"ref-prefix " + prefix.encode() + b"\n" for prefix in prefixes)]
    return b"".join(map(packet, lines)) + DELIM + b"".join(map(packet, arguments)) + FLUSH


def parse_ls_refs(answer: bytes) -> Refs:
    """Raises BadProtocol, ServerSays."""
    refs, has_ended = Refs(), False
    for data, mark in packets(answer):
        if has_ended:
            raise BadProtocol("data after the end of the answer")
        if mark and mark != FLUSH:
            raise BadProtocol("an unexpected delimiter")
        has_ended = mark == FLUSH
        if data.startswith(b"ERR "):
            raise ServerSays(data[4:].decode("utf-8", "replace").strip()[:300])
        if not has_ended:
            _add_line(refs, data.rstrip(b"\n"))
    if not has_ended:
        raise BadProtocol("the answer has no end")
    return refs


def _add_line(refs: Refs, line: bytes) -> None:
    parts = line.split(b" ")
    if len(parts) < 2 or not (_OID.fullmatch(parts[0]) or parts[0] == b"unborn"):
        raise BadProtocol(f"not a line of ls-refs: {line[:80]!r}")
    name = _ref(parts[1])
    if name == "HEAD":
        for part in parts[2:]:
            if part.startswith(b"symref-target:"):
                refs.head = _ref(part.partition(b":")[2])
    if parts[0] != b"unborn":
        refs.oids[name] = parts[0].decode("ascii")
    if len(refs.oids) > MOST_REFS:
        raise BadProtocol(f"more than {MOST_REFS} refs")


def _ref(name: bytes) -> str:
    if not _NAME.fullmatch(name) or b".." in name or b"//" in name:
        raise BadProtocol(f"not a ref: {name[:80]!r}")
    return name.decode("utf-8", "replace")
