"""Pure: what a list of refs says about the checkpoints of a repository."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from dataclasses import dataclass

from collector.checkpoints import store_of
from collector.checkpoints.entire import PREFIXES as CHECKPOINTS
from collector.checkpoints.entire import is_on_server
from collector.fetching.refs import note_names
from collector.git.pktline import Refs
from collector.vocabulary.sessions import CheckpointStore

# What is asked for. HEAD comes with the ref it points to.
PREFIXES = ("HEAD", *CHECKPOINTS, "refs/notes/")


@dataclass(frozen=True, slots=True)
class RefState:
    """Object ids by kind of ref, None when absent. `digest` changes when anything of this, or HEAD, moves."""

    head_ref: str | None
    head_oid: str | None
    v1_oid: str | None
    v2_oid: str | None
    legacy_oid: str | None
    checkpoint_refs: int
    shadow_branches: int
    notes: tuple[str, ...]
    digest: str

    @property
    def only_v1(self) -> bool:
        """Whether everything depends on the v1 branch not being empty."""
        return self.v1_oid is not None and not (self.v2_oid or self.legacy_oid or self.checkpoint_refs)


def ref_state(refs: Refs) -> RefState:
    oids = refs.oids
    stored: dict[CheckpointStore, list[str]] = defaultdict(list)
    for name in filter(is_on_server, oids):
        if store := store_of(name):
            stored[store].append(name)
    notes = tuple(ref for name in note_names() if (ref := f"refs/notes/{name}") in oids)
    head = oids.get("HEAD") or oids.get(refs.head or "")
    ours = sorted(n for n in oids if is_on_server(n) or n in notes)
    text = "".join(f"{oids[name]} {name}\n" for name in ours) + f"{head} {refs.head}\n"
    return RefState(
        head_ref=refs.head,
        head_oid=head,
        v1_oid=_first(oids, stored[CheckpointStore.V1]),
        v2_oid=_first(oids, stored[CheckpointStore.V2]),
        legacy_oid=_first(oids, stored[CheckpointStore.LEGACY]),
        checkpoint_refs=len(stored[CheckpointStore.REF]),
        shadow_branches=len(stored[CheckpointStore.SHADOW]),
        notes=notes,
        digest=hashlib.sha256(text.encode()).hexdigest(),
    )


def _first(oids: dict[str, str], names: list[str]) -> str | None:
    """Of a branch if there is one, else of another ref, in order of the names."""
    return oids[min(names, key=lambda name: (not name.startswith("refs/heads/"), name))] if names else None
