"""Names of files as git prints them. Pure."""

from __future__ import annotations

import re

_QUOTED = re.compile(rb"\\([0-7]{3}|.)")
_ESCAPES = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}


def unquote(name: bytes) -> bytes:
    """A path as git prints it, in C quotes if it holds quotes, backslashes or control characters."""
    return _QUOTED.sub(_unescape, name[1:-1]) if name.startswith(b'"') else name


def _unescape(match: re.Match[bytes]) -> bytes:
    code = match.group(1)
    return bytes([int(code, 8) & 0xFF]) if len(code) == len("777") else _ESCAPES.get(code, code)
