"""Which commit added a line of one file: `git blame`, and the forward pass where the clone lacks
objects that git needs.

The forward pass (`walk`) answers the same question for all lines of all commits at once;
`make accuracy` compares the two (docs/decisions/0015-which-commit-added-a-line.md).
"""

from collections.abc import Sequence
from typing import NamedTuple

from attribution.lineage.git_blame import NOTHING, Ignored, Introduction, blame
from collector.files.stated import ignored_revisions
from collector.git.program import COMMIT_GRAPH, GitFailed, ScratchGit
from collector.git.repository import GitRepo
from collector.limits import TEXT_BYTES


def introductions(
    repo: GitRepo,
    sha: str,
    path: str,
    count: int,
    only: Sequence[int] = (),
    ignored: Ignored = NOTHING,
) -> dict[int, Introduction]:
    """Line number -> where that line of a file of a commit was added: of all `count` lines, or only
    of some.

    `ignored`: beside the commits that the repository itself names; where the clone lacks objects
    that git needs, every change of spaces counts.
    """
    revisions = ignored.revisions | ignored_revisions(repo, sha)
    ignored = ignored._replace(revisions=revisions)
    requested = sorted(only) or range(1, count + 1)
    with repo.open_scratch() as git:
        try:
            blamed = _blame_lines(git, sha, path, only, ignored)
            if len(blamed) != len(requested):  # git counts lines of UTF-16 by its bytes
                raise GitFailed(f"git blame found {len(blamed)} lines of {len(requested)}")
        except GitFailed:
            every = _follow_forward(repo, git, Introduction(sha, path, count), revisions)
            blamed = [every[number - 1] for number in requested]
    return dict(zip(requested, blamed, strict=True))


def _blame_lines(
    git: ScratchGit, sha: str, path: str, only: Sequence[int], ignored: Ignored
) -> list[Introduction]:
    """Blames with the commit-graph of the clone, and without it when it is missing, damaged or
    names commits that are gone.
    """
    try:
        return blame(git, sha, path, only, ignored, COMMIT_GRAPH)
    except GitFailed:
        return blame(git, sha, path, only, ignored)


def _follow_forward(
    repo: GitRepo, git: ScratchGit, last: Introduction, ignored: frozenset[str]
) -> list[Introduction]:
    """Answers for all lines up to `last` by the forward pass; a file that it does not follow counts
    as added by the commit itself.
    """
    # only damaged or partial clones need the whole pass
    from attribution.lineage.model import numbers
    from attribution.lineage.walk import HistoryWalk, WalkOptions

    sha, path, count = last
    history = HistoryWalk(repo, git, WalkOptions(TEXT_BYTES, ignored=ignored)).run(sha)
    file = history.state.get(path)
    lines = (
        [Introduction(*history.line(origin)) for origin in numbers(file.vector)]
        if file is not None
        else []
    )
    return (
        lines
        if len(lines) == count
        else [Introduction(sha, path, number) for number in range(1, count + 1)]
    )


class Rename(NamedTuple):
    """A commit that renamed the file of a line: the line there, and in the parent of that
    commit.
    """

    place: Introduction
    before: Introduction


def renames(repo: GitRepo, sha: str, path: str, line: Introduction) -> list[Rename]:
    """Renames of the file of a line between `line` and a later commit, newest first; none where
    the clone lacks objects.
    """
    steps = []
    with repo.open_scratch() as git:
        try:
            while (step := _last_rename(git, sha, path, line)) is not None:
                steps.append(step)
                sha = step.before.sha
                path = step.before.path
        except GitFailed:
            return []
    return steps


def _last_rename(git: ScratchGit, sha: str, path: str, line: Introduction) -> Rename | None:
    """The last commit that gave the file this name."""
    log = ["log", "-m", "--no-renames", "--diff-filter=A", "--format=%H", sha, "--", path]
    for commit in git.output(log).decode("ascii").split():
        lines = blame(git, commit, path)
        if line in lines:
            number = lines.index(line) + 1
            before = blame(git, f"{commit}^!", path, [number])[0]
            if before.path != path:
                return Rename(Introduction(commit, path, number), before)
    return None
