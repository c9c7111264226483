"""Replays what agents did to the files of one worktree, with an author per line. Pure.

A worktree is the directory several sessions work in, one after another or at once. Its files are
followed through every file-changing call in time order. The text an agent recorded before its edit
is taken as truth: where it differs from the replayed one, somebody else was there in between (a
person, a formatter, a shell command), and those lines are marked so.

Each line has an id that survives edits above it; `origin_of` says where a line comes from. Ids are
never reused, so the fate of every line an agent ever wrote can be told afterwards.
"""

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from attribution.authorship.align import (
    Kin,
    changes,
    is_relaid,
    kinship,
    lines_of,
    pairing,
    text_changes,
)
from attribution.authorship.edits import (
    NoFit,
    changed_window,
    first_line,
    fits,
    is_inserted,
    last_line,
    normal_text,
    overlaid,
    recorded_starts,
    text_after,
)
from attribution.authorship.symbols import enclosing
from attribution.authorship.verdicts import CallRef
from collector.limits import REPEATED_LINES, REPLAYED_CHARACTERS
from collector.model import Edit, LineChange
from collector.vocabulary.lines import Evidence

BASE = "base"
AGENT = "agent"
OUTSIDE = "outside"
# earlier states of a file that are searched when lines reappear (a branch switched back, an undo)
_MEMORY = 6


@dataclass(frozen=True, slots=True)
class LineOrigin:
    """Where a line comes from.

    `outside`: it appeared between `after` and `before` with no edit call that explains it.
    """

    kind: str
    call: CallRef | None = None
    # observed or replayed; inferred for assumed lines of the base; None for others of the base
    evidence: Evidence | None = None
    after: float = 0.0
    before: float = 0.0
    changed: int = -1  # outside: id of the agent line that this line changed
    was: str = ""  # text of that line
    similarity: float = 0.0
    layout: bool = False  # outside: only the layout of an older line, not an agent's, differs
    # outside: the user changed what the agent proposed, before accepting it
    in_dialog: bool = False
    # outside: when a text without it was seen, if `before` saw it too; 0: one of them was computed
    seen_without: float = 0.0


# Lines that nobody saw in the file at first: its text turned out to be a committed one, or was
# known in parts.
_ASSUMED = LineOrigin(BASE, evidence=Evidence.INFERRED)


@dataclass(slots=True)
class ReplayedFile:
    text: str  # ends with a newline unless empty
    ids: list[int]  # one per line
    known_at: float  # when the whole text was last known to be exactly this
    exists: bool = True
    # a shell command wrote to it since it was last seen, maybe more than its record says
    by_command: bool = False
    moved_by: CallRef | None = None
    sparse: bool = False  # only the parts around edits are known
    # earlier texts with their ids
    memory: list[tuple[str, list[int]]] = field(default_factory=list)
    edited_at: float = 0.0  # when an agent last changed it
    # when its text was last seen or written as a whole; 0: it rests on a guess
    certain_at: float = 0.0

    @property
    def seen_at(self) -> float:
        """When that text was last shown to be the file's, in seconds; 0: a guess, or what a
        command is expected to have written.
        """
        return 0.0 if self.by_command else self.certain_at


@dataclass(frozen=True, slots=True)
class ReplayStep:
    """One file change of one call, on one path of the worktree (relative to its root)."""

    at: float
    order: int
    path: str
    edit: Edit
    call: CallRef
    new_path: str = ""
    edit_id: int = 0  # of the session's edit that this step replays


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """What became of a step.

    `applied` False: its text could not be placed; `why` says what was missing.
    """

    applied: bool
    why: str = ""
    added: int = 0
    removed: int = 0


@dataclass(frozen=True, slots=True)
class Removal:
    """An agent line that went away: by another call, or outside between two moments."""

    at: float
    by: CallRef | None
    after: float = 0.0
    replaced: bool = False  # other text took its place
    relaid: bool = False  # that text says the same in another layout
    committed: bool = False  # only a commit shows that it went


