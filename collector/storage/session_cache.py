"""Sessions that were read, kept in the user's cache, so that one that did not change is not read
again.

A secret that is found in a session is not kept, but where in the clone's transcripts it stands,
since the replay needs the text as it was recorded. A session is not kept at all, and read again
each time, where no transcript in the clone has its secrets in the same characters. What is kept the
clone holds as well, so the file is the owner's alone, it is never beside a database that may be
passed on, and nothing is kept for a database that keeps less than all content. An entry is known by
what it was read from, not by the database, which may be moved. A cache that cannot be used is done
without.

Typed values are kept as compact JSON: a dataclass or a named tuple is the list of its fields. What
is read is checked against the types; content that does not fit raises NotPacked and never becomes
another type, and nothing is imported or called by name.
"""

import dataclasses
import os
import re
import types
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime, timedelta
from enum import Enum
from functools import cache, cached_property
from math import isfinite
from pathlib import Path
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import orjson

from collector.errors import DatabaseUnusable
from collector.limits import CACHE_BYTES, CACHED_BYTES
from collector.storage.places import cache_directory
from collector.storage.retention import FULL
from collector.storage.store import Store, open_cache
from collector.text import SECRET, error_text

ENVIRONMENT = "WHOWROTE_SESSIONS"
OFF = "off"
_KEPT = timedelta(days=30)  # since it was last used
_AT_ONCE = 16_000_000  # bytes that wait to be written
_KEPT_BYTES = "SELECT SUM(bytes) FROM sessions_read"
_PARTS = """
SELECT part, content, used_on FROM sessions_read
WHERE repo = ? AND session = ? AND input_key = ? AND part IN (SELECT value FROM json_each(?))
"""
_FAILURES = (DatabaseUnusable, OSError)
# begins an entry with secrets: a blob, start and length of each in it, a line, and the value with
# their numbers
_PLACES = b"\xff"
ReadBlob = Callable[[str], bytes | None]


def path() -> Path | None:
    """WHOWROTE_SESSIONS, else sessions.db in the user's cache directory; None: "off"."""
    configured = os.environ.get(ENVIRONMENT, "")
    if configured == OFF:
        return None
    return Path(configured) if configured else cache_directory() / "sessions.db"


def opened() -> Store | None:
    """The file of the cache; None where there is none."""
    file = path()
    return _open(file) if file is not None else None


class SessionCache:
    """The sessions of one repository.

    Entries are hostile input: who reads them checks what they are.
    """

    def __init__(self, cache: Store | None, repo: str, blob: ReadBlob) -> None:
        self._cache, self._repo, self._blob = cache, repo, blob
        self._waiting: list[tuple[str, str, Mapping[str, bytes]]] = []
        self._today = datetime.now(UTC).date().isoformat()
        self._used: list[str] = []

    def get(self, session: str, input_key: str, parts: Collection[str]) -> dict[str, bytes]:
        """These parts of what was kept of a session that was read from these inputs."""
        if self._cache is None or not parts:
            return {}
        try:
            rows = self._cache.rows(
                _PARTS, (self._repo, session, input_key, orjson.dumps(list(parts)).decode())
            )
        except _FAILURES:
            return {}
        if any(row["used_on"] != self._today for row in rows):
            self._used.append(session)
        blob = cache(self._blob)
        contents = {
            row["part"]: unseal(row["content"], blob)
            for row in rows
            if isinstance(row["content"], bytes)
        }
        return {part: content for part, content in contents.items() if content is not None}

    @cached_property
    def has_room(self) -> bool:
        """Whether it is worth making something to put in: there was room when it was first
        asked.
        """
        try:
            return (
                self._cache is not None and int(self._cache.value(_KEPT_BYTES) or 0) < CACHE_BYTES
            )
        except _FAILURES:
            return False

    def put(self, session: str, input_key: str, parts: Mapping[str, bytes]) -> None:
        """`parts`: each as `seal` gives it."""
        if self._cache is not None:
            self._waiting.append((session, input_key, parts))
            if sum(_size(waiting) for *_, waiting in self._waiting) > _AT_ONCE:
                self.write()

    def write(self) -> None:
        """What waits, as far as there is room."""
        waiting, self._waiting, used, self._used = self._waiting, [], self._used, []
        if self._cache is None or not (waiting or used):
            return
        condition = "repo = ? AND session = ?"
        try:
            with self._cache.transaction() as connection:
                mine = [(self._repo, session) for session, *_ in waiting]
                connection.executemany(f"DELETE FROM sessions_read WHERE {condition}", mine)
                full = int(self._cache.value(_KEPT_BYTES) or 0)
                for session, key, parts in waiting:
                    full += _size(parts)
                    if full > CACHE_BYTES:
                        break
                    entries = (
                        (self._repo, session, part, key, self._today, len(kept), kept)
                        for part, kept in parts.items()
                    )
                    connection.executemany(
                        "INSERT INTO sessions_read VALUES (?, ?, ?, ?, ?, ?, ?)", entries
                    )
                rows = [(self._today, self._repo, session) for session in dict.fromkeys(used)]
                connection.executemany(
                    f"UPDATE sessions_read SET used_on = ? WHERE {condition}", rows
                )
        except _FAILURES:
            self._cache = None


