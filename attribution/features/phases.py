"""Phases of the work, told from the kinds of calls. Pure."""

from __future__ import annotations

from attribution.features.registry import HEURISTIC, Feature, Values
from attribution.features.undo import undos
from attribution.features.view import SessionView

NAME = "phases"
TITLE = "Phases"
ORDER = 50
STAGE = "session"

FEATURES = (
    Feature(
        "phase_transitions", "json", "list of phases",
        "the phases in order, repetitions left out: explore (reads, searches, the web, subagents), localize (reads a file that the "
        "session changes), implement (writes, edits), verify (builds, tests, linters)",
        HEURISTIC, version=2,
    ),
    Feature("undo_commands", "json", "list of {at, by, command, files, paths, since}", "git commands (checkout or restore of files, reset --hard, revert, a stash that is not taken back) that throw away edits of the session not yet committed; by: agent, or human when typed with `!`; since: moment of the commit before it, 0 without one", HEURISTIC, null=("commands_not_kept",), version=2),
    Feature("commits_made", "integer", "commits", "commits that calls of the session made, as git printed or the agent recorded them"),
)  # fmt: skip

_EXPLORING = frozenset({"read", "grep", "glob", "bash:file", "web", "agent", "bash:net"})


def compute(view: SessionView) -> Values:
    phases: list[str] = []
    for number in range(len(view.calls)):
        phase = _phase(view, number)
        if phase and (not phases or phases[-1] != phase):
            phases.append(phase)
    return {
        "phase_transitions": phases,
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
