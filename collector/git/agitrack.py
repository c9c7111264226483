"""What aGiTrack writes into the messages of commits: blocks of `key: value` lines below a heading, one for each turn. Pure.

Shapes: `commit_type: agent` (a turn of an agent), `agent-merge` (an agent resolved the conflicts of a merge), `user` (somebody
committed through aGiTrack: its own documentation does not call such a commit a person's work, because an agent's lines may be in
it). A squash holds the blocks of all its commits, and so does a person's commit into which pending turns were folded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_HEADINGS = ("# aGiTrack Metadata", "# aGiT Metadata")  # the second until June 2026
_FENCE = ("```", "~~~")
_PAIR = re.compile(r"^([a-z][a-z_]{0,60}): ?(.{0,300})")
_NOTHING = frozenset({"", "unknown", "none", "<synthetic>"})


def agent_blocks(message: str) -> Iterator[dict[str, str]]:
    """The blocks of agents in their order, values that say nothing left out.

    A block that is quoted within a code fence is text of a conversation and none; one without a type is one of an agent.
    """
    if not any(heading in message for heading in _HEADINGS):
        return
    lines = [*message.splitlines(), ""]
    fences = [number for number, line in enumerate(lines) if line.lstrip().startswith(_FENCE)]
    last = max(fences[: len(fences) // 2 * 2], default=-1)  # one that is never closed quotes nothing
    fenced, block = False, dict[str, str]()
    inside = False
    for number, line in enumerate(lines):
        text = line.strip()
        pair = _PAIR.match(line.rstrip()) if inside else None
        if pair:
            block.setdefault(pair[1], pair[2].strip())
            continue
        if inside and block.get("commit_type") != "user":
            yield {key: value for key, value in block.items() if value not in _NOTHING}
        if text.startswith(_FENCE) and number <= last:
            fenced = not fenced
        inside, block = text in _HEADINGS and not fenced, {}
