"""Who may have changed a file between two moments at which we know its text. Pure.

The default is a person, but only when every action of every agent in the worktree is known and none
of them explains the change. A command that names the file, a formatter, a generator make it the
agent's; a command that could do anything, a subagent whose calls we cannot see, or a transcript
that is missing make it unknown.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from attribution.authorship.action_index import (
    NAMED,
    RUNS_TASK,
    WHOLE,
    ActionIndex,
    covered_part,
    is_opaque,
    touches,
)
from attribution.authorship.case import AttributionWindow, CandidateAuthor, InlineScript
from attribution.authorship.named import asks_for, says_it_writes
from attribution.authorship.people import STRANGE, is_active, is_watched
from attribution.authorship.session_edits import Prompt, WorktreeAction
from attribution.shell import Effect, effects, mentions
from collector.vocabulary.lines import Author, How, Reason

# seconds after which a layout that is seen need not be that of a formatter on record
SAME_RUN = 3 * 86_400.0


_SEVERAL = re.compile(r"&&|\|\||[;\n]")


@dataclass(slots=True)
class AttributionWindows:
    """The actions of one worktree in time order."""

    root: str
    actions: list[WorktreeAction] = field(default_factory=list)
    # first and last event of each session recorded here
    spans: list[tuple[float, float]] = field(default_factory=list)
    moments: list[float] = field(default_factory=list)  # of all events of those sessions
    # until when sessions were at work whose record has no times: nobody knows what they did when
    undated: float = 0.0
    # Path -> when the file was seen to be there, or not to be there.
    existence: dict[str, list[tuple[float, bool]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    prompts: list[Prompt] = field(default_factory=list)
    # (moment, worktree root, directory, program, task) -> the commands of a task of the project at
    # that time, when they are known
    # until a repository is at hand
    tasks: Callable[[float, str, str, str, str], str | None] = lambda *_: None
    # (path, moment) -> whether a commit before that moment holds the path
    tracked: Callable[[str, float], bool] = lambda *_: False
    _index: ActionIndex | None = None
    # command, directory, moment of a task
    _effects: dict[tuple[str, str, float], tuple[Effect, ...]] = field(default_factory=dict)
    _answers: dict[AttributionWindow, CandidateAuthor] = field(default_factory=dict)

    def settle(self) -> None:
        self.actions.sort(key=lambda a: a.at)
        self.moments.sort()

    @property
    def index(self) -> ActionIndex:
        """Made when somebody asks: most commands only look and are in no window that matters."""
        if self._index is None:
            self._index = ActionIndex(self.root, self.actions, self.effects_of)
        return self._index

    def between(self, after: float, before: float) -> list[WorktreeAction]:
        """Actions that overlap the open interval, earliest first."""
        return [self.actions[number] for number in self.index.all.overlapping(after, before)][::-1]

    def cause(self, window: AttributionWindow) -> CandidateAuthor:
        """Who it was, as far as the agents' actions tell."""
        if window not in self._answers:
            result = (self._maker(window) if window.made else None) or self._cause(window)
            if result.author == Author.HUMAN and window.after < self.undated:
                result = CandidateAuthor(Author.UNKNOWN, reason=Reason.UNCAPTURED)
            elif result.author == Author.HUMAN and not is_watched(window, self.spans, self.moments):
                result = replace(result, reason=result.reason or Reason.UNCAPTURED, watched=False)
            self._answers[window] = result
        return self._answers[window]

    def _cause(self, window: AttributionWindow) -> CandidateAuthor:
        lacking = self.index.lacking.earliest(window.after, window.before)
        if lacking is not None:  # whatever else is known, part of what was done is not
            action = self.actions[lacking]
            call = action.call if action.call.session_id else None  # of no session that was read
            return CandidateAuthor(Author.UNKNOWN, reason=action.unseen, call=call)
        weaker: CandidateAuthor | None = None
        scripts: list[CandidateAuthor] = []
        says = self.index.hits_on(window.path).says
        for number in self.index.candidates(window):
            result = self._answer(
                self.actions[number], self.index.effects[number], says.get(number, ""), window
            )
            if result is None:
                continue
            if result.scripts:
                scripts.append(result)
            elif result.author in (Author.AGENT, Author.TOOL):
                # something ran later
                is_in_doubt = result.fills_directory and weaker is not None and _doubt(weaker) > 0
                weaker = weaker if is_in_doubt else result
                break
            else:
                weaker = _weaker(weaker, result)
        remainder = weaker or CandidateAuthor(Author.HUMAN)
        every = tuple(script for cause in scripts for script in cause.scripts)
        return replace(scripts[0], scripts=every, otherwise=remainder) if scripts else remainder

    def _maker(self, question: AttributionWindow) -> CandidateAuthor | None:
        """Who made a new file that no session edited: what acted between the moments it was seen
        absent and there; None: open.
        """
        sighted = [
            item
            for item in sorted(self.existence.get(question.path, ()))
            if question.after < item[0] < question.before
        ]
        there = next((moment for moment, exists in sighted if exists), question.before)
        absent = max(
            (moment for moment, exists in sighted if not exists and moment < there), default=None
        )
        window = replace(question, after=question.after if absent is None else absent, before=there)
        if self.index.lacking.earliest(window.after, window.before) is not None:
            return None
        result = self._cause(window)
        if result.author in (Author.AGENT, Author.TOOL):
            return result
        if maker := self._told_to_make(window):
            return maker
        active = there < question.before or is_active(
            question.before, STRANGE, self.spans, self.moments
        )
        within_turn = (
            absent is not None
            and active
            and not any(window.after < prompt.at < there for prompt in self.prompts)
        )
        return self._only_writer(window) if within_turn else None

    def _told_to_make(self, window: AttributionWindow) -> CandidateAuthor | None:
        """The first subagent that was told to make the file; one that was named before was
        there, or is somebody else's.
        """
        path = window.path
        for number in reversed([*self.index.unseen.overlapping(window.after, window.before)]):
            action = self.actions[number]
            # the recorder found it afterwards
            left_behind = path in (action.files or ()) and not self.tracked(path, action.at)
            if action.unseen == Reason.INVISIBLE_SUBAGENT and (
                left_behind or asks_for(action.told, path)
            ):
                texts = [prompt.text for prompt in self.prompts if prompt.at <= action.at]
                texts += [
                    item.command or item.told
                    for item in self.between(window.after, min(action.at, window.before))
                ]
                named = any(mentions(text, path) for text in texts if text)
                return (
                    None if named else CandidateAuthor(Author.AGENT, How.SUBAGENT, call=action.call)
                )
        return None

    def _only_writer(self, window: AttributionWindow) -> CandidateAuthor | None:
        """Of a file that appeared within a turn: the generator that ran, else the subagent, else
        the command that could write.
        """
        generating, unseen, opaque = (
            spans.earliest(window.after, window.before)
            for spans in (self.index.generating, self.index.unseen, self.index.opaque)
        )
        if generating is not None:
            return _ran_generator(self.index.effects[generating], self.actions[generating])
        if unseen is not None:
            return CandidateAuthor(Author.AGENT, How.SUBAGENT, call=self.actions[unseen].call)
        return None if opaque is None else _did(self.actions[opaque])

    def answer_of(
        self, action: WorktreeAction, window: AttributionWindow
    ) -> CandidateAuthor | None:
        """What one action says about the change; None: nothing."""
        effects = () if action.unseen else self.effects_of(action)
        return self._answer(
            action, effects, says_it_writes(effects, action.command, window.path), window
        )

    def _answer(
        self,
        action: WorktreeAction,
        effects: tuple[Effect, ...],
        how: str,
        window: AttributionWindow,
    ) -> CandidateAuthor | None:
        if action.unseen:
            hides = self._may_hide(action, window)
            return (
                CandidateAuthor(Author.UNKNOWN, reason=action.unseen, call=action.call)
                if hides
                else None
            )
        weaker: CandidateAuthor | None = None
        for effect in effects:
            answer = self._cause_of_effect(effect, action, window)
            if answer is not None and answer.author in (Author.AGENT, Author.TOOL):
                return answer
            weaker = _weaker(weaker, answer)
        if not how:
            return weaker
        return _ran_generator(effects, action) or (
            _script_cause(action) if how == "script" else _did(action)
        )

    def _may_hide(self, action: WorktreeAction, window: AttributionWindow) -> bool:
        """Whether what was not recorded may have changed the file.

        The files of a subagent are those that differed from HEAD when it was done: without what it
        committed itself, and without files that git did not know before.
        """
        if action.files is None or window.path in action.files or window.before < action.until:
            return True
        return not self.tracked(window.path, action.at)

    def _cause_of_effect(
        self, effect: Effect, action: WorktreeAction, window: AttributionWindow
    ) -> CandidateAuthor | None:
        """What one effect of an action says about the change; None: nothing."""
        if is_opaque(effect):
            return CandidateAuthor(Author.UNKNOWN, reason=Reason.OPAQUE_SHELL, call=action.call)
        if effect.kind == "generate":
            return (
                self._cause_of_generator(effect, action, window)
                if self._touches(effect, window.path)
                else None
            )
        if effect.kind in NAMED:
            return (
                self._cause_of_named(effect, action, window)
                if self._touches(effect, window.path)
                else None
            )
        if effect.kind == "format" and self._may_touch(effect, window.path):
            may_be_typed = CandidateAuthor(Author.HUMAN, reason=Reason.FORMATTER, call=action.call)
            return (
                _formatter_cause(effect, action, window.before) if window.layout else may_be_typed
            )
        doubtful = effect.kind == "restore" and self._may_touch(effect, window.path)
        # what is merged or popped may come from anywhere
        author = Author.HUMAN if effect.from_commit else Author.UNKNOWN
        return (
            CandidateAuthor(author, reason=Reason.GIT_OPERATION, call=action.call)
            if doubtful
            else None
        )

    def _cause_of_generator(
        self, effect: Effect, action: WorktreeAction, window: AttributionWindow
    ) -> CandidateAuthor | None:
        """A generator that names the file, or a directory that it fills; one that fills the
        whole worktree only adds files.
        """
        if not window.made and any(covered_part(path, self.root) == WHOLE for path in effect.paths):
            return None
        fills = not any(
            "*" in path or path.endswith("/" + window.path) or path == window.path
            for path in effect.paths
        )
        return replace(_ran(effect, action), fills_directory=fills)

    def _cause_of_named(
        self, effect: Effect, action: WorktreeAction, window: AttributionWindow
    ) -> CandidateAuthor | None:
        """A command that names the file or a directory above it; None: it did not write what
        stands there afterwards.
        """
        is_moved = effect.kind == "move" and not self._touches(
            replace(effect, kind="copy"), window.path
        )
        # Files whose names are not known, copied into a directory above, may be others than this
        # one.
        into = (
            effect.kind == "copy"
            and not effect.paths
            and not effect.target.endswith(window.path)
            and not window.made
        )
        if (into and window.gone) or (not window.gone and (is_moved or effect.kind == "remove")):
            return None
        # what the replay knows it does not ask
        if effect.kind in ("copy", "move") and (effect.paths or into) and not window.gone:
            return CandidateAuthor(Author.UNKNOWN, reason=Reason.BROUGHT_IN, call=action.call)
        if effect.kind != "modify":
            return _did(action)
        if window.made:
            return CandidateAuthor(Author.UNKNOWN, reason=Reason.BASE_UNKNOWN, call=action.call)
        return _script_cause(action)

    def effects_of(self, action: WorktreeAction) -> tuple[Effect, ...]:
        """What the command did; the tasks that it ran are read when somebody asks."""
        result = self._effects_as_run(action)
        if not action.failed:
            return result
        # a generator that failed made nothing; of several commands nobody knows which one failed
        several = _SEVERAL.search(action.command) is not None
        kept = [effect for effect in result if effect.kind != "generate"]
        in_doubt = [Effect("opaque")] if several and len(kept) < len(result) else []
        return (*kept, *in_doubt)

    def _effects_as_run(self, action: WorktreeAction) -> tuple[Effect, ...]:
        if not RUNS_TASK.search(action.command):
            return action.effects
        key = (action.command, action.cwd, action.at)
        if key not in self._effects:
            tasks = partial(self.tasks, action.at, self.root)
            is_one = len(RUNS_TASK.findall(action.command)) == 1
            printed = action.ran if is_one else ""
            self._effects[key] = effects(
                action.command, action.cwd, (lambda *_: printed) if printed else tasks
            )
        return self._effects[key]

    def _touches(self, effect: Effect, path: str) -> bool:
        """Whether the effect names the file, a directory above it or a glob that it matches."""
        return touches(effect, self.root, path)

    def _may_touch(self, effect: Effect, path: str) -> bool:
        return not effect.paths or self._touches(effect, path)


