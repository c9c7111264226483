"""What a commit says about itself: checkpoint ids anywhere in its message, co-author trailers and bot accounts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from collector.checkpoints.entire import CHECKPOINT_TRAILER, ID
from collector.model import Commit

# Anywhere in the message: squash merges put trailers in the middle, where git's own trailer rule does not look.
_CHECKPOINT = re.compile(rf"{CHECKPOINT_TRAILER}:\s*({ID})(?=\s|$)")
_CO_AUTHOR = re.compile(r"^[ \t>*-]*(?:Co-authored-by|Assisted-by|Generated-by|AI-assisted-by):[ \t]*(.{1,200})$", re.I | re.M)

# Address or account (in the author field or a co-author trailer) -> agent. Addresses of the vendors' own accounts.
_AGENTS = (
    (re.compile(r"noreply@anthropic\.com|claude\[bot\]", re.I), "claude-code"),
    (re.compile(r"noreply@openai\.com|codex@openai\.com|chatgpt-codex-connector\[bot\]|codex\[bot\]", re.I), "codex"),
    (re.compile(r"cursoragent@cursor\.com|cursor\[bot\]", re.I), "cursor"),
    (
        re.compile(r"copilot@users\.noreply\.github\.com|copilot-swe-agent\[bot\]|copilot\[bot\]|223556219\+Copilot", re.I),
        "copilot",
    ),
    (re.compile(r"devin-ai-integration\[bot\]|devin@cognition", re.I), "devin"),
    (re.compile(r"factory-droid\[bot\]", re.I), "factoryai-droid"),
    (re.compile(r"google-labs-jules\[bot\]|jules@google|gemini-code-assist\[bot\]|gemini-cli", re.I), "gemini"),
    (re.compile(r"noreply@windsurf\.com|noreply@codeium\.com", re.I), "windsurf"),
    (re.compile(r"roomote@roocode\.com|roomote\[bot\]", re.I), "roo-code"),
    (re.compile(r"noreply@opencode\.ai|opencode-agent\[bot\]|opencode@", re.I), "opencode"),
    (re.compile(r"noreply@aider\.chat|\(aider\)", re.I), "aider"),
    (re.compile(r"amp@ampcode\.com|noreply@ampcode\.com", re.I), "amp"),
)
# "Claude Opus 4.6 <noreply@…>": the name says the model.
_MODEL = re.compile(r"^\s*((?:Claude|GPT|Gemini|Codex|o\d)[^<(]{0,60}?)\s*(?:\(|<|$)", re.I)
_BOT = re.compile(r"\[bot\]$|\[bot\]@|^(?:dependabot|renovate|github-actions|semantic-release|greenkeeper|snyk)\b", re.I)


def checkpoint_ids(message: str) -> list[str]:
    """Ids named by a commit message, in order, each once."""
    return list(dict.fromkeys(_CHECKPOINT.findall(message)))


def declarations(commit: Commit) -> Iterator[tuple[str, str, str]]:
    """(trailer, author or subject; agent; model or "") for every agent that the commit itself names."""
    author = f"{commit.author_name} <{commit.author_email}>"
    for where, text in (*(("trailer", found) for found in _CO_AUTHOR.findall(commit.message)), ("author", author)):
        for pattern, agent in _AGENTS:
            if pattern.search(text):
                model = _MODEL.match(text)
                yield where, agent, model[1].strip() if model else ""
                break
    if commit.subject.startswith("aider:"):
        yield "subject", "aider", ""


def declared_agent(commit: Commit) -> tuple[str, str] | None:
    """(agent, model or "") that a co-author trailer or the author field names; None when neither does."""
    found = next(declarations(commit), None)
    return found[1:] if found is not None else None


def automation(commit: Commit) -> str | None:
    """Name of the automation account (no coding agent) that authored the commit."""
    found = _BOT.search(commit.author_name) or _BOT.search(commit.author_email)
    return commit.author_name[:100] if found else None
