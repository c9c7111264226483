"""Agent Trace records (0.1.0 and what calls itself so), in files or notes; also flat lines that name no commit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from collector.claims.model import (
    Claim,
    ClaimRecord,
    ClaimSource,
    RecordBuilder,
    Who,
    get,
    json_lines,
    moment,
    objects,
    others,
    plain_path,
    unread,
    word,
)

NAME = "agent-trace"
LABEL = "Agent Trace"
FOUND = "`.agent-trace/*.jsonl` in the tree, `refs/notes/agent-trace` and other notes of that format"
NOTES = ("agent-trace",)
FOLDERS = (".agent-trace",)
ORDER = 60  # its shape is the least telling
OWN = "dev.whowrote"  # the key of metadata in records of our own

_FLAT = re.compile(r"^agent-trace/v0\.1(?:\.\d+)?$")
_VERSIONS = re.compile(r"^(?:0\.1(?:\.\d+)?|1\.0(?:\.0)?|2\.0(?:\.0)?)$")  # all seen with the fields of 0.1.0
_AUTHORS = {"ai": "agent", "human": "human", "mixed": "mixed", "unknown": "unknown"}
_KNOWN = ("version", "id", "timestamp", "vcs", "tool", "files", "metadata", "trace_id")
_PSEUDO = re.compile(r"^\.(?:shell-history|sessions?)$")


def sniff(source: ClaimSource, data: bytes) -> bool:
    if source.kind == "file" and not source.place.startswith(".agent-trace/"):
        return False
    for _, value in json_lines(data[:200_000] if b"\n" in data[:200_000] else data):
        if isinstance(value, dict):
            return _is_flat(value) or _is_record(value)
    return False


def _is_flat(value: Any) -> bool:
    return word(value, "schema").startswith("agent-trace/") and "file_path" in value


def _is_record(value: Any) -> bool:
    return isinstance(get(value, "files"), list) and "version" in value and ("id" in value or "vcs" in value)


def read(source: ClaimSource, data: bytes) -> list[ClaimRecord]:
    found = []
    for line, value in json_lines(data):
        if _is_flat(value):
            found.append(_flat(source, value, line))
        elif _is_record(value):
            found.append(_record(source, value, line))
        else:
            found.append(unread(NAME, source, "unreadable", f"line {line}: not an Agent Trace record", entry=line))
    return found


def _record(source: ClaimSource, value: dict[str, Any], line: int) -> ClaimRecord:
    version = word(value, "version")
    if not _VERSIONS.match(version):
        return unread(NAME, source, "unknown_version", version, version, line)
    reading = RecordBuilder(source)
    tool = get(value, "tool")
    metadata = get(value, "metadata")
    named, own = word(get(value, "vcs"), "revision"), isinstance(get(metadata, OWN), dict)
    # A note sits on the commit it speaks of; a line of a file names what was checked out when the lines were written.
    before = not source.commit and not own
    claims = [c for file in objects(value["files"]) for c in _file(reading, file, word(tool, "name"), metadata, before)]
    return ClaimRecord(
        NAME, version, " ".join(x for x in (word(tool, "name"), word(tool, "version")) if x), source.commit or named,
        before=before, base=named, at=moment(get(value, "timestamp")), state="own" if own else "read",
        claims=tuple(claims), detail=others(value, _KNOWN), problems=tuple(reading.problems), entry=line,
    )  # fmt: skip


def _file(reading: RecordBuilder, file: dict[str, Any], tool: str, metadata: Any, hook: bool) -> Iterator[Claim]:
    recorded = word(file, "path")
    path = plain_path(recorded)
    if not path or _PSEUDO.match(path):
        reading.problem("pseudo_file", recorded)  # a log of commands, say: there are no such lines
        return
    for talk in objects(get(file, "conversations")):
        session = word(metadata, "conversation_id", "session_id") or word(talk, "url", "id")
        for span in objects(get(talk, "ranges")):
            lines = reading.span(path, span)
            if not lines:
                continue
            if hook and lines == ((1, 1),) and get(span, "content_hash") is None:
                reading.problem("placeholder_range", path)  # what hooks write when they do not know the place
                continue
            who = _who(get(span, "contributor") or get(talk, "contributor"), tool, session)
            detail = others(span, ("start_line", "end_line", "contributor"))
            shown = recorded if recorded != path else ""
            yield Claim(path, lines, who, word(talk, "url", "id"), shown, detail=detail)


def _who(contributor: Any, tool: str, session: str) -> Who:
    author = _AUTHORS.get(word(contributor, "type"), "unknown")
    return Who(author, tool, word(contributor, "model_id"), session, detail=others(contributor, ("type", "model_id")))


def _flat(source: ClaimSource, value: dict[str, Any], line: int) -> ClaimRecord:
    version = word(value, "schema")
    if not _FLAT.match(version):
        return unread(NAME, source, "unknown_version", version, version, line)
    reading = RecordBuilder(source)
    recorded = word(value, "file_path")
    path = plain_path(recorded)
    claims: tuple[Claim, ...] = ()
    if lines := reading.span(path, value):
        who = Who("agent", word(value, "tool"), word(value, "model"), word(value, "session_id"))
        shown = recorded if path != recorded else ""
        claims = (Claim(path, lines, who, word(value, "tool_use_id"), shown, detail=_hash(value)),)
    return ClaimRecord(
        NAME, version, commit=source.commit, before=not source.commit, at=moment(value.get("timestamp")), claims=claims,
        problems=tuple(reading.problems), entry=line,
    )  # fmt: skip


def _hash(value: dict[str, Any]) -> str:
    known = ("schema", "session_id", "file_path", "start_line", "end_line", "tool", "tool_use_id", "timestamp", "model")
    return others(value, known)
