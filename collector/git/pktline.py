"""Pure: git's pkt-line framing and the two requests of protocol v2 that discovery makes, ls-refs and a fetch of one commit.

A server may be hostile: every size is bounded, every line is checked, and anything unexpected is BadProtocol, never a guess.
Formats: gitprotocol-common, gitprotocol-v2 and gitformat-pack of git's own documentation.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

FLUSH, DELIM, END = b"0000", b"0001", b"0002"
LONGEST = 65516  # bytes of data in one packet
MOST_REFS = 2_000_000
_OID = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_NAME = re.compile(rb"[^\x00-\x20\x7f~^:?*\[\\]{1,1024}")
_AGENT = b"agent=whowrote"
# What we call ourselves over HTTP: github.com shows a repository without `.git` only to programs whose name begins with git/.
HTTP_AGENT = "git/2.30.0 (whowrote)"


class BadProtocol(ValueError):
    """The answer is not what git's protocol allows."""


class ServerSays(ValueError):
    """The server answered with an error of its own, in an ERR packet or on the error channel."""


@dataclass(frozen=True, slots=True)
class Packet:
    """`data` of a packet; `mark` is FLUSH, DELIM or END when it is one of those."""

    data: bytes
    mark: bytes = b""


@dataclass(slots=True)
class Refs:
    """What ls-refs said: objects by ref; the ref that HEAD points to; tags with the object they peel to."""

    oids: dict[str, str] = field(default_factory=dict)
    head: str | None = None


# --- framing ----------------------------------------------------------------------------------------------------------


def packet(data: bytes) -> bytes:
    if len(data) > LONGEST:
        raise ValueError(f"{len(data)} bytes do not fit into a packet")
    return b"%04x" % (len(data) + 4) + data


def packets(chunks: Iterable[bytes]) -> Iterator[Packet]:
    """Packets of an answer that comes in pieces of any size and must end with a packet. Raises BadProtocol."""
    buffer = bytearray()
    for chunk in chunks:
        buffer += chunk
        at = 0
        while (size := _size(buffer, at)) is not None and len(buffer) - at >= max(size, 4):
            if size < 4:
                yield Packet(b"", bytes(buffer[at : at + 4]))
                at += 4
            else:
                yield Packet(bytes(buffer[at + 4 : at + size]))
                at += size
        del buffer[:at]
    if buffer:
        raise BadProtocol("the answer ends within a packet")


def _size(buffer: bytearray, at: int) -> int | None:
    head = bytes(buffer[at : at + 4])
    if len(head) < 4:
        if not re.fullmatch(rb"[0-9a-fA-F]*", head):
            raise BadProtocol(f"no packet begins with {head!r}")
        return None
    if not re.fullmatch(rb"[0-9a-fA-F]{4}", head):
        raise BadProtocol(f"no packet begins with {head!r}")
    size = int(head, 16)
    if size == 3 or size > LONGEST + 4:
        raise BadProtocol(f"a packet of {size} bytes")
    return size


# --- ls-refs ----------------------------------------------------------------------------------------------------------


def ls_refs_request(prefixes: Sequence[str], sha256: bool = False) -> bytes:
    """Asks for the refs that begin with one of `prefixes`."""
    lines = [b"command=ls-refs\n", _AGENT]
    if sha256:
        lines.append(b"object-format=sha256")
    arguments = [b"symrefs\n", *(b"ref-prefix " + prefix.encode() + b"\n" for prefix in prefixes)]
    return b"".join(map(packet, lines)) + DELIM + b"".join(map(packet, arguments)) + FLUSH


def parse_ls_refs(chunks: Iterable[bytes]) -> Refs:
    """Raises BadProtocol, ServerSays."""
    refs, ended = Refs(), False
    for found in packets(chunks):
        if ended:
            raise BadProtocol("data after the end of the answer")
        if found.mark:
            if found.mark != FLUSH:
                raise BadProtocol("an unexpected delimiter")
            ended = True
            continue
        _complain(found.data)
        _add_line(refs, found.data.rstrip(b"\n"))
    if not ended:
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
        _keep(refs, name, parts[0])


def _keep(refs: Refs, name: str, oid: bytes) -> None:
    refs.oids[name] = oid.decode("ascii")
    if len(refs.oids) > MOST_REFS:
        raise BadProtocol(f"more than {MOST_REFS} refs")


def _ref(name: bytes) -> str:
    if not _NAME.fullmatch(name) or b".." in name or b"//" in name:
        raise BadProtocol(f"not a ref: {name[:80]!r}")
    return name.decode("utf-8", "replace")


def _complain(data: bytes) -> None:
    if data.startswith(b"ERR "):
        raise ServerSays(data[4:].decode("utf-8", "replace").strip()[:300])


