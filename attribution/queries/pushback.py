"""How often people push back, by agent: the classifier's count, and the share corrected for its measured errors."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict, dataclass
from typing import Any

from attribution.features.turn_classes import error_counts
from attribution.judge.agreement import Confusion, Corrected, corrected
from attribution.queries.features import session_features
from collector.errors import WhoWroteError
from collector.storage.store import Store

ALL = "all"


@dataclass(frozen=True, slots=True)
class PushbackShare:
    """Later messages that people typed to one agent."""

    agent: str
    messages: int
    classified: int  # in a language that the classifier was measured on
    counted: int  # of those, pushing back by the classifier
    listed: int  # of all, by the word lists
    corrected: Corrected  # share of the classified ones

    def data(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if name != "corrected"} | {
            "share": self.corrected.rate, "low": self.corrected.low, "high": self.corrected.high, "note": self.corrected.note,
        }  # fmt: skip


def pushback_shares(store: Store, repo: int | None = None) -> list[PushbackShare]:
    """Of every agent with later messages, most messages first, and of all. Raises WhoWroteError when there are none."""
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for row in session_features(store, repo):
        values = row.values
        later = len(values["user_msg_lengths"] or ()) - 1
        if values["turns_classified"] is None or later < 1:
            continue
        added = (later, values["turns_classified"], values["pushback_turns"] or 0, values["correction_turns"] or 0)
        for name in (row.agent or "", ALL):
            sums[name] = [a + b for a, b in zip(sums[name], added, strict=True)]
    if not sums:
        raise WhoWroteError(
            "nobody typed a second message in these sessions", "Run attribute repo on a clone with transcripts first"
        )
    rates = Confusion(**error_counts())
    found = [
        PushbackShare(name, later, classified, counted, listed, corrected(counted, classified, rates))
        for name, (later, classified, counted, listed) in sums.items()
    ]
    return sorted(found, key=lambda one: (one.agent == ALL, -one.messages, one.agent))
