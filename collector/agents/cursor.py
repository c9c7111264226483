"""Cursor: JSONL of `{role, message: {content}}`. No ids, no results, no times but the one put before each prompt.

A line is known by its place and its text, without the marks of a turn's end, which Cursor takes out again when a session goes on.
Whether a call succeeded is not recorded: its status is unknown. When it was made is not
recorded either: not before the prompt that it answers. The database of Cursor's editor knows all of that
(`formats/cursor_editor.py`); that of its command line knows results: `_load` puts them before the lines as
`{store: [{name, args, result}]}`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from collector.agents.common.edits import argument
from collector.agents.common.jsonl import copies, first_value, values
from collector.agents.common.messages import blocks_of, classify, text_of, without_reminders
from collector.agents.common.reader import ERROR_CHARS, Call, Outcome, RecordReader, Result
from collector.agents.formats.cursor_editor import CONVERSATIONS, is_conversation, read_conversation
from collector.agents.machine import files
from collector.agents.machine.databases import copied
from collector.agents.machine.model import LocalSession, Roots, Store
from collector.json_values import get, get_str, objects, parse_json
from collector.model import Session, Status, Turn
from collector.text import decode
from collector.vocabulary.agents import Agent

NAME = "cursor"
AGENT = Agent(
    NAME,
    "Cursor",
    accounts=r"cursoragent@cursor\.com|cursor\[bot\]",
    aliases=("cursor-agent", "cursor-cli"),
    word="cursor",
    tools={
        "read": "read read_file",
        "grep": "grep grep_search codebase_search",
        "glob": "glob ls list_dir file_search",
        "write": "write",
        "edit": "edit_file search_replace",
        "web": "web_search",
        "todo": "todo_write",
    },
    state=r"cursor",
)
GIVES = frozenset({"text", "commands", "directory"})
ORDER = 60

_STAMP = re.compile(r"<timestamp>([^<]{0,100})</timestamp>\s*")
_QUERY = re.compile(r"<user_query>\s*(.*?)\s*</user_query>", re.S)
_SAME_SHARE = 0.5
_PROMPT = re.compile(rb'\s*\{"role":\s*"user"')
_MARK = re.compile(rb'\s*\{"(?:type":\s*"turn_ended"|store":)')
_STORE = b'{"store":'
_FAILED = re.compile(r"error\b", re.I)
_ROOT_TOOL = "SetActiveBranch"  # names the worktree on whose branch the agent is about to work


def sniff(head: object) -> bool:
    if is_conversation(head) or isinstance(get(head, "store"), list):
        return True
    return isinstance(head, dict) and isinstance(head.get("role"), str) and "message" in head and "type" not in head


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    """From the database's copy where there is one: it has all that a transcript has."""
    copies_read = copies(blobs)
    conversations = [blob for blob in copies_read if is_conversation(first_value(blob))]
    if conversations:
        return read_conversation(NAME, session_id, conversations)
    reader = _Reader(NAME, session_id)
    for blob in copies_read:
        reader.learn_results(blob)
    for blob in copies_read:
        reader.copy(blob)
    return reader.session()


