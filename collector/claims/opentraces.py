"""OpenTraces: trace records with an attribution block (JSONL), and notes that only name the traces of a commit."""

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
from collector.text import decode

NAME = "opentraces"
LABEL = "OpenTraces"
FOUND = "`.opentraces/**/*.jsonl` in the tree, `refs/notes/opentraces`"
NOTES = ("opentraces",)
FOLDERS = (".opentraces",)
OWN = "whowrote"

_NOTE = re.compile(r"^opentraces:(\S{1,200})(?:[ \t]+(\S+))?\s*$", re.M)
_VERSIONS = re.compile(r"^0\.[1-9]\.\d+$")
_AUTHORS = {"ai": "agent", "human": "human", "mixed": "mixed"}


def sniff(source: ClaimSource, data: bytes) -> bool:
    if data.startswith(b"opentraces:"):
        return True
    head = data[:4000]
    return data.lstrip()[:1] == b"{" and b'"schema_version"' in head and b'"trace_id"' in head


def read(source: ClaimSource, data: bytes) -> list[ClaimRecord]:
    if data.startswith(b"opentraces:"):
        return [_note(source, decode(data))]
    found: list[ClaimRecord] = []
    for line, value in json_lines(data):
        if not isinstance(value, dict) or "trace_id" not in value:
            found.append(unread(NAME, source, "unreadable", f"line {line}: not a trace record", entry=line))
        else:
            found.append(_trace(source, value, line))
    return found


def _note(source: ClaimSource, text: str) -> ClaimRecord:
    whole = tuple(Claim("", (), Who("agent", "", "", trace), f"opentraces:{trace}") for trace, _ in _NOTE.findall(text))
    return ClaimRecord(NAME, "note", commit=source.commit, claims=whole)


def _trace(source: ClaimSource, value: dict[str, Any], line: int) -> ClaimRecord:
    version = word(value, "schema_version")
    if not _VERSIONS.match(version):
        return unread(NAME, source, "unknown_version", version, version, line)
    reading = RecordBuilder(source)
    block, agent = get(value, "attribution"), get(value, "agent")
    claims = tuple(c for file in objects(get(block, "files")) for c in _file(reading, file, agent, word(value, "session_id")))
    revision = word(get(block, "revision"), "revision")
    own = word(get(value, "metadata"), "generator") == OWN
    return ClaimRecord(
        NAME, version, word(agent, "version"), source.commit or revision, base=revision, at=moment(get(value, "timestamp_end")),
        state="own" if own else "read", claims=claims, detail=word(value, "trace_id"), problems=tuple(reading.problems), entry=line,
    )  # fmt: skip


def _file(reading: RecordBuilder, file: dict[str, Any], agent: Any, session: str) -> Iterator[Claim]:
    recorded = word(file, "path")
    path = plain_path(recorded)
    for talk in objects(get(file, "conversations")):
        for span in objects(get(talk, "ranges")):
            lines = () if word(span, "change_type") == "deletion" else reading.span(path, span)
            if not lines:
                continue
            contributor = get(span, "contributor") or get(talk, "contributor")
            model = word(contributor, "model_id") or word(agent, "model")
            who = Who(_AUTHORS.get(word(contributor, "type"), "unknown"), word(agent, "name"), model, session)
            detail = others(span, ("start_line", "end_line", "contributor", "change_type"))
            yield Claim(path, lines, who, word(talk, "url"), recorded if recorded != path else "", detail=detail)
