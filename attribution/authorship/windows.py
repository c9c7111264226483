"""Who may have changed a file between two moments at which we know its text. Pure.

The default is a person, but only when every action of every agent in the worktree is known and none of them explains the change.
A command that names the file, a formatter, a generator make it the agent's; a command that could do anything, a subagent whose
calls we cannot see, or a transcript that is missing make it unknown.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatch
from functools import partial

from attribution.authorship.inline_scripts import InlineScript
from attribution.authorship.named import says_it_writes
from attribution.authorship.replay import CallRef
from attribution.authorship.surroundings import Existence, TasksAt, TrackedAt, no_tasks_at, not_tracked
from attribution.authorship.tasks import asks_for
from attribution.authorship.worktree_roots import is_foreign
from attribution.shell import Effect, effects, mentions
from collector.vocabulary.lines import Reason

SLACK = 5.0  # seconds by which clocks of a transcript and of git may differ
QUIET = 1800.0  # seconds without any recorded session after which somebody unrecorded may have been at work
PARTING = 600.0  # the same between the last event of a session and a commit
STRANGE = 120.0  # the same for a file that no session ever worked on


@dataclass(frozen=True, slots=True)
class CandidateAuthor:
    """Answer for a gap. For `agent` the call that did it; for `tool` the call that ran it; for `unknown` the reason.

    `human` may have the reason `formatter`: one ran, which adds braces, parentheses and `import type` but no word of its own;
    `opaque_shell`: a command ran of which nobody knows what it writes, so that only the words of a line can tell;
    `git_operation`: git took the text of a commit, in which such a line may stand; or `uncaptured`: no recorded session did it,
    but for a part of the time none was being recorded.
    """

    author: str  # agent | human | tool | unknown
    how: str = "none"  # shell
    evidence: str = "inferred"
    reason: str = ""
    call: CallRef | None = None
    tool: str = ""  # the program, for author = tool
    watched: bool = True  # False: for a part of the time no session was being recorded
    scripts: tuple[InlineScript, ...] = ()  # latest first; where there are any, only lines that they explain are the agent's
    otherwise: CandidateAuthor | None = None  # the answer for the other lines

    @property
    def is_person(self) -> bool:
        """Nobody else can have done it, as far as sessions are recorded."""
        return self.author == "human" and self.watched and self.reason not in ("opaque_shell", "git_operation")


@dataclass(frozen=True, slots=True)
class AttributionWindow:
    """The question who changed a file between two moments at which its text is known, in seconds since the epoch."""

    path: str
    after: float
    before: float
    layout: bool = False  # only the layout differs, which is what formatters do; for other changes they are no explanation
    last: bool = False  # `before` is the moment of a commit, not of an event of a session
    made: bool = False  # the whole file is new and nobody saw it before; what changes files in place did not make it
    unseen: bool = False  # no session ever worked on the file


@dataclass(frozen=True, slots=True)
class WorktreeAction:
    """Something an agent did in a worktree that is not an edit call."""

    at: float
    until: float
    call: CallRef
    command: str = ""
    cwd: str = ""
    effects: tuple[Effect, ...] | None = ()  # None: not looked at yet
    subagent: str = ""  # session or agent id of the subagent that it started, where recorded
    unseen: str = ""  # the reason why what was done is not known: a part of the transcript, or a subagent's, is missing
    told: str = ""  # invisible_subagent: what it was asked to do
    files: frozenset[str] | None = None  # invisible_subagent: paths it can have left changed when it was done; None: any


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a user said, which starts a turn."""

    at: float
    text: str


_LACKING = frozenset({Reason.TRANSCRIPT_MISSING, Reason.TRANSCRIPT_NOT_STORED})  # a part of a session
# Which kinds of effect decide first when several commands ran in one gap.
_NAMED = ("write", "append", "modify", "copy", "move", "remove")


# Commands that run tasks of the project.
_RUNS_TASK = re.compile(r"\b(?:npm|pnpm|yarn|bun|nx|turbo|g?make|just|mise|poe|pdm|task)\b")


