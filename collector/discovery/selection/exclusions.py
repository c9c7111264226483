"""Pure: which candidates are left out, and why. The first reason counts; nothing is deleted."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from collector.discovery.words import Exclusion, ProbeOutcome


@dataclass(frozen=True, slots=True)
class Filters:
    """What to take. `licences` are SPDX ids in lower case, empty for all; `most_kb` is KiB as the server counts."""

    forks: bool = False
    licences: frozenset[str] = frozenset()
    most_kb: int | None = 10_000_000
    notes: bool = False  # also repositories that have no checkpoints but notes of other tools


class Decision(NamedTuple):
    """Whether a candidate is taken."""

    exclusion: Exclusion | None  # None: it is taken
    detail: str | None = None


TAKEN = Decision(None)
_WORDS = {"is_fork": "whether it is a fork", "licence": "its licence", "size_kb": "its size"}


def decide(row: Mapping[str, Any], filters: Filters, names: Collection[tuple[str, str]], server: str) -> Decision:
    """Whether a row of `candidates` that was probed is left out.

    `names` are the (server, name in lower case) of all candidates, `server` is the one that is asked for metadata. There a NULL is
    neither yes nor no: what a filter needs and nobody knows leaves the candidate out until it is known. Elsewhere nobody will ever
    know it, which leaves the candidate out only where a licence is asked for.
    """
    if row["exclusion"] == Exclusion.FORGOTTEN:
        return Decision(Exclusion.FORGOTTEN, row["detail"])
    if row["outcome"] != ProbeOutcome.OK:
        return Decision(Exclusion(row["outcome"]), row["failure"])
    renamed = row["renamed_to"]
    if renamed and (row["server"], renamed.lower()) in names:
        return Decision(Exclusion.RENAMED, f"now {renamed}")
    if not row["confirmed"] and not (filters.notes and row["notes"]):
        if row["checkpoint_remote"]:
            return Decision(Exclusion.ELSEWHERE, f"checkpoints are in {row['checkpoint_remote']}")
        return Decision(Exclusion.NO_REF)
    return _filter(row, filters, row["server"] == server)


def _filter(row: Mapping[str, Any], filters: Filters, is_described: bool) -> Decision:
    if row["is_fork"] and not filters.forks:
        return Decision(Exclusion.FORK, f"of {row['fork_of']}" if row["fork_of"] else None)
    licence = row["licence"]
    if filters.licences and licence is not None and licence.lower() not in filters.licences:
        return Decision(Exclusion.LICENCE, f"licence: {licence}")
    if filters.most_kb is not None and (row["size_kb"] or 0) > filters.most_kb:
        return Decision(Exclusion.TOO_LARGE, f"{row['size_kb']} KiB")
    unknown = {
        "is_fork": is_described and not filters.forks and row["is_fork"] is None,
        "licence": bool(filters.licences) and licence is None,
        "size_kb": is_described and filters.most_kb is not None and row["size_kb"] is None,
    }
    if any(unknown.values()):
        missing = ", ".join(_WORDS[name] for name, is_missing in unknown.items() if is_missing)
        return Decision(Exclusion.NO_METADATA, f"not known: {missing}")
    return TAKEN
