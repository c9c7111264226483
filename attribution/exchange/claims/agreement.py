"""Where a claim and our own verdict speak of the same line: do they agree, and if not, why? Pure."""

from __future__ import annotations

from typing import NamedTuple

from attribution.exchange.words import Agreement, ClaimBasis, ClaimedAuthor, ClaimStatus, Disagreement
from collector.vocabulary.lines import Author, How, Reason

_NO_SESSION = frozenset(
    {
        Reason.NO_SESSION, Reason.TRANSCRIPT_MISSING, Reason.TRANSCRIPT_NOT_STORED, Reason.TRANSCRIPT_UNREADABLE,
        Reason.CHECKPOINT_MISSING, Reason.INVISIBLE_SUBAGENT, Reason.UNCAPTURED, Reason.BASE_UNKNOWN, Reason.UNOBSERVED,
        Reason.REWRITTEN, Reason.OTHER_BRANCH,
    }
)  # fmt: skip
_SHORT = 3  # git-ai gives unknown runs of up to three lines beside an agent's to the agent
_INCONSISTENT = (ClaimStatus.NOT_ADDED, ClaimStatus.BEYOND_EOF, ClaimStatus.FILE_MISSING)


class ComparedLines(NamedTuple):
    """Consecutive lines that a claim and we both speak of: columns of `claimed_lines`."""

    producer: str
    tool_version: str
    month: str  # of the commit
    claimed_author: str
    claimed_basis: str
    record_status: str
    copied: int | None  # 1: the record was copied from another commit
    claim_lines: int | None  # of the whole claim on the file
    file_lines_added: int | None  # by the commit
    lines: int
    author: str | None  # ours; None when we have no verdict
    how: str | None
    evidence: str | None
    reason: str | None


class Comparison(NamedTuple):
    agreement: Agreement
    cause: Disagreement


def compare(lines: ComparedLines) -> Comparison:
    """Undecided: one side does not know, or ours is no observation but a trailer's word."""
    claimed, ours = lines.claimed_author, lines.author
    if ours is None or claimed == ClaimedAuthor.UNKNOWN:
        return Comparison(Agreement.UNDECIDED, Disagreement.OTHER if ours is not None else Disagreement.MISSING_SESSION)
    if ours == Author.DECLARED:
        return Comparison(Agreement.UNDECIDED, Disagreement.MISSING_SESSION)
    if ours in (Author.UNKNOWN, Author.TOOL):
        return Comparison(Agreement.UNDECIDED, _why_unknown(lines.reason or ""))
    if claimed == ours or (claimed == ClaimedAuthor.MIXED and ours == Author.AGENT):
        return Comparison(Agreement.AGREE, Disagreement.NONE)
    return Comparison(Agreement.DISAGREE, _why_not(lines, claimed, ours))


def _why_unknown(reason: str) -> Disagreement:
    if reason in _NO_SESSION:
        return Disagreement.MISSING_SESSION
    causes: dict[str, Disagreement] = {Reason.OPAQUE_SHELL: Disagreement.SHELL_COMMAND, Reason.FORMATTER: Disagreement.FORMATTER}
    return causes.get(reason, Disagreement.OTHER)


def _why_not(lines: ComparedLines, claimed: str, ours: str) -> Disagreement:
    """One says agent, the other human: the first rule that holds."""
    guesses = lines.producer == "git-ai"
    whole = lines.claim_lines and lines.file_lines_added and lines.claim_lines >= lines.file_lines_added > _SHORT
    by_agent = claimed == ClaimedAuthor.AGENT
    left_over = claimed == ClaimedAuthor.HUMAN and ours == Author.AGENT and lines.claimed_basis == ClaimBasis.REST
    rules = (
        (lines.record_status in _INCONSISTENT or lines.copied, Disagreement.REBASED_NOTE),
        (lines.how == How.REFORMATTED, Disagreement.FORMATTER),
        (lines.how == How.EDITED or claimed == ClaimedAuthor.MIXED, Disagreement.EDITED_LINE),
        (lines.producer == "trailers", Disagreement.WHOLE_COMMIT),
        (left_over and guesses, Disagreement.RECOVERED_LINES),
        (by_agent and whole, Disagreement.WHOLE_FILE),
        (by_agent and guesses and lines.lines <= _SHORT, Disagreement.RECOVERED_LINES),
    )
    return next((cause for holds, cause in rules if holds), Disagreement.OTHER)