@dataclass(slots=True)
class AttributionWindows:
    """The actions of one worktree in time order."""

    root: str
    actions: list[WorktreeAction] = field(default_factory=list)
    spans: list[tuple[float, float]] = field(default_factory=list)  # first and last event of each session recorded here
    moments: list[float] = field(default_factory=list)  # of all events of those sessions
    existence: Existence = field(default_factory=Existence)
    prompts: list[Prompt] = field(default_factory=list)
    tasks: TasksAt = no_tasks_at
    tracked: TrackedAt = not_tracked
    _starts: list[float] = field(default_factory=list)
    _longest: float = 0.0
    _effects: dict[tuple[str, str], tuple[Effect, ...]] = field(default_factory=dict)
    _of_tasks: dict[tuple[str, str, float], tuple[Effect, ...]] = field(default_factory=dict)
    _answers: dict[AttributionWindow, CandidateAuthor] = field(default_factory=dict)

    def settle(self) -> None:
        self.actions.sort(key=lambda a: a.at)
        self._starts = [a.at for a in self.actions]
        self.moments.sort()
        self._longest = max((a.until - a.at for a in self.actions), default=0.0)

    def between(self, after: float, before: float) -> list[WorktreeAction]:
        """Actions that overlap the open interval, earliest first."""
        start = bisect_left(self._starts, after - self._longest)
        found = []
        for action in self.actions[start:]:
            if action.at >= before:
                break
            if action.until > after:
                found.append(action)
        return found

    def cause(self, gap: AttributionWindow) -> CandidateAuthor:
        """Who it was, as far as the agents' actions tell."""
        if gap not in self._answers:
            found = (self._maker(gap) if gap.made else None) or self._cause(gap)
            if found.author == "human" and not self._covered(gap):
                found = replace(found, reason=found.reason or "uncaptured", watched=False)
            self._answers[gap] = found
        return self._answers[gap]

    def _covered(self, gap: AttributionWindow) -> bool:
        """Whether sessions were being recorded in that time, so that an agent at work would be known."""
        if gap.last:
            # Of a file that no session touched, only one that is still going on or just over can tell.
            return self._active(gap.before, STRANGE if gap.unseen else PARTING)
        if gap.before - gap.after <= QUIET:
            return True
        return any(start <= gap.after + QUIET and end >= gap.before - SLACK for start, end in self.spans)

    def _active(self, commit: float, parting: float) -> bool:
        """Whether a session was at work shortly before the commit, and one was not over for longer than `parting`."""
        at = bisect_left(self.moments, commit - QUIET)
        near = at < len(self.moments) and self.moments[at] <= commit + PARTING
        return near and any(start <= commit and end >= commit - parting for start, end in self.spans)

    def _cause(self, gap: AttributionWindow) -> CandidateAuthor:
        weaker: CandidateAuthor | None = None
        scripts: list[CandidateAuthor] = []
        actions = self.between(gap.after, gap.before)
        for action in actions:
            if action.unseen in _LACKING:  # whatever else is known, part of what was done is not
                return CandidateAuthor("unknown", reason=action.unseen, call=action.call)
        for action in reversed(actions):
            found = self.answer_of(action, gap)
            if found is None:
                continue
            if found.scripts:
                scripts.append(found)
            elif found.author in ("agent", "tool"):
                weaker = found
                break
            else:
                weaker = _weaker(weaker, found)
        rest = weaker or CandidateAuthor("human")
        return _by_scripts(scripts, rest) if scripts else rest

    def _maker(self, gap: AttributionWindow) -> CandidateAuthor | None:
        """Who made a new file that no session edited: what acted between the moments it was seen absent and there; None: open."""
        seen = [(at, exists) for at, exists in self.existence.of(gap.path) if gap.after < at < gap.before]
        there = next((at for at, exists in seen if exists), gap.before)
        absent = max((at for at, exists in seen if not exists and at < there), default=None)
        window = replace(gap, after=gap.after if absent is None else absent, before=there)
        actions = self.between(window.after, window.before)
        if any(action.unseen in _LACKING for action in actions):
            return None
        found = self._cause(window)
        if found.author in ("agent", "tool"):
            return found
        if maker := self._told_to_make(gap.path, actions):
            return maker
        watched = absent is not None and (there < gap.before or self._active(gap.before, STRANGE))
        within_turn = watched and not any(window.after < one.at < there for one in self.prompts)
        return self._only_writer(actions) if within_turn else None

    def _told_to_make(self, path: str, actions: Sequence[WorktreeAction]) -> CandidateAuthor | None:
        """The first subagent that was told to make the file; one that was named before was there, or is somebody else's."""
        for action in actions:
            if action.unseen == Reason.INVISIBLE_SUBAGENT and (self._made_by(action, path) or asks_for(action.told, path)):
                texts = [one.text for one in self.prompts if one.at <= action.at]
                texts += [one.command or one.told for one in actions if one.at < action.at]
                named = any(mentions(text, path) for text in texts if text)
                return None if named else CandidateAuthor("agent", "subagent", call=action.call)
        return None

    def _made_by(self, action: WorktreeAction, path: str) -> bool:
        """Whether the recorder found the file when the subagent was done, and git did not know it before."""
        return path in (action.files or ()) and not self.tracked(path, action.at)

    def _only_writer(self, actions: Sequence[WorktreeAction]) -> CandidateAuthor | None:
        """Of a file that appeared within a turn: the generator that ran, else the subagent, else the command that could write."""
        kinds: dict[str, CandidateAuthor] = {}
        for action in actions:
            if action.unseen:
                kinds.setdefault("subagent", CandidateAuthor("agent", "subagent", call=action.call))
                continue
            for effect in self.effects_of(action):
                if effect.kind == "generate" and not effect.paths:
                    kinds.setdefault("generate", _ran(effect, action))
                elif effect.kind == "opaque":
                    kinds.setdefault("opaque", _did(action))
        return next((kinds[kind] for kind in ("generate", "subagent", "opaque") if kind in kinds), None)

    def answer_of(self, action: WorktreeAction, gap: AttributionWindow) -> CandidateAuthor | None:
        """What one action says about the change; None: nothing."""
        if action.unseen:
            hides = self._may_hide(action, gap)
            return CandidateAuthor("unknown", reason=action.unseen, call=action.call) if hides else None
        weaker: CandidateAuthor | None = None
        found = self.effects_of(action)
        for effect in found:
            answer = self._of_effect(effect, action, gap)
            if answer is not None and answer.author in ("agent", "tool"):
                return answer
            weaker = _weaker(weaker, answer)
        how = says_it_writes(found, action.command, gap.path)
        if not how:
            return weaker
        generators = [effect for effect in found if effect.kind == "generate" and not effect.paths]
        return _ran(generators[0], action) if generators else _scripted(action) if how == "script" else _did(action)

    def _may_hide(self, action: WorktreeAction, gap: AttributionWindow) -> bool:
        """Whether what was not recorded may have changed the file.

        The files of a subagent are those that differed from HEAD when it was done: without what it committed itself, and without
        files that git did not know before.
        """
        if action.files is None or gap.path in action.files or gap.before < action.until:
            return True
        return not self.tracked(gap.path, action.at)

    def _of_effect(self, effect: Effect, action: WorktreeAction, gap: AttributionWindow) -> CandidateAuthor | None:
        """What one effect of an action says about the change; None: nothing."""
        if effect.kind == "generate":
            return _ran(effect, action) if self._touches(effect, gap.path) else None
        if effect.kind in _NAMED:
            touched = self._touches(effect, gap.path) and (gap.made or not self._is_into(effect, gap.path))
            return self._of_named(effect, action, gap) if touched else None
        if effect.kind == "format" and self._may_touch(effect, gap.path):
            return _formatted(effect, action) if gap.layout else CandidateAuthor("human", reason="formatter", call=action.call)
        if effect.kind == "opaque":
            return CandidateAuthor("human", reason="opaque_shell", call=action.call)
        doubtful = effect.kind == "restore" and self._may_touch(effect, gap.path)
        author = "human" if effect.from_commit else "unknown"  # what is merged or popped may come from anywhere
        return CandidateAuthor(author, reason="git_operation", call=action.call) if doubtful else None

    def _of_named(self, effect: Effect, action: WorktreeAction, gap: AttributionWindow) -> CandidateAuthor:
        if effect.kind in ("copy", "move") and effect.paths and all(is_foreign(path, self.root) for path in effect.paths):
            return CandidateAuthor("unknown", reason=Reason.BROUGHT_IN, call=action.call)
        if effect.kind != "modify":
            return _did(action)
        if gap.made:
            return CandidateAuthor("unknown", reason="base_unknown", call=action.call)
        return _scripted(action)

    def effects_of(self, action: WorktreeAction) -> tuple[Effect, ...]:
        """Most commands only look and are in no gap that matters: they are read when somebody asks."""
        if _RUNS_TASK.search(action.command):
            timed = (action.command, action.cwd, action.at)
            if timed not in self._of_tasks:
                tasks = partial(self.tasks, action.at, self.root)
                self._of_tasks[timed] = effects(action.command, action.cwd, tasks)
            return self._of_tasks[timed]
        if action.effects is not None:
            return action.effects
        key = (action.command, action.cwd)
        if key not in self._effects:
            self._effects[key] = effects(action.command, action.cwd)
        return self._effects[key]

    def _touches(self, effect: Effect, path: str) -> bool:
        named = (effect.target,) if effect.kind == "copy" else (*effect.paths, effect.target)  # what is copied stays as it is
        return any(self._same(p, path) for p in named if p)

    def _is_into(self, effect: Effect, path: str) -> bool:
        """Whether files whose names are not known were copied into a directory above: they may be others than this one."""
        return effect.kind == "copy" and not effect.paths and not effect.target.endswith(path)

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


