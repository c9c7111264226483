"""What git says of commits and files, and what cannot be used: the part of the data model that
needs nothing of sessions.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that could not be used. Never dropped silently: each becomes a row."""

    stage: str
    subject: str
    code: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Commit:
    sha: str
    parents: tuple[str, ...]
    tree: str
    author_name: str
    author_email: str
    author_time: float
    committer_name: str
    committer_email: str
    commit_time: float
    message: str

    @property
    def subject(self) -> str:
        return self.message.strip("\n").split("\n", 1)[0]

    @property
    def is_merge(self) -> bool:
        return len(self.parents) > 1


@dataclass(frozen=True, slots=True)
class FileChange:
    """One path that differs between two trees.

    Ids are None where the file does not exist on that side.
    """

    path: str  # in the new tree; in the old one for a deletion
    old_path: str
    old: str | None
    new: str | None
    old_mode: int
    new_mode: int
    status: str  # A | D | M | R | T


@dataclass(frozen=True, slots=True)
class LineChange:
    """Half-open, 0-based ranges: old[a0:a1] became new[b0:b1]."""

    a0: int
    a1: int
    b0: int
    b1: int


@dataclass(frozen=True, slots=True)
class Censored:
    """What a clone cannot show: shallow roots, commits with other parents by `info/grafts`,
    objects left out by a partial clone.
    """

    shallow: tuple[str, ...] = ()
    partial: bool = False
    notes: tuple[str, ...] = field(default_factory=tuple)
