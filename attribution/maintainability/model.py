"""What is measured of a commit. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Unmeasured(StrEnum):
    """Why a commit has no value of the delta maintainability model."""

    MERGE = "merge"  # what it changed was measured in the commits that it merges
    NO_CODE = "no_code"  # it adds no line to a file that counts
    VOLUME_UNCHANGED = "volume_unchanged"  # no function grew, shrank, came or went
    TOO_LARGE = "too_large"  # more changed text than is read for one commit
    UNREADABLE = "unreadable"  # the clone lacks an object of it
    NOT_PARSED = "not_parsed"  # lizard failed on one of its files
    FAILED = "failed"  # it took too long or too much memory, or pydriller failed


EXPECTED = (Unmeasured.MERGE, Unmeasured.NO_CODE, Unmeasured.VOLUME_UNCHANGED)


@dataclass(frozen=True, slots=True)
class Request:
    """A commit to be measured."""

    sha: str
    large: frozenset[str] = frozenset()  # changed paths that are too large to be parsed


@dataclass(frozen=True, slots=True)
class DeltaMaintainability:
    """Share of the change in volume that is good, 0 to 1; None when the volume of no function changed."""

    unit_size: float | None
    unit_complexity: float | None
    unit_interfacing: float | None


@dataclass(frozen=True, slots=True)
class CommitProcess:
    """pydriller's process metrics of one commit, over all files that it changes."""

    change_set: int  # files
    code_churn: int  # lines added and deleted
    hunks: int


@dataclass(frozen=True, slots=True)
class Measured:
    """What pydriller says about a commit."""

    sha: str
    files: int = 0  # whose functions were read
    left_out: int = 0  # program files that do not count
    quality: DeltaMaintainability | None = None
    process: CommitProcess | None = None
    reason: Unmeasured | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class FileHistory:
    """What happened to the changed files before the commit: pydriller's metrics, as means over the files that existed."""

    contributors: float
    contributors_experience: float  # lines of the author who changed most, in percent of all changed lines
    earlier_commits: float