class _Reader(RecordReader):
    shells = frozenset({"Shell", "run_terminal_cmd"})
    writers = frozenset({"Write", "StrReplace", "MultiStrReplace", "Edit", "MultiEdit", "edit_file", "write", "search_replace"})
    exits = re.compile(r"\AExit code: (-?\d{1,9})\n+")
    spawns = frozenset({"Task"})

    def __init__(self, agent: str, session_id: str) -> None:
        super().__init__(agent, session_id)
        self.seen: set[tuple[int, bytes]] = set()  # number and digest of the lines of all copies
        self.longest = 0  # lines
        self.key = ""  # of the record that is being read
        self.root = ""  # the worktree that the agent chose
        self.asked: float | None = None  # when the latest prompt that says so was typed
        self.stored: dict[str, list[str]] = {}  # name and arguments of a call -> its results in order

    def learn_results(self, blob: bytes) -> None:
        """Results that stand before the lines."""
        if blob.startswith(_STORE):
            for entry in objects(get(first_value(blob), "store")):
                self.stored.setdefault(_call_key(entry.get("name"), entry.get("args")), []).append(get_str(entry, "result"))

    def copy(self, blob: bytes) -> None:
        """Lines not seen yet. A copy that shares most of its lines is the same text, redacted elsewhere: only its end is new."""
        notice = (line for line in blob.split(b"\n") if line.strip() and not _MARK.match(line))
        lines = [(number, hashlib.sha256(line).digest(), line) for number, line in enumerate(notice)]
        shared = sum(1 for number, digest, _ in lines if (number, digest) in self.seen)
        start = self.longest if lines and shared / len(lines) >= _SAME_SHARE else 0
        bad = 0
        self.asked = None
        for number, digest, line in lines:
            if number >= start and (number, digest) not in self.seen:
                bad += not self._line(f"{number}:{digest.hex()[:12]}", line)
            elif _PROMPT.match(line):
                self._note_prompt(line)
        self.seen.update((number, digest) for number, digest, _ in lines)
        self.longest = max(self.longest, lines[-1][0] + 1 if lines else 0)
        if bad:
            self.problem("unreadable_lines", str(bad))

    def _line(self, key: str, line: bytes) -> bool:
        """Whether the line could be read."""
        try:
            results = list(values(line))
        except (ValueError, RecursionError):
            return False
        for index, record in enumerate(results):
            if isinstance(record, dict):
                self.key = f"{key}.{index}" if index else key
                self.take(record)
        return all(isinstance(record, dict) for record in results)

    def take(self, record: dict[str, Any]) -> None:
        content = get(record, "message", "content")
        if record.get("role") == "user":
            self._user(text_of(content))
            return
        self.begin(None)
        if record.get("role") != "assistant":
            self.unknown_record_type(record.get("type") or record.get("role"))
            return
        for index, block in enumerate(blocks_of(content)):
            kind = get(block, "type")
            if kind == "text":
                self.add_message((self.key, index), None, "text", get_str(block, "text"))
            elif kind == "tool_use":
                self._call(block, f"{self.key}/{index}")

    def _user(self, text: str) -> None:
        time = self._note_time(text)
        self.begin(time)
        query = _QUERY.search(text)
        clean = without_reminders(query[1] if query else _STAMP.sub("", text, count=1))
        self.add_turn(self.key, time, clean, classify(clean).value)

    def _note_time(self, text: str) -> float | None:
        """When this prompt was typed; what follows was done later."""
        stamp = _STAMP.search(text.partition("<user_query>")[0])
        time = written_time(stamp[1]) if stamp else None
        self.asked = time if time is not None else self.asked
        return time

    def _note_prompt(self, line: bytes) -> None:
        try:
            for record in values(line):
                self._note_time(text_of(get(record, "message", "content")))
        except (ValueError, RecursionError):
            return  # reported where the line was read

    def ordered_turns(self) -> list[tuple[int, Turn]]:
        """In the order of the transcript: times are those of whole minutes, and some prompts have none."""
        return sorted(self.turns.values(), key=lambda pair: pair[0])

    def _call(self, block: dict[str, Any], key: str) -> None:
        arguments = block.get("input")
        name = get_str(block, "name")
        root = argument(arguments, "path") if name == _ROOT_TOOL else ""
        self.root = root or self.root
        self.add_cwd(argument(arguments, "working_directory", "cwd") or root)
        outputs = self.stored.get(_call_key(name, arguments))
        result = Result(None, outputs.pop(0)) if outputs else None
        more = {"message_id": self.key, "cwd": self.root, "not_before": self.asked}
        self.call_tool(get_str(block, "id") or key, name, arguments, None, result, **more)

    def outcome(self, call: Call, result: Result) -> Outcome:
        """Known from results alone: those of a shell begin with the exit code, others say that they are errors."""
        failed = result.recorded and _FAILED.match(result.text)
        return (Status.ERROR, result.text[:ERROR_CHARS]) if failed else super().outcome(call, result)


def _call_key(name: object, arguments: object) -> str:
    return json.dumps([name, arguments], sort_keys=True)


# --- times written for people, as a prompt carries them: `Sunday, Oct 4, 2026, 11:54 PM (UTC+5:30)` -----------------------------

_MONTHS = {name: number for number, name in enumerate(("jan feb mar apr may jun " + "jul aug sep oct nov dec").split(), 1)}
_WRITTEN = re.compile(
    r"(?P<month>[A-Z][a-z]{2})[a-z]*\.? (?P<day>\d{1,2}), (?P<year>\d{4}),? (?:at )?"
    r"(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d))?(?:\s*(?P<half>[AP])M)?"
    r"\s*\((?:UTC|GMT)(?:(?P<sign>[+\-\u2212])(?P<hours>\d{1,2})(?::?(?P<minutes>\d\d))?)?\)"
)


def written_time(text: str) -> float | None:
    """Seconds since 1970; None where the text is no time, or does not say in which zone it is."""
    match = _WRITTEN.search(text)
    if match is None:
        return None
    parts = match.groupdict("0")
    hour = int(parts["hour"])
    if match["half"]:
        hour = hour % 12 + (12 if match["half"] == "P" else 0)
    offset = timedelta(hours=int(parts["hours"]), minutes=int(parts["minutes"]))
    try:
        day = int(parts["year"]), _MONTHS.get(parts["month"].lower(), 0), int(parts["day"])
        local = datetime(*day, hour, int(parts["minute"]), int(parts["second"]), tzinfo=UTC)
        return (local + offset if match["sign"] not in (None, "+") else local - offset).timestamp()
    except (ValueError, OverflowError):  # there is no such day, hour or zone
        return None


