"""What was proposed for a branch and reached it as something else: pull requests and branches whose
commits name checkpoints.

A squash, a rebase or a cherry-pick makes new commits, and often loses the trailers. The originals
are still there when the clone has the refs of the pull requests (`refs/pull/N/head` on GitHub,
`refs/merge-requests/N/head` on GitLab) or the branch itself.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import islice
from typing import NamedTuple

from collector.checkpoints.entire import BRANCHES, is_checkpoint_ref
from collector.checkpoints.statements import checkpoint_ids
from collector.git.repository import GitRepo
from collector.groups import positions
from collector.json_values import Texts
from collector.limits import OTHER_BRANCHES, OTHER_COMMITS
from collector.model import Commit

_PULL = re.compile(r"^refs/(?:remotes/[^/]+/)?(?:pull|merge-requests)/(\d{1,9})/head$")
_BRANCH = re.compile(rf"^refs/(?:heads|remotes/[^/]+)/(?!{BRANCHES})")

Names = Callable[[Commit], Collection[str]]
"""What of interest a commit names: nothing makes it like any other."""


def named_checkpoints(commit: Commit) -> Collection[str]:
    """The checkpoints in a commit's message."""
    return checkpoint_ids(commit.message)


class PullRequest(NamedTuple):
    """A pull request or another branch of which some commit, not on the attributed branch, names
    a checkpoint.
    """

    ref: str
    number: int  # of the pull request; 0 for a branch
    tip: str
    commits: tuple[Commit, ...]  # the ones the attributed branch does not reach, parents first
    # where it parts from the branch, as far as is known: the last commit of the branch that it
    # contains
    base: str = ""


def is_source(ref: str) -> bool:
    """Whether a ref can hold originals of the commits of a branch."""
    return bool(_PULL.match(ref) or _BRANCH.match(ref))


def _tips(repo: GitRepo, head: str) -> Texts:
    return {name: oid for name, oid in repo.refs().items() if is_source(name) and oid != head}


def pull_heads(repo: GitRepo) -> dict[int, str]:
    """Number of each pull request that the clone has -> its last commit."""
    heads = {}
    for name, oid in repo.refs().items():
        pull = _PULL.match(name)
        if pull is not None:
            heads[int(pull[1])] = oid
    return heads


def commits_beside(repo: GitRepo, head: str) -> list[Commit]:
    """The commits of pull requests and other branches that the branch which ends in `head` does
    not reach, parents first.
    """
    return list(repo.history_of(sorted(set(_tips(repo, head).values())), [head]))


def read_pull_requests(
    repo: GitRepo, head: str, names: Names = named_checkpoints
) -> list[PullRequest]:
    """The proposals beside the branch that ends in `head`, pull requests first; only those with
    a commit that names something.
    """
    tips = _tips(repo, head)
    beside = {c.sha: c for c in commits_beside(repo, head)}
    telling = _telling(beside, names)
    location = positions(beside)
    results = {}
    for name in sorted(tips, key=lambda ref: (_PULL.match(ref) is None, ref)):
        tip = tips[name]
        # a branch that is also a pull request adds nothing
        if tip in telling and tip not in results:
            pull = _PULL.match(name)
            commits = tuple(
                beside[sha] for sha in sorted(_reach(tip, beside), key=location.__getitem__)
            )
            results[tip] = PullRequest(
                name, int(pull[1]) if pull else 0, tip, commits, _base(repo, commits, beside)
            )
    return list(results.values())


def _telling(beside: Mapping[str, Commit], names: Names) -> set[str]:
    """Commits that name something, or descend from one that does; `beside` has parents first."""
    results = set()
    for sha, commit in beside.items():
        if names(commit) or any(parent in results for parent in commit.parents):
            results.add(sha)
    return results


def _base(repo: GitRepo, commits: Iterable[Commit], beside: Mapping[str, Commit]) -> str:
    """The latest of the branch's commits that these were put on or merged with."""
    edges = {parent for commit in commits for parent in commit.parents if parent not in beside}
    existing = [item for item in map(repo.commit, sorted(edges)) if item is not None]
    if existing:
        return max(existing, key=lambda c: c.commit_time).sha
    return ""


def _reach(tip: str, beside: Mapping[str, Commit]) -> list[str]:
    visited = {tip}
    stack = [tip]
    while stack:
        for parent in beside[stack.pop()].parents:
            if parent in beside and parent not in visited:
                visited.add(parent)
                stack.append(parent)
    return list(visited)


# --- branches that hold what this one lacks -------------------------------------------------------


_BRANCHES = ("refs/heads/", "refs/remotes/")


def other_branches(repo: GitRepo, head: str, needed: Collection[str]) -> dict[str, set[str]]:
    """Branches, as `--branch` takes them, and which of the checkpoints `needed` they name in
    commits that are not in `head`.

    The most telling come first. A branch that names nothing which an earlier one does not is left
    out.
    """
    refs = [
        (name, oid)
        for name, oid in sorted(repo.refs().items())
        if name.startswith(_BRANCHES) and not is_checkpoint_ref(name)
    ]
    short = (
        (next(name[len(p) :] for p in _BRANCHES if name.startswith(p)), oid)
        for name, oid in reversed(refs)
    )
    tips = {oid: name for name, oid in short if not name.endswith("/HEAD") and oid != head}
    named = {
        name: {
            key
            for c in islice(repo.history_of([oid], hide=[head]), OTHER_COMMITS)
            for key in checkpoint_ids(c.message)
        }
        for oid, name in list(tips.items())[:OTHER_BRANCHES]
    }
    telling: dict[str, set[str]] = {}
    for name in sorted(named, key=lambda name: (-len(named[name].intersection(needed)), name)):
        if named[name].intersection(needed).difference(*telling.values()):
            telling[name] = named[name].intersection(needed)
    return telling
