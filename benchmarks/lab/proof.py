"""What the lab proved of each agent's reader, in benchmarks/data/lab.json; docs/agents-tested.md
shows it.

python -m lab.proof [RUN...]      from runs that were compared; default: all in the cache
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lab.compare import Comparison, compare, table_row
from lab.install import CACHE

DATA = Path(__file__).parent.parent / "data" / "lab.json"
# why something is read otherwise than served, for the rows that it names
EXPLAINED = DATA.with_name("lab-explained.json")


def store(comparisons: Iterable[Comparison]) -> None:
    """Puts the outcomes beside those of other agents, versions and scenarios."""
    rows: dict[str, dict[str, Any]] = json.loads(DATA.read_text("utf-8")) if DATA.exists() else {}
    for comparison in comparisons:
        agent, version, scenario, source, calls, edits, tokens, lines, person = table_row(
            comparison
        )
        rows[f"{agent} {version} {scenario} {source}"] = {
            "agent": agent,
            "version": version,
            "scenario": scenario,
            "source": source,
            "day": datetime.now(UTC).date().isoformat(),
            "calls": calls,
            "edits": edits,
            "tokens": tokens,
            "agent_lines": lines,
            "person_lines": person,
            "differences": list(
                dict.fromkeys(difference.partition(":")[0] for difference in comparison.differences)
            ),
        }
    DATA.write_text(json.dumps(dict(sorted(rows.items())), indent=1) + "\n", "utf-8")


def is_about(explanation: Mapping[str, Any], agent: str, version: str, scenario: str) -> bool:
    """Whether an explanation is one of a run of this agent; without versions or scenarios it is
    of all of them.
    """
    agents, versions, scenarios = (
        explanation.get(name, ["*"]) for name in ("agents", "versions", "scenarios")
    )
    pairs = ((agents, agent), (versions, version), (scenarios, scenario))
    return all("*" in named or wanted in named for named, wanted in pairs)


def reason(comparison: Comparison, difference: str) -> str:
    """Why something is read otherwise than served, as far as it is known."""
    name = difference.partition(":")[0]
    about = (comparison.agent, comparison.version, comparison.scenario)
    for explanation in json.loads(EXPLAINED.read_text("utf-8")):
        if name in explanation["differences"] and is_about(explanation, *about):
            return str(explanation["why"])
    return "Nobody has found out why."


def main() -> None:
    runs = [Path(name) for name in sys.argv[1:]] or [
        path.parent for path in sorted((CACHE / "runs").glob("*/truth.jsonl"))
    ]
    store([compare(run) for run in runs])


if __name__ == "__main__":
    main()
