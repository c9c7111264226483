"""Applies an ordinary commit to the files of its parent: edits, new files, renames, deletions."""

from array import array
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from attribution.lineage.files import Contents
from attribution.lineage.match_policy import REFORMATTED, LineHunk, find_kept
from attribution.lineage.model import (
    BINARY,
    COPY,
    DELETED,
    FILE_DELETED,
    LOST,
    MODIFIED,
    UNREADABLE,
    WIDTH,
    CommitStep,
    FileLines,
    IntroducedLines,
    KeptLines,
    LineRange,
    Origins,
    RemovedLines,
    State,
    count_lines,
    numbers,
)
from collector.files.kinds import kind_of
from collector.git.diff_tree import FileDelta, Range
from collector.git.renames import RenameSources
from collector.git.repository import line_changes
from collector.json_values import Texts
from collector.text import split_lines
from collector.vocabulary.lines import FileKind

# an agent keeps versions of the files that it edits
_KEPT = (FileKind.GENERATED, FileKind.RECORDER)
Text = list[tuple[list[bytes], list[bytes]]]
_NOTHING = FileLines("", 0, b"")


@dataclass(slots=True)
class _Work:
    """A file to write: its old lines, its changes, and the name under which its removed lines
    are noted ("" = they are not).
    """

    path: str
    oid: str
    mode: int
    old: FileLines
    old_path: str
    hunks: Sequence[Range]
    flags: int
    text: Text | None = None
    plan: list[LineHunk] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class EditRules:
    """How the lines of a commit are written."""

    keep: bool  # lines that changed only in shape or place stay the lines they were
    texts: bool = False  # note blank lines
    doubt: int = 0  # flags for every line written
    ignored: bool = False  # blame is to look through the commit


