"""Text that must never run anywhere, and repositories with other contents than they were made
with.
"""

from __future__ import annotations

import re
from collections.abc import Callable

EVIL = (
    "<script>alert(1)</script><img src=http://evil.example/x onerror=alert(2)>\u202e=cmd()\x1b[31m"
)


def rewritten(stream: bytes, change: Callable[[bytes], bytes]) -> bytes:
    """A stream of `git fast-import` with every file and message changed."""
    pieces = []
    at = 0
    header = re.compile(rb"^data (\d+)\n", re.MULTILINE)
    while (found := header.search(stream, at)) is not None:
        end = found.end() + int(found[1])
        body = change(stream[found.end() : end])
        pieces += [stream[at : found.start()], b"data %d\n" % len(body), body]
        at = end
    return b"".join([*pieces, stream[at:]])
