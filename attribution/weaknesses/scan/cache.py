"""What scans said of texts, kept by blob, rule set and scanner: in the user's cache, or beside the database.

The cache of the user serves all databases, so that a fork, another database or a run after a kill scans only texts that are new.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from attribution.weaknesses.rules.rulesets import RuleSet
from attribution.weaknesses.scan.engine import Scanned
from attribution.weaknesses.scan.source import Text
from attribution.weaknesses.track.identity import VersionFinding, strongest
from collector.errors import DatabaseUnusable
from collector.storage.connection import cache_path
from collector.storage.places import cache_directory
from collector.storage.store import Store

ENVIRONMENT = "WHOWROTE_CACHE"
_AT_ONCE = 500
_WEAKEST = (9, 9)
_NOSEM = re.compile(rb"nosem(?:grep)?\b", re.IGNORECASE)


def open_cache(store: Store, path: Path | None, notes: list[str]) -> Store:
    """The cache at `path`, else WHOWROTE_CACHE, else scans.db in the user's cache directory.

    It is a file beside the database when none was named and the cache directory cannot be written. Raises DatabaseUnusable.
    """
    file = path or Path(os.environ.get(ENVIRONMENT) or cache_directory() / "scans.db")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        return Store(file, is_cache=True)
    except (OSError, DatabaseUnusable) as error:
        if path is not None:
            raise DatabaseUnusable(f"the cache {file} cannot be used: {error}", "Choose another file with --cache FILE") from error
        beside = cache_path(store.path)
        notes.append(f"the cache {file} cannot be used ({error}): scan results are stored in {beside}")
        return Store(beside, is_cache=True)


class CachedScan(NamedTuple):
    """One text: status as in blob_scans, and the rules that did not finish."""

    status: str
    failed: frozenset[str]


@dataclass(frozen=True, slots=True)
class ScanCache:
    """Scans of one rule set by one scanner."""

    store: Store
    rules: str
    engine: str

    def scans(self, texts: Iterable[Text]) -> dict[Text, CachedScan]:
        """Those of the texts that were scanned."""
        return {
            (row["blob"], row["suffix"]): CachedScan(row["status"], frozenset(json.loads(row["failed_rules"] or "[]")))
            for row in self._rows("blob_scans", texts)
        }

    def findings(self, texts: Iterable[Text], rules: RuleSet) -> dict[Text, tuple[VersionFinding, ...]]:
        """Findings by text, of overlapping ones with one CWE the strongest; texts without any are left out."""
        findings: dict[Text, list[VersionFinding]] = {}
        for row in self._rows("blob_findings", texts):
            rule = rules.by_id.get(row["rule_id"])
            place = (row["start_line"], row["end_line"], row["start_byte"], row["end_byte"])
            finding = VersionFinding(row["rule_id"], rule.cwe if rule else "", row["text_hash"], *place, bool(row["suppressed"]))
            findings.setdefault((row["blob"], row["suffix"]), []).append(finding)

        def strength(name: str) -> tuple[int, int]:
            rule = rules.by_id.get(name)
            return rule.strength if rule is not None else _WEAKEST

        return {text: strongest(of_text, strength) for text, of_text in findings.items()}

    def _rows(self, table: str, texts: Iterable[Text]) -> Iterator[dict[str, Any]]:
        blobs = sorted({blob for blob, _ in texts})
        for start in range(0, len(blobs), _AT_ONCE):
            portion = blobs[start : start + _AT_ONCE]
            marks = ",".join("?" * len(portion))
            sql = f"SELECT * FROM {table} WHERE rules = ? AND engine = ? AND blob IN ({marks})"
            yield from self.store.rows(sql, (self.rules, self.engine, *portion))

    def save(self, scanned: Iterable[Scanned]) -> None:
        """In one transaction: a kill leaves whole portions."""
        scans, findings = [], []
        for each in scanned:
            target = each.target
            key = (target.blob, target.suffix, self.rules, self.engine)
            failed = json.dumps(sorted(each.failed_rules)) if each.failed_rules else None
            scans.append((*key, each.status, target.data.count(b"\n") + 1, failed))
            lines = target.data.split(b"\n") if each.matches else []
            for m in each.matches:
                place = (m.start_line, m.end_line, m.start, m.end)
                findings.append((*key, m.rule, *place, hash_of(target.data[m.start : m.end]), is_suppressed(lines, m.start_line)))
        with self.store.transaction() as connection:
            connection.executemany(f"INSERT OR REPLACE INTO blob_scans VALUES ({','.join('?' * 7)})", scans)
            connection.executemany(f"INSERT OR REPLACE INTO blob_findings VALUES ({','.join('?' * 11)})", findings)


def hash_of(text: bytes) -> str:
    """Of a text without its white space."""
    return hashlib.sha256(b"".join(text.split())).hexdigest()[:24]


def is_suppressed(lines: Sequence[bytes], start: int) -> bool:
    """Whether a comment asks semgrep to hide a match: on its first line, or alone on the line above."""
    here = lines[start - 1] if start <= len(lines) else b""
    if _NOSEM.search(here):
        return True
    above = lines[start - 2].strip() if start >= 2 else b""
    return bool(_NOSEM.search(above)) and above.startswith((b"//", b"/*", b"--", b"<!", b"#"))
