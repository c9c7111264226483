"""Commits as their objects have them: those of repositories that libgit2 does not read, and those
that it refuses. Pure.
"""

import codecs
import re

from collector.commit_model import Commit
from collector.text import decode

# A line that begins with none of these goes on with the line before: importers have written
# addresses with a line break.
_BROKEN = re.compile(
    rb"\n(?!(?:tree|parent|author|committer|encoding|gpgsig(?:-sha256)?|mergetag|HG:[\w.-]+) |\Z)"
)
# others take long to decode, or are no encodings of text
_ENCODINGS = re.compile(
    r"(?:iso8859|iso2022|cp\d|gb|big5|shift_jis|euc_|koi8|latin|mac_|johab|tis_|utf-16|utf-32)"
)
_TIME = re.compile(rb"(\d{1,18}) [+-]\d{4}\s*$")


def headers_of(data: bytes) -> dict[bytes, bytes]:
    """The first value of each header of a commit or tag."""
    headers: dict[bytes, bytes] = {}
    for line in data.partition(b"\n\n")[0].split(b"\n"):
        name, _, value = line.partition(b" ")
        if name:  # lines of a signature go on with a space
            headers.setdefault(name, value)
    return headers


def commit_of(sha: str, data: bytes, is_boundary: bool) -> Commit:
    """A commit as libgit2 reads it; the boundary of a shallow clone has no parents."""
    head, _, message = data.partition(b"\n\n")
    headers = headers_of(data)
    parents = [
        line[7:].decode("ascii", "replace")
        for line in head.split(b"\n")
        if line.startswith(b"parent ")
    ]
    tree = headers.get(b"tree", b"").decode("ascii", "replace")
    author, committer = (_person(headers.get(role, b"")) for role in (b"author", b"committer"))
    return Commit(
        sha,
        () if is_boundary else tuple(parents),
        tree,
        *author,
        *committer,
        decode_as(message.lstrip(b"\n"), headers.get(b"encoding", b"").decode("ascii", "replace")),
    )


def repaired(data: bytes) -> bytes:
    """A commit whose headers have line breaks where there should be none."""
    head, end, message = data.partition(b"\n\n")
    return _BROKEN.sub(b" ", head) + end + message


def decode_as(message: bytes, encoding: str | None) -> str:
    """A message in the encoding that its commit names; in UTF-8 where none is known."""
    try:
        name = codecs.lookup(encoding).name if encoding else "utf-8"
        if _ENCODINGS.match(name):
            return message.decode(name)
        return decode(message)
    except (LookupError, UnicodeError):
        return decode(message)


def _person(line: bytes) -> tuple[str, str, float]:
    """(name, address, time in seconds since 1970) of `Name <address> 1700000000 +0100`."""
    name, _, address_and_time = line.partition(b"<")
    address, _, _ = address_and_time.rpartition(b">")
    when = _TIME.search(line)
    return decode(name.strip()), decode(address.strip()), float(int(when[1])) if when else 0.0
