"""Files of other programs, which may be written while they are read: opened for reading, no
links followed, up to a size.
"""

import errno
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from fnmatch import fnmatchcase
from pathlib import Path
from stat import S_ISREG

from collector.agents.common.jsonl import first_value
from collector.json_values import JsonObject, parse_json
from collector.text import decode

LARGEST = 400_000_000  # bytes of one file
HEAD = 256_000  # bytes in which the directory of a session is named
_LONG_LINE = 4_000_000  # bytes of a first line: some hold all instructions of the agent
_NOT_FINISHED = (".tmp", ".partial", ".lock", "~")


_failures: ContextVar[dict[Path, Exception] | None] = ContextVar("failures", default=None)


@contextmanager
def failures_noted() -> Iterator[dict[Path, Exception]]:
    """While sessions are looked for, a file that cannot be read is empty and noted: it costs no
    more than its own session.
    """
    failures: dict[Path, Exception] = {}
    token = _failures.set(failures)
    try:
        yield failures
    finally:
        _failures.reset(token)


def attempt(path: Path, read: Callable[[], bytes]) -> bytes:
    """What `read` gives of a file. Raises OSError, and ValueError for one that is damaged,
    unless failures are noted.
    """
    try:
        return read()
    except (OSError, ValueError) as error:
        failures = _failures.get()
        if failures is None:
            raise
        if not isinstance(error, FileNotFoundError):
            failures[path] = error
        return b""


def content(path: Path) -> bytes:
    """All of a file. Raises OSError; a file that is too large is one, too."""
    return attempt(path, lambda: _read(path, None))


def head(path: Path, size: int = HEAD) -> bytes:
    """The first bytes of a file. Raises OSError."""
    return attempt(path, lambda: _read(path, size))


def tail(path: Path, size: int = HEAD) -> bytes:
    """The last bytes of a file. Raises OSError."""
    return _read(path, -size)


def lines(path: Path) -> bytes:
    """JSON lines without the last one where its end is still to be written. Raises OSError."""
    return whole_lines(content(path))


def whole_lines(data: bytes) -> bytes:
    """Without a last line that is no JSON yet: its agent is at work."""
    end = data.rfind(b"\n") + 1
    if end < len(data) and parse_json(decode(data[end:])) is None:
        return data[:end]
    return data


def _read(path: Path, size: int | None) -> bytes:
    with os.fdopen(
        os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)),
        "rb",
    ) as file:
        about = os.fstat(file.fileno())
        if not S_ISREG(about.st_mode):
            raise OSError(errno.EINVAL, "not a file", str(path))
        if size is not None:
            file.seek(max(0, about.st_size + size) if size < 0 else 0)
            return file.read(abs(size))
        if about.st_size > LARGEST:
            raise OSError(errno.EFBIG, f"{about.st_size} bytes are more than are read", str(path))
        return file.read(LARGEST)


def match_files(location: Path, pattern: str) -> Iterator[Path]:
    """Files in a place that are named like `*/chats/*.jsonl`; by name, no links followed, none
    half written.
    """
    name, _, rest = pattern.partition("/")
    for entry in _entries(location):
        if not fnmatchcase(entry.name, name):
            continue
        if rest and entry.is_dir(follow_symlinks=False):
            yield from match_files(Path(entry.path), rest)
        elif (
            not rest
            and entry.is_file(follow_symlinks=False)
            and not entry.name.endswith(_NOT_FINISHED)
        ):
            yield Path(entry.path)


def all_files(location: Path) -> Iterator[Path]:
    """The files in a place and below it, some levels deep."""
    for pattern in ("*", "*/*", "*/*/*"):
        yield from match_files(location, pattern)


def is_plain(path: Path) -> bool:
    """Whether a path is a file, and no link to one."""
    return path.is_file() and not path.is_symlink()


def is_there(path: str | Path) -> bool:
    """Whether a path leads to something; none that a system refuses does."""
    try:
        return Path(path).exists()
    except (OSError, ValueError):
        return False


def directories(location: Path) -> Iterator[Path]:
    """The directories in a place, by name; no links."""
    return (Path(entry.path) for entry in _entries(location) if entry.is_dir(follow_symlinks=False))


def _entries(location: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(location) as matches:
            return sorted(matches, key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return []


def document(path: Path) -> object:
    """The JSON value of a small file; None where there is none."""
    try:
        return parse_json(decode(content(path)))
    except OSError:
        return None


def written_at(path: Path) -> float:
    """When a file was last changed; 0 where it is gone."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def stamp(paths: Iterable[Path]) -> str:
    """Changes when one of the files does."""
    parts = []
    for path in paths:
        try:
            about = path.stat()
            parts.append(f"{path}:{about.st_size}:{about.st_mtime_ns}")
        except OSError:
            parts.append(f"{path}:gone")
    return "|".join(parts)


def first_line(path: Path) -> JsonObject:
    """The object in the first line of a file, which may be long, or in the second line where the
    first one lost its beginning; {} where there is none. Raises OSError.
    """
    start = head(path)
    value = first_value(start)
    if not isinstance(value, dict):
        value = first_value(start.partition(b"\n")[2]) or first_value(head(path, _LONG_LINE))
    if isinstance(value, dict):
        return value
    return {}


def names_path(data: bytes, path: str) -> bool:
    """Whether a string in JSON is a path or lies below it."""
    written = json.dumps(path, ensure_ascii=False)[:-1].encode("utf-8", "surrogateescape")
    return re.search(re.escape(written) + rb'["/\\]', data) is not None


def text_in(data: bytes, pattern: re.Pattern[bytes]) -> str:
    """What the first group of a pattern matches inside of a JSON string of a file; "" where
    there is none.
    """
    match = pattern.search(data)
    value = first_value(b'"' + match[1] + b'"') if match else None
    if isinstance(value, str):
        return value
    return ""
