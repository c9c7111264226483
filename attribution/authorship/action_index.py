"""Which actions of a worktree can say anything about a file, found by its path and by time. Pure.

Most questions are about a few files, again and again for other moments. What a command names is
looked up by path, what its text may mention by the words of the file's name. Of actions that may
have changed any file, each kind in its own way, the latest counts.
"""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatch
from itertools import islice

from attribution.authorship.case import AttributionWindow
from attribution.authorship.named import UNNAMED, says_it_writes
from attribution.authorship.session_edits import WorktreeAction
from attribution.shell import Effect
from collector.text import file_name, unique
from collector.vocabulary.lines import Reason

# kinds of effect that name the files they change
NAMED = ("write", "append", "modify", "copy", "move", "remove")
# a part of a session
LACKING = frozenset({Reason.TRANSCRIPT_MISSING, Reason.TRANSCRIPT_NOT_STORED})
# Commands that run tasks of the project.
RUNS_TASK = re.compile(r"\b(?:npm|pnpm|yarn|bun|nx|turbo|mise|poe|pdm|task)\b")
WHOLE = "/"
_SINGLE = (*NAMED, "generate")  # kinds of effect that are about the files they name, one by one
# kinds of which, where they name no file, the text of the command may
_LEFT_TO_TEXT = (*UNNAMED, "opaque")
_WORD = re.compile(r"\w+")


def covered_part(pattern: str, root: str) -> str:
    """What a path of a command (absolute, relative, a directory or a glob) covers of a worktree;
    `WHOLE`, or "" for nothing.
    """
    if pattern in (root, ".", "./..."):
        return WHOLE
    relative = pattern.removeprefix(root + "/")
    return "" if relative.startswith("/") else relative.removesuffix("/...").rstrip("/")


def covered_parts(effect: Effect, root: str) -> set[str]:
    """The parts of a worktree that an effect names; what is copied stays as it is."""
    named = (effect.target,) if effect.kind == "copy" else (*effect.paths, effect.target)
    return {part for pattern in named if pattern and (part := covered_part(pattern, root))}


def touches(effect: Effect, root: str, path: str) -> bool:
    """Whether the effect names the file, a directory above it or a glob that it matches."""
    return any(
        part in (WHOLE, path)
        or path.startswith(part + "/")
        or ("*" in part and fnmatch(path, part))
        for part in covered_parts(effect, root)
    )


def is_opaque(effect: Effect) -> bool:
    """Whether nobody knows which files a command wrote: it may run anything, or find their names
    when it runs.
    """
    return effect.kind == "opaque" or (
        effect.kind in NAMED and effect.kind != "remove" and not (effect.paths or effect.target)
    )


class ActionSpans:
    """Some actions, by number, in order of their beginning."""

    def __init__(self) -> None:
        self._starts: list[float] = []
        self._ends: list[float] = []
        # the latest end so far: where it is early, nothing before reaches further
        self._reached: list[float] = []
        self._numbers: list[int] = []

    def add(self, action: WorktreeAction, number: int) -> None:
        self._starts.append(action.at)
        self._ends.append(action.until)
        self._reached.append(max([action.until, *self._reached[-1:]]))
        self._numbers.append(number)

    def overlapping(self, after: float, before: float) -> Iterator[int]:
        """Numbers of the actions that overlap the open interval, latest first."""
        return self._reaching(bisect_left(self._starts, before), after)

    def earliest(self, after: float, before: float) -> int | None:
        """The number of the first action that overlaps the open interval."""
        inside = bisect_right(self._starts, after)
        end = bisect_left(self._starts, before)
        earlier = [*self._reaching(min(inside, end), after)]
        later = (self._numbers[place] for place in range(inside, end) if self._ends[place] > after)
        return earlier[-1] if earlier else next(later, None)

    def _reaching(self, end: int, after: float) -> Iterator[int]:
        for place in range(end - 1, -1, -1):
            if self._reached[place] <= after:
                return
            if self._ends[place] > after:
                yield self._numbers[place]


class PathHits:
    """The actions that name one file, or whose text says that they write it."""

    def __init__(self, actions: Sequence[WorktreeAction], says: Mapping[int, str]) -> None:
        self.says = says  # number of the action -> what `says_it_writes` says
        self.spans = ActionSpans()
        for number in sorted(says):
            self.spans.add(actions[number], number)


