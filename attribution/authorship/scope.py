"""How much of a history is read and judged: all of it in a run, what bears on a few files for a
question.
"""

from collections.abc import Collection
from typing import NamedTuple


class _Everything(frozenset[str]):
    """Has every name in it, and none to be listed."""

    def __contains__(self, name: object) -> bool:
        return True


EVERYTHING = _Everything()


class Scope(NamedTuple):
    """What is read and judged; all of it unless something is left out."""

    commits: Collection[str] = EVERYTHING  # their ids; of the others nothing is read
    paths: Collection[str] = EVERYTHING  # of other files no more is found out
    since: float = 0.0  # commands that ended before are not known
    asked: Collection[str] = EVERYTHING  # of these commits the verdicts are wanted
    # `LineFiles.shared_lines` of the attributed commits; None: not kept, all files of `commits` are
    # counted
    shared: bytes | None = None


ALL = Scope()
