"""What other producers say of one line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attribution.exchange.words import ClaimStatus
from collector.git.ranges import common, parse

if TYPE_CHECKING:
    from collector.storage.store import Store

_CLAIMS = """
SELECT r.producer, a.author, COALESCE(a.tool, '') AS tool, COALESCE(a.model, '') AS model, COALESCE(a.session_key, '') AS session,
  COALESCE(c.status, 'ok') AS status, k.path, COALESCE(c.ranges, '') AS ranges
FROM claim_record_checks x JOIN claim_records r ON r.id = x.record_id JOIN claims k ON k.record_id = r.id
JOIN claim_authors a ON a.id = k.author_id LEFT JOIN claim_checks c ON c.claim_id = k.id
WHERE r.repo_id = ? AND x.commit_sha = ? AND k.path IN ('', ?) ORDER BY r.producer, k.id
"""


def claims_of(store: Store, repo_id: int, sha: str, path: str, line: int) -> list[dict[str, Any]]:
    """The claims on a line of a commit, each once; a trailer's claim on the whole commit among them."""
    claims: list[dict[str, Any]] = []
    for row in store.rows(_CLAIMS, (repo_id, sha, path)):
        is_whole, ranges = not row.pop("path"), parse(row.pop("ranges")).ranges
        if row not in claims and (is_whole or common(ranges, ((line, line),))):
            claims.append(row)
    return claims


def words_of(claim: dict[str, Any]) -> str:
    who = ", ".join(claim[name] for name in ("author", "tool", "model") if claim[name])
    return f"{claim['producer']}: {who}" + ("" if claim["status"] == ClaimStatus.OK else f" ({claim['status'].replace('_', ' ')})")
