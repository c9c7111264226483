"""What the agent's first plan named and nobody touched. Pure."""

from __future__ import annotations

import re

from attribution.features.registry import HEURISTIC, Feature, Values
from attribution.features.view import SessionView

NAME = "planning"
TITLE = "Plans"
ORDER = 45
STAGE = "session"

FEATURES = (
    Feature("plan_files", "integer", "files", "distinct files that the first plan on record names: an approved plan, or the first call of a plan or to-do tool", HEURISTIC, null=("no_plan_file",)),
    Feature("gd_inaction", "real", "share", "of those, the files that no call of an edit tool changed; files that a shell command changed count as untouched", HEURISTIC, null=("no_plan_file",)),
)  # fmt: skip
_FILE = re.compile(
    r"(?<![\w/.@:-])(?:[\w.@-]+/)*[\w@-][\w.@-]*\."
    r"(?:py|pyi|go|tsx?|jsx?|mjs|cjs|rs|java|kt|swift|rb|php|cs|cc|cpp|hpp|c|h|md|json|ya?ml|toml|sh|css|scss|html|vue|svelte|sql)\b(?![\w/(])"
)
_MOST = 50_000  # characters of a plan that are searched


def compute(view: SessionView) -> Values:
    named = _plan_files(view)
    untouched = [path for path in named if not view.changes(path)]
    return {"plan_files": len(named) or None, "gd_inaction": len(untouched) / len(named) if named else None}


def _plan_files(view: SessionView) -> list[str]:
    approved = [(turn.at or 0.0, turn.text) for turn in view.user_turns if turn.origin == "plan"]
    called = [
        (call.at or 0.0, call.input.replace("\\n", "\n"))
        for call, kind in zip(view.calls, view.categories, strict=True)
        if kind in ("plan", "todo") and not call.agent_id
    ]
    first = min((*approved, *called), key=lambda plan: plan[0], default=(0.0, ""))
    return sorted({match[0].removeprefix("./") for match in _FILE.finditer(first[1][:_MOST])})
