"""Which commits of a branch were made of commits that name checkpoints: by rebase, cherry-pick,
amend or squash. Pure.

A proposal is a pull request or another branch (`collector.checkpoints.pull_requests`). In order of
strength:

- `same_patch_id`: equal patches, of one commit or of a whole proposal;
- `trailer_in_pull_ref`: the same author, second and subject, so an earlier version of this very
  commit;
- `squash_by_number`: the subject ends in the number of the pull request, as squash merges write it,
  or the message of the commit or of the merge that brought it names the merge request, as on
  GitLab.

What was authored after the branch's commit never explains it, nor does a proposal that shares no
path with it.
"""

import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property

from attribution.authorship.case import SLACK
from collector.checkpoints.pull_requests import Names, PullRequest, named_checkpoints
from collector.groups import group_pairs
from collector.model import Commit

# Measured on repositories that show both sides (docs/accuracy.md), rounded down.
CONFIDENCE = {"same_patch_id": 0.99, "trailer_in_pull_ref": 0.98, "squash_by_number": 0.97}
_NUMBER = re.compile(r"\((?:#|!|pull request #)(\d{1,9})\)\s*$")
_MERGE_REQUEST = re.compile(r"^See merge request [^\s!]{0,300}!(\d{1,9})\s*$", re.MULTILINE)

Paths = Callable[[str, str], frozenset[str]]
"""(commit or "" for nothing, commit) -> paths that differ."""

PatchId = Callable[[str, str], str | None]
"""(commit or "" for nothing, commit) -> id of the patch between them."""


@dataclass(frozen=True, slots=True)
class OriginalCommit:
    """A commit beside the branch that names checkpoints, and by what we know that the branch's
    commit was made of it.
    """

    commit: Commit
    method: str

    @property
    def confidence(self) -> float:
        return CONFIDENCE[self.method]


@dataclass(slots=True)
class SquashSource:
    """What one commit of the branch was made of."""

    originals: list[OriginalCommit] = field(default_factory=list)
    # commits of the same squashed proposal that name nothing
    others: list[Commit] = field(default_factory=list)
    paths: set[str] = field(default_factory=set)  # that the originals changed

    @property
    def commits(self) -> list[Commit]:
        return [o.commit for o in self.originals] + self.others


def squash_sources(
    commits: Iterable[Commit],
    proposals: Sequence[PullRequest],
    paths: Paths,
    patch_id: PatchId,
    arrived: Container[str] = frozenset(),
    names: Names = named_checkpoints,
) -> dict[str, SquashSource]:
    """Commit id -> what it was made of, for those of `commits` that were.

    `arrived`: what commits of the branch name themselves, so that what became of their originals is
    known. `names`: what makes a commit worth finding, by default the checkpoints in its message.
    """
    every = list(commits)
    search = _Search([c for c in every if not c.is_merge], proposals, paths, patch_id, names)
    search.single_commits(arrived)
    search.numbers(merge_requests(every))
    search.whole_proposals(arrived)
    return search.found


def pull_number(subject: str) -> int:
    """Number of the pull request that a squash merge puts at the end of its subject; 0 if there
    is none.
    """
    match = _NUMBER.search(subject)
    return int(match[1]) if match else 0


def merge_requests(commits: Iterable[Commit]) -> dict[str, int]:
    """Commit id -> number of the merge request that its message names, or that of the merge
    whose second parent it is (GitLab).
    """
    result = dict[str, int]()
    for commit in commits:
        named = _MERGE_REQUEST.search(commit.message)
        if named and len(commit.parents) < 3:
            result[commit.parents[1] if len(commit.parents) == 2 else commit.sha] = int(named[1])
    return result


def subject_of(commit: Commit) -> str:
    """The subject without the number a merge may have added."""
    return _NUMBER.sub("", commit.subject).strip()


