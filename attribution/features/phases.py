"""Plans, what nobody did of them, and the phases of the work as the kinds of calls tell them.

Pure.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import cast

from attribution.features.registry import HEURISTIC, Feature, Values
from attribution.features.view import SessionView, edited_paths, is_edit
from collector.model import Status

NAME = "phases"
TITLE = "Plans and phases"
ORDER = 45
STAGE = "session"

FEATURES = (
    Feature(
        "plan_files",
        "integer",
        "files",
        "distinct files that the first plan on record names: an approved plan, or the first call of"
        " a plan or to-do tool",
        HEURISTIC,
        null=("no_plan_file",),
    ),
    Feature(
        "gd_inaction",
        "real",
        "share",
        "of those, the files that no call of an edit tool changed; files that a shell command"
        " changed count as untouched",
        HEURISTIC,
        null=("no_plan_file",),
    ),
    Feature(
        "phase_transitions",
        "json",
        "list of phases",
        "the phases in order, repetitions left out: explore (reads, searches, the web, subagents),"
        " localize (reads a file that the session changes), implement (writes, edits), verify"
        " (builds, tests, linters)",
        HEURISTIC,
        version=2,
    ),
    Feature(
        "undo_commands",
        "json",
        "list of {at, by, command, files, paths, since}",
        "git commands (checkout or restore of files, reset --hard, revert, a stash that is not"
        " taken back) that throw away edits of the session not yet committed; by: agent, or human"
        " when typed with `!`; since: moment of the commit before it, 0 without one",
        HEURISTIC,
        null=("commands_not_kept",),
        version=2,
    ),
    Feature(
        "commits_made",
        "integer",
        "commits",
        "commits that calls of the session made, as git printed or the agent recorded them",
    ),
)

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


_GIT = re.compile(
    r"(?:^|[;&|\n(]\s*)git\s+(?:-C\s+\S+\s+)?(checkout|restore|reset|revert|stash)\b([^;&|\n<>)]{0,2000})"
)
_FAILED = re.compile(
    r"^(?:fatal|error): |No local changes to save|not a git repository", re.M
)  # after a pipe the status says nothing
_EVERYTHING = ("",)


def undos(view: SessionView) -> list[dict[str, object]]:
    """Each undo with the moment, the one of the commit before it, who typed it, its text and the
    edited files it reaches.

    A stash that is popped or applied later undoes nothing.
    """
    state = _State()
    for moment, kind, by, text, paths in sorted(_events(view), key=lambda e: e[0]):
        if kind == "edit":
            state.pending.update(paths)
        elif kind == "commit":
            state.pending.clear()
            state.committed_at = moment
        else:
            state.command(moment, by, text)
    return state.found


@dataclass(slots=True)
class _State:
    """What is edited and not committed, and what was put away, as the session goes on."""

    found: list[dict[str, object]] = field(default_factory=list)
    pending: set[str] = field(default_factory=set)  # edited since the last commit
    committed_at: float = 0.0
    # newest first; None: held no edit of the session
    stashes: list[dict[str, object] | None] = field(default_factory=list)

    def command(self, moment: float, by: str, text: str) -> None:
        for part in _GIT.finditer(text):
            words = part[2].split()
            if text[part.end() : part.end() + 1] in ("<", ">") and words and words[-1].isdigit():
                words.pop()  # of 2>/dev/null
            if part[1] == "stash" and words[:1] and words[0] in ("pop", "apply", "drop", "clear"):
                self._unstash(words)
                continue
            reached = {
                path
                for target in _reached_paths(part[1], words)
                for path in self.pending
                if _covers(target, path)
            }
            undo = {
                "at": moment,
                "by": by,
                "command": text[:200],
                "files": len(reached),
                "paths": sorted(reached)[:_PATHS],
                "since": self.committed_at,
            }
            if reached:
                self.found.append(undo)
                self.pending -= reached
            if part[1] == "stash" and _puts_away(words):
                self.stashes.insert(0, undo if reached else None)

    def _unstash(self, words: list[str]) -> None:
        verb = words[0]
        number = next((int(match[1]) for word in words[1:] if (match := _STASH.fullmatch(word))), 0)
        if verb == "clear":
            self.stashes.clear()
        if number >= len(self.stashes):
            return
        undo = self.stashes[number] if verb == "apply" else self.stashes.pop(number)
        if verb == "drop" or undo is None or undo not in self.found:
            return
        self.found.remove(undo)
        self.pending.update(str(path) for path in cast("list[str]", undo["paths"]))


_STASH = re.compile(r"['\"]?(?:stash@\{)?(\d+)\}?['\"]?")
_PATHS = 100  # of an undo that are kept


def _puts_away(words: list[str]) -> bool:
    return not words or words[0].startswith("-") or words[0] in ("push", "save")


def _events(view: SessionView) -> Iterator[tuple[float, str, str, str, tuple[str, ...]]]:
    """(moment, edit | commit | command, who, text, paths)."""
    for call in view.calls:
        moment = call.done_at if call.done_at is not None else call.at or 0.0
        if is_edit(call):
            yield moment, "edit", "agent", "", tuple(edited_paths(call))
        if call.commits:
            yield moment, "commit", "agent", "", ()
        command = call.command if call.status is Status.OK else None
        if command is not None and "git" in command.text and not _FAILED.search(command.output):
            yield moment, "command", "agent", command.text, ()
    for mark in view.session.marks:
        if mark.kind == "user_shell" and "git" in mark.detail:
            yield mark.at or 0.0, "command", "human", re.sub(r"</?bash-input>", "", mark.detail), ()


def _reached_paths(name: str, words: list[str]) -> Iterable[str]:
    """What one undoing command reaches: paths, "" for everything."""
    named = words[words.index("--") + 1 :] if "--" in words else None
    plain = [w.strip("'\"") for w in (words if named is None else named) if not w.startswith("-")]
    if name == "checkout":
        switches = any(w in ("-b", "-B", "--orphan", "--detach") for w in words)
        is_path = re.compile(r"(?!origin/|HEAD)(?:\.$|.*(?:\.[A-Za-z]\w*$|\*))", re.S).match
        return () if switches else plain if named is not None else list(filter(is_path, plain))
    if name == "restore":
        return () if "--staged" in words and "--worktree" not in words else plain
    if name == "reset":
        return _EVERYTHING if "--hard" in words else ()
    if name == "revert":
        ends = any(w in ("--abort", "--continue", "--quit", "--skip") for w in words)
        return () if ends else _EVERYTHING
    if not _puts_away(words):
        return ()
    return plain if named is not None else _EVERYTHING


def _covers(target: str, path: str) -> bool:
    target = target.removeprefix("./").rstrip("/")
    return (
        target in ("", ".", ":", ":/")
        or path == target
        or path.endswith("/" + target)
        or f"/{target}/" in path
    )
