"""The short-lived v2 layout: metadata under `v2/main`, raw transcripts under `v2/full/*`, joined
on (id, session number).
"""

import re
from collections.abc import Iterator, Mapping

from collector.checkpoints.tree import read_tree, sharded
from collector.git.repository import GitRepo
from collector.model import Checkpoint
from collector.vocabulary.sessions import CheckpointStore

NAME = "v2"
_PATTERNS = {
    CheckpointStore.V2: re.compile(r"^refs/(?:remotes/[^/]+/)?entire/checkpoints/v2/main$"),
    CheckpointStore.V2_FULL: re.compile(
        r"^refs/(?:remotes/[^/]+/)?entire/checkpoints/(?:v2/full/[^/]+|v1/full)$"
    ),
}


def store_of(ref: str) -> CheckpointStore | None:
    for store, pattern in _PATTERNS.items():
        if pattern.match(ref):
            return store
    return None


def find(repo: GitRepo, refs: Mapping[str, str]) -> Iterator[Checkpoint]:
    for store, pattern in _PATTERNS.items():
        for name, target in sorted(refs.items()):
            tip = repo.commit(target) if pattern.match(name) else None
            if tip:
                for checkpoint_id, tree in sharded(repo, tip.tree):
                    yield read_tree(repo, tree, checkpoint_id, store, name)
