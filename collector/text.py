"""Bytes, lines and paths as git sees them, and counts as people write them.

A line ends at `\\n` and nowhere else: `str.splitlines` also splits at form feeds and U+2028, and
every number would drift.
"""

import os
import re
import shlex
import tomllib
import unicodedata
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from collector.limits import TEXT_BYTES

_Item = TypeVar("_Item")
SECRET = "[secret]"  # what stands where a secret was
# A drive of Windows as Windows names it, WSL, and Cygwin; files of Linux as Windows sees those of
# WSL
_DRIVE = re.compile(
    r"(?:(?:[\\/]{2}[?.][\\/])?([A-Za-z]):|/(?:mnt|cygdrive)/([A-Za-z]))(?:[\\/]|$)"
)
_OF_WSL = re.compile(r"[\\/]{2}wsl(?:\$|\.localhost)[\\/][^\\/]+(?=[\\/]|$)", re.I)
_PRIVATE = "/private/"  # macOS: /tmp and /var are links into it
_NAMED_BY_MACHINES = ("/mnt/", "/cygdrive/", "//", "\\\\")
_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\")  # a drive or a server
# Characters that begin a formula in a spreadsheet, full-width forms included.
FORMULA_SIGNS = "=+-@\uff1d\uff0b\uff0d\uff20"
_FORMULA = tuple(FORMULA_SIGNS + "\t\r")
# where a comma is no separator, `;` begins a cell
_INNER_FORMULA = re.compile(f";(?=[{re.escape(FORMULA_SIGNS)}])")
# Control characters, halves of surrogate pairs, and what changes the direction of text or cannot be
# seen. Joiners and variation selectors stay: scripts and emoji need them.
_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb"
    r"\ud800-\udfff\U000e0000-\U000e007f]"
)


_SAFE_WORD = re.compile(r"[\w+=:,./\\-]+", re.ASCII)


def command_line(*words: object) -> str:
    """A command that can be pasted, quoted for a POSIX shell, or on Windows for PowerShell:
    whatever a path holds, it stays one word.
    """
    texts = map(str, words)
    if os.name != "nt":
        return shlex.join(texts)
    quoted = ((text, "'" + text.replace("'", "''") + "'") for text in texts)
    return " ".join(plain if _SAFE_WORD.fullmatch(plain) else safe for plain, safe in quoted)


def one_of(words: Collection[str], depth: int = 3) -> str:
    """A pattern that fits any of many words, the longest first, in a time that does not grow with
    their number: they are told apart by their first characters.
    """
    if depth == 0 or len(words) < 9 or "" in words:
        return "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    rests = defaultdict(set)
    for word in words:
        rests[word[0]].add(word[1:])
    return "|".join(
        f"{re.escape(first)}(?:{one_of(rest, depth - 1)})" for first, rest in rests.items()
    )


def split_lines(data: bytes) -> list[bytes]:
    """Lines without their `\\n`; a missing final newline makes no difference to the number of
    lines.
    """
    if not data:
        return []
    lines = data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return lines


def decode(data: bytes) -> str:
    """UTF-8 with undecodable bytes kept as surrogates, so that `encode` gives the same bytes
    back.
    """
    return data.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """Inverse of `decode`; lone surrogates from JSON escapes (not from `decode`) become `?`
    instead of failing.
    """
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")


def printable(text: str) -> str:
    """Safe for SQLite, a terminal and HTML text: control characters, direction marks and
    undecodable bytes made visible.
    """
    return _CONTROL.sub(_visible, text)


def _visible(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code - 0xDC00 if 0xDC80 <= code <= 0xDCFF else code:02x}"


def count_of(count: int, noun: str) -> str:
    """`1 finding`, `2,000 findings`, `0 repositories`, `3 fixes`, `2 patches`."""
    plural = (
        f"{noun[:-1]}ies"
        if noun.endswith("y")
        else f"{noun}{'es' if noun.endswith(('x', 'ch')) else 's'}"
    )
    return f"{count:,} {noun if count == 1 else plural}"


def spreadsheet_safe(text: str) -> str:
    """A cell of a CSV file: printable, and with an apostrophe in front of what a spreadsheet
    would run as a formula.
    """
    printed = inner_formulas_out(printable(text))
    if text.startswith(_FORMULA):
        return "'" + printed
    return printed


def inner_formulas_out(text: str) -> str:
    """Text of a cell that holds no formula where `;` separates cells."""
    return _INNER_FORMULA.sub(";'", text)


