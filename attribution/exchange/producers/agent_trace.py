"""Agent Trace records (0.1.0 and what calls itself so), in files or notes; also flat lines that
name no commit.
"""

import re
from collections.abc import Iterator
from typing import Any

from attribution.exchange.producers.model import (
    Claim,
    ClaimRecord,
    ClaimSource,
    RecordBuilder,
    Who,
    json_of,
    others,
    plain_path,
    unread,
    word,
)
from attribution.exchange.words import ClaimedAuthor, RecordState
from collector.json_values import JsonObject, first_of, objects, time_of

NAME = "agent-trace"
LABEL = "Agent Trace"
FOUND = (
    "`.agent-trace/*.jsonl` in the tree, `refs/notes/agent-trace` and other notes of that format"
)
NOTES = ("agent-trace",)
FOLDERS = (".agent-trace",)
ORDER = 60  # its shape is the least telling
OWN = "dev.whowrote"  # the key of metadata in records of our own

_FLAT = re.compile(r"^agent-trace/v0\.1(?:\.\d+)?$")
# all seen with the fields of 0.1.0
_VERSIONS = re.compile(r"^(?:0\.1(?:\.\d+)?|1\.0(?:\.0)?|2\.0(?:\.0)?)$")
_AUTHORS = {"ai": ClaimedAuthor.AGENT, "human": ClaimedAuthor.HUMAN, "mixed": ClaimedAuthor.MIXED}
_USED = ("version", "id", "timestamp", "vcs", "tool", "files", "metadata", "trace_id")
_USED_FLAT = (
    "schema",
    "session_id",
    "file_path",
    "start_line",
    "end_line",
    "tool",
    "tool_use_id",
    "timestamp",
    "model",
)
_PSEUDO = re.compile(r"^\.(?:shell-history|sessions?)$")


def sniff(source: ClaimSource, data: bytes) -> bool:
    if source.kind == "file" and not source.path.startswith(".agent-trace/"):
        return False
    for _, value in json_lines(data[:200_000] if b"\n" in data[:200_000] else data):
        if isinstance(value, dict):
            return _is_flat(value) or _is_record(value)
    return False


def _is_flat(value: Any) -> bool:
    return word(value, "schema").startswith("agent-trace/") and "file_path" in value


def _is_record(value: Any) -> bool:
    return (
        isinstance(first_of(value, "files"), list)
        and "version" in value
        and ("id" in value or "vcs" in value)
    )


def read(source: ClaimSource, data: bytes) -> list[ClaimRecord]:
    return [_read_line(source, line, value) for line, value in json_lines(data)]


def _read_line(source: ClaimSource, line: int, value: Any) -> ClaimRecord:
    flat = _is_flat(value)
    if not flat and not _is_record(value):
        return unread(
            NAME,
            source,
            RecordState.UNREADABLE,
            f"line {line}: not an Agent Trace record",
            entry=line,
        )
    version = word(value, "schema" if flat else "version")
    if not (_FLAT if flat else _VERSIONS).match(version):
        return unread(NAME, source, RecordState.UNKNOWN_VERSION, version, version, line)
    return _flat(source, value, version, line) if flat else _record(source, value, version, line)


def _record(source: ClaimSource, value: JsonObject, version: str, line: int) -> ClaimRecord:
    builder = RecordBuilder(source)
    tool = first_of(value, "tool")
    metadata = first_of(value, "metadata")
    revision = word(first_of(value, "vcs"), "revision")
    is_ours = isinstance(first_of(metadata, OWN), dict)
    # A note sits on the commit it speaks of; a line of a file names what was checked out when the
    # lines were written.
    before = not source.commit and not is_ours
    for file in objects(value["files"]):
        builder.claims += _file(builder, file, word(tool, "name"), metadata, before)
    return builder.record(
        NAME,
        version,
        tool_version=" ".join(x for x in (word(tool, "name"), word(tool, "version")) if x),
        commit=source.commit or revision,
        before=before,
        base=revision,
        written_at=time_of(first_of(value, "timestamp")),
        state=RecordState.OWN if is_ours else RecordState.READ,
        detail=others(value, _USED),
        entry=line,
    )


def _file(
    builder: RecordBuilder, file: JsonObject, tool: str, metadata: Any, hook: bool
) -> Iterator[Claim]:
    recorded = word(file, "path")
    path = plain_path(recorded)
    if not path or _PSEUDO.match(path):
        builder.problem("pseudo_file", recorded)  # a log of commands, say: there are no such lines
        return
    for talk in objects(first_of(file, "conversations")):
        session = word(metadata, "conversation_id", "session_id") or word(talk, "url", "id")
        for span in objects(first_of(talk, "ranges")):
            lines = builder.span(path, span)
            if not lines:
                continue
            if hook and lines == ((1, 1),) and first_of(span, "content_hash") is None:
                # what hooks write when they do not know the place
                builder.problem("placeholder_range", path)
                continue
            who = _who(
                first_of(span, "contributor") or first_of(talk, "contributor"), tool, session
            )
            detail = others(span, ("start_line", "end_line", "contributor"))
            yield Claim(path, lines, who, word(talk, "url", "id"), recorded, detail=detail)


def _who(contributor: Any, tool: str, session: str) -> Who:
    author = _AUTHORS.get(word(contributor, "type"), ClaimedAuthor.UNKNOWN)
    return Who(
        author,
        tool,
        word(contributor, "model_id"),
        session,
        detail=others(contributor, ("type", "model_id")),
    )


def _flat(source: ClaimSource, value: JsonObject, version: str, line: int) -> ClaimRecord:
    builder = RecordBuilder(source)
    recorded = word(value, "file_path")
    path = plain_path(recorded)
    if lines := builder.span(path, value):
        who = Who(
            ClaimedAuthor.AGENT,
            word(value, "tool"),
            word(value, "model"),
            word(value, "session_id"),
        )
        builder.claims.append(
            Claim(
                path,
                lines,
                who,
                word(value, "tool_use_id"),
                recorded,
                detail=others(value, _USED_FLAT),
            )
        )
    return builder.record(
        NAME,
        version,
        before=not source.commit,
        written_at=time_of(value.get("timestamp")),
        entry=line,
    )


def json_lines(data: bytes) -> Iterator[tuple[int, Any]]:
    """Number, from 1 on, and value of the lines with text; None for one that is no JSON.

    A document over many lines is line 1.
    """
    text = data.strip()
    whole = json_of(data) if text[:1] in (b"{", b"[") else None
    first_alone = json_of(text.split(b"\n", 1)[0]) is not None
    if whole is None or (isinstance(whole, dict) and first_alone):
        for number, line in enumerate(data.split(b"\n"), 1):
            if line.strip():
                yield number, json_of(line)
    else:
        for value in whole if isinstance(whole, list) else [whole]:
            yield 1, value
