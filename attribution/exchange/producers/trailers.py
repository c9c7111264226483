"""Trailers and bot accounts: a co-author line or the author field names an agent, for the whole commit. Pure."""

from __future__ import annotations

from attribution.exchange.producers.model import Claim, ClaimRecord, Who
from attribution.exchange.words import ClaimedAuthor
from collector.checkpoints.trailers import declarations
from collector.model import Commit

NAME = "trailers"
LABEL = "trailers and bot accounts"
FOUND = "`Co-authored-by:`, `Assisted-by:`, `Generated-by:` of an agent's address; the author field; `aider:`"


def read_commit(commit: Commit) -> list[ClaimRecord]:
    """One record for a commit that declares an agent."""
    declared = dict.fromkeys(declarations(commit))
    claims = tuple(Claim("", (), Who(ClaimedAuthor.AGENT, each.agent, each.model), each.where) for each in declared)
    return [ClaimRecord(NAME, "", commit=commit.sha, written_at=commit.author_time, claims=claims)] if claims else []
