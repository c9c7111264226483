"""The sections of `collect --help`, in order. Each command's module says which section it belongs to."""

from __future__ import annotations

from enum import StrEnum


class Section(StrEnum):
    FIND = "Find repositories"
    FILL = "Fill and manage a database"
    INSPECT = "Inspect a clone"
