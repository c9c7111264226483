"""What people say of findings, by the findings' fingerprints: kept when a repository is scanned again, and exchanged as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, fields
from datetime import UTC, datetime

from collector.errors import WhoWroteError
from collector.storage.store import Store, columns_of, iso
from collector.text import printable

VERDICTS = ("true", "false", "unsure")


@dataclass(frozen=True, slots=True)
class FindingReview:
    """What a person said of a finding: a row of `finding_reviews`."""

    fingerprint: str
    reviewer: str
    verdict: str  # one of VERDICTS
    note: str
    reviewed_at: str
    repo: str
    commit_sha: str
    path: str
    line: int
    rule_id: str


COLUMNS = tuple(field.name for field in fields(FindingReview))


def reviews(store: Store) -> list[FindingReview]:
    order = "ORDER BY v.repo, v.commit_sha, v.path, v.line, v.rule_id, v.reviewer"
    return store.select(FindingReview, f"SELECT {columns_of(FindingReview, 'v')} FROM finding_reviews v {order}")


def store_review(store: Store, review: FindingReview) -> None:
    """Stores a review; it replaces what the same person said of the finding before."""
    _store(store, [review])


def import_reviews(store: Store, text: str) -> int:
    """Verdicts from a CSV with the columns of `FindingReview`; returns how many. All or nothing. Raises WhoWroteError."""
    rows = list(csv.DictReader(io.StringIO(text)))
    if rows and not {"fingerprint", "reviewer", "verdict"} <= set(rows[0]):
        raise WhoWroteError(
            "the CSV needs the columns fingerprint, reviewer, verdict",
            "For an example, run: whowrote findings review --export FILE",
        )
    wrong = [str(n + 2) for n, r in enumerate(rows) if r["verdict"] not in VERDICTS or not r["reviewer"] or not r["fingerprint"]]
    if wrong:
        raise WhoWroteError(
            f"lines without a fingerprint, a reviewer, or a verdict that is true, false or unsure: {', '.join(wrong[:10])}",
            "Nothing was imported; fix the CSV and try again",
        )
    now = moment()
    _store(store, [_review(row, now) for row in rows])
    return len(rows)


def moment() -> str:
    """The time of a review that is made now."""
    return iso(datetime.now(UTC).timestamp()) or ""


def _review(row: Mapping[str, str | None], now: str) -> FindingReview:
    line = row.get("line") or ""
    return FindingReview(
        row["fingerprint"] or "", row["reviewer"] or "", row["verdict"] or "", row.get("note") or "", row.get("reviewed_at") or now,
        row.get("repo") or "", row.get("commit_sha") or "", row.get("path") or "", int(line) if line.isdigit() else 0,
        row.get("rule_id") or "",
    )  # fmt: skip


def _store(store: Store, reviews: Iterable[FindingReview]) -> None:
    sql = f"INSERT OR REPLACE INTO finding_reviews ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"
    with store.transaction() as connection:
        connection.executemany(sql, [_values(review) for review in reviews])


def _values(review: FindingReview) -> tuple[object, ...]:
    fingerprint, _, verdict, _, *rest = astuple(review)
    return fingerprint, printable(review.reviewer)[:100], verdict, printable(review.note)[:2000], *rest
