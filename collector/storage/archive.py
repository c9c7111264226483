"""The archive: the records of all sessions of this machine that were ever read, in one file of the
user.

Agents delete their transcripts after a month, and people lose them. What was read once stays here
as the agent wrote it, line by line, until it is forgotten. Text is kept once however many sessions,
copies and versions of a file repeat it. A secret is replaced by a keyed hash and its length, and
comes back where the clone has the same text (`restored`). What lies in the refs of a clone is not
kept: git does that.

The format has a number (`user_version`). A file of an older format is read for ever, one of a newer
format is left alone. It is never deleted because it cannot be used.
"""

import json
import os
import re
import sqlite3
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import date
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from collector.errors import DatabaseUnusable
from collector.json_values import Row
from collector.limits import ARCHIVED_BYTES, CACHED_BYTES
from collector.storage.connection import OwnConnection
from collector.storage.places import configured_file, data_directory, make_private
from collector.text import SECRET, one_of

FORMAT = 1
ENVIRONMENT = "WHOWROTE_ARCHIVE"
_PIECE = 1 << 18  # bytes of a piece from which on it ends with its line
_LEVEL = 3  # of the compression: more takes twice the time for a tenth
_MEAN = 63  # lines of a piece, on average
_LONG = 34  # bytes of a string in a document that says something: a moment is shorter
_WEAK = 8  # characters below which a secret may be a word that stands anywhere
_AROUND = 12  # characters beside a secret by which its place is known again
_LINE = re.compile(rb"[^\n]*\n|[^\n]+")
_STRING = re.compile(rb'"((?:[^"\\]|\\.){%d,})"' % _LONG)
_MARK = re.compile(r"\[secret:([0-9a-f]{16}):(\d{1,5})\]")
_MARK_BYTES = re.compile(_MARK.pattern.encode())

_SCHEMA = """
-- of the hashes: the owner's first; others came with what was imported
CREATE TABLE keys (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE);
CREATE TABLE settings (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE sessions (
  id INTEGER PRIMARY KEY,
  source TEXT NOT NULL, -- name of the store that had it
  session TEXT NOT NULL, -- the agent's id
  facts TEXT NOT NULL, -- JSON: what was known of its files
  stamp TEXT NOT NULL, -- changes when the files do
  read_at REAL NOT NULL, -- when its files were last there, seconds since 1970
  used_on TEXT NOT NULL, -- day on which it was last kept
  UNIQUE (source, session)
);
-- worktrees of the clones that it belongs to
CREATE TABLE clones (
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  path TEXT NOT NULL, PRIMARY KEY (session_id, path)
) WITHOUT ROWID;
-- copy: a version of the record that has what later ones lack; part: a file of it
CREATE TABLE parts (
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  copy INTEGER NOT NULL, part INTEGER NOT NULL, position INTEGER NOT NULL,
  piece INTEGER NOT NULL, PRIMARY KEY (session_id, copy, part, position)
) WITHOUT ROWID;
CREATE INDEX parts_piece ON parts(piece);
CREATE TABLE pieces (
  id INTEGER PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE, -- keyed hash of the text as it was
  searched TEXT NOT NULL, -- version of the search for secrets
  content BLOB NOT NULL -- zlib
);
-- keyed hashes of the ids of sessions that are not to be read again
CREATE TABLE forgotten (digest BLOB PRIMARY KEY) WITHOUT ROWID;
"""


def path() -> Path | None:
    """WHOWROTE_ARCHIVE, else a file in the user's data directory; None: "off"."""
    return configured_file(ENVIRONMENT, data_directory() / "archive.sqlite")


@contextmanager
def opened(file: Path | None = None, create: bool = True) -> Iterator["Archive | None"]:
    """The archive, made where there is none yet; None where nothing is to be kept, and without
    `create` where nothing is.

    Raises DatabaseUnusable: damaged, in use for too long, of a newer version, no place for it.
    """
    if not file:
        file = path()
    if file is None or not (create or file.exists()):
        yield None
        return
    try:
        if file.parent == data_directory():
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        make_private(file)
        connection = sqlite3.connect(
            file, timeout=60.0, isolation_level="IMMEDIATE", factory=OwnConnection
        )
        with closing(connection):
            yield Archive(connection)
    except (OSError, sqlite3.Error) as error:
        raise DatabaseUnusable(f"the archive {file} cannot be used: {error}") from error