# --- older servers ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Advertisement:
    """Answer to `info/refs?service=git-upload-pack`: protocol 2 gives capabilities, 0 and 1 all refs, -1 (dumb) a file."""

    protocol: int
    capabilities: frozenset[str]
    refs: Refs


def parse_advertisement(chunks: Iterable[bytes], dumb: bool) -> Advertisement:
    """`dumb`: the server did not send the content type of a smart one. Raises BadProtocol, ServerSays."""
    return _dumb(b"".join(chunks)) if dumb else _smart([p for p in packets(chunks) if p.mark != FLUSH])


def _dumb(data: bytes) -> Advertisement:
    refs = Refs()
    for line in data.split(b"\n"):
        oid, tab, name = line.partition(b"\t")
        if line and (not tab or not _OID.fullmatch(oid)):
            raise BadProtocol(f"not a line of info/refs: {line[:80]!r}")
        if line and not name.endswith(b"^{}"):
            _keep(refs, _ref(name), oid)
    return Advertisement(-1, frozenset(), refs)


def _smart(lines: list[Packet]) -> Advertisement:
    data = [p.data.rstrip(b"\n") for p in lines]
    for line in data[:2]:
        _complain(line)
    if data and data[0].startswith(b"# service="):
        data = data[1:]
    if data and data[0] == b"version 2":
        return Advertisement(2, frozenset(line.decode("ascii", "replace") for line in data[1:]), Refs())
    protocol = 0
    if data and data[0] == b"version 1":
        protocol, data = 1, data[1:]
    refs, capabilities = Refs(), frozenset[str]()
    for number, line in enumerate(data):
        if number == 0:
            line, _, rest = line.partition(b"\0")
            capabilities = frozenset(rest.decode("ascii", "replace").split(" "))
        oid, _, name = line.partition(b" ")
        if oid == b"shallow":
            continue
        if not _OID.fullmatch(oid):
            raise BadProtocol(f"not a line of the advertisement: {line[:80]!r}")
        if not name.endswith(b"^{}"):  # of a tag: what it peels to; of an empty repository: no ref at all
            _keep(refs, _ref(name), oid)
    for capability in capabilities:
        if capability.startswith("symref=HEAD:"):
            refs.head = capability.removeprefix("symref=HEAD:")
    return Advertisement(protocol, capabilities, refs)


# --- one commit -------------------------------------------------------------------------------------------------------


def commit_request(oid: str) -> bytes:
    """Asks for one commit without its parents, trees and files."""
    if not _OID.fullmatch(oid.encode()):
        raise ValueError(f"not an object id: {oid!r}")
    lines = [b"command=fetch", _AGENT] + ([b"object-format=sha256"] if len(oid) == 64 else [])
    arguments = [b"no-progress\n", b"want " + oid.encode() + b"\n", b"deepen 1\n", b"filter tree:0\n", b"done\n"]
    return b"".join(map(packet, lines)) + DELIM + b"".join(map(packet, arguments)) + FLUSH


def parse_commit(chunks: Iterable[bytes], most: int = 1 << 20) -> bytes:
    """The commit object of an answer to `commit_request`. Raises BadProtocol, ServerSays."""
    pack, in_pack = bytearray(), False
    for found in packets(chunks):
        if found.mark:
            continue
        _complain(found.data)
        if not in_pack:
            in_pack = found.data.rstrip(b"\n") == b"packfile"
            continue
        channel, data = found.data[:1], found.data[1:]
        if channel == b"\x03":
            raise ServerSays(data.decode("utf-8", "replace").strip()[:300])
        if channel == b"\x01":
            pack += data
        if len(pack) > most:
            raise BadProtocol("the pack is larger than a commit can be")
    return _first_commit(bytes(pack), most)


def _first_commit(pack: bytes, most: int) -> bytes:
    if len(pack) < 12 or pack[:4] != b"PACK":
        raise BadProtocol("the answer holds no pack")
    at, kind, size = 12, 0, 0
    shift = 4
    if len(pack) > at:
        kind, size = pack[at] >> 4 & 7, pack[at] & 15
    while at < len(pack) and pack[at] & 128:
        at += 1
        if at < len(pack):
            size |= (pack[at] & 127) << shift
            shift += 7
        if shift > 40:
            break
    if kind != 1 or size > most:
        raise BadProtocol("the pack does not begin with a commit")
    try:
        data = zlib.decompressobj().decompress(pack[at + 1 :], size + 1)
    except zlib.error as error:
        raise BadProtocol(f"the pack is damaged: {error}") from error
    if len(data) != size:
        raise BadProtocol("the pack is damaged: wrong size")
    return data


def tree_of(commit: bytes) -> str:
    """Id of a commit's tree. Raises BadProtocol."""
    found = re.match(rb"tree ([0-9a-f]{40}(?:[0-9a-f]{24})?)\n", commit)
    if not found:
        raise BadProtocol("a commit without a tree")
    return found[1].decode("ascii")
