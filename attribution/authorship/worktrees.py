"""Runs the timeline of one worktree and looks at it whenever a commit was made there.

Pure but for the texts it is handed.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from attribution.authorship.action_index import touches
from attribution.authorship.case import (
    SLACK,
    AddedFile,
    AttributionWindow,
    Committed,
    Moments,
    StateAlignment,
)
from attribution.authorship.edits import fits, normal_text
from attribution.authorship.judge import assign_low_information, judge
from attribution.authorship.moved_lines import UnplacedText, lost_sources, moved_lines
from attribution.authorship.people import downgrade_unplaced, is_person
from attribution.authorship.replay import AGENT, Change, Removal, ReplayStep, StepOutcome, Worktree
from attribution.authorship.session_edits import WorktreeAction
from attribution.authorship.state_alignment import align_state
from attribution.authorship.timeline import LAST, PER_SESSION, Timeline
from attribution.authorship.verdicts import Verdict
from attribution.shell import Effect
from collector.vocabulary.lines import Author, Evidence, How

# lines with text that must be explained before a commit counts as linked without a trailer
_MIN_LINES = 3
_MIN_SHARE = 0.5
_MIN_WEIGHT = 3.0  # the same for rare lines alone, where not even the author is the same
_MIN_RARE_SHARE = 0.2
_IN_PLACE = frozenset({"edit", "write", "append"})


@dataclass(frozen=True, slots=True)
class CommitProbe:
    """A moment at which the worktree is compared with a commit."""

    at: float
    sha: str
    since: float
    main: bool = True  # False: one of several earlier moments tried for a squash
    # rebased, amended or squashed: the worktree may have stood on another base
    redone: bool = False
    # False: nothing names a session of this worktree, the texts must speak for themselves
    linked: bool = True
    here: bool = False  # the commit was surely made in this worktree, as it stood at that moment
    by_content: bool = False  # not even author and time speak for it
    authored: float = math.inf  # the author time, where the commit is compared with a later moment
    home: bool = False  # the worktree is known to be one of this clone
    late: bool = False  # the work is days older than the commit: only whole texts connect them


@dataclass(frozen=True, slots=True)
class FileProbe:
    """What one look told about one file: a verdict per added line. The texts are not kept."""

    path: str
    verdicts: dict[int, Verdict]
    nonblank: frozenset[int]  # of those lines, the ones with text
    followed: bool  # the worktree knew the file
    # of those lines, where only content links the commit
    rarity: Mapping[int, float] = field(default_factory=dict)
    # a single rare line at its place is enough: a whole text, or a worktree of this clone
    sure: bool = False


@dataclass(slots=True)
class ProbeResult:
    """What one look told about one commit."""

    look: CommitProbe
    root: str
    files: list[FileProbe] = field(default_factory=list)


@dataclass(slots=True)
class AgentLine:
    """An agent line from birth to the first look at its file after it."""

    line: int
    session_id: int
    sha: str = ""  # commit whose look decided; "" if none ever did
    # survived | self_overwritten | human_overwritten | human_deleted | reformatted | not_committed
    # | unexplained
    fate: str = ""
    path: str = ""
    place: range | None = None  # of the commit: the lines that took its place, from 0


@dataclass(slots=True)
class WorktreeRun:
    root: str
    seen: list[ProbeResult] = field(default_factory=list)
    outcomes: dict[int, StepOutcome] = field(default_factory=dict)  # edit id -> outcome
    fates: list[AgentLine] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    # path -> (when, id, text) of agent lines that git took away before they were committed
    undone: dict[str, list[tuple[float, int, str]]] = field(default_factory=dict)


Files = Callable[[str], Sequence[AddedFile]]
"""Added lines of a commit, by its id."""


_Judged = tuple[StateAlignment, dict[int, Verdict]]


class Runner:
    """One worktree through time."""

    def __init__(
        self,
        timeline: Timeline,
        tree: Worktree,
        files: Files,
        rarity: Callable[[str], float],
        is_ancestor: Callable[[str, str], bool],
    ) -> None:
        self.timeline = timeline
        self.tree = tree
        self.run_ = WorktreeRun(timeline.root)
        self._files = files
        self._rarity = rarity
        self._is_ancestor = is_ancestor
        # agent line -> commits that added it, with its text then
        self._committed: dict[int, list[tuple[str, str]]] = {}
        # agent line -> the first commit whose files had it before, the same
        self._in_older: dict[int, list[tuple[str, str]]] = {}
        self._seen_older = {-1}  # all lines that were looked at for that, agents' or not
        self._fates: dict[int, AgentLine] = {}
        self._steps: dict[str, list[ReplayStep]] = defaultdict(list)  # by path
        for step in timeline.steps:
            self._steps[step.path].append(step)
        self._unplaced = UnplacedText(tree)
        self._followed = {s.path for s in timeline.steps} | {
            s.new_path for s in timeline.steps if s.new_path
        }

    def run(self, looks: Iterable[CommitProbe]) -> WorktreeRun:
        """All steps, sightings and looks in time order; a look sees what happened up to its
        moment.
        """
        events: list[tuple[float, int, int, Callable[[], object]]] = []
        events += [
            (step.at, 0, step.order, partial(self._step, step)) for step in self.timeline.steps
        ]
        for path in self._followed & self.timeline.sightings.keys():
            # What a session saw that did not change the file may be long outdated when another one
            # does.
            sessions = {step.order // PER_SESSION for step in self._steps[path]}
            whole = (item for item in self.timeline.sightings[path] if item.whole)
            ours = [
                item
                for item in whole
                if not sessions or item.order // PER_SESSION in sessions or item.order >= LAST
            ]
            events += [
                (item.at, 0, item.order, partial(self.tree.observe, path, item.text, item.at))
                for item in ours
            ]
        for action in self.timeline.windows.actions:
            undone = (effect for effect in action.effects if effect.undo)
            events += [(action.until, 0, -1, partial(self._undo, e, action)) for e in undone]
        events += [
            (look.at, 1, number, partial(self._look, look)) for number, look in enumerate(looks)
        ]
        for *_, event in sorted(events, key=lambda e: e[:3]):
            event()
        self._close()
        self.run_.changes = self.tree.changes
        self.run_.undone = self.tree.undone
        return self.run_

    def _step(self, step: ReplayStep) -> None:
        paths = [step.path]
        if step.edit.op in ("delete", "move") and step.path not in self.tree.files:
            # a directory
            paths = [p for p in self.tree.files if p.startswith(step.path + "/")] or paths
        for path in paths:
            item = step
            if path != step.path:
                target = step.new_path + path[len(step.path) :] if step.new_path else ""
                item = replace(step, path=path, new_path=target)
            done = self.tree.apply(item)
            existing = self.run_.outcomes.get(step.edit_id)
            if step.edit_id < 0:  # of no call: somebody renamed the file
                continue
            if existing is not None:  # of a directory: all its files together
                done = StepOutcome(
                    done.applied or existing.applied,
                    done.why,
                    existing.added + done.added,
                    existing.removed + done.removed,
                )
            self.run_.outcomes[step.edit_id] = done

    def _undo(self, effect: Effect, action: WorktreeAction) -> None:
        """What git took away, put aside or brought back of what is not committed."""
        if effect.undo in ("unstash", "drop"):
            self.tree.unstash(bring_back=effect.undo == "unstash")
            return
        root = self.timeline.root
        paths = [
            path for path in self.tree.files if not effect.paths or touches(effect, root, path)
        ]
        self.tree.undo(paths, effect.undo, action.until, action.call)

    def _look(self, look: CommitProbe) -> None:
        files = self._files(look.sha)
        if not look.linked and not any(
            self.tree.born.get(file.path) or file.path in self.tree.files for file in files
        ):
            return
        when = Moments(look.at, look.since, look.redone, look.authored)
        was_committed = self._was_committed(look)
        judged: list[_Judged] = []
        for file in files:
            alignment = align_state(self.tree, file)
            judged.append(
                (
                    alignment,
                    judge(self.tree, alignment, self.timeline.windows.cause, when, was_committed),
                )
            )
        for alignment, verdicts in judged if look.linked and look.main else ():
            self._try_parent(look, alignment.file, verdicts)
        self._find_moved(judged)
        result = ProbeResult(look, self.timeline.root)
        for alignment, verdicts in judged:
            if self.tree.unplaced.get(alignment.file.path, -1.0) > look.since:
                downgrade_unplaced(verdicts)
            assign_low_information(alignment.file, verdicts)
            result.files.append(self._file_probe(look, alignment, verdicts))
        self.run_.seen.append(result)
        if look.main and (look.linked or linked_by(look, result.files)[1] > 0):
            self._settle(look, judged)
        if look.here:
            self._note_committed(look, [alignment for alignment, _ in judged])

    def _file_probe(
        self, look: CommitProbe, alignment: StateAlignment, verdicts: dict[int, Verdict]
    ) -> FileProbe:
        file = alignment.file
        nonblank = frozenset(i for i in verdicts if file.lines[i].strip())
        rarity = {} if look.linked else {i: self._rarity(file.lines[i]) for i in nonblank}
        whole = (
            alignment.state is not None and bool(file.text) and file.text == alignment.state.text
        )
        followed = whole or (alignment.state is not None and not look.late)
        is_sure = whole or (look.home and not look.late)
        return FileProbe(file.path, verdicts, nonblank, followed, rarity, is_sure)

    def _try_parent(self, look: CommitProbe, file: AddedFile, verdict: dict[int, Verdict]) -> None:
        """Lines that the replayed state does not explain, when the edits since the parent do on
        the parent's text.
        """
        if any(item.author != Author.AGENT for item in verdict.values()):
            steps = [
                step for step in self._steps.get(file.path, ()) if look.since < step.at <= look.at
            ]
            seen = any(
                item.whole and item.at > look.since
                for item in self.timeline.sightings.get(file.path, ())
            )
            # what was seen is not what an older session had left
            kept = {Author.AGENT, Author.HUMAN} if seen else {Author.AGENT}
            result = replay_on_parent(file, steps)
            verdict.update(
                {index: item for index, item in result.items() if verdict[index].author not in kept}
            )

    def _note_committed(self, look: CommitProbe, matches: Sequence[StateAlignment]) -> None:
        """A commit made here shows its files as they are, unless it lacks what an agent has just
        written: left for the next one.
        """
        for match in matches:
            waiting = any(
                line not in self._committed and self.tree.nonblank[line] for line, _ in match.lost
            )
            if match.state is not None and match.file.text and not waiting:
                self.tree.note_commit(match.file.path, match.file.text, look.at - SLACK)

    def _was_committed(self, look: CommitProbe) -> Committed:
        """Where no session is known to have made the commit, a line that any older version had
        is not new either.
        """

        def was_committed(line: int, text: str | None) -> bool:
            versions = [
                *self._committed.get(line, ()),
                *(() if look.linked else self._in_older.get(line, ())),
            ]
            earlier = (c for c, old in versions if c != look.sha and (text is None or old == text))
            return any(self._is_ancestor(commit, look.sha) for commit in earlier)

        return was_committed

    def _find_moved(self, judged: Sequence[_Judged]) -> None:
        lost = lost_sources(self.tree, [alignment for alignment, _ in judged])
        files = [(alignment.file, verdicts) for alignment, verdicts in judged]
        for number, index, verdict in moved_lines(
            files, lost, lambda text: self._rarity(text) == 0, self._unplaced.indexes
        ):
            files[number][1][index] = verdict

    # --- what became of the lines an agent wrote --------------------------------------------------

    def _settle(self, look: CommitProbe, judged: Sequence[_Judged]) -> None:
        for result, verdicts in judged:
            present = set(result.ids) - {-1}
            present |= {line for line, kin in result.kin.values() if kin.kind == "reformatted"}
            self._note_versions(look.sha, result, verdicts)
            lost = {line for line, _ in result.lost}
            for line in self.tree.born.pop(result.file.path, ()):
                if self.tree.nonblank[line]:
                    self._fates[line] = self._fate(line, look, result, present, lost)
            for line in present & self._fates.keys():
                existing = self._fates[line]
                if existing.fate not in ("survived", "self_overwritten"):
                    # left out of an earlier commit, committed now
                    existing.fate = "survived"
                    existing.sha = look.sha

    def _note_versions(
        self, sha: str, result: StateAlignment, verdicts: Mapping[int, Verdict]
    ) -> None:
        """Notes the agent lines of a commit: those that it adds, and those that its files had
        before.
        """
        ids = result.ids
        texts = result.file.lines
        for index, verdict in verdicts.items():
            if ids[index] >= 0 and verdict.author == Author.AGENT:
                self._committed.setdefault(ids[index], []).append((sha, texts[index]))
        older = set(ids).difference(self._seen_older, (ids[index] for index in verdicts))
        self._seen_older |= older
        agents = {line for line in older if self.tree.origin(line).kind == AGENT}
        for index, line in enumerate(ids) if agents else ():
            if line in agents:
                self._in_older[line] = [(sha, texts[index])]

    def _fate(
        self,
        line: int,
        look: CommitProbe,
        alignment: StateAlignment,
        present: set[int],
        lost: set[int],
    ) -> AgentLine:
        path = alignment.file.path
        place = None
        if line in present:
            fate = "survived"
        elif line in lost:
            after = alignment.state.known_at if alignment.state is not None else look.since
            place, relaid = alignment.overwritten.get(line, (None, False))
            fate = self._lost_to(
                path, Removal(look.at, None, after, place is not None, relaid, committed=True)
            )
        else:
            fate = self._fate_of_removed(line, path)
        return AgentLine(line, self._session(line), look.sha, fate, path, place)

    def _session(self, line: int) -> int:
        call = self.tree.origin(line).call
        return call.session_id if call is not None else 0

    def _fate_of_removed(self, line: int, path: str) -> str:
        removal = self.tree.removed.get(line)
        if removal is None or removal.by is not None:
            return "unexplained" if removal is None else "self_overwritten"
        return self._lost_to(path, removal)

    def _lost_to(self, path: str, removal: Removal) -> str:
        """Who took a line away, as far as the agents' actions tell; whether a person replaced it
        is asked again at the end.
        """
        cause = self.timeline.windows.cause(
            AttributionWindow(path, removal.after, removal.at, gone=True)
        )
        if cause.author == Author.AGENT:
            return "self_overwritten"
        if removal.relaid:
            return "reformatted"
        if not is_person(cause):
            return "unexplained"
        if removal.replaced:
            return "human_overwritten"
        # the commit alone is no witness of a removal
        return "not_committed" if removal.committed else "human_deleted"

    def _close(self) -> None:
        """Lines of files that no commit touched any more: what the replay knows, else left
        uncommitted.
        """
        for path in list(self.tree.born):
            for line in self.tree.born.pop(path, ()):
                if self.tree.nonblank[line] and self.tree.origin(line).kind == AGENT:
                    fate = (
                        self._fate_of_removed(line, path)
                        if line in self.tree.removed
                        else "not_committed"
                    )
                    self._fates[line] = AgentLine(line, self._session(line), "", fate, path)
        self.run_.fates = list(self._fates.values())


def replay_on_parent(file: AddedFile, steps: Sequence[ReplayStep]) -> dict[int, Verdict]:
    """Verdicts on added lines, by index, when `steps` lead from the version before exactly to the
    committed one; else none.

    Where agents record no text before their edits, an edit may fit the text that an older session
    had left, although the file has been reset since. Then the edits were made on the parent's own
    text, whatever the replay had.
    """
    if not steps or not file.before_text or any(step.edit.op not in _IN_PLACE for step in steps):
        return {}
    tree = Worktree(lambda *_: (), lambda *_: False)
    tree.observe(file.path, file.before_text, 0.0)
    state = tree.files.get(file.path)
    for step in sorted(steps, key=lambda item: (item.at, item.order)):
        if state is None or (
            step.edit.before_known and normal_text(step.edit.before or "") != state.text
        ):
            return {}
        if not fits(step.edit, state.text, exactly=False) or not tree.apply(step).applied:
            return {}
    if state is None or state.text != file.text or len(state.ids) != len(file.lines):
        return {}
    result = {}
    for index in file.added:
        origin = tree.origin(state.ids[index])
        if origin.kind == AGENT and origin.call is not None:
            how = How.SHELL if origin.call.by_shell else How.EXACT
            result[index] = Verdict(Author.AGENT, how, Evidence.REPLAYED, call=origin.call)
    return result


def explained_share(files: Iterable[FileProbe], named: bool = False) -> float:
    """Without a trailer: share of the added lines of followed files that an agent demonstrably
    wrote; 0 when too few.

    `named`: the commit names a checkpoint, only not one we have, so that a single line is enough;
    so is a rare one in a place that is sure. Several of these are enough whoever wrote the rest: a
    squash holds the work of sessions that nobody has any more.
    """
    files = list(files)
    shown = (
        (file, i)
        for file in files
        if file.sure
        for i, verdict in file.verdicts.items()
        if _is_shown(verdict)
    )
    sure = sum(1 for file, i in shown if file.rarity.get(i))
    share = _share(
        files,
        lambda file, index: index in file.nonblank,
        1 if named or sure else _MIN_LINES,
        _MIN_SHARE,
    )
    return share or (_MIN_SHARE if sure else 0.0)


def content_share(files: Iterable[FileProbe]) -> float:
    """The same for rare lines, each weighing 1 / number of files that ever added it; 0 when it is
    too little.

    Neither author nor time speak for the commit: only rare text, in the place where the replay has
    it, does.
    """
    return _share(
        files, lambda file, index: file.rarity.get(index, 0.0), _MIN_WEIGHT, _MIN_RARE_SHARE
    )


def _share(
    files: Iterable[FileProbe],
    weight: Callable[[FileProbe, int], float],
    enough: float,
    least: float,
) -> float:
    lines = [
        (weight(file, i), verdict)
        for file in files
        if file.followed
        for i, verdict in file.verdicts.items()
    ]
    explained = sum(line_weight for line_weight, verdict in lines if _is_shown(verdict))
    share = explained / (sum(line_weight for line_weight, _ in lines) or 1.0)
    return round(min(share, 0.95), 3) if explained >= enough and share >= least else 0.0


def linked_by(look: CommitProbe, files: Sequence[FileProbe]) -> tuple[str, float]:
    """(method, confidence) of a link that nothing but the worktree's text shows; ("", 0.0) if it
    does not.
    """
    share = 0.0 if look.by_content else explained_share(files)
    if share > 0:
        return "time_and_files", share
    share = content_share(files)
    return ("content", share) if share > 0 else ("", 0.0)


def _is_shown(verdict: Verdict) -> bool:
    return (
        verdict.author == Author.AGENT
        and verdict.how != How.EDITED
        and verdict.evidence in (Evidence.OBSERVED, Evidence.REPLAYED)
    )
