"""One ref per checkpoint: `refs/entire/checkpoints/<last two characters>/<id>`, the commit's root is the checkpoint.

These refs are mutable, so the tip is read; sibling refs of the namespace (`v2/main`, policies) are told apart by shape.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from collector.checkpoints.tree import ID, read_tree
from collector.git.repository import GitRepo
from collector.model import Checkpoint

NAME = "per_ref"
_REF = re.compile(rf"^refs/(?:remotes/[^/]+/)?entire/checkpoints/(?P<shard>[^/]{{2}})/(?P<id>{ID})$")


def find(repo: GitRepo, refs: Mapping[str, str]) -> Iterator[Checkpoint]:
    for name, target in sorted(refs.items()):
        match = _REF.match(name)
        if match is None or match["shard"].upper() != match["id"][-2:].upper():
            continue
        commit = repo.peel_commit(target)
        found = repo.commit(commit) if commit else None
        if found is not None:
            yield replace(read_tree(repo, found.tree, match["id"], "ref", name), author_email=found.author_email)
