"""What people say of findings, by the findings' fingerprints: kept when a repository is scanned again, and exchanged as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from collector.errors import WhoWroteError
from collector.storage.store import Store, iso
from collector.text import printable

VERDICTS = ("true", "false", "unsure")
COLUMNS = ("fingerprint", "reviewer", "verdict", "note", "reviewed_at", "repo", "commit_sha", "path", "line", "rule_id")


def store_review(store: Store, row: Mapping[str, Any], reviewer: str, verdict: str, note: str = "") -> None:
    """Stores what a person says of a finding; it replaces what the same person said before."""
    now = iso(datetime.now(UTC).timestamp())
    values = (
        row["fingerprint"], printable(reviewer)[:100], verdict, printable(note)[:2000], now, row["repo"], row["commit_sha"],
        row["path"], row["start_line"], row["rule_id"],
    )  # fmt: skip
    with store.transaction() as connection:
        connection.execute(f"INSERT OR REPLACE INTO finding_reviews VALUES ({','.join('?' * len(COLUMNS))})", values)


def reviews(store: Store) -> list[dict[str, Any]]:
    return store.rows(f"SELECT {', '.join(COLUMNS)} FROM finding_reviews ORDER BY repo, commit_sha, path, line, rule_id, reviewer")


def import_reviews(store: Store, text: str) -> int:
    """Verdicts from a CSV as `reviews` gives them; returns how many. All or nothing. Raises WhoWroteError."""
    rows = list(csv.DictReader(io.StringIO(text)))
    if rows and not {"fingerprint", "reviewer", "verdict"} <= set(rows[0]):
        raise WhoWroteError(
            "the CSV needs the columns fingerprint, reviewer, verdict",
            "See what they look like: attribute findings review --export FILE",
        )
    wrong = [str(n + 2) for n, r in enumerate(rows) if r["verdict"] not in VERDICTS or not r["reviewer"] or not r["fingerprint"]]
    if wrong:
        raise WhoWroteError(
            f"lines without a fingerprint, a reviewer, or a verdict that is true, false or unsure: {', '.join(wrong[:10])}",
            "Nothing was imported; fix the CSV and try again",
        )
    now = iso(datetime.now(UTC).timestamp())
    values = [
        (
            r["fingerprint"], printable(r["reviewer"])[:100], r["verdict"], printable(r.get("note") or "")[:2000],
            r.get("reviewed_at") or now, r.get("repo") or "", r.get("commit_sha") or "", r.get("path") or "",
            int(r["line"]) if (r.get("line") or "").isdigit() else 0, r.get("rule_id") or "",
        )
        for r in rows
    ]  # fmt: skip
    with store.transaction() as connection:
        connection.executemany(f"INSERT OR REPLACE INTO finding_reviews VALUES ({','.join('?' * len(COLUMNS))})", values)
    return len(values)