class ActionIndex:
    """The actions of a worktree, which are in order of time, by what they may have changed."""

    def __init__(
        self,
        root: str,
        actions: Sequence[WorktreeAction],
        effects_of: Callable[[WorktreeAction], tuple[Effect, ...]],
    ) -> None:
        self._root = root
        self._actions = actions
        self.effects = [() if action.unseen else effects_of(action) for action in actions]
        self.all = ActionSpans()
        self.lacking = ActionSpans()
        self.unseen = ActionSpans()
        # commands of which nobody knows what they wrote
        self.generating = ActionSpans()
        self.opaque = ActionSpans()
        # what they do to every file -> those that do it
        self._alike: dict[tuple[str, ...], ActionSpans] = defaultdict(ActionSpans)
        self._everywhere = ActionSpans()
        self._by_part: dict[str, list[int]] = defaultdict(list)
        self._by_word: dict[str, list[int]] = defaultdict(list)
        self._texts: list[int] = []
        self._hits: dict[str, PathHits] = {}
        for number, action in enumerate(actions):
            self.all.add(action, number)
            (self._add_unseen if action.unseen else self._add_command)(action, number)
        self._globs = [part for part in self._by_part if "*" in part]

    def _add_unseen(self, action: WorktreeAction, number: int) -> None:
        self.unseen.add(action, number)
        if action.unseen in LACKING:
            self.lacking.add(action, number)
        (self._alike["unseen",] if action.files is None else self._everywhere).add(action, number)

    def _add_command(self, action: WorktreeAction, number: int) -> None:
        unnamed = {effect.kind for effect in self.effects[number] if not effect.paths}
        for kind, spans in (("generate", self.generating), ("opaque", self.opaque)):
            if kind in unnamed:
                spans.add(action, number)
        if not unnamed.isdisjoint(_LEFT_TO_TEXT):
            self._texts.append(number)
            for word in set(_WORD.findall(action.command)):
                self._by_word[word].append(number)
        self._add_effects(action, number)

    def _add_effects(self, action: WorktreeAction, number: int) -> None:
        parts = [
            (effect.kind, part)
            for effect in self.effects[number]
            for part in covered_parts(effect, self._root)
        ]
        if any(part == WHOLE and kind in _SINGLE for kind, part in parts):
            self._everywhere.add(action, number)
            return
        for part in {part for _, part in parts if part != WHOLE}:
            self._by_part[part].append(number)
        if alike := unique(filter(None, map(self._done_to_any_file, self.effects[number]))):
            self._alike[alike].add(action, number)

    def _done_to_any_file(self, effect: Effect) -> str:
        """What the effect may have done to any file, in one word; "" if it is about some files
        only, or about none.
        """
        if is_opaque(effect):
            return "opaque"
        if effect.kind not in ("format", "restore") or (
            effect.paths and WHOLE not in covered_parts(effect, self._root)
        ):
            return ""
        is_less = (
            effect.from_commit
            if effect.kind == "restore"
            else RUNS_TASK.fullmatch(effect.tool) is not None
        )
        return f"{effect.kind} {is_less}"

    def candidates(self, window: AttributionWindow) -> list[int]:
        """The numbers of the actions that decide who changed the file in that time, latest first.

        Left out are those of which one of the others did the same to any file, later in the same
        time.
        """
        hits = self.hits_on(window.path)
        numbers = {
            *hits.spans.overlapping(window.after, window.before),
            *self._everywhere.overlapping(window.after, window.before),
        }
        for spans in self._alike.values():
            latest = (
                number
                for number in spans.overlapping(window.after, window.before)
                if number not in hits.says
            )
            numbers.update(islice(latest, 1))
        return sorted(numbers, reverse=True)

    def hits_on(self, path: str) -> PathHits:
        """The actions that name the file or a directory above it, or whose text says that they
        write it.
        """
        if path not in self._hits:
            says = {number: "" for part in self._parts_with(path) for number in self._by_part[part]}
            # the commands with each word of the file's name, the rarest of which is looked up
            words = _WORD.findall(file_name(path.strip("/")))
            for number in min(
                (self._by_word.get(word, ()) for word in words), key=len, default=self._texts
            ):
                if how := says_it_writes(self.effects[number], self._actions[number].command, path):
                    says[number] = how
            self._hits[path] = PathHits(self._actions, says)
        return self._hits[path]

    def _parts_with(self, path: str) -> Iterator[str]:
        """The parts of the worktree that some command named and that the file is in."""
        above = (path[: match.start()] for match in re.finditer("/", path))
        yield from (part for part in (*above, path) if part in self._by_part)
        yield from (part for part in self._globs if part != path and fnmatch(path, part))
