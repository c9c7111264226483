"""Recognises a patch, and the one that takes it back, by what they say. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from attribution.lineage.model import Fingerprint
from collector.git.diff_tree import FileDelta

_TELLING = 20  # letters and digits of a patch, below which its inverse may come about by chance
_NO_WORD = bytes(c for c in range(256) if not chr(c).isalnum())


def fingerprint(deltas: Sequence[FileDelta]) -> Fingerprint | None:
    """Of the texts that a commit takes away and puts in; None when they are not all known, or say too little to be recognised."""
    forward, inverse = hashlib.blake2b(digest_size=12), hashlib.blake2b(digest_size=12)
    text_length = 0
    for delta in sorted(deltas, key=lambda d: d.path):
        if delta.hunks is None or delta.text is None:
            return None
        for removed, added in delta.text:
            old, new = b"\n".join(removed), b"\n".join(added)
            text_length += len((old + new).translate(None, _NO_WORD))
            name = delta.path.encode("utf-8", "surrogateescape")
            forward.update(b"%b\0%d %d\0%b%b" % (name, len(old), len(new), old, new))
            inverse.update(b"%b\0%d %d\0%b%b" % (name, len(new), len(old), new, old))
    return Fingerprint(forward.hexdigest(), inverse.hexdigest()) if text_length >= _TELLING else None
