"""How many lines of each history of the small corpus are right and wrong: no change may fall
below floors.json there.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from scorer.histories import histories, rows_of
from scorer.scoring import answers_of, read_truth, score

from corpus.answers import answers, kept_answers

SAMPLE = Path(__file__).parent.parent.parent / "fixtures" / "lab-corpus"
FLOORS = SAMPLE / "floors.json"


def tally(history: Path, rows: Iterable[dict[str, Any]]) -> dict[str, int]:
    """Lines found and wrongly named, by author; those that are a changed line of another's are
    wrong only by both readings.
    """
    truth, _ = read_truth(history.parent, {history.name})
    lines = score(truth, answers_of(rows))
    counts: Counter[str] = Counter()
    for line in lines:
        author = str(line.truth.facts["author"])
        counts[f"{author} found"] += line.answer.said == author
        counts["person called agent"] += (
            author == "person" and line.answer.said == "agent" and line.wrong
        )
        counts["agent called person"] += (
            author == "agent" and line.answer.said == "person" and line.wrong
        )
        counts["tool named wrongly"] += author == "tool" and line.wrong
    return dict(counts)


def measure() -> None:
    """Writes today's floors."""
    floors = {}
    for history in histories(SAMPLE):
        kept = answers(history, "whowrote", kept_answers("sample", "whowrote"))
        floors[history.name] = tally(history, rows_of(kept) if kept else ())
    FLOORS.write_text(json.dumps(floors, indent=1, sort_keys=True) + "\n", "utf-8")
