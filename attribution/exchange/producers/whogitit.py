"""whogitit: a JSON note that lists every line of each changed file, with its text and where it came from."""

from __future__ import annotations

from typing import Any

from attribution.exchange.producers.model import (
    Claim,
    ClaimRecord,
    ClaimSource,
    RecordBuilder,
    Who,
    note_of_version,
    number,
    others,
    word,
)
from attribution.exchange.words import ClaimedAuthor
from collector.git.ranges import line_ranges
from collector.json_values import first_of, objects, time_of
from collector.text import normal_path

NAME = "whogitit"
LABEL = "whogitit"
FOUND = "`refs/notes/whogitit`, `refs/notes/ai-blame`"
NOTES = ("ai-blame", "whogitit")

_VERSIONS = ("1", "2", "3")
_AUTHORS = {"AI": ClaimedAuthor.AGENT, "AIModified": ClaimedAuthor.MIXED, "Human": ClaimedAuthor.HUMAN}
_STOOD = "Original"  # was there before


def sniff(source: ClaimSource, data: bytes) -> bool:
    head = data[:2000]
    return data.lstrip()[:1] == b"{" and b'"session"' in head and b'"prompt' in head and b'"files"' in data


def read(source: ClaimSource, data: bytes) -> list[ClaimRecord]:
    note = note_of_version(NAME, source, data, _VERSIONS)
    if isinstance(note, ClaimRecord):
        return [note]
    builder = RecordBuilder(source)
    session = first_of(note, "session")
    for file in objects(first_of(note, "files")):
        _file(builder, file, session)
    detail = others(note, ("version", "session", "prompts", "files"))
    return [builder.record(NAME, word(note, "version"), written_at=time_of(first_of(session, "started_at")), detail=detail)]


def _file(builder: RecordBuilder, file: dict[str, Any], session: Any) -> None:
    recorded = word(file, "path")
    texts: dict[tuple[str, str, str], dict[int, str]] = {}  # (kind, edit, prompt) -> line -> its text
    for line in objects(first_of(file, "lines")):
        kind, numbered = word(first_of(line, "source"), "type"), number(first_of(line, "line_number"))
        if kind == _STOOD:
            continue
        if not numbered or not recorded:
            builder.problem("bad_ranges", f"{recorded}: {str(first_of(line, 'line_number'))[:50]}")
            continue
        content = first_of(line, "content")
        entry = texts.setdefault((kind, word(line, "edit_id"), word(line, "prompt_index")), {})
        entry[numbered] = content if isinstance(content, str) else ""
    about = others(session, ("session_id", "model", "started_at", "prompt_count"))
    for key, lines in texts.items():
        author = _AUTHORS.get(key[0], ClaimedAuthor.UNKNOWN)
        tool = "" if author == ClaimedAuthor.HUMAN else "claude-code"
        who = Who(author, tool, word(first_of(session, "model"), "id"), word(session, "session_id"), detail=about)
        written = ":".join(part for part in key if part)
        builder.claims.append(Claim(normal_path(recorded), line_ranges(lines), who, written, recorded, texts=lines))
