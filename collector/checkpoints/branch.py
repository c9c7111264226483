"""Checkpoints as subtrees of a branch: `entire/checkpoints/v1`, and the older `entire/sessions`."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from collector.checkpoints.entire import ID
from collector.checkpoints.tree import read_tree, sharded
from collector.git.repository import GitRepo
from collector.model import Checkpoint
from collector.vocabulary.sessions import CheckpointStore

NAME = "branch"
_REF = re.compile(
    r"^refs/(?:heads|remotes/[^/]+)/entire/(?P<what>checkpoints/v1|sessions|sessions-legacy|sessions-old)$"
    r"|^refs/entire/checkpoints/v1(?:\.1|/main)?$"
)
_LEGACY = "sessions"
_SUBJECT = re.compile(rf"^(?:Checkpoint|Finalize transcript for Checkpoint): ({ID})\s*$")


def store_of(ref: str) -> CheckpointStore | None:
    match = _REF.match(ref)
    if match is None:
        return None
    if (match["what"] or "").startswith(_LEGACY):
        return CheckpointStore.LEGACY
    return CheckpointStore.V1


def find(repo: GitRepo, refs: Mapping[str, str]) -> Iterator[Checkpoint]:
    done = set()
    for name, target in sorted(refs.items()):
        store = store_of(name)
        tip = repo.commit(target) if store is not None else None
        if store is None or tip is None or tip.sha in done:
            continue
        done.add(tip.sha)  # a remote-tracking twin of the local branch adds nothing
        stored = _session_files(repo, tip.sha)
        for checkpoint_id, tree in sharded(repo, tip.tree):
            checkpoint = read_tree(repo, tree, checkpoint_id, store, name)
            author, signature = stored.get(checkpoint_id, ("", ""))
            yield replace(checkpoint, author_email=author, signature=signature)


def _session_files(repo: GitRepo, tip: str) -> dict[str, tuple[str, str]]:
    """Checkpoint id -> (e-mail of the developer whose commit first stored it, kind of signature
    when all such commits have one).
    """
    stored: dict[str, tuple[str, str]] = {}
    for commit in repo.history(tip):
        match = _SUBJECT.match(commit.subject)
        if match:
            signature = repo.signature(commit.sha)
            author, before = stored.get(match[1], (commit.author_email, signature))
            stored[match[1]] = author, before if signature else ""
    return stored
