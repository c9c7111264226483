"""What scans said of texts, kept by blob, rule set and scanner: in the user's cache, or in the database itself.

The cache of the user is an ordinary database of ours of which only the tables `blob_*` and `scan_engines` are filled. It serves all
databases, so that a fork, another database or a run after a kill scans only texts that are new.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from attribution.weaknesses.rules.rulesets import Rule, RuleSet
from attribution.weaknesses.scan.complexity import Function
from attribution.weaknesses.scan.engine import Scanned
from attribution.weaknesses.scan.source import Text
from attribution.weaknesses.track.identity import VersionFinding, strongest
from collector.storage.places import cache_directory
from collector.storage.store import Store

ENVIRONMENT = "WHOWROTE_CACHE"
_AT_ONCE = 500
_NOSEM = re.compile(rb"nosem(?:grep)?\b", re.IGNORECASE)


def default_path() -> Path:
    """WHOWROTE_CACHE, else scans.db in the user's cache directory."""
    given = os.environ.get(ENVIRONMENT)
    if given:
        return Path(given)
    return cache_directory() / "scans.db"


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

    def known(self, texts: Iterable[Text]) -> dict[Text, CachedScan]:
        found = {}
        for blobs in _portions(sorted({blob for blob, _ in texts})):
            marks = ",".join("?" * len(blobs))
            for r in self.store.rows(
                f"SELECT blob, suffix, status, failed_rules FROM blob_scans WHERE rules = ? AND engine = ? AND blob IN ({marks})",
                (self.rules, self.engine, *blobs),
            ):
                found[r["blob"], r["suffix"]] = CachedScan(r["status"], frozenset(json.loads(r["failed_rules"] or "[]")))
        return found

    def hits(self, texts: Iterable[Text], rules: RuleSet) -> dict[Text, tuple[VersionFinding, ...]]:
        """Findings by text, of overlapping ones with one CWE the strongest; texts without any are left out."""
        found: dict[Text, list[VersionFinding]] = {}
        for blobs in _portions(sorted({blob for blob, _ in texts})):
            marks = ",".join("?" * len(blobs))
            for r in self.store.rows(
                f"SELECT * FROM blob_findings WHERE rules = ? AND engine = ? AND blob IN ({marks})",
                (self.rules, self.engine, *blobs),
            ):
                rule = rules.by_id.get(r["rule_id"])
                hit = VersionFinding(
                    r["rule_id"], rule.cwe if rule else "", r["text_hash"], r["start_line"], r["end_line"], r["start_byte"],
                    r["end_byte"], bool(r["suppressed"]),
                )  # fmt: skip
                found.setdefault((r["blob"], r["suffix"]), []).append(hit)
        return {text: strongest(some, lambda name: _strength(rules.by_id.get(name))) for text, some in found.items()}

    def save(self, scanned: Iterable[Scanned]) -> None:
        """In one transaction: a kill leaves whole portions."""
        scans, findings = [], []
        for one in scanned:
            target = one.target
            key = (target.blob, target.suffix, self.rules, self.engine)
            failed = json.dumps(sorted(one.failed_rules)) if one.failed_rules else None
            scans.append((*key, one.status, target.data.count(b"\n") + 1, failed))
            lines = target.data.split(b"\n") if one.matches else []
            for m in one.matches:
                text = hash_of(target.data[m.start : m.end])
                findings.append(
                    (*key, m.rule, m.start_line, m.end_line, m.start, m.end, text, int(suppressed(lines, m.start_line)))
                )
        with self.store.transaction() as connection:
            connection.executemany(f"INSERT OR REPLACE INTO blob_scans VALUES ({','.join('?' * 7)})", scans)
            connection.executemany(f"INSERT OR REPLACE INTO blob_findings VALUES ({','.join('?' * 11)})", findings)


@dataclass(frozen=True, slots=True)
class FunctionCache:
    """Functions of texts with their complexity, as one tool measured them."""

    store: Store
    tool: str

    def known(self, blob: str, suffix: str) -> list[Function] | None:
        found = self.store.value(
            "SELECT functions FROM blob_functions WHERE blob = ? AND suffix = ? AND tool = ?", (blob, suffix, self.tool)
        )
        return None if found is None else [(first, last, complexity) for first, last, complexity in json.loads(found)]

    def save(self, measured: Iterable[tuple[str, str, Sequence[Function]]]) -> None:
        """(blob, suffix, functions), in one transaction."""
        rows = [(blob, suffix, self.tool, json.dumps(found)) for blob, suffix, found in measured]
        with self.store.transaction() as connection:
            connection.executemany("INSERT OR REPLACE INTO blob_functions VALUES (?, ?, ?, ?)", rows)


def _strength(rule: Rule | None) -> tuple[int, int]:
    return rule.strength if rule is not None else (9, 9)


def _portions(names: Sequence[str]) -> Iterator[Sequence[str]]:
    return (names[at : at + _AT_ONCE] for at in range(0, len(names), _AT_ONCE))


def hash_of(text: bytes) -> str:
    """Of a text without its white space."""
    return hashlib.sha256(b"".join(text.split())).hexdigest()[:24]


def suppressed(lines: Sequence[bytes], start: int) -> bool:
    """Whether a comment asks semgrep to hide a match: on its first line, or alone on the line above."""
    here = lines[start - 1] if start <= len(lines) else b""
    if _NOSEM.search(here):
        return True
    above = lines[start - 2].strip() if start >= 2 else b""
    return above[:2] in (b"//", b"/*", b"--", b"<!") or above[:1] == b"#" if _NOSEM.search(above) else False


def engine_name(store: Store, path: str, stamp: str) -> str | None:
    """The scanner behind an executable, if it was asked before."""
    found = store.value("SELECT engine FROM scan_engines WHERE path = ? AND stamp = ?", (path, stamp))
    return str(found) if found else None


def keep_engine(store: Store, path: str, stamp: str, engine: str) -> None:
    with store.transaction() as connection:
        connection.execute("INSERT OR REPLACE INTO scan_engines VALUES (?, ?, ?)", (path, stamp, engine))