def own_key() -> bytes | None:
    """A key that is the user's alone; None where nothing is to be kept."""
    with suppress(DatabaseUnusable), opened() as kept:
        if kept and kept.limit:
            return kept.keys[0]
        return None
    return None


class Archive:
    """An open archive. What a method raises when the file fails becomes DatabaseUnusable."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._run = connection.execute
        self._run("PRAGMA secure_delete = ON")
        self._run("PRAGMA foreign_keys = ON")
        version = self._value("PRAGMA user_version")
        if version > FORMAT:
            raise sqlite3.DatabaseError(f"format {version} needs a newer version of whowrote")
        if version == 0 and self._value("PRAGMA page_count"):
            raise sqlite3.DatabaseError("it is another database")
        if version == 0:
            self._make()
        self.keys: list[bytes] = [row[0] for row in self._run("SELECT key FROM keys ORDER BY id")]

    def _make(self) -> None:
        with self._connection:
            self._run("BEGIN IMMEDIATE")
            if self._value("PRAGMA user_version"):
                return  # another process has made it in the meantime
            for statement in _SCHEMA.split(";\n"):
                self._run(statement)
            self._run("INSERT INTO keys (key) VALUES (?)", (os.urandom(32),))
            self._run(f"PRAGMA user_version = {FORMAT}")

    def _value(self, sql: str, *values: object) -> Any:
        row = self._run(sql, values).fetchone()
        if row:
            return row[0]
        return None

    @property
    def limit(self) -> int:
        """Bytes that are kept at most; 0: nothing is."""
        limit = self._value("SELECT value FROM settings WHERE name = 'limit'")
        if limit is None:
            return ARCHIVED_BYTES
        return int(limit)

    def keep_at_most(self, limit: int) -> None:
        """Sets the limit, and makes room at once."""
        with self._connection:
            self._run("INSERT OR REPLACE INTO settings VALUES ('limit', ?)", (limit,))
        self._make_room()
        self._run("VACUUM")

    def size(self) -> int:
        """Bytes of all text."""
        return int(self._value("SELECT COALESCE(SUM(LENGTH(content)), 0) FROM pieces"))

    def sessions(self) -> list[Row]:
        """What is known of each session: the names of `facts` that it was kept with, and `number`,
        `source`, `id`, `stamp`, `read_at`, `used_on`, `bytes` and `clones` (paths).
        """
        clones: dict[int, list[str]] = {}
        for number, place in self._run("SELECT session_id, path FROM clones"):
            clones.setdefault(number, []).append(place)
        rows = self._run(
            "SELECT id, source, session, facts, stamp, read_at, used_on, (SELECT"
            " SUM(LENGTH(content)) FROM pieces WHERE id IN (SELECT piece FROM parts WHERE"
            " session_id = s.id)) FROM sessions s ORDER BY id"
        )
        names = ("number", "source", "id", "stamp", "read_at", "used_on", "bytes")
        return [
            {
                **json.loads(facts),
                **dict(zip(names, (number, source, session, *rest), strict=True)),
                "clones": clones.get(number, []),
            }
            for number, source, session, facts, *rest in rows.fetchall()
        ]

    def see(self, sessions: Iterable[tuple[str, str]], at: float) -> None:
        """Notes that the files of sessions, by (source, id), are there at a moment."""
        with self._connection:
            self._connection.executemany(
                "UPDATE sessions SET read_at = ? WHERE source = ? AND session = ?",
                [(at, *session) for session in sessions],
            )

    def stamps(self) -> dict[tuple[str, str], str]:
        """(source, id) of each session -> its stamp."""
        rows = self._run("SELECT source, session, stamp FROM sessions")
        return {(source, session): stamp for source, session, stamp in rows}

    def copies(self, source: str, session: str) -> list[list[bytes]]:
        """The files of each version of a record, the last one first; secrets are marks."""
        rows = self._run(
            "SELECT copy, part, content FROM parts JOIN pieces ON pieces.id = piece WHERE"
            " session_id = (SELECT id FROM sessions WHERE source = ? AND session = ?) ORDER BY copy"
            " DESC, part, position",
            (source, session),
        )
        copies: dict[int, dict[int, list[bytes]]] = {}
        for copy, part, content in rows:
            copies.setdefault(copy, {}).setdefault(part, []).append(_inflate(content))
        return [list(map(b"".join, parts.values())) for parts in copies.values()]

    def keep(self, facts: Row, parts: Sequence[bytes], clones: Iterable[str] = ()) -> None:
        """Adds a session as it is now, or brings it up to date.

        `facts`: JSON, with `source`, `id`, `stamp` and `read_at`; `parts`: its files. Of versions
        that were kept before only those stay that have what this one lacks.
        """
        rest = dict(facts)
        source, session, stamp, at = map(rest.pop, ("source", "id", "stamp", "read_at"))
        if not self.limit or self.is_forgotten(session):
            return
        with self._connection:
            self._run("BEGIN IMMEDIATE")
            self._run(
                "INSERT INTO sessions (source, session, facts, stamp, read_at, used_on) VALUES (?1,"
                " ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO UPDATE SET facts = ?3, stamp = ?4, read_at ="
                " ?5, used_on = ?6",
                (source, session, json.dumps(rest), stamp, at, date.today().isoformat()),
            )
            number = self._value(
                "SELECT id FROM sessions WHERE source = ? AND session = ?", source, session
            )
            self._connection.executemany(
                "INSERT OR IGNORE INTO clones VALUES (?, ?)", [(number, place) for place in clones]
            )
            self._keep_parts(number, parts)
        self._make_room()

    def _keep_parts(self, number: int, parts: Sequence[bytes]) -> None:
        mine = [self._pieces_of(part) for part in parts]
        earlier: dict[int, list[int]] = {}
        for copy, piece in self._run(
            "SELECT copy, piece FROM parts WHERE session_id = ?", (number,)
        ):
            earlier.setdefault(copy, []).append(piece)
        had = {piece for pieces in mine for piece in pieces}
        gone = [copy for copy, pieces in earlier.items() if self._has(had, pieces)]
        self._connection.executemany(
            "DELETE FROM parts WHERE session_id = ? AND copy = ?", [(number, copy) for copy in gone]
        )
        self._connection.executemany(
            "INSERT INTO parts VALUES (?, ?, ?, ?, ?)",
            [
                (number, max(earlier, default=0) + 1, part, position, piece)
                for part, pieces in enumerate(mine)
                for position, piece in enumerate(pieces)
            ],
        )
        self._drop_unused({piece for copy in gone for piece in earlier[copy]})

    def _pieces_of(self, part: bytes) -> list[int]:
        """The numbers of the pieces of a file; those that are new are added, without secrets."""
        pieces = list(_pieces(part))
        digests = [blake2b(piece, key=self.keys[0], digest_size=16).digest() for piece in pieces]
        numbers = {
            digest: number
            for digest in digests
            if (number := self._value("SELECT id FROM pieces WHERE digest = ?", digest))
        }
        new = {d: p for d, p in zip(digests, pieces, strict=True) if d not in numbers}
        for digest, clean in zip(new, without_secrets([*new.values()], self.keys[0]), strict=True):
            row = (digest, search_version(), zlib.compress(clean, _LEVEL))
            cursor = self._run(
                "INSERT INTO pieces (digest, searched, content) VALUES (?, ?, ?)", row
            )
            numbers[digest] = int(cursor.lastrowid or 0)
        return [numbers[digest] for digest in digests]

    def _has(self, have: Collection[int], other: Collection[int]) -> bool:
        """Whether the text of some pieces says all that others say; of a document, which is written
        anew as a whole, numbers and moments say nothing.
        """
        if set(other) <= set(have):
            return True
        whole = self._text(have)
        old = self._text(other)
        missing = set(old.split(b"\n")) - {*whole.split(b"\n"), b""}
        if old.lstrip()[:1] in (b"{", b"[") and b"\n{" not in old + whole:
            return set(_STRING.findall(b"\n".join(missing))) <= set(_STRING.findall(whole))
        return not missing

    def _text(self, pieces: Iterable[int]) -> bytes:
        rows = self._run(
            "SELECT content FROM pieces WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id",
            (json.dumps(list(pieces)),),
        )
        return b"".join(_inflate(content) for (content,) in rows)

    def _drop_unused(self, pieces: Iterable[int]) -> None:
        self._run(
            "DELETE FROM pieces WHERE id IN (SELECT value FROM json_each(?)) AND id NOT IN (SELECT"
            " piece FROM parts)",
            (json.dumps(list(pieces)),),
        )

    def search_again(self) -> None:
        """Searches what was kept by an earlier version of the search for secrets."""
        version = search_version()
        rows = self._run(
            "SELECT DISTINCT session_id, copy, part FROM parts JOIN pieces ON pieces.id = piece"
            " WHERE searched <> ?",
            (version,),
        )
        for place in rows.fetchall():
            contents = self._run(
                "SELECT pieces.id, content FROM parts JOIN pieces ON pieces.id = piece WHERE"
                " session_id = ? AND copy = ? AND part = ? ORDER BY position",
                place,
            ).fetchall()
            texts = [_inflate(content) for _, content in contents]
            clean = [zlib.compress(text, _LEVEL) for text in without_secrets(texts, self.keys[0])]
            changed = [(new, version, old[0]) for new, old in zip(clean, contents, strict=True)]
            with self._connection:
                self._connection.executemany(
                    "UPDATE pieces SET content = ?, searched = ? WHERE id = ?", changed
                )

    def _make_room(self) -> None:
        """Sessions leave that still exist elsewhere, then others, the least recently used first."""
        limit = self.limit
        size = self.size()
        if size <= limit:
            return
        for row in sorted(self.sessions(), key=_worth):
            with self._connection:
                self._remove(row["number"])
            if (size := self.size()) <= limit:
                break

    def _remove(self, number: int) -> None:
        pieces = self._run("SELECT piece FROM parts WHERE session_id = ?", (number,)).fetchall()
        self._run("DELETE FROM sessions WHERE id = ?", (number,))
        self._drop_unused(piece for (piece,) in pieces)

    def forget(self, numbers: Iterable[int], sessions: Iterable[str]) -> None:
        """Removes sessions to the last byte; those of these ids are never read again."""
        with self._connection:
            for number in numbers:
                self._remove(number)
            self._connection.executemany(
                "INSERT OR IGNORE INTO forgotten VALUES (?)",
                [(self._digest(session, self.keys[0]),) for session in sessions],
            )
        self._run("VACUUM")

    def is_forgotten(self, session: str) -> bool:
        digests = (self._digest(session, key) for key in self.keys)
        return any(self._value("SELECT 1 FROM forgotten WHERE digest = ?", d) for d in digests)

    def _digest(self, session: str, key: bytes) -> bytes:
        return blake2b(session.encode("utf-8", "replace"), key=key).digest()

    def export(self, file: Path) -> None:
        """Writes a copy, its keys included. Raises FileExistsError."""
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        self._run("VACUUM INTO ?", (str(file),))

    def take_in(self, other: "Archive") -> int:
        """Adds the sessions of another archive, of another machine as a rule; how many were not
        here. What either has forgotten is in neither.
        """
        with self._connection:
            self._connection.executemany(
                "INSERT OR IGNORE INTO keys (key) VALUES (?)", [(key,) for key in other.keys]
            )
            self._connection.executemany(
                "INSERT OR IGNORE INTO forgotten VALUES (?)",
                other._run("SELECT digest FROM forgotten"),
            )
        self.keys += [key for key in other.keys if key not in self.keys]
        if gone := [row["number"] for row in self.sessions() if self.is_forgotten(row["id"])]:
            self.forget(gone, ())
        before = len(self.stamps())
        for row in other.sessions():
            clones = row.pop("clones")
            facts = {n: v for n, v in row.items() if n not in ("number", "used_on", "bytes")}
            for parts in reversed(other.copies(row["source"], row["id"])):
                self.keep(facts, parts, clones)
        return len(self.stamps()) - before


def _worth(row: Row) -> tuple[bool, str, float]:
    """What is worth least comes first."""
    is_elsewhere = any(Path(file).exists() for file in row.get("files", ()))
    return not is_elsewhere, row["used_on"], row["read_at"]


def _inflate(content: bytes) -> bytes:
    """Raises sqlite3.DatabaseError: damaged."""
    try:
        return zlib.decompressobj().decompress(content, CACHED_BYTES)
    except zlib.error as error:
        raise sqlite3.DatabaseError(f"a piece of text is damaged ({error})") from error


def _pieces(data: bytes) -> Iterator[bytes]:
    """A file in pieces that end with a line, in the same places wherever the same lines stand."""
    start = size = 0
    for match in _LINE.finditer(data):
        size = match.end() - start
        if size >= _PIECE or zlib.crc32(match[0]) & _MEAN == 0:
            yield data[start : match.end()]
            start = match.end()
            size = 0
    if size:
        yield data[start:]


# --- secrets --------------------------------------------------------------------------------------


@cache
def search_version() -> str:
    """Changes when the search for secrets does."""
    files = map(Path(__file__).with_name, ("redaction.py", "secrets.toml"))
    return blake2b(b"".join(file.read_bytes() for file in files), digest_size=8).hexdigest()


def _plain(data: bytes) -> str:
    """Text as it is without the escapes of JSON, with which a pattern is not to be bothered."""
    text = data.decode("utf-8", "replace").replace("\\\\", "\0")
    for escape, meant in (("\\n", "\n"), ('\\"', '"'), ("\\t", "\t"), ("\\/", "/")):
        text = text.replace(escape, meant)
    return text.replace("\0", "\\")


def _forms(text: str) -> list[bytes]:
    """A text as it is, as JSON has it, and as JSON in JSON has it."""
    once = [json.dumps(text, ensure_ascii=ascii)[1:-1] for ascii in (True, False)]
    twice = [json.dumps(form, ensure_ascii=False)[1:-1] for form in once]
    return [form.encode("utf-8", "surrogatepass") for form in (text, *once, *twice)]


def _digest(secret: str, key: bytes) -> str:
    return blake2b(secret.encode("utf-8", "surrogatepass"), key=key, digest_size=8).hexdigest()


def without_secrets(pieces: Sequence[bytes], key: bytes) -> list[bytes]:
    """Pieces of one file, with a mark instead of each secret that is found in them."""
    # its patterns take a tenth of a second to compile
    from collector.storage.redaction import secrets_in

    text = _plain(b"".join(pieces))
    marks: dict[bytes, bytes] = {}
    if text:
        for secret in set(secrets_in(text)):
            mark = f"[secret:{_digest(secret, key)}:{len(secret)}]"
            is_strong = len(secret) >= _LONG or (len(secret) >= _WEAK and re.search(r"\d", secret))
            for before in {""} if is_strong else set(_beside(text, secret)):
                forms = zip(_forms(before + secret), _forms(before + mark), strict=True)
                marks.update(forms)
    if not marks:
        return list(pieces)
    words = {mark.decode("latin-1") for mark in marks}
    pattern = re.compile(one_of(words).encode("latin-1"))
    return [pattern.sub(lambda match: marks[match[0]], piece) for piece in pieces]


def _beside(text: str, secret: str) -> Iterator[str]:
    """What stands before a secret that may be a word elsewhere, where it is one."""
    from collector.storage.redaction import secrets_out

    start = 0
    for line in text.split("\n"):
        clean = secrets_out(line) if secret in line else ""
        if clean:
            for match in re.finditer(re.escape(secret), line):
                if line[: match.start()][-_AROUND:] + SECRET in clean:
                    yield text[: start + match.start()][-_AROUND:]
        start += len(line) + 1


def restored(
    parts: Sequence[bytes], keys: Sequence[bytes], texts: Callable[[], Iterable[str]]
) -> list[bytes]:
    """Files with the secrets for their marks, as far as a text has them in the same place of a
    line; the others stay out.

    `texts`: of files in which they may stand.
    """
    plain = "\n".join(["", *map(_plain, parts), ""])
    places: dict[tuple[str, str], set[str]] = {}
    for match in _MARK.finditer(plain):
        before = plain[: match.start()][-_WEAK:]
        after = plain[match.end() :][:_WEAK]
        before = re.escape(before[max(0, before.rfind("\n")) :].rpartition("]")[2])
        after = re.escape(after[: after.find("\n") + 1 or None].partition("[")[0])
        places.setdefault((match[1], match[2]), set()).add(f"{before}(.{{{match[2]}}}){after}")
    values = {}
    if places:
        for text in texts():
            for mark, patterns in [*places.items()]:
                found = (m for p in patterns for m in re.finditer(f"(?={p})", f"\n{text}\n"))
                value = next((m[1] for m in found if mark[0] in _digests(m[1], keys)), None)
                if value is not None:
                    del places[mark]
                    values[":".join(mark).encode()] = json.dumps(value, ensure_ascii=False)[
                        1:-1
                    ].encode()
            if not places:
                break
    return [
        _MARK_BYTES.sub(lambda match: values.get(b":".join(match.groups()), SECRET.encode()), part)
        for part in parts
    ]


def _digests(secret: str, keys: Sequence[bytes]) -> list[str]:
    return [_digest(secret, key) for key in keys]
