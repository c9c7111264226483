"""Who may have changed a file between two moments at which we know its text. Pure.

The default is a person, but only when every action of every agent in the worktree is known and none of them explains the change.
A command that names the file, a formatter, a generator make it the agent's; a command that could do anything, a subagent whose
calls we cannot see, or a transcript that is missing make it unknown.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from fnmatch import fnmatch

from attribution.replay import CallRef
from attribution.shell import Effect, effects, mentions

SLACK = 5.0  # seconds by which clocks of a transcript and of git may differ
QUIET = 1800.0  # seconds without any recorded session after which somebody unrecorded may have been at work
PARTING = 600.0  # the same between the last event of a session and a commit


@dataclass(frozen=True, slots=True)
class Cause:
    """Answer for a gap. For `agent` the call that did it; for `unknown` the reason.

    A `human` cause may have the reason `formatter`: one ran, which explains imports put in order but not new text.
    """

    author: str  # agent | human | unknown
    how: str = "none"  # shell
    evidence: str = "inferred"
    reason: str = ""
    call: CallRef | None = None


@dataclass(frozen=True, slots=True)
class Action:
    """Something an agent did in a worktree that is not an edit call."""

    at: float
    until: float
    call: CallRef
    command: str = ""
    cwd: str = ""
    effects: tuple[Effect, ...] | None = ()  # None: not looked at yet
    unseen: str = ""  # invisible_subagent | transcript_missing: what may have happened is unknown


# Which kinds of effect decide first when several commands ran in one gap.
_UNNAMED = ("modify", "generate", "write", "append")
_NAMED = ("write", "append", "modify", "copy", "move", "remove")


@dataclass(slots=True)
class Gaps:
    """The actions of one worktree in time order."""

    root: str
    actions: list[Action] = field(default_factory=list)
    spans: list[tuple[float, float]] = field(default_factory=list)  # first and last event of each session recorded here
    _starts: list[float] = field(default_factory=list)
    _longest: float = 0.0
    _effects: dict[tuple[str, str], tuple[Effect, ...]] = field(default_factory=dict)
    _answers: dict[tuple[str, float, float, bool, bool, bool], Cause] = field(default_factory=dict)

    def settle(self) -> None:
        self.actions.sort(key=lambda a: a.at)
        self._starts = [a.at for a in self.actions]
        self._longest = max((a.until - a.at for a in self.actions), default=0.0)

    def between(self, after: float, before: float) -> list[Action]:
        """Actions that overlap the open interval, earliest first."""
        start = bisect_left(self._starts, after - self._longest)
        found = []
        for action in self.actions[start:]:
            if action.at >= before:
                break
            if action.until > after:
                found.append(action)
        return found

    def cause(self, path: str, after: float, before: float, layout: bool = False, last: bool = False, made: bool = False) -> Cause:
        """Who changed `path` between `after` and `before`, as far as the agents' actions tell.

        `layout`: only the layout differs, which is what formatters do; for other changes formatters are no explanation.
        `last`: `before` is the moment of a commit, not of an event of a session.
        `made`: the whole file is new, and nobody saw it before; a command that changes a file in place did not make it.
        """
        key = (path, after, before, layout, last, made)
        if key not in self._answers:
            found = self._cause(path, after, before, layout, made)
            if found.author == "human" and not self._covered(after, before, last):
                found = Cause("unknown", reason="uncaptured")
            self._answers[key] = found
        return self._answers[key]

    def _covered(self, after: float, before: float, last: bool) -> bool:
        """Whether sessions were being recorded in that time, so that an agent at work would be known."""
        if last:
            return any(start <= before and end >= before - PARTING for start, end in self.spans)
        if before - after <= QUIET:
            return True
        return any(start <= after + QUIET and end >= before - SLACK for start, end in self.spans)

    def _cause(self, path: str, after: float, before: float, layout: bool, made: bool) -> Cause:
        weaker: Cause | None = None
        actions = self.between(after, before)
        for action in actions:
            if action.unseen == "transcript_missing":  # whatever else is known, part of what was done is not
                return Cause("unknown", reason=action.unseen, call=action.call)
        for action in reversed(actions):
            found = self._of(action, path, layout, made)
            if found is None:
                continue
            if found.author == "agent":
                return found
            if weaker is None or weaker.author == "human":  # unknown beats "a formatter ran"
                weaker = found
        return weaker or Cause("human")

    def _of(self, action: Action, path: str, layout: bool, made: bool) -> Cause | None:
        """What one action says about a change of `path`; None: nothing."""
        if action.unseen:
            return Cause("unknown", reason=action.unseen, call=action.call)
        weaker: Cause | None = None
        mine = Cause("agent", "shell", "inferred", call=action.call)
        found = self._effects_of(action)
        for effect in found:
            if effect.kind in _NAMED or effect.kind == "generate":
                if not self._touches(effect, path):
                    continue
                if not (made and effect.kind == "modify"):
                    return mine
                weaker = weaker or Cause("unknown", reason="base_unknown", call=action.call)
            elif effect.kind == "format" and self._may_touch(effect, path):
                if layout:
                    return mine
                weaker = weaker or Cause("human", reason="formatter", call=action.call)
            elif effect.kind == "restore" and self._may_touch(effect, path):
                weaker = weaker or Cause("unknown", reason="git_operation", call=action.call)
            elif effect.kind == "opaque":
                weaker = weaker or Cause("unknown", reason="opaque_shell", call=action.call)
        return mine if _writes(found) and mentions(action.command, path) else weaker

    def _effects_of(self, action: Action) -> tuple[Effect, ...]:
        """Most commands only look and are in no gap that matters: they are read when somebody asks."""
        if action.effects is not None:
            return action.effects
        key = (action.command, action.cwd)
        if key not in self._effects:
            self._effects[key] = effects(action.command, action.cwd)
        return self._effects[key]

    def _touches(self, effect: Effect, path: str) -> bool:
        return any(self._same(p, path) for p in (*effect.paths, effect.target) if p)

    def _may_touch(self, effect: Effect, path: str) -> bool:
        return not effect.paths or self._touches(effect, path)

    def _same(self, pattern: str, path: str) -> bool:
        """Whether a path of a command (absolute, relative, a directory or a glob) covers the repository path."""
        relative = pattern
        if pattern.startswith(self.root + "/"):
            relative = pattern[len(self.root) + 1 :]
        elif pattern == self.root or pattern in (".", "./..."):
            return True
        elif pattern.startswith("/"):
            return False
        relative = relative.removesuffix("/...").rstrip("/")
        return path == relative or path.startswith(relative + "/") or ("*" in relative and fnmatch(path, relative))


def _writes(found: tuple[Effect, ...]) -> bool:
    """May write to files that its effects do not name, so that naming one in its text means something."""
    return any(effect.kind == "opaque" or (effect.kind in _UNNAMED and not effect.paths) for effect in found)
