"""Which agent and which model a free text names: "Claude Opus 4.6", "OpenCode:gpt-5", "[Cline](https://…)", "AI (Sonnet 4 via Pi)".

Agents share their names with people and things (Claude, Jules, Devin, Goose), so a text names an agent only if nothing but names of
agents, models, vendors and programs stands in it; a name that is also a person's needs a model or an address that belongs to an
agent beside it.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from collector.vocabulary.agents import STATEMENTS, agents

_FAMILIES: dict[str, str] = STATEMENTS["names"]["families"]
_PART = "|".join(STATEMENTS["names"]["parts"])
# A model has a number: "Claude" alone is a name, "claude-opus-4-6" and "Sonnet 4.5" are models.
_MODEL = re.compile(
    rf"(?<![\w.-])(?:[a-z][\w-]*/)?(?:{'|'.join(_FAMILIES.values())})(?=[\w.\- ]*\d)(?:[- ./]?(?:{_PART}))+(?![\w-])", re.I
)
_FILLER = re.compile("|".join(STATEMENTS["names"]["beside"]), re.I)
_UNNAMED = "ai"  # the agent of a text that says no more than that
_LINK = re.compile(r"\[([^\]]{1,80})\]\([^)\s]*\)")
_AGENTS_ADDRESS = re.compile(
    r"(?i)noreply|no-reply|\bbot\b|\[bot\]|agent|\bai@|[+.]ai@|claude-?code|^$|example\.(?:com|org|net)$|\.local(?:host)?$"
)
_WORD = re.compile(r"[^\W_]+(?:[.\-][^\W_]+)*|\S")


class NamedAgent(NamedTuple):
    """An agent that a text names."""

    agent: str  # slug; `ai` if the text names none
    model: str = ""  # as written


def agent_named(text: str, address: str | None = None) -> NamedAgent | None:
    """The agent that a text names, with nothing else in it; None when it may be a person or a thing.

    `address` is the e-mail address beside the name, None where the form has none.
    """
    text = _LINK.sub(r"\1", text).strip(" \t.*_`\"'")[:200]
    match = _MODEL.search(text)
    model = match[0].strip() if match else ""
    remaining = text.replace(model, " ", 1) if model else text
    names = [(name.start(), slug) for pattern, slug in _names() for name in [pattern.search(remaining)] if name]
    for pattern, _ in _names():
        remaining = pattern.sub(" ", remaining, count=1)
    if any(not _FILLER.fullmatch(word) for word in _WORD.findall(remaining) if word[0].isalnum()):
        return None
    if not names:
        return NamedAgent(_maker(model), model) if model else _unnamed(text, address)
    agent = min(names, key=lambda name: (name[1] == _UNNAMED, name[0]))[1]
    if not model and agent in _common() and not _belongs_to_an_agent(text, agent, address):
        return None
    return NamedAgent(agent, model)


def model_identity(model: str) -> str:
    """One spelling for all names of a model: `Claude Opus 4.6`, `anthropic/claude-opus-4.6` -> `claude-opus-4-6`."""
    name = model.strip().lower().rpartition("/")[2]
    name = re.sub(r"\s*[\[(].*$", "", name)
    name = re.sub(r"[\s_]+", "-", name)
    name = re.sub(r"-(?:20\d{6}|20\d\d-\d\d-\d\d|latest)$", "", name)
    if re.match(r"(?:claude|opus|sonnet|haiku|fable)\b", name):
        name = name.replace(".", "-")
        name = re.sub(r"^(?!claude)", "claude-", name)
        name = re.sub(r"^claude-(\d[\d-]*)-(opus|sonnet|haiku)$", r"claude-\2-\1" if name[7:9] > "3-" else r"claude-\1-\2", name)
    return name


def _unnamed(text: str, address: str | None) -> NamedAgent | None:
    """ "AI", "AI Assistant", "LLM": an agent, but not which."""
    words = re.fullmatch(
        r"(?i)(?:an? )?(?:ai|llms?)(?:[ -](?:assistants?|agents?|assistance|tools?|coding (?:agent|assistant)))?", text
    )
    return NamedAgent(_UNNAMED) if words and (address is None or _AGENTS_ADDRESS.search(address)) else None


def _maker(model: str) -> str:
    """The agent that a model is counted for when no program is named."""
    plain = model.rpartition("/")[2]
    return next((slug for slug, family in _FAMILIES.items() if re.match(family, plain, re.I)), _UNNAMED)


def _belongs_to_an_agent(text: str, agent: str, address: str | None) -> bool:
    """Whether a name that people have too is an agent's here: without an address, or with one that no person has."""
    if address is None:
        return True
    return bool(_AGENTS_ADDRESS.search(address)) or re.search(r"(?i)\b(?:ai|agent|bot|assistant|code|cli)\b", text) is not None


@cache
def _common() -> frozenset[str]:
    """Agents whose name people and ordinary words share."""
    return frozenset(agent.slug for agent in agents() if agent.common)


@cache
def _names() -> list[tuple[re.Pattern[str], str]]:
    """Patterns of the names of agents, the longest first."""
    names = {name: agent.slug for agent in agents() for name in (agent.slug, agent.label, *agent.aliases) if name != "unknown"}
    spelled = {
        re.sub(r"[\s_-]+", r"[\\s_-]?", re.escape(name).replace("\\ ", " ").replace("\\-", "-")): slug
        for name, slug in names.items()
    }
    ordered = sorted(spelled.items(), key=lambda item: -len(item[0]))
    return [(re.compile(rf"(?<![\w@.-]){name}(?![\w@])(?!\.\w)", re.I), slug) for name, slug in ordered]