class _Search:
    """The three methods, one after another, over the commits that are still without an original."""

    def __init__(
        self,
        commits: Sequence[Commit],
        proposals: Sequence[PullRequest],
        paths: Paths,
        patch_id: PatchId,
        names: Names,
    ) -> None:
        self.commits = commits
        self.proposals = proposals
        self._names = names
        self.found: dict[str, SquashSource] = {}
        self._paths_between = cache(paths)
        self._patch_id = cache(patch_id)
        # original -> number of the pull request that it was merged with
        self._claimed: dict[str, int] = {}
        self._merged: set[str] = set()  # tips of proposals of which some commit was found by itself
        self._open = {c.sha for c in commits}

    def paths(self, commit: Commit) -> frozenset[str]:
        return self._paths_between(_parent(commit), commit.sha)

    def patch(self, commit: Commit) -> str | None:
        return self._patch_id(_parent(commit), commit.sha)

    @cached_property
    def _by_paths(self) -> Mapping[frozenset[str], Sequence[Commit]]:
        return group_pairs((self.paths(commit), commit) for commit in self.commits)

    def single_commits(self, arrived: Container[str]) -> None:
        """Rebases, cherry-picks, amended commits, and squashes of one commit."""
        twins = group_pairs(
            ((commit.author_email.lower(), commit.author_time), commit) for commit in self.commits
        )
        naming = {
            c.sha: c for p in self.proposals for c in p.commits if not c.is_merge and self._names(c)
        }
        for original in naming.values():
            if self._has_arrived(original, arrived):
                continue
            existing = twins.get((original.author_email.lower(), original.author_time), ())
            same = [c for c in existing if subject_of(c) == subject_of(original)]
            for commit in same:
                self._add(
                    commit,
                    original,
                    (
                        "same_patch_id"
                        if self._same_patch(commit, original)
                        else "trailer_in_pull_ref"
                    ),
                )
            others = () if same else self._commits_with_paths(self.paths(original))
            for commit in others:
                if original.author_time <= commit.author_time + SLACK and self._same_patch(
                    commit, original
                ):
                    self._add(commit, original, "same_patch_id")
        self._open -= self.found.keys()
        single = {o.commit.sha for created in self.found.values() for o in created.originals}
        self._merged = {p.tip for p in self.proposals if any(c.sha in single for c in p.commits)}

    def _same_patch(self, commit: Commit, original: Commit) -> bool:
        patch = self.patch(original)
        return patch is not None and patch == self.patch(commit)

    def _commits_with_paths(self, paths: frozenset[str]) -> Sequence[Commit]:
        return self._by_paths.get(paths, ()) if paths else ()

    def _add(self, commit: Commit, original: Commit, method: str) -> None:
        created = self.found.setdefault(commit.sha, SquashSource())
        created.originals.append(OriginalCommit(original, method))
        created.paths |= self.paths(original)

    def numbers(self, named: Mapping[str, int]) -> None:
        """Squashes that name their pull request; `named`: those that something else names."""
        pulls = {p.number: p for p in self.proposals if p.number}
        for commit in self.commits:
            number = pull_number(commit.subject) or named.get(commit.sha, 0)
            if number in pulls and commit.sha in self._open:
                self._add_squash(commit, pulls[number], "squash_by_number")

    def whole_proposals(self, arrived: Container[str]) -> None:
        """Squashes without a number: the same patch as everything the proposal changed."""
        used = {o.commit.sha for created in self.found.values() for o in created.originals}
        for proposal in self.proposals:
            named = [c for c in proposal.commits if self._names(c)]
            if any(c.sha in used or self._has_arrived(c, arrived) for c in named):
                continue
            if not proposal.base:
                continue
            for commit in self._commits_with_paths(
                self._paths_between(proposal.base, proposal.tip)
            ):
                patch = self._patch_id(proposal.base, proposal.tip)
                if commit.sha in self._open and patch is not None and patch == self.patch(commit):
                    self._add_squash(commit, proposal, "same_patch_id")

    def _add_squash(self, commit: Commit, proposal: PullRequest, method: str) -> None:
        if proposal.tip in self._merged:
            return  # rebased, not squashed: its commits are on the branch one by one
        before = [
            c
            for c in proposal.commits
            if not c.is_merge and c.author_time <= commit.author_time + SLACK
        ]
        mine = [c for c in before if self._claimed.get(c.sha, proposal.number) == proposal.number]
        named = [c for c in mine if self._names(c)]
        if not named or not any(self.paths(c) & self.paths(commit) for c in mine):
            return
        for original in named:
            self._add(commit, original, method)
        self.found[commit.sha].others.extend(c for c in mine if not self._names(c))
        self._claimed.update((c.sha, proposal.number) for c in mine)
        self._open.discard(commit.sha)

    def _has_arrived(self, original: Commit, arrived: Container[str]) -> bool:
        return all(key in arrived for key in self._names(original))


def _parent(commit: Commit) -> str:
    return commit.parents[0] if commit.parents else ""