def _weaker(known: CandidateAuthor | None, found: CandidateAuthor | None) -> CandidateAuthor | None:
    """Of two answers that name nobody the more doubtful: unknown, then git, an opaque command, a formatter."""
    return max((one for one in (known, found) if one is not None), key=_doubt, default=None)


def _doubt(answer: CandidateAuthor) -> int:
    return 3 if answer.author != "human" else {"git_operation": 2, "opaque_shell": 1}.get(answer.reason, 0)


def _did(action: WorktreeAction) -> CandidateAuthor:
    """The agent's command wrote the file itself."""
    return CandidateAuthor("agent", "shell", "inferred", call=action.call)


def _scripted(action: WorktreeAction) -> CandidateAuthor:
    """The agent's command changed the file; which lines it wrote its text tells."""
    return replace(_did(action), scripts=(InlineScript(action.command, action.call),))


def _by_scripts(found: Sequence[CandidateAuthor], rest: CandidateAuthor) -> CandidateAuthor:
    """One answer of several scripts that changed a file; `rest`: of the other actions."""
    scripts = tuple(script for one in found for script in one.scripts)
    return replace(found[0], scripts=scripts, otherwise=rest)


def _formatted(effect: Effect, action: WorktreeAction) -> CandidateAuthor:
    """A change of layout while a formatter ran. A task that is only called `lint` or `format` need not write anything."""
    if _RUNS_TASK.fullmatch(effect.tool):
        return CandidateAuthor("unknown", reason=Reason.FORMATTER, call=action.call)
    return _ran(effect, action)


def _ran(effect: Effect, action: WorktreeAction) -> CandidateAuthor:
    """The agent had a tool write the file."""
    return CandidateAuthor("tool", "none", "inferred", call=action.call, tool=effect.tool or "generator")
