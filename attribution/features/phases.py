"""Plans, what nobody did of them, and the phases of the work as the kinds of calls tell them. Pure."""

from __future__ import annotations

import re
from itertools import groupby

from attribution.features.registry import HEURISTIC, Feature, Values
from attribution.features.undo import undos
from attribution.features.view import SessionView

NAME = "phases"
TITLE = "Plans and phases"
ORDER = 45
STAGE = "session"

FEATURES = (
    Feature("plan_files", "integer", "files", "distinct files that the first plan on record names: an approved plan, or the first call of a plan or to-do tool", HEURISTIC, null=("no_plan_file",)),
    Feature("gd_inaction", "real", "share", "of those, the files that no call of an edit tool changed; files that a shell command changed count as untouched", HEURISTIC, null=("no_plan_file",)),
    Feature(
        "phase_transitions", "json", "list of phases",
        "the phases in order, repetitions left out: explore (reads, searches, the web, subagents), localize (reads a file that the "
        "session changes), implement (writes, edits), verify (builds, tests, linters)",
        HEURISTIC, version=2,
    ),
    Feature("undo_commands", "json", "list of {at, by, command, files, paths, since}", "git commands (checkout or restore of files, reset --hard, revert, a stash that is not taken back) that throw away edits of the session not yet committed; by: agent, or human when typed with `!`; since: moment of the commit before it, 0 without one", HEURISTIC, null=("commands_not_kept",), version=2),
    Feature("commits_made", "integer", "commits", "commits that calls of the session made, as git printed or the agent recorded them"),
)  # fmt: skip

_FILE = re.compile(
    r"(?<![\w/.@:-])(?:[\w.@-]+/)*[\w@-][\w.@-]*\."
    r"(?:py|pyi|go|tsx?|jsx?|mjs|cjs|rs|java|kt|swift|rb|php|cs|cc|cpp|hpp|c|h|md|json|ya?ml|toml|sh|css|scss|html|vue|svelte|sql)\b(?![\w/(])"
)
_MOST = 50_000  # characters of a plan that are searched
_EXPLORING = frozenset({"read", "grep", "glob", "bash:file", "web", "agent", "bash:net"})


def compute(view: SessionView) -> Values:
    named = _plan_files(view)
    untouched = [path for path in named if not view.changes(path)]
    phases = filter(None, (_phase(view, number) for number in range(len(view.calls))))
    return {
        "plan_files": len(named) or None,
        "gd_inaction": len(untouched) / len(named) if named else None,
        "phase_transitions": [phase for phase, _ in groupby(phases)],
        "undo_commands": undos(view),
        "commits_made": len({sha[:7] for call in view.calls for sha in call.commits}),
    }


def _phase(view: SessionView, number: int) -> str:
    kind = view.categories[number]
    if kind in ("write", "edit"):
        return "implement"
    if kind == "bash:build":
        return "verify"
    if kind in _EXPLORING:
        return "localize" if any(map(view.changes, view.reads[number])) else "explore"
    return ""


def _plan_files(view: SessionView) -> list[str]:
    approved = [(turn.at or 0.0, turn.text) for turn in view.user_turns if turn.origin == "plan"]
    called = [
        (call.at or 0.0, call.input.replace("\\n", "\n"))
        for call, kind in zip(view.calls, view.categories, strict=True)
        if kind in ("plan", "todo") and not call.agent_id
    ]
    first = min((*approved, *called), key=lambda plan: plan[0], default=(0.0, ""))
    return sorted({match[0].removeprefix("./") for match in _FILE.finditer(first[1][:_MOST])})