def _size(parts: Mapping[str, bytes]) -> int:
    return sum(map(len, parts.values()))


@contextmanager
def sessions_of(store: Store, repo: str, blob: ReadBlob) -> Iterator[SessionCache]:
    """The cache for a repository of a database; what was added is in it at the end, also when
    the work in between fails.
    """
    file = path()
    cache = None if file is None or str(store.path) == ":memory:" else _open(file)
    mine = SessionCache(cache, repo, blob)
    try:
        if cache is not None and not store.policy.keeps(FULL):
            _delete(cache, "repo = ?", repo)
            mine = SessionCache(None, "", blob)
        yield mine
        mine.write()
    finally:
        if cache is not None:
            cache.close()


def forget_sessions(repo: str) -> bool:
    """Removes what is kept of a repository, whatever database it is in; False when traces stay:
    somebody else reads it.
    """
    file = path()
    cache = _open(file) if file is not None and file.exists() else None
    if cache is None:
        return True
    with cache:
        _delete(cache, "repo = ?", repo)
        return cache.wipe()


def _open(file: Path) -> Store | None:
    """The cache, without what was not used for a month; None when it cannot be used."""
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))
        file.chmod(0o600)
    except OSError:
        return None
    cache = open_cache(file)
    if cache is not None:
        _delete(cache, "used_on < ?", (date.today() - _KEPT).isoformat())
    return cache


def _delete(cache: Store, condition: str, *values: str) -> None:
    with suppress(*_FAILURES):
        if cache.value(f"SELECT 1 FROM sessions_read WHERE {condition} LIMIT 1", values):
            with cache.transaction() as connection:
                connection.execute(f"DELETE FROM sessions_read WHERE {condition}", values)


def seal(
    parts: Mapping[str, bytes], oids: Iterable[str], blob: ReadBlob
) -> dict[str, bytes] | None:
    """Packed values as entries are kept: compressed, with the places of their secrets instead of
    them.

    `oids`: of the transcripts that they were read from. None where none of them has all secrets, or
    one would be left.
    """
    # its patterns take a tenth of a second to compile
    from collector.storage.redaction import secrets_in

    texts = list(dict.fromkeys(text for content in parts.values() for text in texts_of(content)))
    secrets = sorted(
        {secret for text in texts for secret in secrets_in(text)}, key=len, reverse=True
    )
    if not secrets:
        return {part: zlib.compress(content, 1) for part, content in parts.items()}
    pattern = re.compile("|".join(map(re.escape, secrets)))
    if any(
        True
        for text in filter(pattern.search, texts)
        for _ in secrets_in(pattern.sub(SECRET, text))
    ):
        return None
    written = [orjson.dumps(secret)[1:-1] for secret in secrets]
    # UTF-8 has no such bytes
    numbers = {secret: b"\xff%d\xfe" % number for number, secret in enumerate(written)}
    any_of = re.compile(b"|".join(map(re.escape, written)))
    cleaned = {
        part: any_of.subn(lambda match: numbers[match[0]], content)
        for part, content in parts.items()
    }
    for oid in oids:
        transcript = blob(oid) or b""
        places = [(transcript.find(secret), len(secret)) for secret in written]
        if min(places) >= (0, 0):
            head = _PLACES + orjson.dumps([oid, places]) + b"\n"
            return {
                part: zlib.compress(head + clean if count else clean, 1)
                for part, (clean, count) in cleaned.items()
            }
    return None


def unseal(sealed: bytes, blob: ReadBlob) -> bytes | None:
    """The packed value again; None for what is damaged, and where the clone no longer has its
    secrets.
    """
    content = inflate(sealed)
    if content is None or not content.startswith(_PLACES):
        return content
    places, _, clean = content[len(_PLACES) :].partition(b"\n")
    try:
        oid, spans = orjson.loads(places)
        transcript: Any = blob(oid)
        secrets = [transcript[start : start + length] for start, length in spans]
        return re.sub(rb"\xff(\d+)\xfe", lambda match: secrets[int(match[1])], clean)
    except (ValueError, TypeError, LookupError):
        return None


def inflate(content: bytes) -> bytes | None:
    """None for what is damaged, or larger than anything that is put in."""
    stream = zlib.decompressobj()
    try:
        content = stream.decompress(content, CACHED_BYTES + 1)
    except zlib.error:
        return None
    return content if len(content) <= CACHED_BYTES and stream.eof else None


T = TypeVar("T")
_Pack = Callable[[Any], Any]
_PLAIN = (str, int, float, bool)


