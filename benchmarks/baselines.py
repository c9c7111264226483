"""What is usual for a type of task, from the sessions of databases:
attribution/evaluation/scores/data/baselines.json.

    python benchmarks/baselines.py DATABASE …

Scores are made with these numbers: after a change, score the database again (`whowrote repo`) and
measure once more.

Subagents, sessions without a prompt of a person and those that a program drove are left out.
Quantiles are over sessions; costs are list prices, where known.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

sys.path[:0] = [str(Path(__file__).parent.parent)]

from attribution.evaluation.scores.quality import ALL, Baseline  # noqa: E402
from collector.storage.store import Store  # noqa: E402

TARGET = (
    Path(__file__).parent.parent
    / "attribution"
    / "evaluation"
    / "scores"
    / "data"
    / "baselines.json"
)
_SESSIONS = """
SELECT q.task_type, r.name AS repo, CASE WHEN q.special IS NULL THEN q.q END AS q,
  f.turn_count AS responses,
  f.output_tokens AS written,
  COALESCE(f.input_tokens, 0) + COALESCE(f.cache_read_tokens, 0) + COALESCE(f.cache_write_tokens,
    0) AS taken, f.cost_usd AS cost
FROM scores q JOIN sessions s ON s.id = q.session_id JOIN repos r ON r.id = s.repo_id
  JOIN session_features f ON f.session_id = s.id
WHERE COALESCE(q.special, '') NOT IN ('no_prompt', 'empty', 'no_task') AND f.turn_count > 0
  AND s.driver NOT IN ('program', 'ci')
"""


class _Session(NamedTuple):
    task_type: str
    repo: str  # the database and the name there
    q: float | None
    responses: int
    written: int | None
    taken: int
    cost: float | None


def measured(sessions: Sequence[_Session]) -> Baseline:
    """Of the sessions of one type of task."""
    responses = [one.responses for one in sessions]
    tokens = [one.written / one.taken for one in sessions if one.written and one.taken]
    costs = [one.cost / one.responses for one in sessions if one.cost is not None]
    return Baseline(
        len(sessions),
        len({one.repo for one in sessions}),
        _quantile(responses, 50),
        _quantile(responses, 95),
        _rounded(_quantile(tokens, 50)),
        _rounded(_quantile(costs, 75)),
        _rounded(_quantile(costs, 90)),
        _steps(sorted(one.q for one in sessions if one.q is not None)),
    )


def _quantile(values: Sequence[float], percent: int) -> float:
    """0 without values."""
    if len(values) < 2:
        return float(sum(values))
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]


def _steps(scores: Sequence[float]) -> tuple[float, ...]:
    """21 scores from the lowest to the highest, with as many sessions between any two."""
    last = len(scores) - 1
    return (
        tuple(round(scores[round(last * step / 20)], 4) for step in range(21)) if last > 0 else ()
    )


def _rounded(value: float) -> float:
    return float(f"{value:.3g}")


def main() -> None:
    sessions: list[_Session] = []
    for database in sys.argv[1:]:
        with Store(database, create=False) as store:
            sessions += [
                one._replace(repo=f"{database} {one.repo}")
                for one in store.select(_Session, _SESSIONS)
            ]
    groups: dict[str, list[_Session]] = defaultdict(list)
    for one in sessions:
        groups[one.task_type].append(one)
        groups[ALL].append(one)
    found = {task: measured(some)._asdict() for task, some in sorted(groups.items())}
    TARGET.write_text(json.dumps(found, indent=2) + "\n", "utf-8")
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
