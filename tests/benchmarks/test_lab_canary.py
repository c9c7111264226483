"""The canary tells what the newest version of an agent changed, and nothing that was so before."""

from __future__ import annotations

from lab.canary import known_outcome, report
from lab.compare import TOKENS, Comparison, Facts

NOTHING = dict.fromkeys(TOKENS, 0)
NEWEST = {
    "agent": "codex",
    "version": "1.0.0",
    "scenario": "basic",
    "day": "2026-01-01",
    "agent_lines": "20/20",
    "differences": ["version"],
}
KNOWN = {
    "codex 1 basic local": NEWEST,
    "codex 0 basic local": NEWEST
    | {"version": "0.9.0", "day": "2025-01-01", "agent_lines": "0/20"},
}


def compared(
    *differences: str, found: int = 20, agent: str = "codex", scenario: str = "basic"
) -> Comparison:
    facts = Facts(tokens=NOTHING)
    lines = {"agent > agent": found, "agent > unknown": 20 - found}
    return Comparison(
        agent, "2.0.0", scenario, "local", facts, NOTHING, facts, lines, list(differences), []
    )


def test_nothing_new_is_no_report() -> None:
    assert report(KNOWN, [compared(), compared("version: [] for 2.0.0")], []) == ""


def test_a_call_that_is_no_longer_read_is_told_with_the_version() -> None:
    text = report(KNOWN, [compared("version: [] for 2.0.0", "calls: 0 of 3")], [])
    assert "codex 2.0.0, basic" in text
    assert "1.0.0 was read as served" in text
    assert "calls: 0 of 3" in text
    assert "version: []" not in text


def test_lines_that_are_no_longer_found_are_told() -> None:
    assert "18/20 of the agent's were said to be its, 20/20 before" in report(
        KNOWN, [compared(found=18)], []
    )


def test_an_agent_that_could_not_be_run_is_told() -> None:
    assert report(KNOWN, [], ["pi resume"]) == "Not run:\n\n- pi resume\n"


def test_the_newest_outcome_is_what_is_compared_with() -> None:
    assert known_outcome(KNOWN, "codex", "basic")["version"] == "1.0.0"
    assert known_outcome(KNOWN, "codex", "resume") == {}
    assert "tokens: 1 for 2" in report(KNOWN, [compared("tokens: 1 for 2", scenario="resume")], [])
