"""Is what a record claims true of its commit? And commits of a clone, as this check sees them.

Every claimed line gets one status, the first of `LINE_STATUSES` that applies. A record has the
first that applies of COMMIT_MISSING, UNREACHABLE (the commit is not in the history of the branch),
then the worst of its lines, EMPTY when it claims none, and OK. It is *consistent* when all its
lines are added ones.

A squash merge leaves the notes on the commits of the pull request. Where the clone has those
(`refs/pull/*/head`), the commit of the branch that was made of them is found as for trailers
(`attribution/authorship/originals.py`). A claimed line is taken along if the original adds it and
if it stands in the branch's version of the file, by git's own diff, as a line that the branch's
commit adds. Lines that a later commit of the pull request changed stay behind.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

from attribution.authorship.originals import squash_sources
from attribution.authorship.recover import paths_between
from attribution.exchange.producers.model import Claim
from attribution.exchange.words import CARRIED, Anchor, ClaimStatus, Reach
from collector.checkpoints.pull_requests import read_pull_requests
from collector.git.ranges import LineRange, Ranges, count, intersect, subtract, unite
from collector.git.repository import OTHER_LOOKS, GitRepo, line_changes
from collector.model import Commit, FileChange, LineChange
from collector.text import is_binary, split_lines

LINE_STATUSES = tuple(
    status for status in ClaimStatus if status not in (ClaimStatus.UNREACHABLE, ClaimStatus.EMPTY)
)
ADDED = (ClaimStatus.OK, ClaimStatus.DANGLING_KEY)  # lines that count as claimed


@dataclass(slots=True)
class CheckedClaim:
    """One claim with its lines by status."""

    claim: Claim
    lines: dict[ClaimStatus, Ranges] = field(default_factory=dict)

    def count(self, status: ClaimStatus) -> int:
        return count(self.lines.get(status, ()))

    def added_lines(self) -> Ranges:
        """The lines that the commit really adds and no later entry gives to somebody else."""
        return unite(lines for status in ADDED for lines in self.lines.get(status, ()))

    def put(self, status: ClaimStatus, lines: Ranges) -> None:
        if lines:
            self.lines[status] = lines


def check(claims: Sequence[Claim], commit: CommittedFiles | None) -> list[CheckedClaim]:
    """Each claim's lines by status, in order of the claims. A claim without ranges has none."""
    checked = [CheckedClaim(claim) for claim in claims]
    if commit is None:
        for entry in checked:
            entry.put(ClaimStatus.COMMIT_MISSING, unite(entry.claim.ranges))
        return checked
    by_path: dict[str, list[CheckedClaim]] = {}
    for entry in checked:
        by_path.setdefault(entry.claim.path, []).append(entry)
    for path, entries in by_path.items():
        file = commit.file(path)
        taken: dict[tuple[str, str, str], Ranges] = {}
        for entry in reversed(entries):
            _check(entry, file, taken)
    return checked


def _check(
    entry: CheckedClaim, file: CommittedFile | None, taken: dict[tuple[str, str, str], Ranges]
) -> None:
    claimed = unite(entry.claim.ranges)
    if file is None or not file.complete:
        entry.put(ClaimStatus.FILE_MISSING if file is None else ClaimStatus.COMMIT_MISSING, claimed)
        return
    inside = intersect(claimed, ((1, file.lines),)) if file.lines else ()
    entry.put(ClaimStatus.BEYOND_EOF, subtract(claimed, inside))
    added = intersect(inside, file.added_lines)
    if missing := subtract(inside, added):
        added = unite((*added, *intersect(missing, file.perhaps_added)))
    entry.put(ClaimStatus.NOT_ADDED, subtract(inside, added))
    who = entry.claim.who
    owner = (who.author, who.tool, who.session or who.person)
    others = unite(lines for name, ranges in taken.items() if name != owner for lines in ranges)
    entry.put(ClaimStatus.OVERLAPPING, intersect(added, others))
    remaining = subtract(added, others)
    taken[owner] = unite((*taken.get(owner, ()), *remaining))
    entry.put(ClaimStatus.DANGLING_KEY if entry.claim.dangling else ClaimStatus.OK, remaining)


def worst(checked: Iterable[CheckedClaim]) -> ClaimStatus:
    """What the lines make of their record, the commit's place aside: a line status, or EMPTY."""
    statuses = set[ClaimStatus]()
    whole = False
    for entry in checked:
        statuses.update(entry.lines)
        whole = whole or not entry.claim.ranges
    return next(
        (status for status in LINE_STATUSES if status in statuses),
        ClaimStatus.OK if whole else ClaimStatus.EMPTY,
    )


def status_of(findings: ClaimStatus, reach: Reach) -> ClaimStatus:
    """The status of a record: `findings` as `worst` gives them."""
    if reach == Reach.MISSING:
        return ClaimStatus.COMMIT_MISSING
    return findings if reach == Reach.BRANCH else ClaimStatus.UNREACHABLE


