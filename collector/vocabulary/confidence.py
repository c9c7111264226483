"""Words about measured error rates. Pure."""

from __future__ import annotations

from collector.vocabulary import Word


class RateOf(Word):
    """Which of the lines that were read a measured rate is about."""

    TIER = "tier", "lines of the same author, how, evidence and reason"
    REASON = "reason", "lines of the same author, evidence and reason"
    EVIDENCE = "evidence", "lines of the same class and evidence"
    CLASS = "class", "lines of the same class"
