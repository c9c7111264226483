"""The short-lived v2 layout: metadata under `v2/main`, raw transcripts under `v2/full/*`, joined on (id, session number)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from collector.checkpoints import merge
from collector.checkpoints.tree import read_tree, sharded
from collector.git.repository import GitRepo
from collector.model import Checkpoint

NAME = "v2"
_MAIN = re.compile(r"^refs/(?:remotes/[^/]+/)?entire/checkpoints/v2/main$")
_FULL = re.compile(r"^refs/(?:remotes/[^/]+/)?entire/checkpoints/(?:v2/full/[^/]+|v1/full)$")


def find(repo: GitRepo, refs: Mapping[str, str]) -> Iterator[Checkpoint]:
    merged: dict[str, Checkpoint] = {}
    for pattern, store in ((_MAIN, "v2"), (_FULL, "v2full")):
        for name, target in sorted(refs.items()):
            commit = repo.peel_commit(target) if pattern.match(name) else None
            found = repo.commit(commit) if commit else None
            for checkpoint_id, tree in sharded(repo, found.tree) if found else []:
                checkpoint = read_tree(repo, tree, checkpoint_id, store, name)
                known = merged.get(checkpoint_id)
                merged[checkpoint_id] = merge(known, checkpoint) if known else checkpoint
    yield from merged.values()
