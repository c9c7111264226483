"""Whether the newest version of each agent is still read as the one before it: formats change
without notice.

    python -m lab.canary [--agents NAMES] [--issue]

Installs the newest versions, runs `basic` and `resume`, and tells what is read otherwise than
served, unless the outcome in benchmarks/data/lab.json has it as well. `--issue` opens an issue
about it with GitHub's `gh`, if none is open. Exit code 1 when something is new.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from lab.__main__ import attempt
from lab.agents import AGENTS, BY_NAME
from lab.compare import Comparison, table_row
from lab.install import NEWEST
from lab.play import PACE
from lab.proof import DATA

SCENARIOS = ("basic", "resume")
TITLE = "Newest versions of agents are read otherwise than served"
Outcomes = Mapping[str, Mapping[str, Any]]


def known_outcome(outcomes: Outcomes, agent: str, scenario: str) -> Mapping[str, Any]:
    """The stored outcome of the last day; empty without one."""
    rows = [
        row for row in outcomes.values() if (row["agent"], row["scenario"]) == (agent, scenario)
    ]
    return max(rows, key=lambda row: str(row["day"]), default={})


def news(comparison: Comparison, known: Mapping[str, Any]) -> list[str]:
    """What is read otherwise than served and was not before, in words."""
    expected = known.get("differences", [])
    found = [
        difference
        for difference in comparison.differences
        if difference.partition(":")[0] not in expected
    ]
    lines, before = table_row(comparison)[7], known.get("agent_lines")
    if before and _missed(lines) > _missed(before):
        found.append(f"lines: {lines} of the agent's were said to be its, {before} before")
    return found


def _missed(share: str) -> int:
    part, _, whole = share.partition("/")
    return int(whole) - int(part)


def report(outcomes: Outcomes, comparisons: Sequence[Comparison], missing: Sequence[str]) -> str:
    """Markdown with all that is new; empty if nothing is."""
    parts = []
    for comparison in comparisons:
        known = known_outcome(outcomes, comparison.agent, comparison.scenario)
        found = news(comparison, known)
        if found:
            before = f", {known['version']} was read as served" if known else ""
            parts.append(
                f"**{comparison.agent} {comparison.version}, {comparison.scenario}**{before}:\n"
            )
            parts += [f"- {difference}" for difference in found] + [""]
    if missing:
        parts += ["Not run:\n", *(f"- {name}" for name in missing), ""]
    return "\n".join(parts)


def open_issue(body: str) -> None:
    """An issue with `gh`, unless one with this title is open."""
    search = [
        "gh",
        "issue",
        "list",
        "--state",
        "open",
        "--search",
        f'in:title "{TITLE}"',
        "--json",
        "number",
    ]
    listed = subprocess.run(search, capture_output=True, text=True, check=True)
    if not json.loads(listed.stdout):
        subprocess.run(["gh", "issue", "create", "--title", TITLE, "--body", body], check=True)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="lab.canary", description="Tells which newest agents are read otherwise than before."
    )
    parser.add_argument("--agents", default="", help="names separated by commas; default: all")
    parser.add_argument("--issue", action="store_true", help="open an issue about what is new")
    options = parser.parse_args()
    comparisons, missing = [], []
    for name in options.agents.split(",") if options.agents else [agent.name for agent in AGENTS]:
        for scenario in SCENARIOS:
            comparison = attempt(BY_NAME[name], NEWEST, scenario, PACE)
            if comparison is not None:
                comparisons.append(comparison)
            elif scenario not in BY_NAME[name].lacks:
                missing.append(f"{name} {scenario}")
    outcomes = json.loads(DATA.read_text("utf-8")) if DATA.exists() else {}
    text = report(outcomes, comparisons, missing)
    print(text or "Every agent is read as before.")
    if text and options.issue:
        open_issue(text)
    return 1 if text else 0


if __name__ == "__main__":
    sys.exit(main())
