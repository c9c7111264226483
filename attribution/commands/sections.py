"""The sections of `attribute --help`, in order. Each command's module says which section it belongs to."""

from __future__ import annotations

from enum import StrEnum


class Section(StrEnum):
    ATTRIBUTE = "Attribute repositories"
    INSPECT = "Inspect lines and commits"
    FOLLOW = "Follow code over time"
    SESSIONS = "Analyse sessions"
    WEAKNESSES = "Find weaknesses"
    EXCHANGE = "Report and exchange data"
    CHECK = "Check the results"
