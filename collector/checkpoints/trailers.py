"""What a commit says about itself: checkpoint ids anywhere in its message, co-author trailers, metadata and bot accounts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from collector.checkpoints.entire import CHECKPOINT_TRAILER, ID
from collector.git.agitrack import agent_blocks
from collector.model import Commit
from collector.vocabulary.agents import agent_of_account, agent_of_subject, slug_of

# Anywhere in the message: squash merges put trailers in the middle, where git's own trailer rule does not look.
_CHECKPOINT = re.compile(rf"{CHECKPOINT_TRAILER}:\s*({ID})(?=\s|$)")
_CO_AUTHOR = re.compile(r"^[ \t>*-]*(?:Co-authored-by|Assisted-by|Generated-by|AI-assisted-by):[ \t]*(.{1,200})$", re.I | re.M)

# "Claude Opus 4.6 <noreply@…>", "aider (openai/gpt-4o) <aider@…>": the name says the model.
_MODEL = re.compile(
    r"^\s*(?:aider \((?P<of_aider>[^()<]{1,100})\)|(?P<name>(?:Claude|GPT|Gemini|Codex|o\d)[^<(]{0,60}?)\s*(?:\(|<|$))", re.I
)
_BOT = re.compile(r"\[bot\]$|\[bot\]@|^(?:dependabot|renovate|github-actions|semantic-release|greenkeeper|snyk)\b", re.I)


def checkpoint_ids(message: str) -> list[str]:
    """Ids named by a commit message, in order, each once."""
    return list(dict.fromkeys(_CHECKPOINT.findall(message)))


class Declaration(NamedTuple):
    """An agent that a commit itself names."""

    where: str  # trailer | author | subject | metadata
    agent: str  # slug
    model: str = ""


def declarations(commit: Commit) -> Iterator[Declaration]:
    """Every agent that the commit itself names, once for each place."""
    author = f"{commit.author_name} <{commit.author_email}>"
    for where, text in (*(("trailer", name) for name in _CO_AUTHOR.findall(commit.message)), ("author", author)):
        if agent := agent_of_account(text):
            model = _MODEL.match(text)
            yield Declaration(where, agent, (model["of_aider"] or model["name"]).strip() if model else "")
    if agent := agent_of_subject(commit.subject):
        yield Declaration("subject", agent)
    for block in agent_blocks(commit.message):
        yield Declaration("metadata", slug_of(block.get("backend", "")) or "unknown", block.get("model", ""))


def declared_agent(commit: Commit) -> Declaration | None:
    """The agent that a co-author trailer, the author field, the subject or metadata names first; None when none does."""
    return next(declarations(commit), None)


def automation(commit: Commit) -> str | None:
    """Name of the automation account (no coding agent) that authored the commit."""
    match = _BOT.search(commit.author_name) or _BOT.search(commit.author_email)
    return commit.author_name[:100] if match else None
