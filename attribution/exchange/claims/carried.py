"""Records of commits that a squash or a rebase replaced: which commit of the branch holds their lines now, and where.

A squash merge leaves the notes on the commits of the pull request. Where the clone has those (`refs/pull/*/head`), the commit of
the branch that was made of them is found as for trailers (`attribution/authorship/originals.py`). A claimed line is taken along if
the original adds it and if it stands in the branch's version of the file, by git's own diff, as a line that the branch's commit
adds. Lines that a later commit of the pull request changed stay behind.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from attribution.authorship.originals import squash_sources
from attribution.authorship.recover import paths_between
from attribution.exchange.claims.verify import CheckedClaim, CommittedFiles, check
from attribution.exchange.words import CARRIED, Anchor
from collector.checkpoints.pull_requests import read_pull_requests
from collector.git.ranges import LineRange, Ranges, intersect, unite
from collector.git.repository import GitRepo, line_changes
from collector.model import Commit
from collector.text import is_binary, split_lines

_ANCHORS = dict(zip(("same_patch_id", "trailer_in_pull_ref", "squash_by_number"), CARRIED, strict=True))

Text = Callable[[str, str], bytes | None]
"""(commit, path) -> the file's text there; None when there is none, or it is too large."""


class NewPlace(NamedTuple):
    """The commit of the branch that holds what an original commit did."""

    commit: str
    anchor: Anchor


def new_places(repo: GitRepo, head: str, noted: Container[str]) -> dict[str, NewPlace]:
    """Of the commits of `noted` beside the branch, those that became part of a commit of the branch which has no note itself."""

    def names(commit: Commit) -> tuple[str, ...]:
        return (commit.sha,) if commit.sha in noted else ()

    proposals = read_pull_requests(repo, head, names)
    if not proposals:
        return {}
    commits = [commit for commit in repo.history(head) if commit.sha not in noted]
    new = dict[str, NewPlace]()
    for sha, squash in squash_sources(commits, proposals, partial(paths_between, repo), repo.patch_id, names=names).items():
        for original in squash.originals:
            new.setdefault(original.commit.sha, NewPlace(sha, _ANCHORS[original.method]))
    return new


def carry(checked: Sequence[CheckedClaim], before: str, after: str, files: CommittedFiles, text: Text) -> list[CheckedClaim]:
    """The claims, in their order, with those of their lines that `before` adds and that stand in `after`, checked against that one.

    `checked`: the claims as checked against `before`; `files`: those of the commit `after`.
    """
    blocks = dict[str, tuple[tuple[LineRange, LineRange], ...]]()
    moved = []
    for entry in checked:
        path = entry.claim.path
        if path not in blocks:
            blocks[path] = _common_blocks(text(before, path), text(after, path))
        moved.append(replace(entry.claim, ranges=_moved_lines(entry.added_lines(), blocks[path])))
    return [CheckedClaim(entry.claim, new.lines) for entry, new in zip(checked, check(moved, files), strict=True)]


def _common_blocks(old: bytes | None, new: bytes | None) -> tuple[tuple[LineRange, LineRange], ...]:
    """Blocks of lines that two texts share, as (lines in the old one, lines in the new one)."""
    if old is None or new is None or is_binary(old) or is_binary(new):
        return ()
    blocks, a, b = [], 0, 0
    for change in line_changes(old, new):
        blocks.append(((a + 1, change.a0), (b + 1, change.b0)))
        a, b = change.a1, change.b1
    blocks.append(((a + 1, len(split_lines(old))), (b + 1, len(split_lines(new)))))
    return tuple(block for block in blocks if block[0][0] <= block[0][1])


def _moved_lines(ranges: Ranges, blocks: Iterable[tuple[LineRange, LineRange]]) -> Ranges:
    moved: list[LineRange] = []
    for old, new in blocks:
        by = new[0] - old[0]
        moved.extend((first + by, last + by) for first, last in intersect(ranges, (old,)))
    return unite(moved)
