"""Whether an agent looked in the right place: the files it changed first, beside those that commits of the session changed. Pure.

The files of an evaluation's reference patch are not known for a session; the files of its commits stand in for them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any


def localized_correct_file(
    files: Sequence[Mapping[str, Any]], linked: Collection[str] | None, touched: Collection[str]
) -> int | None:
    """The feature of that name: whether a file of the first call that changed any is one of the linked files.

    `files`: as the feature files_seen; `linked`, `touched`: files of the repository that linked commits and the session changed.
    None without a linked commit, or when no call changed a file.
    """
    changed = [file for file in files if file["changed"] is not None]
    if not linked or not changed:
        return None
    from_root = any(file["path"] in touched for file in changed)
    first = min(file["changed"] for file in changed)
    return int(any(file["changed"] == first and _is_linked(str(file["path"]), linked, from_root) for file in changed))


def _is_linked(path: str, linked: Collection[str], from_root: bool) -> bool:
    """Paths of a session that ran in a directory below or above the root are the ends of the files' own, or the other way round."""
    return path in linked or (not from_root and any(file.endswith("/" + path) or path.endswith("/" + file) for file in linked))