class NotPacked(ValueError):
    """Content that is no packed value of the type, or a value that cannot be packed."""


def pack(kind: type[T], value: T) -> bytes:
    """The value as JSON.

    Raises NotPacked: half of a surrogate pair, a number that JSON does not have.
    """
    try:
        content = orjson.dumps(_codec(cast(Any, kind)).pack(value))
    except (TypeError, AttributeError, LookupError, RecursionError) as error:
        raise NotPacked(str(error)) from error
    return content


def unpack(kind: type[T], content: bytes) -> T:
    """The value again. Raises NotPacked."""
    try:
        value: T = _codec(cast(Any, kind)).unpack(orjson.loads(content))
    except NotPacked:
        raise
    except (ValueError, TypeError, LookupError, RecursionError) as error:
        raise NotPacked(error_text(error)) from error
    return value


def texts_of(content: bytes) -> Iterator[str]:
    """Every text in a packed value."""
    waiting = [orjson.loads(content)]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            waiting += value
        elif isinstance(value, dict):
            waiting += [*value.keys(), *value.values()]


@dataclasses.dataclass(frozen=True, slots=True)
class _Codec:
    pack: _Pack
    unpack: _Pack


@cache
def _codec(kind: Any) -> _Codec:
    origin, arguments = get_origin(kind), get_args(kind)
    if kind in _PLAIN or kind is type(None):
        return _Codec(_finite if kind is float else lambda value: value, _type_check(kind))
    if origin in (Union, types.UnionType):
        return _optional(arguments)
    if origin is not None:
        return _container(origin, arguments)
    if isinstance(kind, type) and issubclass(kind, Enum):
        members = {member.value: member for member in kind}
        return _Codec(lambda value: value.value, members.__getitem__)
    if dataclasses.is_dataclass(kind) or hasattr(kind, "_fields"):
        return _fields(kind)
    raise TypeError(f"{kind} cannot be packed")


def _container(origin: Any, arguments: tuple[Any, ...]) -> _Codec:
    if origin is dict:
        items = _collection(list, _codec(tuple[arguments[0], arguments[1]]))  # type: ignore[valid-type]
        return _Codec(
            lambda value: items.pack(value.items()), lambda value: dict(items.unpack(value))
        )
    if origin is tuple and arguments[-1] is not Ellipsis:
        return _record(tuple, [_codec(argument) for argument in arguments], lambda value: value)
    if origin in (tuple, list, set, frozenset):
        return _collection(origin, _codec(arguments[0]))
    raise TypeError(f"{origin} cannot be packed")


def _type_check(kind: type) -> _Pack:
    accepted = (int, float) if kind is float else (kind,)

    def check(value: Any) -> Any:
        if type(value) not in accepted:
            raise NotPacked(f"{type(value).__name__} instead of {kind.__name__}")
        return value

    return check


def _finite(value: float) -> float:
    if not isfinite(value):  # it would come back as null
        raise NotPacked(f"{value} is no number of JSON")
    return value


def _fields(kind: type) -> _Codec:
    """A dataclass or a named tuple."""
    hints = get_type_hints(kind)
    names = getattr(kind, "_fields", None) or [field.name for field in dataclasses.fields(kind)]
    codecs = [_codec(hints[name]) for name in names]
    return _record(
        lambda values: kind(*values), codecs, lambda value: [getattr(value, name) for name in names]
    )


def _record(
    make: Callable[[Iterable[Any]], Any],
    codecs: list[_Codec],
    parts: Callable[[Any], Iterable[Any]],
) -> _Codec:
    packs, unpacks = [codec.pack for codec in codecs], [codec.unpack for codec in codecs]

    def pack_one(value: Any) -> list[Any]:
        return [pack(part) for pack, part in zip(packs, parts(value), strict=True)]

    def unpack_one(value: Any) -> Any:
        return make(
            [unpack(part) for unpack, part in zip(unpacks, _require_list(value), strict=True)]
        )

    return _Codec(pack_one, unpack_one)


def _collection(make: Callable[[Iterable[Any]], Any], item: _Codec) -> _Codec:
    pack, unpack = item.pack, item.unpack
    # the same bytes for the same set
    in_order = sorted if make in (set, frozenset) else iter
    return _Codec(
        lambda value: [pack(part) for part in in_order(value)],
        lambda value: make([unpack(part) for part in _require_list(value)]),
    )


def _optional(kinds: tuple[Any, ...]) -> _Codec:
    (kind,) = (member for member in kinds if member is not type(None))
    only = _codec(kind)
    return _Codec(
        lambda value: None if value is None else only.pack(value),
        lambda value: None if value is None else only.unpack(value),
    )


def _require_list(value: Any) -> list[Any]:
    if type(value) is not list:
        raise NotPacked(f"{type(value).__name__} instead of a list")
    return value
