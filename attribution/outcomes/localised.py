"""How long an agent looked in the wrong place: the files its calls name, beside those that commits of the session changed. Pure.

The files of an evaluation's reference patch are not known for a session; the files of its commits stand in for them. A session
changes the files that it commits, so being right at once says little, and looking elsewhere first says more.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any


def localised(seen: Sequence[Mapping[str, Any]], linked: Collection[str] | None, touched: Collection[str]) -> dict[str, Any]:
    """The columns of that name, all None without a linked commit. `seen`: as the feature files_seen; `linked`, `touched`: paths in
    the repository, of the files that linked commits and the session changed."""
    names = ("localized_correct_file", "first_read_correct_file", "files_before_correct_file", "seconds_before_correct_file")
    if not linked:
        return dict.fromkeys(names)
    from_root = any(file["changed"] is not None and file["path"] in touched for file in seen)
    right = [_is_one(str(file["path"]), linked, from_root) for file in seen]
    first = right.index(True) if True in right else None
    times = [file["at"] for file in seen if file["at"] is not None]
    found = None if first is None else seen[first]["at"]
    values = (
        _first_is_right(seen, right, "changed"),
        _first_is_right(seen, right, "read"),
        first,
        None if found is None else round(max(0.0, found - min(times)), 3),
    )
    return dict(zip(names, values, strict=True))


def _first_is_right(seen: Sequence[Mapping[str, Any]], right: Sequence[bool], how: str) -> int | None:
    """Whether a file of the first call that did so is a right one; None: no call did."""
    calls = [file[how] for file in seen if file[how] is not None]
    return int(any(is_right and file[how] == min(calls) for file, is_right in zip(seen, right, strict=True))) if calls else None


def _is_one(path: str, linked: Collection[str], from_root: bool) -> bool:
    """Paths of a session that ran in a directory below or above the root are the ends of the files' own, or the other way round."""
    return path in linked or (not from_root and any(file.endswith("/" + path) or path.endswith("/" + file) for file in linked))