class CommittedFiles:
    """One commit with the files that claims ask for.

    A merge adds what it adds to any of its parents.
    """

    def __init__(self, repo: GitRepo, commit: Commit) -> None:
        self._repo = repo
        self._commit = commit
        self._files: dict[str, CommittedFile | None] = {}

    def file(self, path: str) -> CommittedFile | None:
        if path not in self._files:
            self._files[path] = self._look(path)
        return self._files[path]

    @cached_property
    def _changes(self) -> list[dict[str, FileChange]] | None:
        """Changed files against each parent; None when a tree is missing."""
        against = []
        for parent in range(max(1, len(self._commit.parents))):
            changes = self._repo.changes(self._commit, parent)
            if changes is None:
                return None
            against.append({change.path: change for change in changes if change.status != "D"})
        return against

    def paths(self) -> set[str]:
        """Of files it adds lines to, or may."""
        return {path for changes in self._changes or () for path in changes}

    def _look(self, path: str) -> CommittedFile | None:
        if not path or path.startswith("/"):
            return None
        blob = self._repo.file_at(self._commit.sha, path)
        if blob is None:
            return None
        size = self._repo.blob_size(blob)
        new = self._repo.text_blob(blob)
        if self._changes is None or size is None:
            return CommittedFile([], complete=False)
        if new is None or is_binary(new):
            return CommittedFile([])  # no lines that anybody could claim
        olds = []
        for changes in self._changes:
            change = changes.get(path)
            old = new if change is None else self._repo.blob(change.old) if change.old else b""
            if old is None:
                return CommittedFile([], complete=False)
            olds.append(old)
        return CommittedFile(olds, new)


class CommittedFile:
    """A file of a commit, and what it was in each parent."""

    def __init__(self, olds: list[bytes], new: bytes = b"", complete: bool = True) -> None:
        self.complete = complete  # False: its text, or the text before, is not in this clone
        self._olds = olds
        self._new = new
        self._lines = split_lines(new)

    @property
    def lines(self) -> int:
        return len(self._lines)

    @cached_property
    def added_lines(self) -> Ranges:
        """Lines that the commit adds, as git's own diff says."""
        return unite(
            span for old in self._olds for span in _new_lines(line_changes(old, self._new))
        )

    @cached_property
    def perhaps_added(self) -> Ranges:
        """Lines that it adds as some other diff says; which of several equal lines is the new
        one is a matter of taste.
        """
        changed = [old for old in self._olds if old and old != self._new]
        return unite(
            span
            for old in changed
            for look in OTHER_LOOKS
            for span in _new_lines(line_changes(old, self._new, look))
        )


def _new_lines(changes: list[LineChange]) -> Ranges:
    return tuple((change.b0 + 1, change.b1) for change in changes if change.b1 > change.b0)


_ANCHORS = dict(
    zip(("same_patch_id", "trailer_in_pull_ref", "squash_by_number"), CARRIED, strict=True)
)

Text = Callable[[str, str], bytes | None]
"""(commit, path) -> the file's text there; None when there is none, or it is too large."""


def new_places(repo: GitRepo, head: str, noted: Container[str]) -> dict[str, tuple[str, Anchor]]:
    """Of the commits of `noted` beside the branch, those that became part of a commit of the
    branch which has no note itself.
    """

    def names(commit: Commit) -> tuple[str, ...]:
        return (commit.sha,) if commit.sha in noted else ()

    proposals = read_pull_requests(repo, head, names)
    if not proposals:
        return {}
    commits = [commit for commit in repo.history(head) if commit.sha not in noted]
    new = dict[str, tuple[str, Anchor]]()
    for sha, squash in squash_sources(
        commits, proposals, partial(paths_between, repo), repo.patch_id, names=names
    ).items():
        for original in squash.originals:
            new.setdefault(original.commit.sha, (sha, _ANCHORS[original.method]))
    return new


def carry(
    checked: Sequence[CheckedClaim], before: str, after: str, files: CommittedFiles, text: Text
) -> list[CheckedClaim]:
    """The claims, in their order, with those of their lines that `before` adds and that stand in
    `after`, checked against that one.

    `checked`: the claims as checked against `before`; `files`: those of the commit `after`.
    """
    blocks = {}
    moved = []
    for entry in checked:
        path = entry.claim.path
        if path not in blocks:
            blocks[path] = _common_blocks(text(before, path), text(after, path))
        moved.append(entry.claim._replace(ranges=_moved_lines(entry.added_lines(), blocks[path])))
    return [
        CheckedClaim(entry.claim, new.lines)
        for entry, new in zip(checked, check(moved, files), strict=True)
    ]


def _common_blocks(old: bytes | None, new: bytes | None) -> tuple[tuple[LineRange, LineRange], ...]:
    """Blocks of lines that two texts share, as (lines in the old one, lines in the new one)."""
    if old is None or new is None or is_binary(old) or is_binary(new):
        return ()
    blocks = []
    a = 0
    b = 0
    for change in line_changes(old, new):
        blocks.append(((a + 1, change.a0), (b + 1, change.b0)))
        a = change.a1
        b = change.b1
    blocks.append(((a + 1, len(split_lines(old))), (b + 1, len(split_lines(new)))))
    return tuple(block for block in blocks if block[0][0] <= block[0][1])


def _moved_lines(ranges: Ranges, blocks: Iterable[tuple[LineRange, LineRange]]) -> Ranges:
    moved: list[LineRange] = []
    for old, new in blocks:
        by = new[0] - old[0]
        moved.extend((first + by, last + by) for first, last in intersect(ranges, (old,)))
    return unite(moved)
