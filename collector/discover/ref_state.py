"""Pure: what a list of refs says about the checkpoints of a repository."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from collector.checkpoints.tree import ID
from collector.git.pktline import Refs

# What is asked for. HEAD comes with the ref it points to.
PREFIXES = ("HEAD", "refs/heads/entire/", "refs/entire/", "refs/notes/")
# Notes that tools of coding agents write: git-ai, whogitit, Agent Blame, agent-trace-cli, opentraces.
NOTES = tuple(f"refs/notes/{name}" for name in ("ai", "ai-blame", "whogitit", "agentblame", "agent-trace", "opentraces"))
_V1 = ("refs/heads/entire/checkpoints/v1", "refs/entire/checkpoints/v1.1", "refs/entire/checkpoints/v1/main")
_V2 = ("refs/entire/checkpoints/v2/main",)
_LEGACY = ("refs/heads/entire/sessions", "refs/heads/entire/sessions-legacy", "refs/heads/entire/sessions-old")
_ONE = re.compile(rf"refs/entire/checkpoints/([^/]{{2}})/({ID})")
_SHADOW = re.compile(r"refs/heads/entire/[0-9a-f]{7,40}(?:-[0-9a-f]{6})?")


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
    single = [name for name in oids if (m := _ONE.fullmatch(name)) and m[1].upper() == m[2][-2:].upper()]
    shadows = [name for name in oids if _SHADOW.fullmatch(name)]
    notes = tuple(sorted(name for name in NOTES if name in oids))
    head = oids.get("HEAD") or oids.get(refs.head or "")
    ours = sorted(n for n in oids if n.startswith(("refs/heads/entire/", "refs/entire/")) or n in notes)
    text = "".join(f"{oids[name]} {name}\n" for name in ours) + f"{head} {refs.head}\n"
    return RefState(
        head_ref=refs.head,
        head_oid=head,
        v1_oid=_first(oids, _V1),
        v2_oid=_first(oids, _V2),
        legacy_oid=_first(oids, _LEGACY),
        checkpoint_refs=len(single),
        shadow_branches=len(shadows),
        notes=notes,
        digest=hashlib.sha256(text.encode()).hexdigest(),
    )


def _first(oids: dict[str, str], names: tuple[str, ...]) -> str | None:
    return next((oids[name] for name in names if name in oids), None)