def normal_path(path: str) -> str:
    """`/`-separated, a Windows drive as `/c/…`, no `.` parts and no double slashes; `..` is
    resolved textually.

    A file has one spelling, however a program names it: `C:\\src`, `/mnt/c/src` and
    `\\\\?\\C:\\src` are `/c/src`, and `\\\\wsl$\\Ubuntu\\src` is `/src`.
    """
    if ":" in path[:6] or path.startswith(_NAMED_BY_MACHINES):
        drive = _DRIVE.match(path)
        share = _OF_WSL.match(path)
        if drive:
            path = f"/{(drive[1] or drive[2]).lower()}/{path[drive.end() :]}".replace("\\", "/")
        elif share:
            path = path[share.end() :].replace("\\", "/")
    if "\\" in path and ("/" not in path or path.startswith("\\\\")):
        path = path.replace("\\", "/")
    absolute = path.startswith("/")
    parts: list[str] = []
    for part in path.split("/"):
        if part in ("", "."):
            continue
        if part == "..":
            if parts:
                parts.pop()
            continue
        parts.append(part)
    return ("/" if absolute else "") + "/".join(parts)


def canonical_path(path: str) -> str:
    """The spelling that differs for no two names of one directory: `normal_path`, composed,
    without the link that macOS adds.
    """
    normal = normal_path(path)
    if not normal.isascii():
        normal = unicodedata.normalize("NFC", normal)
    if normal.startswith(_PRIVATE):
        return normal[len(_PRIVATE) - 1 :]
    return normal


def comparable_path(path: str) -> str:
    """The same in lower case where Windows keeps it."""
    spelled = canonical_path(path)
    if spelled[:1] + spelled[2:3] == "//":
        return spelled.lower()
    return spelled


def resolve(cwd: str, path: str) -> str:
    """A path as a program gave it, normalised; absolute when it was, or when the working
    directory is known.
    """
    if not path or not cwd or path.startswith(("/", "~")) or _WINDOWS.match(path):
        return normal_path(path)
    return normal_path(f"{cwd}/{path}")


def from_utf_16(data: bytes) -> bytes:
    """A text in UTF-16 with its byte order mark as UTF-8, anything else as it is.

    Git takes such a text for binary, agents and editors read and change its lines.
    """
    if not data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) or len(data) > TEXT_BYTES:
        return data
    try:
        text = data.decode("utf-16").encode()
    except UnicodeDecodeError:
        return data
    if b"\0" in text:
        return data
    return text


def is_binary(data: bytes) -> bool:
    """Git's own rule: a NUL among the first 8,000 bytes."""
    return b"\0" in data[:8000]


def timestamp(value: object) -> float | None:
    """RFC 3339 with `Z` or an offset and any number of fraction digits -> seconds; None for
    anything else.
    """
    if not isinstance(value, str) or len(value) > 64:
        return None
    try:
        parsed = datetime.fromisoformat(value)
    except ValueError:
        return None
    try:
        return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()
    except (OverflowError, OSError, ValueError):
        return None


def word_finder(words: Iterable[str]) -> Callable[[str], dict[str, list[int]]]:
    """Finds where which of many words begin in a text, in one pass over it; the adapter for
    pyahocorasick.
    """
    import ahocorasick

    automaton = ahocorasick.Automaton()
    for word in words:
        automaton.add_word(word, word)
    automaton.make_automaton()

    def find(text: str) -> dict[str, list[int]]:
        places: dict[str, list[int]] = {}
        for end, word in automaton.iter(text):
            places.setdefault(word, []).append(end - len(word) + 1)
        return places

    return find


def unique(items: Iterable[_Item]) -> tuple[_Item, ...]:
    """Each item once, in order of first appearance."""
    return tuple(dict.fromkeys(items))


def toml_beside(module: str, name: str) -> dict[str, Any]:
    """The tables of a file beside a module, whose path this is."""
    return tomllib.loads(Path(module).with_name(name).read_text("utf-8"))


def file_name(path: str) -> str:
    """What follows the last `/`."""
    return path.rpartition("/")[2]


def add_ending(path: Path, ending: str) -> Path:
    """The file beside another one that is called like it, with an ending."""
    return path.with_name(path.name + ending)


def first_group(match: re.Match[str] | None) -> str:
    """What the first group of a match has; "" of none."""
    if match:
        return match[1] or ""
    return ""


def error_text(error: BaseException) -> str:
    """An error that nobody expected, with its kind."""
    return f"{type(error).__name__}: {error}"


def split_names(names: Sequence[str]) -> Sequence[str]:
    """The names that a list has, or a text such as "a, b"."""
    if isinstance(names, str) and names:
        return names.split(", ")
    return names


_SPELLED = re.compile(r"\\u([0-9a-fA-F]{4})")


def decode_escapes(text: str) -> str:
    """A text with the characters that it spells as `\\u00e8`, as JSON and most languages do."""
    text = _SPELLED.sub(lambda spelled: chr(int(spelled[1], 16)), text)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # pairs are one
