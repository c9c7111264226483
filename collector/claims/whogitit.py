"""whogitit: a JSON note that lists every line of each changed file, with its text and where it came from."""

from __future__ import annotations

from typing import Any

from collector.claims.model import (
    Claim,
    ClaimRecord,
    ClaimSource,
    RecordBuilder,
    Who,
    get,
    moment,
    number,
    objects,
    others,
    versioned,
    word,
)
from collector.git.ranges import of_lines
from collector.text import normal_path

NAME = "whogitit"
LABEL = "whogitit"
FOUND = "`refs/notes/whogitit`, `refs/notes/ai-blame`"
NOTES = ("ai-blame", "whogitit")

_VERSIONS = ("1", "2", "3")
_KNOWN = ("version", "session", "prompts", "files")
_AUTHORS = {"AI": "agent", "AIModified": "mixed", "Human": "human", "Unknown": "unknown"}  # Original: was there before


def sniff(source: ClaimSource, data: bytes) -> bool:
    head = data[:2000]
    return data.lstrip()[:1] == b"{" and b'"session"' in head and b'"prompt' in head and b'"files"' in data


def read(source: ClaimSource, data: bytes) -> list[ClaimRecord]:
    found = versioned(NAME, source, data, _VERSIONS)
    if isinstance(found, ClaimRecord):
        return [found]
    version, note = found
    reading = RecordBuilder(source)
    session = get(note, "session")
    for file in objects(get(note, "files")):
        _file(reading, file, session)
    return [reading.record(NAME, version, moment(get(session, "started_at")), others(note, _KNOWN))]


def _file(reading: RecordBuilder, file: dict[str, Any], session: Any) -> None:
    recorded = word(file, "path")
    model = get(session, "model")
    lines: dict[tuple[str, str, str], dict[int, str]] = {}
    for line in objects(get(file, "lines")):
        source = get(line, "source")
        kind, at = word(source, "type"), number(get(line, "line_number"))
        if kind == "Original":
            continue
        if not at or not recorded:
            reading.problem("bad_ranges", f"{recorded}: {str(get(line, 'line_number'))[:50]}")
            continue
        content = get(line, "content")
        prompt = word(line, "prompt_index")
        lines.setdefault((kind, word(line, "edit_id"), prompt), {})[at] = content if isinstance(content, str) else ""
    path = normal_path(recorded)
    for (kind, edit, prompt), texts in lines.items():
        author = _AUTHORS.get(kind, "unknown")
        about = others(session, ("session_id", "model", "started_at", "prompt_count"))
        who = Who(author, "" if author == "human" else "claude-code", word(model, "id"), word(session, "session_id"), detail=about)
        key = ":".join(x for x in (kind, edit, prompt) if x)
        reading.claims.append(Claim(path, of_lines(texts), who, key, "" if path == recorded else recorded, texts=texts))
