"""What the coding agents are called: each has an entry, `AGENT` in its module in
`collector/agents`, or in the table here.

An agent has one slug, which is what the database calls it. Whatever else it is called (by a
checkpoint, a note of another tool, a trailer, an export) is in its entry.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple, cast

from collector.plugins import modules_of
from collector.text import toml_beside


@dataclass(frozen=True)
class Agent:
    """One coding agent, and what its name, its commits and its tools look like.

    `accounts` is a regular expression searched for in "Name <address>" of an author or co-author,
    in any case: accounts of the vendor's own; `statements.toml` lists more. Names in `tools` and
    `read_only` are in lower case; `tools` maps a kind of call (see `attribution/features/tools.py`)
    to names of tools separated by blanks.
    """

    slug: str
    label: str  # for people
    accounts: str = ""
    subject: str = ""  # how subjects of its commits begin
    aliases: tuple[str, ...] = ()  # other names of it, see `slug_of`
    # NAME of an export -> what that format calls it; the slug elsewhere
    exported: Mapping[str, str] = field(default_factory=dict)
    tools: Mapping[str, str] = field(default_factory=dict)
    read_only: tuple[str, ...] = ()  # kinds of its subagents that have no tool to change files
    # regular expression of messages of its account for what a person did, or for a template
    by_people: str = ""
    # "given" if it is first of all a person's name, "name" if people have it too, "word" if it is
    # an ordinary word or another program's
    common: str = ""
    runs_others: bool = False  # a commit's author is rather the agent that it ran
    # regular expression of the directory at the root of a repository that it keeps its own files in
    state: str = ""


STATEMENTS: Mapping[str, Any] = toml_beside(__file__, "statements.toml")
"""The forms in which commits name agents (`trailer`, `body`), and the agents that only commits
name (`agent`).
"""

DECLARED = tuple(
    Agent(**{**entry, "aliases": tuple(entry.get("aliases", ()))}) for entry in STATEMENTS["agent"]
)
"""Agents of which no transcript is read: they are known by their commits alone."""

_PACKAGE = "collector.agents"


@cache
def agents() -> tuple[Agent, ...]:
    """All agents: those with a module in `collector/agents`, and those known by their commits
    alone.
    """
    return (*(cast(Agent, module.AGENT) for module in modules_of(_PACKAGE)), *DECLARED)


@cache
def _agent(slug: str) -> Agent | None:
    """The agent with a slug, for which no more than its own module is imported."""
    declared = next((agent for agent in DECLARED if agent.slug == slug), None)
    name = slug.replace("-", "_")
    if declared is not None or not name.isidentifier() or find_spec(f"{_PACKAGE}.{name}") is None:
        return declared
    return cast("Agent | None", getattr(import_module(f"{_PACKAGE}.{name}"), "AGENT", None))


@cache
def _slugs() -> Mapping[str, str]:
    return {
        _plain(name): agent.slug
        for agent in agents()
        for name in (agent.slug, agent.label, *agent.aliases)
    }


def _plain(name: str) -> str:
    return re.sub(r"[\s_]+", "-", name.strip().casefold())


def slug_of(name: str) -> str:
    """The slug of the agent that is called so: by slug, label or alias, whatever the case, `_` and
    blanks as good as `-`.

    A name that no agent has is returned as it is.
    """
    return _slugs().get(_plain(name), name)


def label_of(slug: str) -> str:
    """The agent's name for people; the slug itself of an agent that is not known."""
    agent = _agent(slug)
    if agent:
        return agent.label
    return slug


def exported_name(slug: str, export: str) -> str:
    """What the format of an export (its `NAME`) calls the agent; the slug where the format has
    no name of its own for it.
    """
    agent = _agent(slug)
    if agent:
        return agent.exported.get(export, slug)
    return slug


@cache
def _accounts() -> tuple[tuple[re.Pattern[str], str], ...]:
    own = [(agent.accounts, agent.slug) for agent in agents() if agent.accounts]
    listed = [(entry["accounts"], entry["agent"]) for entry in STATEMENTS["account"]]
    return tuple((re.compile(accounts, re.I), slug) for accounts, slug in own + listed)


@lru_cache(10_000)  # a history has far fewer accounts than commits
def agent_of_account(account: str) -> str | None:
    """The slug of the agent whose account "Name <address>" is; None of anybody else's."""
    for pattern, slug in _accounts():
        if pattern.search(account):
            return slug
    return None


def agent_of_subject(subject: str) -> str | None:
    """The slug of the agent that begins the subjects of its commits like this; None when none
    does.
    """
    for agent in agents():
        if agent.subject and subject.startswith(agent.subject):
            return agent.slug
    return None


@cache
def tool_kinds() -> Mapping[str, str]:
    """Name of a tool in lower case -> kind of call, of all agents together: a name means the
    same to each that has it.
    """
    return {
        name: kind
        for agent in agents()
        for kind, names in agent.tools.items()
        for name in names.split()
    }


@cache
def read_only_subagents() -> frozenset[str]:
    """Kinds of subagents in lower case that change no file, of all agents together."""
    return frozenset(kind for agent in agents() for kind in agent.read_only)


@cache
def state_directories() -> tuple[str, ...]:
    """Regular expressions of names, without the dot, of directories in which agents keep files
    of their own.
    """
    return tuple(agent.state for agent in agents() if agent.state)


class Scaffold(NamedTuple):
    """What a program for working with agents puts into repositories: whole files, or a text in
    files of these paths.
    """

    program: str
    paths: re.Pattern[str]
    # empty: the whole file, if no agent or person is known to have written it
    text: re.Pattern[str]
    # searched for in "name <address>: subject" of the committer of the first commit; empty: in any
    # commit
    root: re.Pattern[str]


@cache
def scaffolds() -> tuple[Scaffold, ...]:
    """All that `scaffolds.toml` lists."""
    tools = toml_beside(__file__, "scaffolds.toml")["tool"]
    paths = (re.compile(rf"(?:.*/)?(?:{'|'.join(tool['paths'])})") for tool in tools)
    patterns = (
        [re.compile(tool.get(name, ""), re.M) for name in ("text", "root")] for tool in tools
    )
    return tuple(
        Scaffold(tool["name"], path, *both)
        for tool, path, both in zip(tools, paths, patterns, strict=True)
    )


def shipped_by(path: str) -> str:
    """The program for working with agents that puts a file of that path into repositories; "" if
    none does.
    """
    for each in scaffolds():
        if not each.text.pattern and each.paths.fullmatch(path):
            return each.program
    return ""
