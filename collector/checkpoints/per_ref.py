"""One ref per checkpoint: `refs/entire/checkpoints/<last two characters>/<id>`, the commit's root
is the checkpoint.

These refs are mutable, so the tip is read; sibling refs of the namespace (`v2/main`, policies) are
told apart by shape.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from collector.checkpoints.entire import ID
from collector.checkpoints.tree import read_tree
from collector.git.repository import GitRepo
from collector.model import Checkpoint
from collector.vocabulary.sessions import CheckpointStore

NAME = "per_ref"
_REF = re.compile(
    rf"^refs/(?:remotes/[^/]+/)?entire/checkpoints/(?P<shard>[^/]{{2}})/(?P<id>{ID})$"
)


def store_of(ref: str) -> CheckpointStore | None:
    if _id(ref):
        return CheckpointStore.REF
    return None


def _id(ref: str) -> str:
    """Of the checkpoint; "" for any other ref."""
    match = _REF.match(ref)
    if match and match["shard"].upper() == match["id"][-2:].upper():
        return match["id"]
    return ""


def find(repo: GitRepo, refs: Mapping[str, str]) -> Iterator[Checkpoint]:
    for name, target in sorted(refs.items()):
        checkpoint_id = _id(name)
        if not checkpoint_id:
            continue
        tip = repo.commit(target)
        if tip is not None:
            checkpoint = read_tree(repo, tip.tree, checkpoint_id, CheckpointStore.REF, name)
            yield replace(
                checkpoint, author_email=tip.author_email, signature=repo.signature(tip.sha)
            )
