"""Agent Blame: a JSON note with a list of attributions, snake_case in version 1 and camelCase in version 2; and its summary."""

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
    objects,
    others,
    plain_path,
    versioned,
    word,
)

NAME = "agent-blame"
LABEL = "Agent Blame"
FOUND = "`refs/notes/agentblame`, `refs/notes/agentblame-analytics` (a summary without lines)"
NOTES = ("agentblame",)

_VERSIONS = ("1", "2")
_AUTHORS = {"ai_generated": "agent", "aiGenerated": "agent", "ai_modified": "mixed", "human": "human"}
_KNOWN = (
    "path", "start_line", "end_line", "category", "provider", "model", "startLine", "endLine",
)  # fmt: skip


def sniff(source: ClaimSource, data: bytes) -> bool:
    head = data[:400]
    return data.lstrip()[:1] == b"{" and b'"version"' in head and (b'"attributions"' in data or b'"summary":{"totalLines"' in head)


def read(source: ClaimSource, data: bytes) -> list[ClaimRecord]:
    found = versioned(NAME, source, data, _VERSIONS)
    if isinstance(found, ClaimRecord):
        return [found]
    version, note = found
    reading = RecordBuilder(source)
    for item in objects(get(note, "attributions")):
        _one(reading, item)
    detail = others(note, ("version", "timestamp", "attributions", "contributors", "history"))
    return [reading.record(NAME, version, moment(get(note, "timestamp")), detail)]


def _one(reading: RecordBuilder, item: dict[str, Any]) -> None:
    recorded = word(item, "path")
    path = plain_path(recorded)
    if lines := reading.span(path, item):
        who = Who(_AUTHORS.get(word(item, "category"), "unknown"), word(item, "provider"), word(item, "model"))
        shown = "" if path == recorded else recorded
        reading.claims.append(Claim(path, lines, who, word(item, "category"), shown, detail=others(item, _KNOWN)))