@dataclass(frozen=True, slots=True)
class Change:
    """One hunk: lines that went away and the ones that took their place, by id.

    `call` None: done by no recorded call.
    """

    path: str
    at: float
    call: CallRef | None
    start: int  # 1-based number of the first new line, after the change
    gone: tuple[int, ...]
    fresh: tuple[int, ...]
    before: int  # id of the line above, -1 at the top
    below: int  # id of the line below, -1 at the end
    old: tuple[str, ...]
    new: tuple[str, ...]
    op: str = ""
    after: float = 0.0  # call None: when the file was last known to be without it
    committed: bool = False  # call None: only a commit shows it
    symbol: str = ""  # head of the function or class above, in the text before the change


@dataclass(frozen=True, slots=True)
class DeletedHunk:
    """Agent lines that an agent took out again, with their neighbours: a commit may still hold
    the state before.
    """

    lines: tuple[tuple[str, CallRef], ...]
    before: str
    after: str


def _repeated_lines(edit: Edit, before: str) -> int:
    """How many lines, at most, an edit takes out or adds by changing all occurrences of a text,
    which may be many more than it has itself.
    """
    return sum(
        before.count(each.old) * max(1, each.old.count("\n"), each.new.count("\n"))
        for each in edit.replacements
        if each.all and each.old
    )


GitVersions = Callable[[str, float, float, bool], Iterable[str]]
"""(path, moment, not before, later ones too) -> committed texts of the path, most probable
first.
"""


_Line = tuple[int, str]  # id, text


