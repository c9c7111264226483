"""Links that a squash, a rebase or a cherry-pick lost, from what is left of the original commits
in the clone.
"""

from collections.abc import Collection, Container, Iterable, Sequence

from attribution.authorship.commits import CommitHistory
from attribution.authorship.links import CommitLinks, add_originals
from attribution.authorship.originals import SquashSource, squash_sources
from attribution.authorship.own_commits import own_commits
from attribution.authorship.session_edits import SessionEdits
from collector.checkpoints.pull_requests import (
    Names,
    PullRequest,
    commits_beside,
    named_checkpoints,
    read_pull_requests,
)
from collector.checkpoints.statements import checkpoint_ids
from collector.git.repository import GitRepo
from collector.model import Checkpoint, Commit
from collector.vocabulary.sessions import CheckpointStore


def recover(
    repo: GitRepo,
    head: str,
    history: CommitHistory,
    links: dict[str, CommitLinks],
    checkpoints: Sequence[Checkpoint],
    sessions: Iterable[SessionEdits] = (),
) -> None:
    """Completes `links` of commits that name no checkpoint of this clone; the texts of their
    originals become known versions.
    """
    names = _names(repo, head, checkpoints, sessions)
    proposals = read_pull_requests(repo, head, names) if checkpoints else []
    resolved = {sha: link for sha, link in links.items() if link.is_resolved}
    arrived = {key for link in resolved.values() for key in link.named}
    result = originals_of(repo, history, proposals, resolved, arrived, names)
    add_originals(links, result, checkpoints, names)
    _know_versions(repo, history, [result[sha] for sha in result if links[sha].is_resolved])


def _names(
    repo: GitRepo, head: str, checkpoints: Sequence[Checkpoint], sessions: Iterable[SessionEdits]
) -> Names:
    """What makes a commit of another branch an original: checkpoints in its message, or a
    session of this machine that made it.
    """
    local = {
        r.session_id: c.id
        for c in checkpoints
        if c.store is CheckpointStore.LOCAL
        for r in c.sessions
    }
    makers = [session for session in sessions if session.commits and session.key in local]
    own = own_commits(commits_beside(repo, head), makers, lambda _: ()) if makers else {}

    def names(commit: Commit) -> Collection[str]:
        maker = own.get(commit.sha)
        return checkpoint_ids(commit.message) or (
            [local[maker.session]] if maker is not None else []
        )

    return names


def originals_of(
    repo: GitRepo,
    history: CommitHistory,
    proposals: Sequence[PullRequest],
    settled: Container[str] = frozenset(),
    arrived: Container[str] = frozenset(),
    names: Names = named_checkpoints,
) -> dict[str, SquashSource]:
    """What the commits of a branch were made of; not those of `settled`, nor of ids that
    `arrived` anyhow.
    """
    if not proposals:
        return {}

    def paths(base: str, tip: str) -> frozenset[str]:
        """Those of commits of the branch were found before."""
        diff = history.diffs.get(tip)
        if diff is None:
            return paths_between(repo, base, tip)
        return frozenset(
            path for file in diff.files or () for path in (file.change.path, file.change.old_path)
        )

    waiting = [c for c in history.commits if c.sha not in settled]
    return squash_sources(waiting, proposals, paths, repo.patch_id, arrived, names)


def paths_between(repo: GitRepo, base: str, tip: str) -> frozenset[str]:
    """Paths that differ between two commits; none when one of them is absent."""
    old = repo.commit(base) if base else None
    new = repo.commit(tip)
    if new is None or (base and old is None):
        return frozenset()
    changes = repo.tree_changes(old.tree if old else "", new.tree, renames=False)
    return frozenset(c.path for c in changes or ())


def _know_versions(repo: GitRepo, history: CommitHistory, created: Sequence[SquashSource]) -> None:
    """Edits whose base was not recorded may have been made to a text that only an original
    commit holds.
    """
    originals: dict[str, Commit] = {c.sha: c for item in created for c in item.commits}
    touched: set[str] = set()
    for commit in originals.values():
        for change in repo.changes(commit, renames=False) or ():
            if change.new is not None:
                history.versions.setdefault(change.path, []).append(
                    (commit.author_time, change.new)
                )
                touched.add(change.path)
    for path in touched:
        history.versions[path].sort(key=lambda version: version[0])
