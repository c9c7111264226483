"""git-ai: notes of `path`, `  key ranges` lines, `---` and JSON."""

import json
import re
from collections.abc import Iterator
from functools import cache, partial
from typing import Any

from attribution.exchange.producers.model import (
    Claim,
    ClaimRecord,
    ClaimSource,
    RecordBuilder,
    Who,
    others,
    unread,
    word,
)
from attribution.exchange.words import ClaimBasis, ClaimedAuthor, RecordState
from collector.git.ranges import parse
from collector.json_values import JsonObject, first_of
from collector.text import decode, normal_path

NAME = "git-ai"
LABEL = "git-ai"
FOUND = "`refs/notes/ai` and its copies"
NOTES = ("ai",)
OWN = "whowrote:"  # what our export writes as the tool's version

_VERSION = re.compile(r"^authorship/3\.\d+\.\d+$")
_USED = (
    "schema_version",
    "git_ai_version",
    "base_commit_sha",
    "prompts",
    "sessions",
    "humans",
    "files",
)
_USED_OF_AGENT = (
    "agent_id",
    "human_author",
    "messages_url",
    "custom_attributes_none",
    "total_additions",
    "total_deletions",
    "accepted_lines",
    "overriden_lines",
)
# From 1.6.21 on, whatever is left in a commit of somebody who typed, or without an agent, becomes
# that person's (their pull request 2060 of 2026-07-31); builds of developers have the number of the
# release before them.
_FILLS = (1, 6, 21)
_FILLS_DEVELOPMENT = (1, 6, 20)
_NUMBERS = re.compile(r"^(development:)?(\d{1,6})\.(\d{1,6})\.(\d{1,6})")


def sniff(source: ClaimSource, data: bytes) -> bool:
    if data.startswith(b"---\n") or data.startswith(b"---\r\n"):
        return b'"authorship/' in data[:400]
    cut = data.find(b"\n---\n")
    return cut >= 0 and b'"schema_version"' in data[cut:]


def read(source: ClaimSource, data: bytes) -> list[ClaimRecord]:
    notes = enumerate(_split_notes(decode(data).replace("\r\n", "\n")))
    return [_note(source, head, meta, number) for number, (head, meta) in notes]


def _split_notes(text: str) -> Iterator[tuple[str, Any]]:
    """Head and JSON value of each note in a text; `git notes merge -s union` joins those of two
    clones into one.
    """
    while text.strip():
        head, separator, body = (
            ("", "---", text[4:]) if text.startswith("---\n") else text.partition("\n---\n")
        )
        try:
            meta, end = json.JSONDecoder().raw_decode(body.lstrip())
        except (ValueError, RecursionError):
            meta = None
            end = len(body)
        yield head, meta if separator else None
        text = body.lstrip()[end:].lstrip("\n")


def _note(source: ClaimSource, head: str, meta: Any, number: int) -> ClaimRecord:
    if not isinstance(meta, dict):
        return unread(
            NAME,
            source,
            RecordState.UNREADABLE,
            "the part after --- is not a JSON object",
            entry=number,
        )
    version = word(meta, "schema_version")
    tool_version = word(meta, "git_ai_version")
    if not _VERSION.match(version):
        return unread(NAME, source, RecordState.UNKNOWN_VERSION, version, version, number)
    builder = RecordBuilder(source)
    _read_entries(builder, head, meta)
    if tool_version.startswith(OWN):
        return builder.record(
            NAME,
            version,
            tool_version=tool_version,
            state=RecordState.OWN,
            problems=(),
            entry=number,
        )
    base = word(meta, "base_commit_sha")
    detail = others(meta, _USED)
    return builder.record(
        NAME, version, tool_version=tool_version, base=base, detail=detail, entry=number
    )


def basis_of_people(tool_version: str) -> ClaimBasis:
    """SEEN: lines of people are those that an editor saw being typed or saved.

    REST: they may be only what was left over.
    """
    match = _NUMBERS.match(tool_version)
    if match is None:
        return ClaimBasis.REST
    release = (int(match[2]), int(match[3]), int(match[4]))
    if release < (_FILLS_DEVELOPMENT if match[1] else _FILLS):
        return ClaimBasis.SEEN
    return ClaimBasis.REST


def _read_entries(builder: RecordBuilder, head: str, meta: JsonObject) -> None:
    who_of = cache(partial(_who, meta))
    path = recorded = ""
    for line in head.split("\n"):
        if not line.strip():
            continue
        if not line.startswith("  "):
            recorded = line[1:-1] if len(line) > 1 and line[0] == line[-1] == '"' else line
            path = normal_path(recorded)
            continue
        key, _, written = line[2:].partition(" ")
        ranges, whole = parse(written)
        if not whole:
            builder.problem("bad_ranges", f"{path}: {line.strip()[:200]}")
        if not path:
            builder.problem("entry_without_path", line.strip()[:200])
        elif ranges:
            who, dangling = who_of(key.partition("::")[0])
            builder.claims.append(Claim(path, ranges, who, key, recorded, dangling))


def _who(meta: JsonObject, key: str) -> tuple[Who, bool]:
    """Whom a key names, and whether it is dangling."""
    if key.startswith("h_") or key == "human":
        record = first_of(first_of(meta, "humans"), key)
        basis = (
            basis_of_people(word(meta, "git_ai_version"))
            if key.startswith("h_")
            else ClaimBasis.REST
        )
        detail = others(record, ("author",))
        return (
            Who(ClaimedAuthor.HUMAN, person=word(record, "author"), detail=detail, basis=basis),
            record is None,
        )
    first, second = ("sessions", "prompts") if key.startswith("s_") else ("prompts", "sessions")
    record = first_of(first_of(meta, first), key) or first_of(first_of(meta, second), key)
    agent = first_of(record, "agent_id")
    session = word(agent, "id") or key
    person = word(record, "human_author")
    detail = others(record, _USED_OF_AGENT)
    return (
        Who(
            ClaimedAuthor.AGENT, word(agent, "tool"), word(agent, "model"), session, person, detail
        ),
        record is None,
    )