class Worktree:
    """The files of one worktree while steps are applied in time order."""

    def __init__(
        self, git_versions: GitVersions, is_git_text: Callable[[str, str, float], bool]
    ) -> None:
        """`is_git_text(path, text, at)`: had the path been committed with this text by then?"""
        self.files: dict[str, ReplayedFile] = {}
        self.origins: list[LineOrigin] = [LineOrigin(BASE), _ASSUMED]
        self.origin_of = array("i")  # line id -> index into origins
        self.nonblank = bytearray()  # line id -> 1 when it had text at birth
        # path -> ids of agent lines, until a commit was compared with them
        self.born: dict[str, list[int]] = {}
        self.removed: dict[int, Removal] = {}
        # by calls, and by others where they took agents' lines away
        self.changes: list[Change] = []
        self.buried: dict[str, list[DeletedHunk]] = {}
        self.first_seen: dict[str, float] = {}
        self.from_git: set[str] = set()  # paths whose text at first sight was a committed one
        self.reformatted: set[int] = set()
        # paths of which at some time only the parts around edits were known
        self.partly: set[str] = set()
        # path -> moment of the last edit that could not be placed
        self.unplaced: dict[str, float] = {}
        # text of edits that could not be placed
        self.fragments: list[tuple[str, CallRef, list[str]]] = []
        # agent lines that git took away before they were committed: path -> (when, id, text)
        self.undone: dict[str, list[tuple[float, int, str]]] = {}
        # what lies in git's stash: path -> state, the last one at the end
        self._stashes: list[dict[str, ReplayedFile]] = []
        self._repeated = 0  # lines that edits of all occurrences have changed so far
        self._git_versions = git_versions
        self._is_git_text = is_git_text

    # --- ids --------------------------------------------------------------------------------------

    def origin(self, line: int) -> LineOrigin:
        return self.origins[self.origin_of[line]]

    def has_agent(self, lines: Iterable[int]) -> bool:
        return any(self.origins[self.origin_of[line]].kind == AGENT for line in lines)

    def _new_ids(self, lines: Sequence[str], origin: LineOrigin) -> list[int]:
        """Fresh ids for these lines."""
        if origin.kind == BASE:
            number = self.origins.index(origin, 0, 2)
        else:
            if self.origins[-1] != origin:
                self.origins.append(origin)
            number = len(self.origins) - 1
        start = len(self.origin_of)
        self.origin_of.extend([number] * len(lines))
        self.nonblank.extend(map(bool, map(str.strip, lines)))
        return list(range(start, start + len(lines)))

    # --- steps ------------------------------------------------------------------------------------

    def apply(self, step: ReplayStep) -> StepOutcome:
        """Applies one step.

        A step that does not fit changes nothing and keeps its text as a fragment.
        """
        if step.edit.op == "delete":
            return self._delete(step)
        if step.edit.op in ("move", "copy"):
            return self._move(step)
        try:
            before, state = self._text_before(step)
            repeated = self._repeated + _repeated_lines(step.edit, before)
            if repeated > max(REPEATED_LINES, self._repeated):
                raise NoFit("too_many_lines")
            after, exact = text_after(step.edit, before)
        except NoFit as error:
            self._keep_fragments(step)
            return StepOutcome(False, str(error))
        if len(after) > REPLAYED_CHARACTERS:
            return StepOutcome(False, "text_too_large")
        self._repeated = repeated
        outcome = self._replace(state, after, step)
        if exact or step.edit.before_known or step.edit.by_shell:
            # an edit of an unrecorded base tells nothing about the rest of the file
            state.known_at = step.at
        # the lines of a patch say what it leaves of a text that was seen, however it was applied
        is_patch = any(hunk.exact_text for hunk in step.edit.hunks)
        if exact or step.edit.before_known or (is_patch and state.seen_at):
            state.certain_at = step.at
        state.by_command = (step.edit.by_shell and not is_patch) or (
            state.by_command and not (exact or step.edit.before_known)
        )
        state.exists = True
        return outcome

    def _text_before(self, step: ReplayStep) -> tuple[str, ReplayedFile]:
        """The text before the step and the file's state brought in line with it. Raises NoFit."""
        edit = step.edit
        state = self.files.get(step.path)
        if edit.before_known:
            text = normal_text(edit.before or "")
            if len(text) > REPLAYED_CHARACTERS:
                raise NoFit("text_too_large")
            if state is None:
                state = self._first_sight(step.path, text, step.at)
            elif state.text != text:
                self._resync(state, step.path, text, step.at, seen=True)
            state.sparse = False
            return text, state
        if state is not None and fits(edit, state.text):
            self._catch_up(step, state)
            return state.text, state
        if edit.op in ("write", "append") and state is None:
            text = self._last_committed(step) or ""
            return text, self._first_sight(step.path, text, step.at)
        # A text older than the last edit would undo what agents did since: newer commits first,
        # older ones only at last.
        if result := self._committed_text(
            step, state, max(state.known_at, state.edited_at) if state is not None else 0.0
        ):
            return result
        try:
            if edit.by_shell or (
                not edit.replacements and not any(h.exact_text for h in edit.hunks)
            ):
                raise NoFit("no_base_text" if state is None else "text_not_found")
            return self._rebuilt(step, state)
        except NoFit:
            if state is None or not (result := self._committed_text(step, state, state.known_at)):
                raise
            return result

    def _last_committed(self, step: ReplayStep, since: float = 0.0) -> str | None:
        return next(iter(self._git_versions(step.path, step.at, since, False)), None)

    def _committed_text(
        self, step: ReplayStep, state: ReplayedFile | None, since: float
    ) -> tuple[str, ReplayedFile] | None:
        """The first committed text, not from before `since`, that the edit fits; last one that
        has it: of an amended commit.
        """
        texts = filter(
            partial(fits, step.edit), self._git_versions(step.path, step.at, since, True)
        )
        text = next(texts, None)
        if text is not None and is_inserted(step.edit, text):
            text = next((other for other in texts if not is_inserted(step.edit, other)), text)
        if text is None:
            return None
        if state is None:
            return text, self._first_sight(step.path, text, step.at)
        self._resync(state, step.path, text, step.at)
        return text, state

    def _catch_up(self, step: ReplayStep, state: ReplayedFile) -> None:
        """An edit whose base was not recorded may fit an outdated text: a newer commit of the
        file is the better guess.
        """
        newer = self._last_committed(step, max(state.known_at, state.edited_at))
        better = newer is not None and normal_text(newer) != state.text and fits(step.edit, newer)
        if newer is not None and better and self._is_git_text(step.path, state.text, float("inf")):
            self._resync(state, step.path, normal_text(newer), step.at)

    def _rebuilt(self, step: ReplayStep, state: ReplayedFile | None) -> tuple[str, ReplayedFile]:
        """The base was not recorded and no known text fits: what the edit itself says about it
        is laid over what is known.
        """
        committed = "" if state is not None else self._last_committed(step) or ""
        text = overlaid(state.text if state is not None else normal_text(committed), step.edit)
        if not fits(step.edit, text, exactly=False):
            raise NoFit("no_base_text" if state is None else "text_not_found")
        if state is None:
            state = self._first_sight(step.path, text, step.at)
            if not committed:
                state.sparse = True
                self.partly.add(step.path)
        else:
            self._resync(state, step.path, text, step.at)
        return text, state

    def _first_sight(self, path: str, text: str, moment: float) -> ReplayedFile:
        state = ReplayedFile(text, self._new_ids(lines_of(text), self.origins[0]), moment)
        self.files[path] = state
        if path not in self.first_seen:
            self.first_seen[path] = moment
            if text and self._is_git_text(path, text, moment):
                self.from_git.add(path)
        return state

    def _replace(self, state: ReplayedFile, after: str, step: ReplayStep) -> StepOutcome:
        """Lines that changed now belong to the step's call."""
        if after == state.text:
            return StepOutcome(True)
        evidence = (
            Evidence.OBSERVED
            if step.edit.before_known or step.edit.after is not None
            else Evidence.REPLAYED
        )
        origin = LineOrigin(AGENT, step.call, evidence)
        start, old_end, new_end = changed_window(state.text, after)
        first = state.text.count("\n", 0, start)
        old_lines = lines_of(state.text[start:old_end])
        new_lines = lines_of(after[start:new_end])
        edges = (last_line(state.text[:start]), first_line(state.text[old_end:]))
        above = state.ids[:first]
        below = state.ids[first + len(old_lines) :]
        window = state.ids[first : first + len(old_lines)]
        ids: list[int] = []
        position = added = removed = 0
        hunks = list(changes(old_lines, new_lines))
        starts = recorded_starts(step.edit)
        is_stated = len(starts) == len(hunks)  # else the record shows another division into hunks
        for number, hunk in enumerate(hunks):
            ids.extend(window[position : hunk.a0])
            gone = window[hunk.a0 : hunk.a1]
            new = new_lines[hunk.b0 : hunk.b1]
            self._bury(step.path, old_lines, gone, hunk.a0, edges)
            self._mark_removed(gone, Removal(step.at, step.call, replaced=bool(new)))
            fresh = self._fresh_ids(new, origin, step)
            neighbours = (
                next(reversed(ids or above), -1),
                next(iter((*window[hunk.a1 : hunk.a1 + 1], *below[:1])), -1),
            )
            offset = start + sum(map(len, old_lines[: hunk.a0])) + hunk.a0
            self.changes.append(
                Change(
                    step.path,
                    step.at,
                    step.call,
                    starts[number] if is_stated else first + hunk.b0 + 1,
                    tuple(gone),
                    tuple(fresh),
                    *neighbours,
                    tuple(old_lines[hunk.a0 : hunk.a1]),
                    tuple(new),
                    step.edit.op,
                    symbol=enclosing(step.path, state.text, offset),
                )
            )
            ids.extend(fresh)
            # Lines that an agent wrote, which those of the user in a changed proposal are not.
            born = [line for line in fresh if step.edit.proposed is None or self.has_agent((line,))]
            self.born.setdefault(step.path, []).extend(born)
            added += len(new)
            removed += len(gone)
            position = hunk.a1
        state.ids = [*above, *ids, *window[position:], *below]
        state.text = after
        state.edited_at = step.at
        return StepOutcome(True, "", added, removed)

    def _fresh_ids(self, lines: Sequence[str], origin: LineOrigin, step: ReplayStep) -> list[int]:
        """Ids of lines that a step wrote; what the user made of a proposal is not the agent's."""
        if step.edit.proposed is None:
            return self._new_ids(lines, origin)
        proposed = {line.strip() for line in lines_of(step.edit.proposed)}
        users = LineOrigin(
            OUTSIDE, None, Evidence.OBSERVED, step.at, step.at, in_dialog=True, seen_without=step.at
        )
        return [
            self._new_ids([line], origin if line.strip() in proposed else users)[0]
            for line in lines
        ]

    def _bury(
        self,
        path: str,
        old_lines: Sequence[str],
        gone: Sequence[int],
        first: int,
        edges: tuple[str, str],
    ) -> None:
        """Keeps lines that are all agents' and go away; `edges`: the lines with text around the
        window of `old_lines`.
        """
        calls = [call for line in gone if (call := self.origin(line).call) is not None]
        texts = old_lines[first : first + len(gone)]
        if len(calls) == len(gone) and any(text.strip() for text in texts):
            before = next((x.strip() for x in reversed(old_lines[:first]) if x.strip()), edges[0])
            after = next((x.strip() for x in old_lines[first + len(gone) :] if x.strip()), edges[1])
            self.buried.setdefault(path, []).append(
                DeletedHunk(tuple(zip(texts, calls, strict=True)), before, after)
            )

    def _mark_removed(self, ids: Iterable[int], removal: Removal) -> None:
        for line in ids:
            if self.origin(line).kind == AGENT:
                self.removed[line] = removal

    def _delete(self, step: ReplayStep) -> StepOutcome:
        state = self.files.get(step.path)
        if state is None:
            return StepOutcome(True)
        gone = tuple(state.ids)
        self._mark_removed(gone, Removal(step.at, step.call))
        if gone:
            self.changes.append(
                Change(
                    step.path,
                    step.at,
                    step.call,
                    0,
                    gone,
                    (),
                    -1,
                    -1,
                    tuple(lines_of(state.text)),
                    (),
                    "delete",
                )
            )
        self._remember(state)
        state.text = ""
        state.ids = []
        state.exists = False
        state.known_at = step.at
        return StepOutcome(True, "", 0, len(gone))

    def _move(self, step: ReplayStep) -> StepOutcome:
        source = self.files.get(step.path)
        if source is None:
            text = self._last_committed(step)
            if text is None:
                return StepOutcome(False, "no_base_text")
            source = self._first_sight(step.path, text, step.at)
        if step.edit.op == "copy":
            lines = lines_of(source.text)
            first = len(self.origin_of)
            ids = list(range(first, first + len(lines)))
            # whoever wrote a line wrote its copy
            self.origin_of.extend(self.origin_of[line] for line in source.ids)
            self.nonblank.extend(self.nonblank[line] for line in source.ids)
            self.changes.append(
                Change(
                    step.new_path,
                    step.at,
                    step.call,
                    1,
                    (),
                    tuple(ids),
                    -1,
                    -1,
                    (),
                    tuple(lines),
                    "copy",
                )
            )
            self.born.setdefault(step.new_path, []).extend(
                line for line in ids if self.has_agent((line,))
            )
            self.files[step.new_path] = ReplayedFile(
                source.text, ids, step.at, moved_by=step.call, certain_at=source.seen_at
            )
            return StepOutcome(True, "", len(ids), 0)
        ids = list(source.ids)
        self.files[step.new_path] = replace(
            source, ids=ids, known_at=step.at, exists=True, moved_by=step.call, edited_at=step.at
        )
        self.born.setdefault(step.new_path, []).extend(self.born.pop(step.path, []))
        self.files[step.path] = ReplayedFile("", [], step.at, exists=False)
        return StepOutcome(True)

    def _keep_fragments(self, step: ReplayStep) -> None:
        """The new texts of an edit that may have taken effect."""
        edit = step.edit
        self.unplaced[step.path] = step.at
        texts = [r.new for r in edit.replacements] or [edit.content or edit.after or ""]
        texts += [
            "\n".join(line[1:] for line in h.lines if line.startswith("+"))
            for h in edit.hunks
            if h.exact_text
        ]
        self.fragments += [
            (step.path, step.call, lines)
            for text in texts
            if (lines := lines_of(text[:REPLAYED_CHARACTERS]))
        ]

    # --- what git did with text that is not committed ---------------------------------------------

    def undo(self, paths: Iterable[str], kind: str, moment: float, call: CallRef) -> None:
        """The files have the text of HEAD again; `stash` keeps what they had, `clean` removes
        files that git does not know.
        """
        aside = dict[str, ReplayedFile]()
        for path in paths:
            state = self.files[path]
            committed = next(iter(self._git_versions(path, moment, 0.0, False)), None)
            if committed is None and kind == "clean" and state.exists:
                committed = ""
            elif committed is None or kind == "clean":
                continue
            if kind != "stash" and state.text in map(
                normal_text, self._git_versions(path, moment, 0.0, True)
            ):
                continue  # a commit has it as it stands: nothing was lost
            aside[path] = replace(state, ids=list(state.ids), memory=[])
            known = len(self.changes)
            self._take_away(path, normal_text(committed), moment, call)
            if kind == "stash":  # what it brings back was not undone
                del self.changes[known:]
            state.exists = kind != "clean"
        if kind == "stash":
            self._stashes.append(aside)

    def _take_away(self, path: str, text: str, moment: float, call: CallRef) -> None:
        state = self.files[path]
        known = len(self.changes)
        since = self.files[path].known_at
        old = list(zip(state.ids, lines_of(state.text), strict=True))
        if state.text != text:
            self._resync(state, path, text, moment)
            state.known_at = since  # what git brought is not what somebody saw
        remaining = set(state.ids)
        gone = [(line, said) for line, said in old if line not in remaining]
        gone = [(line, said) for line, said in gone if self.origin(line).kind == AGENT]
        self._mark_removed([line for line, _ in gone], Removal(moment, call))
        self.undone.setdefault(path, []).extend((moment, line, said) for line, said in gone)
        for number in range(known, len(self.changes)):
            self.changes[number] = replace(self.changes[number], call=call, op="edit")

    def unstash(self, bring_back: bool) -> None:
        """The last stash is dropped, or its files have their text again."""
        stashed = self._stashes.pop() if self._stashes else {}
        for path, kept in stashed.items() if bring_back else ():
            back = set(kept.ids)
            lost = self.undone.get(path, [])
            lost[:] = [item for item in lost if item[1] not in back]
            for line in back & self.removed.keys():
                del self.removed[line]
            self.files[path] = kept

    # --- what others did --------------------------------------------------------------------------

    def observe(self, path: str, text: str, moment: float, committed: bool = False) -> bool:
        """The file was seen with exactly this text.

        True when that was news. `committed`: a commit is all that shows it.
        """
        text = normal_text(text)
        state = self.files.get(path)
        if len(text) > REPLAYED_CHARACTERS:
            return False
        if state is None:
            state = self._first_sight(path, text, moment)
            state.certain_at = moment
            return False
        news = state.text != text
        if news:
            self._resync(state, path, text, moment, seen=True, committed=committed)
        state.known_at = moment
        state.exists = True
        state.by_command = False
        state.sparse = False
        state.certain_at = moment
        return news

    def note_commit(self, path: str, text: str, moment: float) -> None:
        """The file was committed with this text at that moment; an agent's edit after it stands."""
        state = self.files.get(path)
        if state is not None and state.edited_at <= moment:
            self.observe(path, text, moment, committed=True)
            self.partly.discard(path)  # from here on the whole text is known

    def _resync(
        self,
        state: ReplayedFile,
        path: str,
        text: str,
        moment: float,
        seen: bool = False,
        committed: bool = False,
    ) -> None:
        """The file is not as the replay left it: find out which lines are old acquaintances and
        which came from outside.

        `seen`: the text is on record; otherwise it is the best guess, and nothing that appears in
        it was seen to appear.
        """
        if not seen:
            state.certain_at = 0.0
        old = list(zip(state.ids, lines_of(state.text), strict=True))
        new_lines = lines_of(text)
        hunks = text_changes(state.text, text)
        ids = [state.ids[p] if p >= 0 else -1 for p in pairing(len(old), len(new_lines), hunks)]
        edited: dict[int, tuple[int, Kin, str]] = {}
        for hunk in hunks:
            self._keep_kin(
                old[hunk.a0 : hunk.a1], new_lines[hunk.b0 : hunk.b1], hunk.b0, ids, edited
            )
        remaining = set(ids)
        lost = (
            [i for i in state.ids if i not in remaining and self.origin(i).kind == AGENT]
            if hunks
            else []
        )
        if -1 in ids:
            self._recall(path, state, text, ids)
        if lost:
            self._remember(state)
        if -1 in ids:
            self._fill_unknown(
                state, self._is_git_text(path, text, moment), new_lines, moment, ids, edited
            )
        for hunk in hunks if lost else ():
            relaid = is_relaid(
                [text for _, text in old[hunk.a0 : hunk.a1]], new_lines[hunk.b0 : hunk.b1]
            )
            removal = Removal(moment, None, state.known_at, hunk.b1 > hunk.b0, relaid, committed)
            self.removed.update(
                dict.fromkeys(set(lost).intersection(state.ids[hunk.a0 : hunk.a1]), removal)
            )
        for line in self.removed.keys() & set(ids):
            del self.removed[line]
        if lost:
            self._note_loss(
                Change(
                    path, moment, None, 0, (), (), -1, -1, (), (), "", state.known_at, committed
                ),
                hunks,
                old,
                list(zip(ids, new_lines, strict=True)),
            )
        state.text = text
        state.ids = ids
        state.known_at = moment
        state.exists = True

    def _note_loss(
        self,
        change: Change,
        hunks: Iterable[LineChange],
        old: Sequence[_Line],
        new: Sequence[_Line],
    ) -> None:
        """Agents' lines that somebody else took away, and what stands in their place now;
        `change`: what the hunks share.
        """
        before = {line for line, _ in old}
        after = {line for line, _ in new}
        for hunk in hunks:
            gone = [item for item in old[hunk.a0 : hunk.a1] if item[0] not in after]
            fresh = [item for item in new[hunk.b0 : hunk.b1] if item[0] not in before]
            if self.has_agent(line for line, _ in gone):
                gone_ids, gone_texts = _columns(gone)
                fresh_ids, fresh_texts = _columns(fresh)
                above = new[hunk.b0 - 1][0] if hunk.b0 else -1
                below = new[hunk.b1][0] if hunk.b1 < len(new) else -1
                numbers = (gone_ids, fresh_ids, above, below)
                texts = (gone_texts, fresh_texts)
                self.changes.append(
                    Change(
                        change.path,
                        change.at,
                        None,
                        hunk.b0 + 1,
                        *numbers,
                        *texts,
                        "",
                        change.after,
                        change.committed,
                    )
                )

    def _keep_kin(
        self,
        old: Sequence[_Line],
        new: Sequence[str],
        first: int,
        ids: list[int],
        kin_of: dict[int, tuple[int, Kin, str]],
    ) -> None:
        """Agent lines that were only reformatted (or redacted in one copy) keep their id;
        changed ones are remembered.
        """
        kins = kinship([text for _, text in old], new, self.has_agent(line for line, _ in old))
        for index, kin in enumerate(kins, first):
            if kin is None:
                continue
            line, text = old[kin.source]
            kind = self.origin(line).kind
            if kin.kind == "redacted":
                ids[index] = line
            elif kin.kind != "reformatted":
                if kind == AGENT:
                    kin_of[index] = (line, kin, text)
            # still that of whoever wrote it before
            elif kind == AGENT or (kind == OUTSIDE and not kin.split):
                if kin.split:  # one line became several: the others are new ids of the same call
                    line = self._new_ids(["x"], self.origin(line))[0]
                self.reformatted.add(line)
                ids[index] = line
            else:
                kin_of[index] = (-1, kin, text)

    def _recall(self, path: str, state: ReplayedFile, text: str, ids: list[int]) -> None:
        """Lines that an earlier state of the file had: a branch was switched back, a change was
        undone.
        """
        alive = {i for i in ids if i >= 0}
        alive.update(line for _, line, _ in self.undone.get(path, ()))
        for earlier, earlier_ids in reversed(state.memory):
            if -1 not in ids:
                return
            for index, source in enumerate(
                pairing(len(earlier_ids), len(ids), text_changes(earlier, text))
            ):
                if ids[index] < 0 <= source and earlier_ids[source] not in alive:
                    ids[index] = earlier_ids[source]
                    alive.add(earlier_ids[source])

    def _fill_unknown(
        self,
        state: ReplayedFile,
        from_git: bool,
        lines: Sequence[str],
        moment: float,
        ids: list[int],
        edited: dict[int, tuple[int, Kin, str]],
    ) -> None:
        """What is left came from outside, or from git when the whole text is a committed one."""
        outside = LineOrigin(
            OUTSIDE, None, Evidence.OBSERVED, state.known_at, moment, seen_without=state.seen_at
        )
        for index in [index for index, line in enumerate(ids) if line < 0]:
            changed, kin, was = edited.get(index, (-1, None, ""))
            if changed >= 0 and kin is not None:
                origin = replace(outside, changed=changed, was=was, similarity=kin.similarity)
            # of a text known in parts nobody can say that a line was not there before
            elif from_git or state.sparse:
                origin = _ASSUMED
            else:
                origin = replace(outside, layout=kin is not None)
            ids[index] = self._new_ids([lines[index]], origin)[0]

    def _remember(self, state: ReplayedFile) -> None:
        state.memory.append((state.text, state.ids))
        del state.memory[:-_MEMORY]


def _columns(lines: Iterable[_Line]) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """The ids and the texts of some lines."""
    several = list(lines)
    return tuple(line for line, _ in several), tuple(text for _, text in several)
