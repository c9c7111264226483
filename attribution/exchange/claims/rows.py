"""Rows of checked records: `claim_records`, `claims`, `claim_authors`, and what checking them gave."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from attribution.exchange.claims.verify import LINE_STATUSES, CheckedClaim, status_of, worst
from attribution.exchange.producers.model import Claim, ClaimRecord, ClaimSource, Who
from attribution.exchange.words import Anchor, Reach, RecordState
from collector.git import ranges
from collector.storage.store import Store, iso
from collector.text import printable
from collector.vocabulary.agents import slug_of

_MAX_RANGES = 200_000  # characters of ranges that are stored as written
_RECORD = (
    "id", "repo_id", "producer", "format_version", "tool_version", "source", "place", "entry", "blob", "commit_sha", "base_sha",
    "claimed_at", "state", "claims", "detail",
)  # fmt: skip
_SUMS = ("ok", "overlapping", "dangling_key", "not_added", "beyond_eof", "file_missing", "commit_missing")
_CHECK = ("record_id", "commit_sha", "anchor", "reach", "status", "findings", "commit_at", "lines", *_SUMS)
_CLAIM = ("id", "record_id", "author_id", "path", "recorded_path", "key", "ranges", "lines", "dangling", "detail")
_TABLES = {
    "claim_records": _RECORD,
    "claims": _CLAIM,
    "claim_record_checks": _CHECK,
    "claim_checks": ("claim_id", "status", "lines", "ranges"),
    "claimed_spans": ("claim_id", "start_line", "end_line"),
}
_AUTHOR = ("author", "tool", "model", "session_key", "person", "detail", "basis")


@dataclass(frozen=True, slots=True)
class CheckedRecord:
    """One record with what checking it against its commit gave."""

    source: ClaimSource
    record: ClaimRecord
    claims: list[CheckedClaim]
    commit: str  # it was checked against; "" when it names none
    anchor: Anchor
    commit_at: float | None  # author time of the commit; None when it is not in the clone
    reach: Reach


class ClaimRows:
    """Writes the records of one repository, each within a transaction of the caller."""

    def __init__(self, store: Store, repo_id: int) -> None:
        self._store, self._repo_id = store, repo_id
        rows = store.rows("SELECT * FROM claim_authors WHERE repo_id = ?", (repo_id,))
        self._authors: dict[tuple[str, ...], int] = {tuple(row[name] or "" for name in _AUTHOR): row["id"] for row in rows}

    def write(self, records: Sequence[CheckedRecord]) -> None:
        record_ids, claim_ids = count(self._store.next_id("claim_records")), count(self._store.next_id("claims"))
        of_records, of_claims, of_checks, of_lines, of_spans = rows = tuple[list[tuple[Any, ...]], ...]([] for _ in _TABLES)
        for checked in records:
            record_id, claims = next(record_ids), checked.claims if checked.record.state == RecordState.READ else []
            of_records.append(self._record_row(record_id, checked, len(claims)))
            of_checks.append(_check_row(record_id, checked, claims))
            for entry in claims:
                claim_id = next(claim_ids)
                of_claims.append(self._claim_row(claim_id, record_id, entry.claim))
                of_lines.extend((claim_id, name, ranges.count(lines), ranges.text(lines)) for name, lines in entry.lines.items())
                of_spans.extend((claim_id, first, last) for first, last in entry.added_lines())
        for (table, columns), values in zip(_TABLES.items(), rows, strict=True):
            self._store.insert(table, columns, values)

    def _record_row(self, number: int, checked: CheckedRecord, claims: int) -> tuple[Any, ...]:
        record, source = checked.record, checked.source
        return (
            number, self._repo_id, record.producer, _text(record.format_version), _text(record.tool_version), source.ref,
            source.path, record.entry, source.blob, _text(record.commit), _text(record.base), iso(record.written_at), record.state,
            claims, _text(record.detail),
        )  # fmt: skip

    def _claim_row(self, number: int, record: int, claim: Claim) -> tuple[Any, ...]:
        lines = ranges.united(claim.ranges)
        written = ranges.text(claim.ranges if len(claim.ranges) < _MAX_RANGES // 10 else lines)
        recorded = claim.recorded_path if claim.recorded_path != claim.path else ""
        return (
            number, record, self._author(claim.who), printable(claim.path), _text(recorded), _text(claim.key),
            written[:_MAX_RANGES], ranges.count(lines) if lines else None, int(claim.dangling), _text(claim.detail),
        )  # fmt: skip

    def _author(self, who: Who) -> int:
        texts = (slug_of(who.tool), who.model, who.session, who.person, who.detail)
        author = (str(who.author), *map(printable, texts), str(who.basis))
        if author not in self._authors:
            number = self._store.next_id("claim_authors")
            row = (number, self._repo_id, author[0], *(text or None for text in author[1:-1]), author[-1])
            self._store.insert("claim_authors", ("id", "repo_id", *_AUTHOR), [row])
            self._authors[author] = number
        return self._authors[author]


def _check_row(number: int, checked: CheckedRecord, claims: Sequence[CheckedClaim]) -> tuple[Any, ...]:
    findings = worst(claims)
    sums = {str(status): sum(entry.count(status) for entry in claims) for status in LINE_STATUSES}
    return (
        number, _text(checked.commit), checked.anchor, checked.reach, status_of(findings, checked.reach), findings,
        iso(checked.commit_at), sum(sums.values()), *(sums[name] for name in _SUMS),
    )  # fmt: skip


def _text(value: str) -> str | None:
    return printable(value) or None
