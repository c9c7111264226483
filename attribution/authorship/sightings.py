"""What was seen of the files of a worktree, and between which sightings a line appeared. Pure.

An agent sees far more files than it changes: it reads them, prints them, is told that somebody
changed them. Each text that shows a file of the worktree, whole or in part, is a sighting. Where
one lacks a line and a later one has it, the line came in between, whatever was done before and
afterwards.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from attribution.authorship.agent_text import MIN_LENGTH, lines_without_layout, without_layout
from attribution.authorship.edits import NoFit, normal_text, text_after
from collector.model import Edit

# share of the lines of a sighting that a version must have to be one of the same file
_SAME_FILE = 0.3


@dataclass(frozen=True)  # without slots: what is derived from the text is kept
class Sighting:
    """A text of a file, or of consecutive lines of it, at some moment."""

    at: float  # seconds since the epoch
    order: int  # among what happened at the same moment
    text: str
    whole: bool
    start: int = 1  # number of the first line; 0: not known, or lines may be left out
    outside_edit: bool = False  # the agent was told that somebody else had changed the file
    computed: bool = False  # what a command is expected to have written: nobody was shown it
    committed: bool = False  # what git had of the file then

    @cached_property
    def lines(self) -> frozenset[str]:
        """Its lines, stripped."""
        return frozenset(map(str.strip, self.text.split("\n")))

    @cached_property
    def bares(self) -> list[str]:
        """Its lines without layout."""
        return lines_without_layout(self.text)

    @cached_property
    def strong(self) -> list[str]:
        """Those of them that say something."""
        return [bare for bare in self.bares if len(bare) >= MIN_LENGTH]

    @cached_property
    def bare(self) -> str:
        return without_layout(self.text)

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """Line without layout -> its indices."""
        places: dict[str, list[int]] = {}
        for index, bare in enumerate(self.bares):
            places.setdefault(bare, []).append(index)
        return places


@dataclass(frozen=True, slots=True)
class FileEdit:
    """An edit of the file by an agent."""

    at: float
    order: int
    stated: bool  # what it writes is on record


def edit_sightings(at: float, order: int, edit: Edit) -> Iterator[Sighting | FileEdit]:
    """What an edit shows of its file: the text before and after it, or what it looks for."""
    if edit.before_known:
        yield Sighting(at, order, normal_text(edit.before or ""), True)
    else:
        yield from (
            Sighting(at, order, item.old, False, 0) for item in edit.replacements if item.old
        )
    after = _text_after(edit)
    told = bool(
        edit.replacements
        or any(hunk.exact_text for hunk in edit.hunks)
        or edit.content is not None
        or after is not None
    )
    yield FileEdit(at, order, told and edit.op in ("edit", "write", "append"))
    if after is not None:
        yield Sighting(at, order, after, True, computed=edit.by_shell)


def _text_after(edit: Edit) -> str | None:
    """The text of the file after an edit, where that does not rest on a guess."""
    whole = (
        edit.before_known
        or edit.after is not None
        or (edit.op == "write" and edit.content is not None)
    )
    if edit.op in ("delete", "move", "copy") or not whole:
        return None
    try:
        return text_after(edit, normal_text(edit.before or "")).text
    except NoFit:
        return None


@dataclass(frozen=True)  # without slots: what is derived from the text is kept
class Version:
    """A committed version of a file whose lines are looked for in sightings."""

    lines: Sequence[str]
    # indices of the lines that are asked about and of others that the commit adds
    added: frozenset[int]

    @cached_property
    def bares(self) -> list[str]:
        return lines_without_layout("\n".join(self.lines)) if self.lines else []

    @cached_property
    def _strong(self) -> frozenset[str]:
        return frozenset(bare for bare in self.bares if len(bare) >= MIN_LENGTH)

    def is_same_file(self, sighting: Sighting, before: frozenset[str]) -> bool:
        """Whether a text can be one of this file; `before`: the lines without layout of the
        version before.
        """
        strong = sighting.strong
        return not strong or sum(
            1 for bare in strong if bare in self._strong or bare in before
        ) >= _SAME_FILE * len(strong)

    def neighbours(self, index: int) -> tuple[str | None, str | None]:
        """The nearest old lines above and below a line that say something, without layout; None
        at the edge of the file.
        """
        below = bisect_left(self._old, index)
        around = (
            self._old[below - 1] if below else None,
            self._old[below] if below < len(self._old) else None,
        )
        above, under = (None if line is None else self.bares[line] for line in around)
        return above, under

    @cached_property
    def _old(self) -> list[int]:
        """Indices of the lines that the commit does not add, and that say something."""
        return [
            i
            for i, bare in enumerate(self.bares)
            if i not in self.added and len(bare) >= MIN_LENGTH
        ]


def _lacks(sighting: Sighting, bare: str, edges: tuple[str | None, str | None]) -> bool:
    """Whether the file was seen without the line: all of it, or the place between the lines
    around it.
    """
    if sighting.whole:
        return bare not in sighting.bare
    above, below = edges
    if not sighting.start or below is None:
        return False
    top = [0] if sighting.start == 1 else []
    starts = top if above is None else sighting.places.get(above, ())
    ends = sighting.places.get(below, ())
    return len(starts) == len(ends) == 1 and starts[0] <= ends[0] and bare not in sighting.bare


@dataclass(slots=True)
class Appearance:
    """Between which sightings a line appeared for the last time, as far as they passed by."""

    bare: str
    text: str  # stripped
    edges: tuple[str | None, str | None]
    seen: Sighting | None = None  # the first one with the line; None: none has it
    without: Sighting | None = None  # the last one before that lacks it
    edited: bool = False  # an agent edited the file in between
    untold: bool = False  # one of the edits may have written anything
    # the commit that lacks it, where nothing on record saw it before or edited the file since
    committed: Sighting | None = None

    def pass_by(self, event: Sighting | FileEdit) -> None:
        if isinstance(event, FileEdit):
            if self.seen is None:
                self.edited = True
                self.untold = self.untold or not event.stated
                self.committed = None
        elif event.committed:
            self.committed = (
                event if self.seen is None and _lacks(event, self.bare, self.edges) else None
            )
        elif self.text in event.lines:
            # another part of the same output, of another place
            if self.without is not None and self.without.at == event.at:
                self.without = None
                self.edited = True
            self.seen = self.seen or event
        elif (self.seen is None or self.seen.at < event.at) and _lacks(
            event, self.bare, self.edges
        ):
            self.seen = None
            self.untold = False
            self.committed = None
            self.without, self.edited = (None, True) if event.computed else (event, False)


def appearances(
    events: Iterable[Sighting | FileEdit],
    version: Version,
    requested: Iterable[int],
    before: frozenset[str],
) -> dict[int, Appearance]:
    """Index of a requested line -> its appearance.

    `events` in order; `before`: the version before, lines without layout.
    """
    result = {
        i: Appearance(version.bares[i], version.lines[i].strip(), version.neighbours(i))
        for i in requested
    }
    for event in events:
        if isinstance(event, FileEdit) or version.is_same_file(event, before):
            for appearance in result.values():
                appearance.pass_by(event)
    return result


def every_event(
    sightings: Iterable[Sighting], edits: Iterable[tuple[float, int, Edit]]
) -> list[Sighting | FileEdit]:
    """Sightings and edits of a file in order; `edits`: moment, order and edit."""
    events: list[Sighting | FileEdit] = [*sightings]
    events += [item for at, order, edit in edits for item in edit_sightings(at, order, edit)]
    return sorted(events, key=lambda item: (item.at, item.order))


def events_of(
    events: Sequence[Sighting | FileEdit], since: float, until: float
) -> Sequence[Sighting | FileEdit]:
    """The `events` of a file up to a moment; of those before `since` only from the last whole
    text on.
    """
    existing = events[: bisect_right(events, until, key=lambda item: item.at)]
    whole = (
        n
        for n, item in enumerate(existing)
        if isinstance(item, Sighting) and item.whole and item.at <= since
    )
    return existing[max(whole, default=0) :]
