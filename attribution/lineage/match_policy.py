"""Lines that a commit changed only in shape or place, and that therefore stay the lines they were
(pure).

Off in exact mode: `git blame` calls all of these new. Three rules, in this order:
whitespace   inside one hunk, lines in the same order that differ in white space only;
reformatted  inside one hunk, stretches equal but for white space, line breaks, quotes, separators
and brackets around a whole expression or a single statement;
moved        anywhere in the commit, blocks of equal lines around a line that was removed once and
             added once.

A commit that the repository wants blame to look through changes lines only in shape: inside one
hunk, each of its lines is the line before that is most like it.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from collector.model import LineChange

Differ = Callable[[bytes, bytes], list[LineChange]]

WHITESPACE = "whitespace"
REFORMATTED = "reformatted"
MOVED = "moved"

_SIGNIFICANT = 10  # letters and digits that make a line worth looking for elsewhere
_SAME_FILE = 20  # letters and digits of a block that moved inside its file, as for `git blame -M`
_OTHER_FILE = 40  # and to another file, as for `git blame -C`
_MAX_STRETCH = 400_000  # bytes; longer stretches are not compared as reformatted
_MAX_PAIRS = 40_000  # pairs of lines of one hunk that are compared
_ALIKE = 1 / 3  # share of the pairs of characters of the shorter line that the other one has
_MAX_MOVES = 200_000  # lines of one commit among which moves are looked for
_SPACE = b" \t\r\n\f\v"
_SHAPE = _SPACE + b",;"
_QUOTES = bytes.maketrans(b"'", b'"')
_MARK = re.compile(rb"[][(){},;]")
_NEAR = 200  # bytes before a bracket that say what it stands in
# a whole expression follows, in which a comma makes no other expression, or any
_LISTED = re.compile(rb"(?:(?<![=<>!])=|\b(?:return|yield|import|with|del)|\bfor\b[^\n]*\bin)\s*\Z")
_BEGINS = re.compile(rb"(?:=>|[:,(\[{]|\b(?:if|elif|else|while|case|assert|raise|throw))\s*\Z")
_END = rb"[ \t\r]*(?:\Z|[:;#]|\n\s*(?![\s.*/+%&|<>=?\[(^-]|(?:and|or|is|in|as)\b)"
_LIST_ENDS = re.compile(_END + rb")")
_ENDS = re.compile(_END + rb"|\s*[,)\]}])")
_RULES = re.compile(rb"(?:\)|\belse)\s*\Z")  # the next statement
_NO_WORD = bytes(c for c in range(128) if not chr(c).isalnum())


@dataclass(slots=True)
class LineHunk:
    """Lines taken away and lines put in their place; 0-based starts."""

    old_path: str
    old_start: int
    removed: list[bytes]
    path: str
    start: int
    added: list[bytes]
    # added line -> (hunk, line it succeeds, how)
    successors: dict[int, tuple[int, int, str]] = field(default_factory=dict)
    spared: set[int] = field(default_factory=set)  # removed lines that go on


def find_kept(hunks: Sequence[LineHunk], differ: Differ, ignored: bool = False) -> None:
    """Fills `successors` and `spared` of each hunk. `differ` aligns two texts line by line.
    `ignored`: blame is to look through the commit.
    """
    for number, hunk in enumerate(hunks):
        if hunk.removed and hunk.added:
            _inside(number, hunk, differ)
            if ignored:
                _look_through(number, hunk)
    some_removed = any(len(h.spared) < len(h.removed) for h in hunks)
    some_added = any(len(h.successors) < len(h.added) for h in hunks)
    if (
        some_removed
        and some_added
        and sum(len(h.removed) + len(h.added) for h in hunks) <= _MAX_MOVES
    ):
        _Moves(hunks).find()


def _look_through(number: int, hunk: LineHunk) -> None:
    """The lines that are left, by what they have in common; of several alike, the nearest."""
    left = [n for n in range(len(hunk.removed)) if n not in hunk.spared]
    if len(left) * len(hunk.added) > _MAX_PAIRS:
        return
    old = {n: _pairs(hunk.removed[n]) for n in left}
    scale = len(hunk.removed) / len(hunk.added)
    for index in range(len(hunk.added)):
        pairs = _pairs(hunk.added[index])
        if index in hunk.successors or not pairs:
            continue
        likeness = {
            n: len(pairs & known) / max(1, min(len(pairs), len(known))) for n, known in old.items()
        }
        best = max(left, key=lambda n: (likeness[n], -abs(n - index * scale)), default=None)
        if best is not None and likeness[best] >= _ALIKE:
            hunk.successors[index] = (number, best, REFORMATTED)
            hunk.spared.add(best)


def _pairs(line: bytes) -> set[bytes]:
    """The pairs of characters next to each other in a line."""
    bare = _bare(line)
    return {bare[n : n + 2] for n in range(len(bare) - 1)}


def _inside(number: int, hunk: LineHunk, differ: Differ) -> None:
    old = [_bare(line) for line in hunk.removed]
    new = [_bare(line) for line in hunk.added]
    if set(old).isdisjoint(new):
        changes = [LineChange(0, len(old), 0, len(new))]
    else:
        changes = differ(_join_lines(old), _join_lines(new))
        for a, b in _aligned_pairs(changes, len(old), len(new)):
            hunk.successors[b] = (number, a, WHITESPACE)
            hunk.spared.add(a)
    for change in changes:
        _match_reformatted(number, hunk, change)
    if len(changes) > 1 and len(hunk.successors) < len(new):  # a bracket's other end is elsewhere
        _match_reformatted(number, hunk, LineChange(0, len(old), 0, len(new)))


def _bare(line: bytes) -> bytes:
    return line.translate(None, _SPACE)


def _join_lines(lines: Sequence[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def _aligned_pairs(changes: Sequence[LineChange], old: int, new: int) -> Iterator[tuple[int, int]]:
    """Pairs of line numbers outside the gaps."""
    a = b = 0
    for change in [*changes, LineChange(old, old, new, new)]:
        while a < change.a0 and b < change.b0:
            yield a, b
            a += 1
            b += 1
        a = change.a1
        b = change.b1


def _match_reformatted(number: int, hunk: LineHunk, change: LineChange) -> None:
    """Both sides of a gap hold the same characters: each new line continues the old line in
    which it begins.
    """
    removed = hunk.removed[change.a0 : change.a1]
    added = hunk.added[change.b0 : change.b1]
    old = list(map(_shape, removed))
    new = list(map(_shape, added))
    if b"".join(old) != b"".join(new):
        old = _shapes_without_idle(removed)
        new = _shapes_without_idle(added)
    text = b"".join(old)
    if not text or len(text) > _MAX_STRETCH or text != b"".join(new):
        return
    ends = list(accumulate(map(len, old)))
    index = position = 0
    for offset, piece in enumerate(new):
        while piece and index < len(ends) - 1 and ends[index] <= position:
            index += 1
        hunk.successors.setdefault(change.b0 + offset, (number, change.a0 + index, REFORMATTED))
        hunk.spared.add(change.a0 + index)
        position += len(piece)


def _shapes_without_idle(lines: Sequence[bytes]) -> list[bytes]:
    """The shapes of lines without the brackets that change nothing."""
    text = b"\n".join(line.rstrip(b"\r\n") for line in lines)
    if len(text) > _MAX_STRETCH:
        return list(map(_shape, lines))
    idle = {place for pair in _idle_pairs(text) for place in pair}
    kept = bytes(byte for place, byte in enumerate(text) if place not in idle)
    return list(map(_shape, kept.split(b"\n")))


def _idle_pairs(text: bytes) -> Iterator[tuple[int, int]]:
    """Where the brackets stand around what would be a whole without them."""
    pending: list[tuple[int, list[int]]] = []  # brackets, with the places of their separators
    for match in _MARK.finditer(text):
        place = match.start()
        if match[0] in b"([{":
            pending.append((place, []))
        elif match[0] in b",;" and pending:
            pending[-1][1].append(place)
        elif match[0] not in b",;" and pending:
            start, separators = pending.pop()
            alone = not separators or not text[separators[0] + 1 : place].strip()
            if _is_idle(text, start, place, len(separators), alone):
                yield start, place


def _is_idle(text: bytes, start: int, end: int, separators: int, alone: bool) -> bool:
    """`alone`: nothing stands behind the first of its separators, which says that `(a,)` is a
    list of one.
    """
    before = text[max(0, start - _NEAR) : start]
    inside = text[start + 1 : end].strip()
    if text[start] == ord("{"):
        single = separators == 1 and alone and b"{" not in inside
        return single and bool(_RULES.search(before)) and not inside.startswith(b"if")
    if text[start] != ord("(") or not inside or inside.startswith(b"{"):
        return False
    if separators:
        imports = before.rstrip().endswith(b"import")
        listed = _LISTED.search(before) is not None and (imports or not alone)
        return listed and _LIST_ENDS.match(text, end + 1) is not None
    begins = _LISTED.search(before) or _BEGINS.search(before)
    return begins is not None and _ENDS.match(text, end + 1) is not None


def _shape(line: bytes) -> bytes:
    return line.translate(_QUOTES, _SHAPE)


def _words(line: bytes) -> int:
    """Letters and digits in a line."""
    return len(line.translate(None, _NO_WORD))


class _Moves:
    """Looks for blocks that were removed in one place and added in another."""

    def __init__(self, hunks: Sequence[LineHunk]) -> None:
        self._hunks = hunks
        self._old = [[_bare(line) for line in hunk.removed] for hunk in hunks]
        self._new = [[_bare(line) for line in hunk.added] for hunk in hunks]

    def find(self) -> None:
        removed = self._once(self._old, [hunk.spared for hunk in self._hunks])
        added = self._once(self._new, [set(hunk.successors) for hunk in self._hunks])
        for text, (target, line) in added.items():
            source = removed.get(text)
            if source is not None and line not in self._hunks[target].successors:
                self._block(*source, target, line)

    def _once(
        self, texts: list[list[bytes]], taken: Sequence[set[int]]
    ) -> dict[bytes, tuple[int, int]]:
        """Lines with something in them that occur once in the whole commit."""
        unique = {}
        twice = set()
        for number, lines in enumerate(texts):
            for index, line in enumerate(lines):
                if index in taken[number] or len(line) < _SIGNIFICANT:
                    continue
                if line in unique:
                    twice.add(line)
                elif _words(line) >= _SIGNIFICANT:
                    unique[line] = (number, index)
        for line in twice:
            del unique[line]
        return unique

    def _block(self, source: int, old: int, target: int, new: int) -> None:
        """The block of equal lines around a pair, if it is long enough to be no coincidence."""
        up = self._reach(source, old, target, new, -1)
        down = self._reach(source, old, target, new, 1)
        lines = self._old[source][old - up : old + down + 1]
        same_file = self._hunks[source].old_path == self._hunks[target].path
        if sum(_words(line) for line in lines) < (_SAME_FILE if same_file else _OTHER_FILE):
            return
        for shift in range(-up, down + 1):
            self._hunks[target].successors[new + shift] = (source, old + shift, MOVED)
            self._hunks[source].spared.add(old + shift)

    def _reach(self, source: int, old: int, target: int, new: int, step: int) -> int:
        before = self._old[source]
        after = self._new[target]
        spared = self._hunks[source].spared
        successors = self._hunks[target].successors
        steps = 0
        a = old + step
        b = new + step
        while (
            0 <= a < len(before)
            and 0 <= b < len(after)
            and before[a] == after[b]
            and a not in spared
            and b not in successors
        ):
            steps += 1
            a += step
            b += step
        return steps
