"""Which files programs that read code leave out: generated, vendored, lock, minified; and which are
tests or examples. Pure.

The kinds are those of all stages (`collector.files.kinds`); what is particular to such programs is
here: examples, limits of size.
"""

import re
from collections.abc import Sequence
from functools import cache

from collector.files.kinds import (
    Attributes,
    has_long_line,
    is_test_path,
    kind_of,
    kind_of_text,
    stated_values,
)
from collector.limits import SCANNED_BYTES, SCANNED_LINES
from collector.vocabulary.agents import state_directories
from collector.vocabulary.lines import FileKind, FilePlace

ANALYSED = (FilePlace.SOURCE, FilePlace.TEST, FilePlace.EXAMPLE)

_EXAMPLE = re.compile(
    r"(?:^|/)(?:examples?|samples?|demos?|docs?|documentation|tutorials?|playground|templates?/examples?)/",
    re.IGNORECASE,
)
_PLACES = {
    FileKind.GENERATED: FilePlace.GENERATED,
    FileKind.RECORDER: FilePlace.GENERATED,
    FileKind.VENDORED: FilePlace.VENDORED,
    FileKind.LOCK: FilePlace.LOCK,
    FileKind.MINIFIED: FilePlace.MINIFIED,
}


@cache
def _state() -> re.Pattern[str]:
    """Directories at the root in which agents and other tools keep files of their own."""
    return re.compile(rf"\.(?:entire|specify|git-ai|{'|'.join(state_directories())})/")


def place_of(path: str, attributes: Sequence[Attributes] = ()) -> FilePlace:
    """The place of a file for such programs: source, tests, examples, or not read at all."""
    kind = kind_of(path, attributes)
    stated = stated_values(path, attributes)
    if kind in _PLACES:
        return _PLACES[kind]
    if stated.get("linguist-documentation"):
        return FilePlace.EXAMPLE
    if path.startswith(".") and _state().match(path) and "linguist-generated" not in stated:
        return FilePlace.GENERATED
    if is_test_path(path):
        return FilePlace.TEST
    if "linguist-documentation" not in stated and _EXAMPLE.search(path):
        return FilePlace.EXAMPLE
    return FilePlace.SOURCE


def why_left_out(data: bytes, suffix: str) -> str:
    """Why a text is not analysed: binary, too_large, long_lines, generated, minified; "" when it
    is.
    """
    if b"\0" in data[:8000]:
        return "binary"
    if len(data) > SCANNED_BYTES or data.count(b"\n") + 1 > SCANNED_LINES:
        return "too_large"
    kind = kind_of_text(data, suffix)
    if kind is FileKind.MINIFIED:
        return FilePlace.MINIFIED
    if has_long_line(data):
        return "long_lines"
    if kind is FileKind.GENERATED:
        return FilePlace.GENERATED
    return ""
