"""What a commit and a stored checkpoint are, and the names and times every built repository
shares.
"""

from __future__ import annotations

from dataclasses import dataclass

from collector.json_values import Texts
from support.builder.lines import File
from support.builder.objects import Node

START = 1_772_442_000.0  # 2 March 2026, 09:00 UTC
ADA = "Ada Example <ada@example.com>"
V1 = "refs/heads/entire/checkpoints/v1"
V1_REMOTE = "refs/remotes/origin/entire/checkpoints/v1"
V2_MAIN = "refs/entire/checkpoints/v2/main"
V2_FULL = "refs/entire/checkpoints/v2/full/current"
LEGACY = "refs/heads/entire/sessions"
GRACE = 5.0  # an event this long after the author time still belongs to the commit


@dataclass(frozen=True, slots=True)
class Stored:
    """How a checkpoint keeps its sessions; the defaults are the usual case."""

    # full | delta (since the last copy) | cut (after `keep` records) | none
    transcript: str = "full"
    keep: int = 0
    parts: int = 1  # chunks: full.jsonl, full.jsonl.001, …
    label: str | None = "Claude Code"
    date_prefix: bool = False  # the session id as old versions wrote it
    numbers: tuple[int, ...] = ()  # of the session directories, when they are not 0, 1, 2, …
    dangling: bool = False  # pointers that lead nowhere
    blank_tail: int = 0
    glued: bool = False  # two JSON values on one line
    redact: tuple[str, ...] = ()
    prompt: bool = True
    hashed: bool = True


USUAL = Stored()


@dataclass(eq=False)
class Commit:
    """A code commit and what was going on when it was made."""

    node: Node
    at: int
    files: dict[str, File]
    renamed: Texts  # new path -> path in the first parent
    parents: tuple[Commit, ...]
    checkpoints: tuple[str, ...] = ()
    dangling: bool = False  # names a checkpoint that does not exist
    declared: bool = False  # the message or the author says that an agent took part
    hidden: bool = False  # an unrecorded subagent was at work since the last commit
    blunt: frozenset[str] = frozenset()  # files changed by commands whose text does not say so
    # new files whose text before an agent's edit no record holds
    blind: frozenset[str] = frozenset()

    @property
    def sha(self) -> str:
        return self.node.sha
