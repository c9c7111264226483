"""Where a claim and our own verdict speak of the same line: do they agree, and if not, why? Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

AGREE, DISAGREE, UNDECIDED, NOT_CLAIMED = "agree", "disagree", "undecided", "not_claimed"

# Cause -> what it means, for people.
CAUSES = {
    "": "",
    "rebased_note": "the note was copied from another commit, or does not describe this one",
    "formatter": "only the layout of the line differs from what the agent wrote",
    "whole_file_claim": "the claim takes every added line of the file",
    "whole_commit_claim": "a trailer covers the whole commit",
    "recovered_lines": "the producer fills what it did not see: the rest of a note becomes human, small gaps the agent's",
    "missing_session": "we have no transcript that could tell",
    "shell_command": "a command whose effect its text does not give",
    "edited_line": "an agent's line that somebody changed: both have a claim to it",
    "other": "",
}
_NO_SESSION = frozenset(
    {
        "no_session", "transcript_missing", "checkpoint_missing", "invisible_subagent", "uncaptured", "agent_declared",
        "base_unknown", "unobserved", "rewritten", "other_branch",
    }
)  # fmt: skip
_SHORT = 3  # git-ai gives unknown runs of up to three lines beside an agent's to the agent
_INCONSISTENT = frozenset({"not_added", "beyond_eof", "file_missing"})


def compare(row: Mapping[str, Any]) -> tuple[str, str]:
    """(agree, disagree or undecided; cause) of a row of `claimed_lines`.

    Undecided: one side does not know, or ours is no observation but a trailer's word.
    """
    claimed, ours = row["claimed_author"], row["author"]
    if ours is None or claimed == "unknown":
        return UNDECIDED, "other" if ours is not None else "missing_session"
    if row["evidence"] == "declared":
        return UNDECIDED, "missing_session"
    if ours == "unknown":
        return UNDECIDED, _why_unknown(row["reason"])
    if claimed == ours or (claimed == "mixed" and ours == "agent"):
        return AGREE, ""
    return DISAGREE, _why_not(row, claimed, ours)


def _why_unknown(reason: str) -> str:
    if reason in _NO_SESSION:
        return "missing_session"
    return {"opaque_shell": "shell_command", "formatter": "formatter"}.get(reason, "other")


def _why_not(row: Mapping[str, Any], claimed: str, ours: str) -> str:
    """One says agent, the other human: the first rule that holds."""
    filled = row["producer"] == "git-ai"
    whole = row["claim_lines"] and row["file_lines_added"] and row["claim_lines"] >= row["file_lines_added"] > _SHORT
    rules = (
        (row["record_status"] in _INCONSISTENT or row["copied"], "rebased_note"),
        (row["how"] == "reformatted", "formatter"),
        (row["how"] == "edited" or claimed == "mixed", "edited_line"),
        (row["producer"] == "trailers", "whole_commit_claim"),
        (claimed == "human" and ours == "agent" and filled, "recovered_lines"),
        (claimed == "agent" and whole, "whole_file_claim"),
        (claimed == "agent" and filled and row["lines"] <= _SHORT, "recovered_lines"),
    )
    return next((cause for holds, cause in rules if holds), "other")
