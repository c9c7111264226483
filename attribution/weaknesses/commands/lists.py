"""Tables that are of no view of the database: what a scan did, rules, packs, findings of other scanners."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from collector.storage.catalog import Column
from collector.storage.views import Table

_SCANS = {
    "repo": "repository",
    "state": "unchanged or scanned [word]",
    "engine": "the scanner",
    "rules": "the rules",
    "texts": "versions of files that count",
    "new": "of those, not in the cache",
    "given": "of those, passed to the scanner",
    "given_lines": "lines in them",
    "seconds": "seconds in all",
    "scan_seconds": "of those, seconds in the scanner",
    "findings": "introduced weaknesses",
    "notes": "what went wrong [list]",
}
_RULES = {
    "rule": "id",
    "cwe": "weaknesses it looks for",
    "tier": "how much of the data flow it sees [word]",
    "confidence": "HIGH, MEDIUM or LOW [word]",
    "severity": "as the rule says [word]",
    "languages": "as the rule names them",
    "precision": "on annotated code; NULL where nothing was counted [share]",
    "recall": "on annotated code; NULL where nothing was counted [share]",
    "planted_found": "planted weaknesses that it found",
    "planted_wrong": "safe lines of the same programs that it reported",
    "read": "its findings in public code that a person read",
    "read_true": "of those, weaknesses",
    "message": "what it says",
}
_PACKS = {
    "name": "the pack",
    "url": "where it came from",
    "sha256": "hash of the file [sha]",
    "rules": "number of rules",
    "pulled_at": "when [UTC]",
    "file": "where it is",
}
_AUTHORED = {
    "scanner": "who reported it",
    "rule": "its rule",
    "level": "its level [word]",
    "path": "file",
    "start_line": "first line",
    "end_line": "last line",
    "line_class": "class of most of its lines; empty where nobody can be looked up [word]",
    "evidence": "how we know [word]",
    "agent": "agent that wrote them [agent]",
    "model": "its model",
    "session": "its session",
    "commit": "commit that introduced most of the lines [sha]",
    "message": "what the scanner says",
    "problem": "why nobody can be looked up",
}


def _table(title: str, meanings: Mapping[str, str], rows: Sequence[dict[str, Any]]) -> Table:
    return Table(title, title, [Column(name, "", meaning) for name, meaning in meanings.items()], list(rows))


def scan_table(rows: Sequence[dict[str, Any]]) -> Table:
    return _table("scans", _SCANS, rows)


def rule_table(rows: Sequence[dict[str, Any]]) -> Table:
    return _table("rules", _RULES, rows)


def pack_table(rows: Sequence[dict[str, Any]]) -> Table:
    return _table("packs", _PACKS, rows)


def authored_table(rows: Sequence[dict[str, Any]]) -> Table:
    return _table("findings of a scanner with their authors", _AUTHORED, rows)
