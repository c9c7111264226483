"""What the lab stored of its runs: whole, or with a reason for each thing that is read otherwise
than served.
"""

from __future__ import annotations

import json
from itertools import product

from lab.proof import DATA, EXPLAINED, is_about

from collector.agents import readers
from collector.json_values import JsonObject, Row

ROWS: list[Row] = list(json.loads(DATA.read_text("utf-8")).values())
EXPLANATIONS: list[JsonObject] = json.loads(EXPLAINED.read_text("utf-8"))
MOST_USED = ("claude-code", "codex", "gemini-cli", "opencode", "copilot-cli", "aider")


def are_about(explanation: JsonObject, row: Row) -> bool:
    named = is_about(explanation, row["agent"], row["version"], row["scenario"])
    return named and bool({*explanation["differences"]} & {*row["differences"]})


def test_each_thing_that_is_read_otherwise_than_served_is_explained() -> None:
    open_questions = [
        (row["agent"], row["version"], row["scenario"], difference)
        for row in ROWS
        for difference in row["differences"]
        if not any(difference in one["differences"] and are_about(one, row) for one in EXPLANATIONS)
    ]
    assert open_questions == []


def test_an_explanation_names_only_what_is_so() -> None:
    for one in EXPLANATIONS:
        for agent, difference in product(one["agents"], one["differences"]):
            assert any(
                are_about({**one, "agents": [agent], "differences": [difference]}, row)
                for row in ROWS
            ), (agent, one)


def test_sixteen_agents_give_every_call_and_every_edit_that_has_no_explanation() -> None:
    whole = {
        row["agent"]
        for row in ROWS
        if all(
            row[name].split("/")[0] == row[name].split("/")[1] or name in row["differences"]
            for name in ("calls", "edits")
        )
    }
    assert len(whole & {reader.NAME for reader in readers()}) >= 16


def test_the_most_used_agents_were_run_in_three_versions() -> None:
    versions = {
        agent: {row["version"] for row in ROWS if row["agent"] == agent} for agent in MOST_USED
    }
    assert {agent for agent, several in versions.items() if len(several) < 3} == set()
