"""Every agent has one entry in the registry and one name in the database, and no other module
keeps a list of agents.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest
from support import ROOT
from support.answers import pick

from attribution.features.tools import category
from collector.agents import readers, unproven
from collector.model import ToolCall
from collector.vocabulary.agents import (
    DECLARED,
    STATEMENTS,
    Agent,
    agent_of_account,
    agents,
    exported_name,
    label_of,
    slug_of,
)

IDS = [agent.slug for agent in agents()]


def test_every_reader_is_of_a_registered_agent() -> None:
    assert {reader.NAME for reader in readers()} <= set(IDS)


def test_slugs_and_labels_are_distinct_and_well_formed() -> None:
    assert len(set(IDS)) == len({agent.label for agent in agents()}) == len(agents())
    assert [slug for slug in IDS if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", slug)] == []


def test_every_name_means_one_agent() -> None:
    names: dict[str, set[str]] = {}
    for agent in agents():
        for name in (agent.slug, agent.label, *agent.aliases):
            names.setdefault(re.sub(r"[\s_]+", "-", name.casefold()), set()).add(agent.slug)
    assert {name: slugs for name, slugs in names.items() if len(slugs) > 1} == {}


@pytest.mark.parametrize("agent", agents(), ids=IDS)
def test_an_agent_is_found_by_each_of_its_names(agent: Agent) -> None:
    for name in (agent.slug, agent.label, *agent.aliases):
        for written in (
            name,
            name.upper(),
            f" {name} ",
            name.replace("-", "_"),
            name.replace("-", " "),
        ):
            assert slug_of(written) == agent.slug
    assert label_of(agent.slug) == agent.label


def test_an_unknown_name_stays_as_it_is() -> None:
    assert (
        slug_of("Some Agent")
        == label_of("Some Agent")
        == exported_name("Some Agent", "git-ai")
        == "Some Agent"
    )
    assert slug_of("") == label_of("") == exported_name("", "git-ai") == ""


@pytest.mark.parametrize(
    ("slug", "accounts"),
    [
        *((agent.slug, agent.accounts) for agent in agents() if agent.accounts),
        *(pick(entry, "agent", "accounts") for entry in STATEMENTS["account"]),
    ],
)
def test_accounts_of_an_agent_are_its_own(slug: str, accounts: str) -> None:
    assert slug in {agent.slug for agent in agents()}
    for pattern in re.sub(r"\(\?[:<!].*?\)\??", "", accounts).split("|"):
        account = f"Somebody <{pattern}>".replace("\\", "")
        if agent_of_account(account) is not None:  # an alternative may be a part of its neighbour
            assert agent_of_account(account) == slug, account


def test_every_listed_account_says_where_it_is_from_and_since_when() -> None:
    for table in ("account", "aside"):
        for entry in STATEMENTS[table]:
            assert entry["source"] and entry["listed"].year >= 2026


def test_a_tool_is_of_one_kind_whichever_agent_has_it() -> None:
    kinds: dict[str, set[str]] = {}
    for agent in agents():
        for kind, names in agent.tools.items():
            for name in names.split():
                kinds.setdefault(name, set()).add(kind)
                assert name == name.lower()
    assert {name: found for name, found in kinds.items() if len(found) > 1} == {}
    assert {name: {category(ToolCall("c", name.title(), 0, None))} for name in kinds} == kinds


# --- no second list -------------------------------------------------------------------------------

# Modules that name several agents, and why that is no list of them.
OTHERS = {
    "attribution/disclosure/policy_words.py": "names by which policies speak of AI",
    "attribution/exchange/exports/agent_trace.py": "families of models and who provides them",
    "collector/agents/antigravity.py": "its directory is inside that of Gemini CLI",
    "collector/discovery/records.py": "files in which Entire installs its hooks",
    "collector/agents/kimi_code.py": "its name begins like that of Kimi CLI",
    "collector/agents/specstory.py": "names that it gives to the agents it records",
    "collector/files/kinds.py": "directories of recorders",
    "collector/checkpoints/unread.py": "directories in which a record may lie that nothing reads",
}


SHORT = {"claude-code": "claude", "gemini-cli": "gemini"}


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    """Slug -> what names the agent; words that are also English or ours do not count."""
    patterns = {}
    for agent in agents():
        names = {agent.slug, agent.label.lower(), *agent.aliases, SHORT.get(agent.slug, "")}
        names -= {"", "cursor", "pi", "amp", "copilot", "continue"}
        if names and agent not in DECLARED:
            words = "|".join(map(re.escape, sorted(names)))
            patterns[agent.slug] = re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.I)
    return patterns


def _named(text: str) -> set[str]:
    """Slugs of the agents that a string names."""
    return {slug for slug, pattern in _patterns().items() if pattern.search(text)}


def _strings(path: Path) -> list[str]:
    """String constants of a module without docstrings."""
    tree = ast.parse(path.read_text("utf-8"))
    docs = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    return [
        n.value
        for n in ast.walk(tree)
        if isinstance(n, ast.Constant) and isinstance(n.value, str) and id(n) not in docs
    ]


def test_only_the_registry_lists_agents() -> None:
    listing = {}
    for path in sorted(
        [*(ROOT / "collector").rglob("*.py"), *(ROOT / "attribution").rglob("*.py")]
    ):
        named = set().union(*map(_named, _strings(path)))
        if len(named) > 1:
            listing[path.relative_to(ROOT).as_posix()] = named
    assert set(listing) == set(OTHERS), listing


def test_the_page_calls_untested_agents_untested() -> None:
    page = (ROOT / "docs" / "agents.md").read_text("utf-8").partition("## Sessions on")[0]
    rows = {row.split("|")[2].strip(" `"): row for row in page.splitlines() if "|" in row}
    for reader in readers():
        assert ("untested" in rows[reader.NAME]) == (reader.NAME in unproven()), reader.NAME
    assert set(unproven()) == {"copilot-chat"}
