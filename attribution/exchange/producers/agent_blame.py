"""Agent Blame: a JSON note with a list of attributions, snake_case in version 1 and camelCase in version 2; and its summary."""

from __future__ import annotations

from attribution.exchange.producers.model import (
    Claim,
    ClaimRecord,
    ClaimSource,
    RecordBuilder,
    Who,
    note_of_version,
    others,
    plain_path,
    word,
)
from attribution.exchange.words import ClaimedAuthor
from collector.json_values import first_of, objects, time_of

NAME = "agent-blame"
LABEL = "Agent Blame"
FOUND = "`refs/notes/agentblame`, `refs/notes/agentblame-analytics` (a summary without lines)"
NOTES = ("agentblame",)

_VERSIONS = ("1", "2")
_AUTHORS = {
    "ai_generated": ClaimedAuthor.AGENT, "aiGenerated": ClaimedAuthor.AGENT, "ai_modified": ClaimedAuthor.MIXED,
    "human": ClaimedAuthor.HUMAN,
}  # fmt: skip
_USED = ("path", "start_line", "end_line", "category", "provider", "model", "startLine", "endLine")


def sniff(source: ClaimSource, data: bytes) -> bool:
    head = data[:400]
    return data.lstrip()[:1] == b"{" and b'"version"' in head and (b'"attributions"' in data or b'"summary":{"totalLines"' in head)


def read(source: ClaimSource, data: bytes) -> list[ClaimRecord]:
    note = note_of_version(NAME, source, data, _VERSIONS)
    if isinstance(note, ClaimRecord):
        return [note]
    builder = RecordBuilder(source)
    for item in objects(first_of(note, "attributions")):
        recorded, category = word(item, "path"), word(item, "category")
        path = plain_path(recorded)
        if lines := builder.span(path, item):
            who = Who(_AUTHORS.get(category, ClaimedAuthor.UNKNOWN), word(item, "provider"), word(item, "model"))
            builder.claims.append(Claim(path, lines, who, category, recorded, detail=others(item, _USED)))
    detail = others(note, ("version", "timestamp", "attributions", "contributors", "history"))
    return [builder.record(NAME, word(note, "version"), written_at=time_of(first_of(note, "timestamp")), detail=detail)]
