"""Branches whose commits name checkpoints that no commit of the attributed branch names."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import islice

from collector.checkpoints.entire import is_checkpoint_ref
from collector.checkpoints.statements import checkpoint_ids
from collector.git.repository import GitRepo
from collector.limits import OTHER_BRANCHES, OTHER_COMMITS

_BRANCHES = ("refs/heads/", "refs/remotes/")


@dataclass(frozen=True, slots=True)
class OtherBranch:
    """A branch that names checkpoints."""

    name: str  # as `--branch` takes it
    checkpoints: frozenset[str]


def other_branches(repo: GitRepo, head: str, needed: Collection[str]) -> list[OtherBranch]:
    """Branches that name some of the checkpoints `wanted` in commits that are not in `head`, the most telling first.

    A branch that names nothing which an earlier one does not is left out.
    """
    refs = [(name, oid) for name, oid in sorted(repo.refs().items()) if name.startswith(_BRANCHES) and not is_checkpoint_ref(name)]
    tips = {oid: _short(name) for name, oid in reversed(refs) if not name.endswith("/HEAD") and oid != head}
    results = []
    for oid, name in list(tips.items())[:OTHER_BRANCHES]:
        named = {key for c in islice(repo.history_of([oid], hide=[head]), OTHER_COMMITS) for key in checkpoint_ids(c.message)}
        results.append(OtherBranch(name, frozenset(named.intersection(needed))))
    telling, existing = [], set[str]()
    for branch in sorted(results, key=lambda entry: (-len(entry.checkpoints), entry.name)):
        if branch.checkpoints - existing:
            telling.append(branch)
            existing |= branch.checkpoints
    return telling


def _short(name: str) -> str:
    return next(name.removeprefix(prefix) for prefix in _BRANCHES if name.startswith(prefix))
