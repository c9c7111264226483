"""python -m lab: runs agents in the lab, and compares what is read of them with what happened.
See README.md.
"""

from __future__ import annotations

import argparse
import sys
import time

from lab.agents import AGENTS, BY_NAME, Agent
from lab.compare import HEADERS, Comparison, compare, table_row
from lab.install import NEWEST, NotInstalled, install
from lab.interactive import INTERACTIVE
from lab.play import PACE, Run
from lab.proof import reason, store
from lab.scenarios import SCENARIOS, in_terminal


def main() -> int:
    """Exit code 1 when an agent did not do what the script asked for; differences in what is
    read are told, and no failure.
    """
    parser = argparse.ArgumentParser(
        prog="lab",
        description="Runs coding agents against a scripted model and compares what is read.",
    )
    parser.add_argument("--agents", default="", help="names separated by commas; default: all")
    parser.add_argument(
        "--scenarios", default="basic,resume", help=f"of {', '.join([*SCENARIOS, *in_terminal()])}"
    )
    parser.add_argument(
        "--versions",
        default=NEWEST,
        help="versions separated by commas; default: the newest that can be installed",
    )
    parser.add_argument(
        "--pace",
        type=float,
        default=PACE,
        help="characters a second that the person types; 0: no waiting",
    )
    parser.add_argument(
        "--store",
        action="store_true",
        help="keep the outcome in benchmarks/data/lab.json, which docs/agents-tested.md shows",
    )
    options = parser.parse_args()
    names = [name for name in options.agents.split(",") if name] or [agent.name for agent in AGENTS]
    for what, asked, existing in (
        ("agent", names, BY_NAME),
        ("scenario", options.scenarios.split(","), {**SCENARIOS, **in_terminal()}),
    ):
        if unknown := [name for name in asked if name not in existing]:
            parser.error(
                f"no {what} is called {', '.join(unknown)}; there are {', '.join(existing)}"
            )
    comparisons, failures = [], 0
    for name in names:
        for version in options.versions.split(","):
            for scenario in options.scenarios.split(","):
                comparison = attempt(BY_NAME[name], version, scenario, options.pace)
                if comparison is None:
                    failures += scenario not in BY_NAME[name].lacks and (
                        name in INTERACTIVE or scenario in SCENARIOS
                    )
                else:
                    comparisons.append(comparison)
    for row in [HEADERS, *map(table_row, comparisons)]:
        print(" | ".join(row))
    if options.store:
        store(comparisons)
    return 1 if failures else 0


def attempt(agent: Agent, version: str, scenario: str, pace: float) -> Comparison | None:
    """Installs, runs and compares; None, with the reason printed, when the agent could not be
    had or did not do it.
    """
    conversation = in_terminal().get(scenario)
    if conversation is not None and agent.name not in INTERACTIVE:
        print(
            f"{agent.name} {scenario}: skipped, nobody told the lab how its interface is used",
            flush=True,
        )
        return None
    if scenario in agent.lacks:
        print(f"{agent.name} {scenario}: skipped, {agent.note}", flush=True)
        return None
    started = time.time()
    try:
        installed = install(agent, version)
        label = agent.name if version == NEWEST else f"{agent.name}-{version}"
        run = Run(agent, installed, scenario, f"{label}-{scenario}", pace=pace)
        (conversation or SCENARIOS[scenario])(run)
        run.finish()
        comparison = compare(run.directory)
    except (NotInstalled, RuntimeError) as error:
        print(f"{agent.name} {scenario}: not run, {error}", flush=True)
        return None
    print(
        f"{agent.name} {installed} {scenario}: {time.time() - started:.0f} s, {run.directory}",
        flush=True,
    )
    for difference in comparison.differences:
        print(f"  {difference}\n    {reason(comparison, difference)}", flush=True)
    return comparison


if __name__ == "__main__":
    sys.exit(main())
