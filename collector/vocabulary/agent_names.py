"""Which agent and which model a free text names: "Claude Opus 4.6", "OpenCode:gpt-5",
"[Cline](https://…)", "AI (Sonnet 4 via Pi)".

Agents share their names with people and things (Claude, Jules, Devin, Goose), so a text names an
agent only if nothing but names of agents, models, vendors and programs stands in it; a name that is
also a person's needs a model or an address that belongs to an agent beside it.
"""

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from collector.json_values import Texts
from collector.text import file_name
from collector.vocabulary.agents import STATEMENTS, agents

_FAMILIES: Texts = STATEMENTS["names"]["families"]
_PART = "|".join(STATEMENTS["names"]["parts"])
# A model has a number: "Claude" alone is a name, "claude-opus-4-6" and "Sonnet 4.5" are models.
_MODEL = re.compile(
    rf"(?<![\w.-])(?:[a-z][\w-]*/)?(?:{'|'.join(_FAMILIES.values())})(?=[\w.\- ]*\d)(?:[-"
    rf" ./]?(?:{_PART}))+(?![\w-])",
    re.I,
)
_FILLER = re.compile("|".join(STATEMENTS["names"]["beside"]), re.I)
_UNNAMED = "ai"  # the agent of a text that says no more than that
_LINK = re.compile(r"\[([^\]]{1,80})\]\([^)\s]*\)")
_VERSION = re.compile(r"(?<=[A-Z])v(?=\d)")  # ChatGPTv5
_AGENTS_ADDRESS = re.compile("|".join(STATEMENTS["names"]["addresses"]), re.I)
_AGENTS_WORD = re.compile(
    r"(?i)\b(?:agents?|assistants?|bot|code|cli|coding)\b|(?<=\w )ai\b|\bai(?= )|^llms?$"
)
_WORD = re.compile(r"[^\W_]+(?:[.\-][^\W_]+)*|\S")


class NamedAgent(NamedTuple):
    agent: str  # slug; `ai` if the text names none
    model: str = ""  # as written


@lru_cache(10_000)  # a history has far fewer names than commits
def agent_named(
    text: str, address: str | None = None, doubted: Sequence[str] = ()
) -> NamedAgent | None:
    """The agent that a text names, with nothing else in it; None when it may be a person or a
    thing.

    `address` is the e-mail address beside the name, None where the form has none; `doubted` are the
    kinds of common names (see `Agent.common`) that name no agent by themselves in a form without
    addresses.
    """
    text = _VERSION.sub(" v", _LINK.sub(r"\1", text)).strip(" \t.*_`\"'")[:200]
    match = _MODEL.search(text)
    model = match[0].strip() if match else ""
    remaining = text.replace(model, " ", 1) if model else text
    names = _names_in(remaining)
    if not names and not model:
        return None
    for name in names:
        remaining = remaining.replace(name, " ", 1)
    if any(not _FILLER.fullmatch(word) for word in _WORD.findall(remaining) if word[0].isalnum()):
        return None
    if not names:
        return NamedAgent(_maker(model), model)
    slugs = [slug for slug in names.values() if slug != _UNNAMED]
    agent = slugs[0] if slugs else _UNNAMED
    alone = not model and not _AGENTS_WORD.search(text)
    if alone and _may_be_a_person(agent, address, doubted):
        return None
    return NamedAgent(agent, model)


def _names_in(text: str) -> Texts:
    """Names of agents in a text -> their slugs, in order of their places."""
    if not _any_name().search(text):
        return {}
    places = []
    small = text.casefold()
    for beginning, pattern, slug in _names():
        # a history has few names: most are never compiled
        match = re.search(_whole_word(pattern), text, re.I) if beginning in small else None
        if match:
            places.append((match.start(), match[0], slug))
            text = text[: match.start()] + " " * len(match[0]) + text[match.end() :]
    return {name: slug for _, name, slug in sorted(places)}


def _may_be_a_person(agent: str, address: str | None, doubted: Sequence[str]) -> bool:
    """Whether a name that stands alone may be a person's or a thing's here."""
    common = _common().get(agent)
    if common is None:
        return False
    if address is None:
        return common == "given" or common in doubted
    return _AGENTS_ADDRESS.search(address) is None


def model_identity(model: str) -> str:
    """One spelling for all names of a model: `Claude Opus 4.6`, `anthropic/claude-opus-4.6` ->
    `claude-opus-4-6`.
    """
    name = file_name(model.strip().lower())
    name = re.sub(r"\s*[\[(].*$", "", name)
    name = re.sub(r"[\s_]+", "-", name)
    name = re.sub(r"-(?:20\d{6}|20\d\d-\d\d-\d\d|latest)$", "", name)
    if re.match(r"(?:claude|opus|sonnet|haiku|fable)\b", name):
        name = name.replace(".", "-")
        name = re.sub(r"^(?!claude)", "claude-", name)
        name = re.sub(
            r"^claude-(\d[\d-]*)-(opus|sonnet|haiku)$",
            r"claude-\2-\1" if name[7:9] > "3-" else r"claude-\1-\2",
            name,
        )
    return name


def _maker(model: str) -> str:
    """The agent that a model is counted for when no program is named."""
    plain = file_name(model)
    for slug, family in _FAMILIES.items():
        if re.match(family, plain, re.I):
            return slug
    return _UNNAMED


@cache
def _common() -> Texts:
    """Agents whose name people or ordinary words share -> which of these."""
    return {agent.slug: agent.common for agent in agents() if agent.common}


@cache
def _any_name() -> re.Pattern[str]:
    return re.compile(_whole_word("|".join(name for _, name, _ in _names())), re.I)


def _whole_word(pattern: str) -> str:
    """The pattern where it is a word of its own and no part of an address."""
    return rf"(?<![\w@.-])(?:{pattern})(?![\w@])(?!\.\w)"


@cache
def _names() -> list[tuple[str, str, str]]:
    """(how a name begins, its pattern, slug), the longest name first; blanks, hyphens and nothing
    are as good as each other.
    """
    names = {
        name: agent.slug
        for agent in agents()
        for name in (agent.slug, agent.label, *agent.aliases)
        if name != "unknown"
    }
    ordered = sorted(names.items(), key=lambda item: -len(item[0]))
    return [
        (words[0].casefold(), r"[\s_-]?".join(map(re.escape, words)), slug)
        for name, slug in ordered
        for words in [re.split(r"[\s_-]+", name)]
    ]
