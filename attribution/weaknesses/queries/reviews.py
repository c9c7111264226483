"""What people say of findings, by the findings' fingerprints: kept when a repository is scanned again, and exchanged as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from attribution.weaknesses.words import ReviewVerdict
from collector.errors import WhoWroteError
from collector.storage.store import Store, iso
from collector.storage.views import Table, read_view
from collector.text import printable


def reviews(store: Store) -> Table:
    return read_view(store, "finding_reviews", order="repo, commit_sha, path, line, rule_id, reviewer")


def review_of(finding: Mapping[str, Any], reviewer: str, verdict: str, note: str) -> dict[str, Any]:
    """The review of a row of `finding_list` by a person, made now."""
    position = {
        "repo": finding["repo"],
        "commit_sha": finding["commit_sha"],
        "path": finding["path"],
        "line": finding["start_line"],
    }
    about = {"fingerprint": finding["fingerprint"], "rule_id": finding["rule_id"], **position}
    return about | {"reviewer": reviewer, "verdict": verdict, "note": note, "reviewed_at": _now()}


def import_reviews(store: Store, text: str) -> int:
    """Verdicts from a CSV with the columns of `finding_reviews`; returns how many. All or nothing. Raises WhoWroteError."""
    rows = list(csv.DictReader(io.StringIO(text)))
    if rows and not {"fingerprint", "reviewer", "verdict"} <= set(rows[0]):
        raise WhoWroteError(
            "the CSV needs the columns fingerprint, reviewer, verdict",
            "For an example, run: whowrote findings review --export FILE",
        )
    wrong = [
        str(n + 2)
        for n, row in enumerate(rows)
        if row["verdict"] not in list(ReviewVerdict) or not row["reviewer"] or not row["fingerprint"]
    ]
    if wrong:
        raise WhoWroteError(
            f"lines without a fingerprint, a reviewer, or a verdict that is true, false or unsure: {', '.join(wrong[:10])}",
            "Nothing was imported; fix the CSV and try again",
        )
    store_reviews(store, rows)
    return len(rows)


def store_reviews(store: Store, rows: Iterable[Mapping[str, Any]]) -> None:
    """Stores reviews; each replaces what the same person said of the finding before."""
    with store.transaction() as connection:
        connection.executemany(
            "INSERT OR REPLACE INTO finding_reviews (fingerprint, reviewer, verdict, note, reviewed_at, repo, commit_sha, path, "
            "line, rule_id) "
            "VALUES (:fingerprint, :reviewer, :verdict, :note, :reviewed_at, :repo, :commit_sha, :path, :line, :rule_id)",
            [_values(row) for row in rows],
        )


def _values(row: Mapping[str, Any]) -> dict[str, Any]:
    texts = {name: row.get(name) or "" for name in ("fingerprint", "verdict", "repo", "commit_sha", "path", "rule_id")}
    line = str(row.get("line") or "")
    return texts | {
        "reviewer": printable(row["reviewer"])[:100],
        "note": printable(row.get("note") or "")[:2000],
        "reviewed_at": row.get("reviewed_at") or _now(),
        "line": int(line) if line.isdigit() else 0,
    }


def _now() -> str:
    return iso(datetime.now(UTC).timestamp()) or ""