class CommitEdit:
    """Applies the deltas of one commit to `state`."""

    def __init__(
        self,
        contents: Contents,
        origins: Origins,
        step: CommitStep,
        state: State,
        missing: Callable[[FileDelta], FileLines],
        rules: EditRules,
    ) -> None:
        """`missing` gives files that are not in the state."""
        self._contents = contents
        self._origins = origins
        self._step = step
        self._state = state
        self._missing = missing
        self._rules = rules
        self.net = 0  # how many lines more the files have afterwards, those from before left out
        self._hunks: list[LineHunk] = []
        self._ends: dict[str, LineHunk] = {}
        self._vectors: list[bytes] = []  # of the file that each planned hunk was removed from
        self._new: set[str] = set()  # contents of new files
        self._inherited: Counter[int] = Counter()  # origins inherited so far

    def apply(self, deltas: Sequence[FileDelta]) -> None:
        removed = {}
        added = []
        works = []
        state = self._state
        for delta in deltas:
            if not delta.new_mode:
                removed[delta.path] = self._pop(delta), delta
                self.net -= count_lines(removed[delta.path][0].vector)
            elif not delta.old_mode and delta.path not in state:
                added.append(delta)
            else:
                works.append(self._modification(delta))
        sources = self._sources(removed, added) if removed and added else {}
        users = Counter(sources.values())
        for delta in added:
            source = sources.get(delta.path)
            if source is None:
                works.append(self._creation(delta))
            else:
                works.append(self._rename(delta, source, removed[source][0], users[source] > 1))
        ends = [(path, *removal) for path, removal in removed.items() if users[path] != 1]
        if self._rules.keep or self._rules.ignored:
            self._plan(works, [end for end in ends if not users[end[0]]])
        for work in works:
            if work.flags & UNREADABLE:
                self._step.unread.append(work.path)
            vector = self._write_file(work)
            self._state[work.path] = FileLines(work.oid, work.mode, vector)
            self._contents.written.add(work.oid)
            self.net += count_lines(vector)
        for path, old, _ in ends:
            if old.vector:
                self._note_removals(
                    old.vector, FILE_DELETED, self._ends.get(path), LineRange(path, 1, 0)
                )

    # --- what is to be done -----------------------------------------------------------------------

    def _pop(self, delta: FileDelta) -> FileLines:
        lines = self._state.pop(delta.path, None)
        return self._missing(delta) if lines is None else lines

    def _sources(
        self, removed: dict[str, tuple[FileLines, FileDelta]], added: Sequence[FileDelta]
    ) -> Texts:
        """Each new path looks for itself, as `git blame` does; a path that only changed its type
        takes no part.
        """
        retyped = removed.keys() & {d.path for d in added}
        sources = RenameSources(
            (path, old.oid, old.mode) for path, (old, _) in removed.items() if path not in retyped
        )
        texts = self._contents.texts()
        renamed = {}
        for delta in added:
            if sources.files and delta.path not in retyped:
                source = sources.best(delta.path, delta.new, delta.new_mode, texts)
                if source is not None:
                    renamed[delta.path] = source
        if texts.budget is not None and texts.budget < 0:
            self._contents.report(
                self._step.sha, "rename_limit", "too many files: some renames may be missing"
            )
        return renamed

    def _modification(self, delta: FileDelta) -> _Work:
        old = self._pop(delta)
        self.net -= count_lines(old.vector)
        if not delta.new:  # only the mode
            return _Work(delta.path, old.oid, delta.new_mode, old, delta.path, [], 0)
        hunks, flags, is_known = self._changes(delta, old)
        text = delta.text if is_known else None
        return _Work(delta.path, delta.new, delta.new_mode, old, delta.path, hunks, flags, text)

    def _rename(self, delta: FileDelta, source: str, old: FileLines, several: bool) -> _Work:
        content_delta = FileDelta(delta.path, old.oid, delta.new, old.mode, delta.new_mode, None)
        hunks, flags, _ = self._changes(content_delta, old)
        return _Work(
            delta.path, delta.new, delta.new_mode, old, "" if several else source, hunks, flags
        )

    def _creation(self, delta: FileDelta) -> _Work:
        if delta.hunks is None:
            count, flags = self._contents.count(delta.new)
        else:
            count = delta.hunks[0][3] if delta.hunks else 0
            flags = 0
        if count and self._is_copy(delta):
            flags |= COPY
        hunks = [(0, 0, 0, count)] if count else []
        return _Work(
            delta.path, delta.new, delta.new_mode, _NOTHING, delta.path, hunks, flags, delta.text
        )

    def _is_copy(self, delta: FileDelta) -> bool:
        """Whether another file of the commit, known so far, has exactly this content; what
        programs keep is no original.
        """
        if delta.new in self._new:
            return True
        if kind_of(delta.path) not in _KEPT:
            self._new.add(delta.new)
        same = (
            path
            for path, file in self._state.items()
            if file.oid == delta.new and path != delta.path
        )
        return delta.new in self._contents.written and any(
            kind_of(path) not in _KEPT for path in same
        )

    def _changes(self, delta: FileDelta, old: FileLines) -> tuple[Sequence[Range], int, bool]:
        """Hunks, flags and whether they are those of the delta.

        If a side cannot be read, all lines end and begin.
        """
        lines = len(old.vector) // WIDTH
        if (
            delta.hunks is not None
            and delta.old == old.oid
            and (not delta.hunks or delta.hunks[-1][1] <= lines)
        ):
            return delta.hunks, 0, True
        hunks = self._contents.diff(old.oid, delta.new)
        if hunks == []:
            return [], 0, False
        count, flags = self._contents.count(delta.new)
        if hunks is not None and hunks[-1][1] <= lines:
            return hunks, flags, False
        self._contents.count(old.oid)
        return [(0, lines, 0, count)], flags | UNREADABLE, False

    # --- lines that stay what they were -----------------------------------------------------------

    def _plan(
        self, works: Sequence[_Work], ends: Sequence[tuple[str, FileLines, FileDelta]]
    ) -> None:
        """Decides for the whole commit which new lines continue old lines."""
        for work in works:
            if work.hunks and work.old_path and not work.flags & ~COPY:
                self._plan_file(work)
        for path, old, _ in ends:
            data = self._contents.get(old.oid)
            lines = split_lines(data) if data is not None else []
            if lines and len(lines) * WIDTH == len(old.vector):
                self._ends[path] = LineHunk(path, 0, lines, "", 0, [])
                self._hunks.append(self._ends[path])
                self._vectors.append(old.vector)
        find_kept(self._hunks, line_changes, self._rules.ignored)

    def _plan_file(self, work: _Work) -> None:
        text = work.text if work.text is not None else self._text(work)
        if text is None or len(text) != len(work.hunks):
            return
        for (a0, a1, b0, b1), (removed, added) in zip(work.hunks, text, strict=True):
            if len(removed) != a1 - a0 or len(added) != b1 - b0:
                return
            hunk = LineHunk(work.old_path, a0, removed, work.path, b0, added)
            work.plan.append(hunk)
            self._hunks.append(hunk)
            self._vectors.append(work.old.vector)

    def _text(self, work: _Work) -> Text | None:
        old = self._contents.get(work.old.oid) if work.old.oid else b""
        new = self._contents.get(work.oid)
        if old is None or new is None:
            return None
        before = split_lines(old)
        after = split_lines(new)
        return [(before[a0:a1], after[b0:b1]) for a0, a1, b0, b1 in work.hunks]

    def _write_file(self, work: _Work) -> bytes:
        old = work.old.vector
        parts = []
        copied = 0
        for number, (a0, a1, b0, b1) in enumerate(work.hunks):
            parts.append(old[copied * WIDTH : a0 * WIDTH])
            plan = work.plan[number] if number < len(work.plan) else None
            if a1 > a0 and work.old_path:
                cause = LOST if work.flags & UNREADABLE else MODIFIED if b1 > b0 else DELETED
                into = LineRange(work.path, b0 + 1, b1 - b0)
                self._note_removals(old[a0 * WIDTH : a1 * WIDTH], cause, plan, into)
            if b1 > b0:
                parts.append(self._added_lines(work, number, b0, b1, plan))
            copied = a1
        parts.append(old[copied * WIDTH :])
        # several files were copied from this one: its unchanged lines now exist once more
        if not work.old_path:
            surviving = array("i", numbers(old))
            for a0, a1, _, _ in reversed(work.hunks):
                del surviving[a0:a1]
            self._step.again.append(surviving.tobytes())
        return b"".join(parts)

    def _added_lines(
        self, work: _Work, number: int, start: int, end: int, plan: LineHunk | None
    ) -> bytes:
        blank = self._blank(work, number, start, end)

        def new(line: int, stop: int) -> bytes:
            offsets = tuple(n - line for n in blank if line <= n < stop)
            born = LineRange(work.path, line + 1, stop - line)
            return write(self._origins, self._step, born, work.flags | self._rules.doubt, offsets)

        if plan is None or not plan.successors:
            return new(start, end)
        parts = []
        for inherited, lines in groupby(
            range(start, end), key=lambda line: line - start in plan.successors
        ):
            if inherited:
                parts += [
                    self._inherit(work.path, line, plan.successors[line - start]) for line in lines
                ]
            else:
                first, *others = lines
                parts.append(new(first, first + 1 + len(others)))
        return b"".join(parts)

    def _blank(self, work: _Work, number: int, start: int, end: int) -> Sequence[int]:
        """Which of the new lines from `start` to `end` (0-based, in the file) have no text."""
        if not self._rules.texts or work.flags & BINARY:
            return ()
        if (
            work.text is not None
            and number < len(work.text)
            and len(work.text[number][1]) == end - start
        ):
            return [start + n for n, line in enumerate(work.text[number][1]) if not line.strip()]
        return [n for n in self._contents.blank(work.oid) if start <= n < end]

    def _inherit(self, path: str, line: int, predecessor: tuple[int, int, str]) -> bytes:
        number, removed, how = predecessor
        offset = (self._hunks[number].old_start + removed) * WIDTH
        origin = self._vectors[number][offset : offset + WIDTH]
        if not self._rules.ignored:  # nobody is to be told of the commit
            self._step.kept.append(KeptLines(path, line + 1, origin, how))
        key = number << 32 | removed
        self._inherited[key] += 1
        if self._inherited[key] > 1:  # a line that was broken in two
            self._step.again.append(origin)
        return origin

    def _note_removals(
        self, origins: bytes, cause: str, plan: LineHunk | None, into: LineRange
    ) -> None:
        """Notes deaths, line by line where some lines of the hunk go on."""
        if plan is None or not plan.spared:
            self._step.gone.append(RemovedLines(origins, cause, into))
            return
        if any(how == REFORMATTED for _, _, how in plan.successors.values()):
            cause = REFORMATTED
        for spared, lines in groupby(range(len(origins) // WIDTH), key=plan.spared.__contains__):
            if not spared:
                first, *others = lines
                part = origins[first * WIDTH : (first + 1 + len(others)) * WIDTH]
                self._step.gone.append(RemovedLines(part, cause, into))


def write(
    origins: Origins, step: CommitStep, written: LineRange, flags: int, blank: tuple[int, ...] = ()
) -> bytes:
    """Numbers for new lines, noted as births."""
    path, line, count = written
    first = origins.add(step.index, path, line, count, flags)
    step.born.append(IntroducedLines(path, line, first, count, flags, blank))
    return array("i", range(first, first + count)).tobytes()
