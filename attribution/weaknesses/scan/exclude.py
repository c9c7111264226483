"""Which files a scanner leaves out, by kind: generated, vendored, lock, minified; and which are tests or examples. Pure.

The kinds are those of all stages (`collector.files.kinds`); what is particular to scanning is here: examples, limits of size.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from collector.files.kinds import Attributes, has_long_line, is_test_path, kind_of, kind_of_text, stated_values
from collector.vocabulary.agents import state_directories
from collector.vocabulary.lines import FileKind

SOURCE, TEST, EXAMPLE = "source", "test", "example"
GENERATED, VENDORED, LOCK, MINIFIED = "generated", "vendored", "lock", "minified"
SCANNED = (SOURCE, TEST, EXAMPLE)
LEFT_OUT = (GENERATED, VENDORED, LOCK, MINIFIED)

MAX_BYTES = 500_000
MAX_LINES = 20_000

_STATE = re.compile(rf"^\.(?:entire|specify|git-ai|{'|'.join(state_directories())})/")
_EXAMPLE = re.compile(
    r"(?:^|/)(?:examples?|samples?|demos?|docs?|documentation|tutorials?|playground|templates?/examples?)/", re.IGNORECASE
)
_PLACES = {
    FileKind.GENERATED: GENERATED, FileKind.RECORDER: GENERATED, FileKind.VENDORED: VENDORED, FileKind.LOCK: LOCK,
    FileKind.MINIFIED: MINIFIED,
}  # fmt: skip


def place_of(path: str, attributes: Sequence[Attributes] = ()) -> str:
    """Where a scanner meets the file: in source, in tests, in examples, or not at all."""
    kind, stated = kind_of(path, attributes), stated_values(path, attributes)
    place = _PLACES.get(kind)
    if place is not None:
        return place
    if stated.get("linguist-documentation"):
        return EXAMPLE
    if _STATE.search(path) and "linguist-generated" not in stated:
        return GENERATED
    if is_test_path(path):
        return TEST
    return EXAMPLE if "linguist-documentation" not in stated and _EXAMPLE.search(path) else SOURCE


def of_text(data: bytes, suffix: str) -> str:
    """Why a text is not scanned: binary, too_large, long_lines, generated, minified; "" when it is."""
    if b"\0" in data[:8000]:
        return "binary"
    if len(data) > MAX_BYTES or data.count(b"\n") + 1 > MAX_LINES:
        return "too_large"
    kind = kind_of_text(data, suffix)
    if kind is FileKind.MINIFIED:
        return MINIFIED
    if has_long_line(data):
        return "long_lines"
    return GENERATED if kind is FileKind.GENERATED else ""
