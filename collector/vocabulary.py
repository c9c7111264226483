"""The words of the database: every value that a column of classes, reasons or outcomes can have."""

from __future__ import annotations


def line_class(author: str, evidence: str, reason: str) -> str:
    """agent, declared, human, unknown or undeclared: the classes of reports."""
    if author == "agent":
        return "declared" if evidence == "declared" else "agent"
    return "undeclared" if author == "unknown" and reason == "no_session" else author
