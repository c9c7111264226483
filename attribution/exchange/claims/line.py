"""What other producers say of one line."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from attribution.exchange.words import ClaimStatus
from collector.git.ranges import common, parse

if TYPE_CHECKING:
    from collector.storage.store import Store


class LineClaim(NamedTuple):
    """What another producer says of one line."""

    producer: str
    author: str
    tool: str
    model: str
    session: str
    status: str  # of the line, as in claim_checks

    def words(self) -> str:
        who = ", ".join(word for word in (self.author, self.tool, self.model) if word)
        return f"{self.producer}: {who}" + ("" if self.status == ClaimStatus.OK else f" ({self.status.replace('_', ' ')})")


def claims_of(store: Store, repo_id: int, sha: str, path: str, line: int) -> list[LineClaim]:
    """The claims on a line of a commit; a trailer's claim on the whole commit among them."""
    rows = store.connection.execute(
        "SELECT r.producer, a.author, COALESCE(a.tool, '') AS tool, COALESCE(a.model, '') AS model, "
        "COALESCE(a.session_key, '') AS session, COALESCE(c.status, 'ok') AS status, k.path, COALESCE(c.ranges, '') AS ranges "
        "FROM claim_record_checks x JOIN claim_records r ON r.id = x.record_id JOIN claims k ON k.record_id = r.id "
        "JOIN claim_authors a ON a.id = k.author_id LEFT JOIN claim_checks c ON c.claim_id = k.id "
        "WHERE r.repo_id = ? AND x.commit_sha = ? AND k.path IN ('', ?) ORDER BY r.producer, k.id",
        (repo_id, sha, path),
    )
    claims = (LineClaim(*values) for *values, named, ranges in rows if not named or common(parse(ranges).ranges, ((line, line),)))
    return list(dict.fromkeys(claims))