# --- sessions on this machine ----------------------------------------------------------------------------------------

# The directory is named after the one that was worked in, with `-` for all that is neither letter nor digit. No record names it:
# a session belongs when it names a path in the worktree. The results of its calls are in `~/.cursor/chats/<MD5 of the
# directory>/<id>/store.db`, a tree of blobs.
_PATTERNS = ("*/agent-transcripts/*.jsonl", "*/agent-transcripts/*/*.jsonl")
_STORED = "store.db"


def _find(location: Path, roots: Roots) -> Iterator[LocalSession]:
    by_slug: dict[str, list[str]] = {}
    for root in roots.spellings:
        by_slug.setdefault(_slug(root), []).append(root)
    for path in (path for pattern in _PATTERNS for path in files.match_files(location, pattern)):
        project = path.relative_to(location).parts[0]
        inside = path.parent.name == path.stem
        if not (inside or path.parents[1].name == project) or not (project in by_slug or roots.anywhere):
            continue
        named = next((root for root in by_slug.get(project, ()) if files.names_path(files.content(path), root)), "")
        if named or roots.anywhere:
            below = files.match_files(path.parent, "subagents/*.jsonl") if inside else ()
            store = location.parent / "chats" / _digest(named) / path.stem / _STORED
            used = (path, *below, *((store,) if named and files.is_plain(store) else ()))
            yield LocalSession(path.stem, used, f"names files of {named}" if named else "", cwd=named)


def _load(session: LocalSession) -> Iterator[bytes]:
    """The transcript, after the results of its calls where they are known; then those of subagents."""
    first, *others = session.files
    stores = [path for path in others if path.name == _STORED]
    results = [entry for path in stores for entry in _results(path)]
    yield (json.dumps({"store": results}).encode() + b"\n" if results else b"") + files.lines(first)
    yield from (files.lines(path) for path in others if path.name != _STORED)


def _results(path: Path) -> Iterator[dict[str, Any]]:
    """Name, arguments and result of the calls of a chat, in order. Raises OSError."""
    with copied(path) as database:
        if not {"key", "value"} <= database.columns("meta") or not {"id", "data"} <= database.columns("blobs"):
            return
        metas = (parse_json(_text(row["value"])) for row in database.rows("SELECT value FROM meta"))
        root = next((value for meta in metas if (value := get_str(meta, "latestRootBlobId"))), "")
        blobs = {str(row["id"]): row["data"] for row in database.rows("SELECT id, data FROM blobs")}
    created: dict[str, tuple[object, object]] = {}
    for child in _children(_bytes(blobs.get(root))):
        message = parse_json(decode(_bytes(blobs.get(child))))
        for part in objects(get(message, "content")):
            key = get_str(part, "toolCallId")
            if part.get("type") == "tool-call":
                created[key] = part.get("toolName"), part.get("args")
            elif part.get("type") == "tool-result" and key in created:
                name, arguments = created[key]
                result = part.get("result")
                yield {"name": name, "args": arguments, "result": result if isinstance(result, str) else json.dumps(result)}


def _children(data: bytes) -> Iterator[str]:
    """Ids in the repeated field 1 of a protobuf message: a tag, a length of 32, a digest. What follows is something else."""
    position = 0
    while data[position : position + 2] == b"\x0a\x20":
        yield data[position + 2 : position + 34].hex()
        position += 34


def _text(value: object) -> str:
    """Values are JSON, as hexadecimal digits or plain."""
    text = decode(_bytes(value))
    try:
        return bytes.fromhex(text).decode("utf-8", "replace")
    except ValueError:
        return text


def _bytes(value: object) -> bytes:
    return value if isinstance(value, bytes) else str(value or "").encode("utf-8", "replace")


def _digest(path: str) -> str:
    return hashlib.md5(path.encode("utf-8", "surrogateescape"), usedforsecurity=False).hexdigest()


def _slug(path: str) -> str:
    return re.sub(r"[^A-Za-z0-9]", "-", path.removeprefix("/"))


# The conversations of the editor come first: their transcripts tell less.
STORES = (
    CONVERSATIONS,
    Store(
        NAME,
        proven=False,
        at=("${CURSOR_CONFIG_DIR:-~/.cursor}/projects",),
        patterns=_PATTERNS,
        find=_find,
        load=_load,
    ),
)
