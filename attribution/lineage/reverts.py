"""Which commits take others back. Pure.

By the message that `git revert` writes ("This reverts commit …"; for a merge "…, reversing changes made to …"), or because the
patch is the exact inverse of an earlier one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from attribution.lineage.model import Fingerprint

_SAYS = re.compile(r"\bThis reverts (?:merge )?commit ([0-9a-f]{7,64})\b")


def named_commit(message: str) -> str | None:
    """The (possibly shortened) commit id that a message says it takes back; None for none, or when several are named."""
    ids = set(_SAYS.findall(message))
    return ids.pop() if len(ids) == 1 else None


def reverts(
    claimed: Mapping[int, str], patches: Sequence[tuple[int, Fingerprint]], shas: Sequence[str], inverses: Mapping[str, int]
) -> dict[int, int]:
    """Commit -> commit that it takes back, both as indices into `shas`.

    `claimed`: commits whose message names another; `patches`: of the new commits, in order; `inverses`: by the patch that would
    take it back, the latest of the earlier commits.
    """
    inverse_of = dict(inverses)
    reverted: dict[int, int] = {}
    for commit, patch in patches:
        earlier = inverse_of.get(patch.forward)
        if earlier is not None and earlier < commit:
            reverted[commit] = earlier
        inverse_of[patch.inverse] = commit
    for commit, name in claimed.items():
        target = _resolve(name, shas)
        if target is not None and target < commit:
            reverted[commit] = target
    return reverted


def _resolve(name: str, shas: Sequence[str]) -> int | None:
    matches = [number for number, sha in enumerate(shas) if sha.startswith(name)]
    return matches[0] if len(matches) == 1 else None