def _weaker(
    existing: CandidateAuthor | None, other: CandidateAuthor | None
) -> CandidateAuthor | None:
    """Of two answers that name nobody the more doubtful: unknown, then git, a formatter."""
    return max((item for item in (existing, other) if item is not None), key=_doubt, default=None)


def _doubt(answer: CandidateAuthor) -> int:
    return 2 if answer.author != Author.HUMAN else int(answer.reason == Reason.GIT_OPERATION)


def _did(action: WorktreeAction) -> CandidateAuthor:
    """The agent's command wrote the file itself."""
    return CandidateAuthor(Author.AGENT, How.SHELL, call=action.call)


def _script_cause(action: WorktreeAction) -> CandidateAuthor:
    """The agent's command changed the file; which lines it wrote its text tells."""
    return replace(_did(action), scripts=(InlineScript(action.command, action.call),))


def _formatter_cause(effect: Effect, action: WorktreeAction, seen: float) -> CandidateAuthor:
    """A change of layout since a formatter ran, and when it was seen.

    A task that is only called `lint` need not write anything.
    """
    if RUNS_TASK.fullmatch(effect.tool) or seen - action.until > SAME_RUN:
        return CandidateAuthor(Author.UNKNOWN, reason=Reason.FORMATTER, call=action.call)
    return _ran(effect, action)


def _ran_generator(effects: Sequence[Effect], action: WorktreeAction) -> CandidateAuthor | None:
    """The tool was a generator that names no file; None where there was none."""
    return next(
        (
            _ran(effect, action)
            for effect in effects
            if effect.kind == "generate" and not effect.paths
        ),
        None,
    )


def _ran(effect: Effect, action: WorktreeAction) -> CandidateAuthor:
    """The agent had a tool write the file."""
    return CandidateAuthor(Author.TOOL, How.NONE, call=action.call, tool=effect.tool or "generator")
