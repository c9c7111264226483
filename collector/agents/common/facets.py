"""What a transcript can tell."""

from __future__ import annotations

# In the order of the table in docs/agents.md. A reader declares its part as `GIVES`; the tests compare
# that with what it finds in its sample.
FACETS = {
    "times": "when each call was made",
    "results": "whether a call succeeded",
    "text": "the exact text an edit writes",
    "before": "the whole text before an edit",
    "positions": "line numbers of an edit",
    "reads": "what the agent saw of files",
    "commands": "shell commands",
    "commits": "commits a command made",
    "subagents": "calls of subagents, in the same transcript",
    "models": "the model of each response",
    "tokens": "tokens used",
    "directory": "the working directory",
}
