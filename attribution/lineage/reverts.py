"""Finds the commits that take others back. Pure.

Such a commit says so in the message that `git revert` writes ("This reverts commit …"; for a merge
"…, reversing changes made to …"), or its patch is the exact inverse of an earlier patch.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence

from attribution.lineage.model import Fingerprint
from collector.git.diff_tree import FileDelta
from collector.groups import only
from collector.json_values import Numbers

_SAYS = re.compile(r"\bThis reverts (?:merge )?commit ([0-9a-f]{7,64})\b")
_TELLING = 20  # letters and digits of a patch, below which its inverse may come about by chance
_NO_WORD = bytes(c for c in range(256) if not chr(c).isalnum())


def fingerprint(deltas: Sequence[FileDelta]) -> Fingerprint | None:
    """Fingerprint of the texts that a commit removes and adds; None when some are unknown or
    they say too little.
    """
    forward = hashlib.blake2b(digest_size=12)
    inverse = hashlib.blake2b(digest_size=12)
    text_length = 0
    for delta in sorted(deltas, key=lambda d: d.path):
        if delta.hunks is None or delta.text is None:
            return None
        for removed, added in delta.text:
            old = b"\n".join(removed)
            new = b"\n".join(added)
            text_length += len((old + new).translate(None, _NO_WORD))
            name = delta.path.encode("utf-8", "surrogateescape")
            forward.update(b"%b\0%d %d\0%b%b" % (name, len(old), len(new), old, new))
            inverse.update(b"%b\0%d %d\0%b%b" % (name, len(new), len(old), new, old))
    return (
        Fingerprint(forward.hexdigest(), inverse.hexdigest()) if text_length >= _TELLING else None
    )


def named_commit(message: str) -> str | None:
    """The (possibly shortened) commit id that a message says it takes back; None for none, or
    when several are named.
    """
    ids = set(_SAYS.findall(message))
    return only(ids)


def taken_back(messages: Iterable[tuple[str, str]]) -> set[str]:
    """Commits that a later one says to take back, unless that was taken back itself.

    `messages`: commit id, message; in order.
    """
    history = list(messages)
    shas = [sha for sha, _ in history]
    result = set[str]()
    for sha, message in reversed(history):
        name = named_commit(message) if sha not in result else None
        target = None if name is None else _resolve(name, shas)
        if target is not None:
            result.add(shas[target])
    return result


def reverts(
    claimed: Mapping[int, str],
    patches: Sequence[tuple[int, Fingerprint]],
    shas: Sequence[str],
    inverses: Numbers,
) -> dict[int, int]:
    """Commit -> commit that it takes back, both as indices into `shas`.

    `claimed`: commits whose message names another; `patches`: of the new commits, in order;
    `inverses`: by the patch that would take it back, the latest of the earlier commits.
    """
    inverse_of = dict(inverses)
    reverted = {}
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
    return only(matches)
