"""Claims of other producers in tests."""

from __future__ import annotations

from pathlib import Path

from attribution.exchange.producers.model import ClaimRecord
from collector.git import ranges
from collector.git.program import write_files


def lines_of(record: ClaimRecord) -> dict[str, list[tuple[str, str, str]]]:
    """Path -> (author, session, ranges)."""
    found: dict[str, list[tuple[str, str, str]]] = {}
    for claim in record.claims:
        found.setdefault(claim.path, []).append(
            (claim.who.author, claim.who.session, ranges.text(claim.ranges))
        )
    return found


def put_notes(repo: Path, ref: str, notes: dict[str, bytes]) -> None:
    write_files(repo, ref, {f"{sha[:2]}/{sha[2:]}": data for sha, data in notes.items()}, "")
