"""Statements of commits: a trailer, a line of the body or the author names an agent, for the
whole commit. Pure.
"""

from attribution.exchange.producers.model import Claim, ClaimRecord, Who
from attribution.exchange.words import ClaimedAuthor
from collector.checkpoints.statements import declarations
from collector.model import Commit

NAME = "trailers"
LABEL = "trailers and bot accounts"
FOUND = (
    "`Co-authored-by:`, `Assisted-by:`, `Generated-by:` and the other forms of `statements.toml`;"
    " the author"
)


def read_commit(commit: Commit) -> list[ClaimRecord]:
    """One record for a commit that declares an agent."""
    declared = dict.fromkeys(declaration[:3] for declaration in declarations(commit))
    claims = tuple(
        Claim("", (), Who(ClaimedAuthor.AGENT, agent, model), place)
        for place, agent, model in declared
    )
    if claims:
        return [
            ClaimRecord(NAME, "", commit=commit.sha, written_at=commit.author_time, claims=claims)
        ]
    return []
