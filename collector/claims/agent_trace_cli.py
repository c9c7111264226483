"""agent-trace-cli: a JSON note with counts and, if asked for, a ledger of the agents' line ranges."""

from __future__ import annotations

from collector.claims.model import (
    Claim,
    ClaimRecord,
    ClaimSource,
    RecordBuilder,
    Who,
    get,
    objects,
    others,
    plain_path,
    versioned,
    word,
)

NAME = "agent-trace-cli"
LABEL = "agent-trace-cli"
FOUND = "`refs/notes/agent-trace`, notes with `ledger_hash`"
NOTES = ("agent-trace",)

_VERSIONS = ("2.0",)
_KNOWN = ("start_line", "end_line", "type", "trace_id", "model_id", "conversation_id")


def sniff(source: ClaimSource, data: bytes) -> bool:
    return data.lstrip()[:1] == b"{" and b'"ledger_hash"' in data


def read(source: ClaimSource, data: bytes) -> list[ClaimRecord]:
    found = versioned(NAME, source, data, _VERSIONS)
    if isinstance(found, ClaimRecord):
        return [found]
    version, note = found
    reading = RecordBuilder(source)
    files = get(get(note, "ledger"), "files")
    for recorded, file in (files if isinstance(files, dict) else {}).items():
        path = plain_path(recorded)
        for span in objects(get(file, "line_attributions")):
            if lines := reading.span(path, span):
                author = "agent" if word(span, "type") in ("ai", "") else "unknown"
                who = Who(author, "", word(span, "model_id"), word(span, "conversation_id"))
                shown = "" if path == recorded else recorded
                reading.claims.append(Claim(path, lines, who, word(span, "trace_id"), shown, detail=others(span, _KNOWN)))
    return [reading.record(NAME, version, detail=others(note, ("version", "ledger")))]
