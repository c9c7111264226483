"""What the sessions of this machine name, by which a clone tells whether they worked on it:
directories, files, commits that git printed, remotes, and when they went on.

A session is looked up by every clone, and read for that once: what it names is kept in the user's
cache by the names, sizes and times of its files.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import astuple, dataclass, replace
from datetime import date, timedelta
from typing import Any

from collector.agents import readers
from collector.agents.machine.model import LocalSession
from collector.errors import DatabaseUnusable
from collector.model import Session
from collector.runtime.stages import digest
from collector.storage.session_cache import opened
from collector.text import decode, encode, normal_path, timestamp

_VERSION = "5"
_KEPT = timedelta(days=30)
_FAILURES = (DatabaseUnusable, OSError)
# Absolute paths: a string of JSON that is one, whatever it contains, and a word of a command
_STRING = re.compile(rb"[\"']((?:/|[A-Za-z]:(?:/|\\\\))[^\"'\n]{1,1000}?)\\*[\"']")
_WORD = re.compile(rb"(?:[\s=(>:`]|\\n)((?:/|[A-Za-z]:[\\/])[^\s\"'`<>|;&(){},]{1,400})")
# Begins with its rarest text, which is many times as fast: what has to stand before it is looked at
# afterwards. So does _FILE.
_ABOVE = re.compile(rb"\.\./(?<![^\s\"'`=(>:]\.\./)(?:\.\./)*[^\s\"'`<>|;&(){},\\]{1,300}")
_IS_FILE = re.compile(r"[^/]\.\w{1,6}$")
# what names a directory, also one whose name looks like a file's, or one below where it stands
_DIRECTORY = re.compile(
    rb"(?:\"(?:cwd|workdir|working_?[dD]ir(?:ectory)?|worktreePath)\\*\":\s*\\*\"|-C "
    rb"|\b(?:cd|pushd|(?i:(?:Set|Push)-Location(?: -(?:Literal)?Path)?)) )"
    rb"\\{0,9}[\"']?([^\s\"';&|$~\\-][^\"\n;&|>]{0,1000}?)\\{0,9}(?=[\"\n;&|]| &&| >)"
)
# `[branch id] subject` of a commit, in a text that is a string of JSON
_COMMITTED = re.compile(rb"\[[^\[\]\\\"\n]{1,200} ([0-9a-f]{7,64})\] ([^\\\"\n]{1,200})")
# `id subject` of a log, likewise
_LOGGED = re.compile(rb"\b([0-9a-f]{7,64}) (?:\([^()\n\"]{1,200}\) )?([^\\\"\n]{2,200})")
_WHOLE = re.compile(rb"\b[0-9a-f]{40}(?:[0-9a-f]{24})?\b")
_HEAD = re.compile(rb'"(?:commit_hash|headCommit)":\s*"([0-9a-f]{40,64})"')
_REMOTE = re.compile(rb'"(?:repository_url|git_origin_url)":\s*"((?:[^"\\]|\\.){1,1000})"')
_ORIGINAL = re.compile(rb'"originalCwd":\s*"((?:[^"\\]|\\.){1,4000})"')
_TIMES = re.compile(rb'"timestamp":\s*"([^"]{10,40})"')
# Files that calls name: as paths, in patches, and where a command writes to them
_FILE = re.compile(
    rb'(?:"(?:file_?[pP]ath|path)\\*":\s*\\*"|\*\*\* (?:Add|Update) File: |>\s*|\+(?<=^\+)\+\+'
    rb' b/)([^\s"\'\\<>|;]{3,300})',
    re.M,
)
_MOST = 20_000  # of each, for a session

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class NamedPlaces:
    """What a session names. `exact`: directories are those of its calls, not of all its text."""

    directories: tuple[str, ...] = ()
    made: Pairs = ()  # (id, subject) of commits that git said it made
    shown: Pairs = ()  # the same of those in a log, and ids alone with no subject
    began_at: tuple[str, ...] = ()  # ids of commits
    remotes: tuple[str, ...] = ()
    clones: tuple[str, ...] = ()  # of which its directory was a worktree
    files: tuple[str, ...] = ()  # below its directory, as they are spelled
    begin: float = float("-inf")
    end: float = float("inf")
    exact: bool = False
    # keys of texts that it was compared with, with the number of lines where it wrote them
    compared: tuple[str, ...] = ()


class PlaceIndex:
    """What the sessions of this machine name; without a cache each is read when it is asked for."""

    def __init__(self) -> None:
        self._cache = opened()
        self._today = date.today().isoformat()
        self._new: list[tuple[str, str, NamedPlaces]] = []
        self._used: list[str] = []
        self._rows = self._known()

    def _known(self) -> dict[str, tuple[str, bytes]]:
        if self._cache is None:
            return {}
        with suppress(*_FAILURES):
            rows = self._cache.rows("SELECT file, stamp, content FROM session_places")
            return {row["file"]: (row["stamp"], row["content"]) for row in rows}
        return {}

    def of(self, session: LocalSession, load: Callable[[], Iterable[bytes]]) -> NamedPlaces:
        """What a session names. Raises what `load` raises."""
        file, stamp = _key(session)
        known, content = self._rows.get(file, ("", b""))
        places = _unpack(content) if stamp == known else None
        if places is None:
            parts = list(load())
            places = _read_names(b"\n".join(parts), session.cwd)
            if parts:  # else it could not be read, and is tried again
                self.keep(session, places)
        self._used.append(file)
        return places

    def read_closely(
        self, session: LocalSession, load: Callable[[], Iterable[bytes]]
    ) -> NamedPlaces:
        """What the calls of a session name, which is less than all that it says."""
        reader = next((one for one in readers() if session.agent == one.NAME), None)
        if reader is None:
            return NamedPlaces(exact=True)
        read = reader.read(session.id, iter(list(load())))
        directories = tuple(sorted(_worked_in(read)))
        places = replace(self.of(session, load), directories=directories, exact=True)
        self.keep(session, places)
        return places

    def keep(self, session: LocalSession, places: NamedPlaces) -> None:
        file, stamp = _key(session)
        self._new.append((file, stamp, places))
        self._rows[file] = stamp, _pack(places)

    def close(self) -> None:
        """Keeps what was read, and which entries are in use; others go after a month."""
        if self._cache is None:
            return
        with closing(self._cache), suppress(*_FAILURES), self._cache.transaction() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO session_places VALUES (?, ?, ?, ?)",
                [(file, stamp, self._today, _pack(places)) for file, stamp, places in self._new],
            )
            connection.executemany(
                "UPDATE session_places SET used_on = ? WHERE file = ? AND used_on < ?",
                [(self._today, file, self._today) for file in self._used],
            )
            oldest = (date.today() - _KEPT).isoformat()
            connection.execute("DELETE FROM session_places WHERE used_on < ?", (oldest,))


def _key(session: LocalSession) -> tuple[str, str]:
    return f"{session.files[0]}#{session.id}", digest(_VERSION, session.stamp)


def _pack(places: NamedPlaces) -> bytes:
    return zlib.compress(json.dumps(astuple(places)).encode(), 1)


def _unpack(content: bytes) -> NamedPlaces | None:
    try:
        return NamedPlaces(*map(_tuple_of, json.loads(zlib.decompress(content))))
    except (ValueError, TypeError, zlib.error):
        return None


def _tuple_of(value: Any) -> Any:
    """A list of JSON, and those in it, as tuples."""
    if isinstance(value, list):
        return tuple(map(_tuple_of, value))
    return value


def _read_names(data: bytes, cwd: str) -> NamedPlaces:
    heads = {*_HEAD.findall(data)}
    ids = [(number, b"") for number in {*_WHOLE.findall(data)} - heads]
    begin, end = _span(data)
    return NamedPlaces(
        _directories(data, cwd),
        _decode_pairs(_COMMITTED.findall(data)),
        _decode_pairs([*_LOGGED.findall(data), *ids]),
        _keep(map(decode, heads)),
        _keep(bare_url(decode(url)) for url in _REMOTE.findall(data)),
        _keep(_path(text, cwd) for text in _ORIGINAL.findall(data)),
        _files(data, cwd),
        begin,
        end,
    )


def _directories(data: bytes, cwd: str) -> tuple[str, ...]:
    directories = {_path(text, cwd) for text in {*_DIRECTORY.findall(data)}}
    named = {*_STRING.findall(data), *_WORD.findall(data), *_ABOVE.findall(data)}
    for path in {_path(text, cwd) for text in named}:
        directories.add(path.rpartition("/")[0])
        if not _IS_FILE.search(path):
            directories.add(path)
    return _keep(directories)


def _files(data: bytes, cwd: str) -> tuple[str, ...]:
    below = re.findall(re.escape(encode(cwd)) + rb"/([^\s\"'\\<>|:;,()]{1,300})", data)
    names = {decode(name).removeprefix(f"{cwd}/") for name in {*_FILE.findall(data), *below}}
    return _keep(names)


def bare_url(url: str) -> str:
    """`github.com/owner/name` of an address in any form, without what may be a token in it."""
    return re.sub(r"^(?:\w+://)?(?:[^/@]*@)?|(?:\.git)?/*$", "", url).replace(":", "/", 1).lower()


def _keep(names: Iterable[str]) -> tuple[str, ...]:
    """In order, but for those that hold a secret: they are kept as they are here."""
    from collector.storage.redaction import secrets_out  # most runs have no use for it

    return tuple(n for n in sorted({*names} - {""})[:_MOST] if secrets_out(n) == n)


def _decode_pairs(pairs: Iterable[tuple[bytes, bytes]]) -> Pairs:
    """Each once, in the order of the text, without secrets."""
    once = list(dict.fromkeys(pairs))[:_MOST]
    from collector.storage.redaction import secrets_out

    return tuple((decode(number), secrets_out(decode(subject))) for number, subject in once)


def _span(data: bytes) -> tuple[float, float]:
    """The first and last moment in a transcript; all times for one that names none."""
    times = _TIMES.findall(data)  # in order of their text, but for other zones
    moments = [
        moment
        for text in times and (min(times), max(times))
        if (moment := timestamp(decode(text))) is not None
    ]
    return min(moments, default=float("-inf")), max(moments, default=float("inf"))


def _path(text: bytes, cwd: str) -> str:
    """A path as JSON has it, up to the end of its line; one that is not absolute is below `cwd`."""
    spelled = decode(text)
    if not spelled.startswith("/"):
        spelled = re.sub(r"\\+", "/", spelled)
        if spelled[1:2] != ":":
            spelled = f"{cwd}/{spelled}" if cwd else ""
    spelled = spelled.partition("\\n")[0].replace("\\\\", "\\").rstrip("\\'")
    return normal_path(spelled.encode("utf-8", "replace").decode())


def _worked_in(session: Session) -> Iterator[str]:
    """Directories of a session, of its calls, and those that they name."""
    yield from session.cwds
    for call in session.calls:
        for edit in call.edits:
            yield from (path.rpartition("/")[0] for path in (edit.path, edit.new_path) if path)
        if call.command is not None:
            yield call.command.cwd
            text = b"\n" + call.command.text.encode("utf-8", "replace")
            yield from _directories(text, call.command.cwd)
