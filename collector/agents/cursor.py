"""Cursor: JSONL of `{role, message: {content}}`. No ids, no results, no times but the one put
before each prompt. Exported chats are Markdown.

A line is known by its place and its text, without the marks of a turn's end, which Cursor takes out
again when a session goes on. Whether a call succeeded is not recorded: its status is unknown. When
it was made is not recorded either: not before the prompt that it answers.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from collector.agents.common.jsonl import copies, values
from collector.agents.common.messages import blocks_of, classify, text_of, without_reminders
from collector.agents.common.reader import Call, RecordReader, Result
from collector.agents.formats.cursor_chat import CODE_BLOCK, is_chat, lines_of_chat
from collector.agents.machine import files
from collector.agents.machine.model import Committed, LocalSession, Roots, Store
from collector.json_values import first_text, get, get_str
from collector.model import Edit, Session, Turn
from collector.text import decode
from collector.vocabulary.agents import Agent

NAME = "cursor"
AGENT = Agent(
    NAME,
    "Cursor",
    accounts=r"cursoragent@cursor\.com|auto@cursor\.ai|cursor\[bot\]",
    aliases=("cursor-agent", "cursor-cli"),
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
_MARK = re.compile(rb'\s*\{"type":\s*"turn_ended"')
_ROOT_TOOL = "SetActiveBranch"  # names the worktree on whose branch the agent is about to work


_HEAD = 2_000  # bytes
COMMITTED = (
    # its path is the session's id: attribution looks there for the commit that brought it
    Committed(
        ("**/cursor_*.md",),
        lambda path, data: [path][: is_chat(decode(data[:_HEAD]))],
        found_by=("Exported on from Cursor extension:md",),
    ),
)


def sniff(head: object) -> bool:
    if isinstance(head, str):
        return is_chat(head)
    return (
        isinstance(head, dict)
        and isinstance(head.get("role"), str)
        and "message" in head
        and "type" not in head
    )


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    reader = _Reader(NAME, session_id)
    for blob in copies(blobs):
        reader.copy(lines_of_chat(blob) if is_chat(decode(blob[:_HEAD])) else blob)
    return reader.session()


class _Reader(RecordReader):
    shells = frozenset({"Shell", "run_terminal_cmd"})
    writers = frozenset(
        {
            "Write",
            "StrReplace",
            "MultiStrReplace",
            "Edit",
            "MultiEdit",
            "edit_file",
            "write",
            "search_replace",
        }
    )
    spawns = frozenset({"Task"})

    def __init__(self, agent: str, session_id: str) -> None:
        super().__init__(agent, session_id)
        self.seen: set[tuple[int, bytes]] = set()  # number and digest of the lines of all copies
        self.longest = 0  # lines
        self.key = ""  # of the record that is being read
        self.root = ""  # the worktree that the agent chose
        self.asked: float | None = None  # when the latest prompt that says so was typed

    def copy(self, blob: bytes) -> None:
        """Lines not seen yet. A copy that shares most of its lines is the same text, redacted
        elsewhere: only its end is new.
        """
        notice = (line for line in blob.split(b"\n") if line.strip() and not _MARK.match(line))
        lines = [
            (number, hashlib.sha256(line).digest(), line) for number, line in enumerate(notice)
        ]
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

    def edits(self, call: Call, result: Result) -> Iterable[Edit]:
        if call.name == CODE_BLOCK:
            return [Edit("", "write", content=get_str(call.arguments, "code"))]
        return super().edits(call, result)

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
        """In the order of the transcript: times are those of whole minutes, and some prompts
        have none.
        """
        return sorted(self.turns.values(), key=lambda pair: pair[0])

    def _call(self, block: dict[str, Any], key: str) -> None:
        arguments = block.get("input")
        name = get_str(block, "name")
        root = first_text(arguments, "path") if name == _ROOT_TOOL else ""
        self.root = root or self.root
        self.add_cwd(first_text(arguments, "working_directory", "cwd") or root)
        call_id = get_str(block, "id") or key
        self.call_tool(
            call_id,
            name,
            arguments,
            None,
            message_id=self.key,
            cwd=self.root,
            not_before=self.asked,
        )


# --- times written for people, as a prompt carries them: `Sunday, Oct 4, 2026, 11:54 PM (UTC+5:30)`

_MONTHS = {
    name: number
    for number, name in enumerate(
        ("jan feb mar apr may jun " + "jul aug sep oct nov dec").split(), 1
    )
}
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


# --- sessions on this machine ---------------------------------------------------------------------

# The directory is named after the one that was worked in, with `-` for all that is neither letter
# nor digit. No record names it: a session belongs when it names a path in the worktree.
_PATTERNS = ("*/agent-transcripts/*.jsonl", "*/agent-transcripts/*/*.jsonl")


def _find(location: Path, roots: Roots) -> Iterator[LocalSession]:
    by_slug: dict[str, list[str]] = {}
    for root in roots.spellings:
        by_slug.setdefault(re.sub(r"[^A-Za-z0-9]", "-", root.removeprefix("/")), []).append(root)
    for path in (path for pattern in _PATTERNS for path in files.match_files(location, pattern)):
        project = path.relative_to(location).parts[0]
        inside = path.parent.name == path.stem
        if not (inside or path.parents[1].name == project) or not (
            project in by_slug or roots.anywhere
        ):
            continue
        named = next(
            (
                root
                for root in by_slug.get(project, ())
                if files.names_path(files.content(path), root)
            ),
            "",
        )
        if named or roots.anywhere:
            below = files.match_files(path.parent, "subagents/*.jsonl") if inside else ()
            yield LocalSession(
                path.stem, (path, *below), f"names files of {named}" if named else "", cwd=named
            )


STORES = (
    Store(
        NAME,
        at=("${CURSOR_CONFIG_DIR:-~/.cursor}/projects",),
        patterns=_PATTERNS,
        find=_find,
    ),
)
