"""Sequence alignment of two texts, by line and by token. Pure.

Lines are compared as the agent saw them: decoded, CRLF as LF, no byte order mark. Equal lines are
paired by git's own diff, so that common lines (`}`, `return nil`) are decided by order and
neighbours, never by text alone.
"""

import re
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from collector.git.repository import line_changes
from collector.groups import positions
from collector.model import LineChange
from collector.text import SECRET

_TOKEN = re.compile(r"\w+|[^\w\s]")
_WORD = re.compile(r"\w")
_LAYOUT = re.compile(r"[\s'\"`,;()\[\]{}\\]")
_QUOTES = str.maketrans({"'": '"', "`": '"'})
_TRAILING = frozenset(",;")
MAX_BLOCK = 400  # lines on either side: larger replaced blocks are not compared line by line
MAX_PAIRS = 2500  # comparisons of lines within one replaced block
# characters without blanks from which a line is known again by itself, if its block has it once
TELLING = 20
LEGACY = (
    "cp1252",
    "latin-1",
    "gb18030",
    "cp932",
    "euc_jp",
    "cp949",
    "big5",
    "cp1251",
    "koi8_r",
    "cp1250",
    "iso8859_2",
)
_KNOWN = 0.5  # share of characters that are known, from which a text is taken to be in an encoding
EDITED = 0.6  # token similarity from which a changed line still counts as the line it replaced


def text_of(data: bytes, characters: Set[str] = frozenset()) -> str:
    """File content as an agent's transcript shows it.

    `characters`: those beside ASCII that transcripts hold.

    Of the encodings that a text which is not UTF-8 may have, it is in the one that gives such
    characters.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = _legacy(data, characters) if characters else data.decode("utf-8", "replace")
    return text.removeprefix("\ufeff").replace("\r\n", "\n")


def _legacy(data: bytes, characters: Set[str]) -> str:
    texts = [text for name in LEGACY if (text := _decoded(data, name)) is not None]
    best = max(texts, key=lambda text: _known_share(text, characters), default="")
    return best if _known_share(best, characters) >= _KNOWN else data.decode("utf-8", "replace")


def _decoded(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None


def _known_share(text: str, characters: Set[str]) -> float:
    """Of the characters beside ASCII, the share that is known."""
    special = [character for character in text if not character.isascii()]
    return sum(character in characters for character in special) / len(special) if special else 0.0


def lines_of(text: str) -> list[str]:
    """Lines without terminators; a missing newline at the end makes no difference."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def changes(old: Sequence[str], new: Sequence[str]) -> list[LineChange]:
    """Where `new` differs from `old`, as git would put it."""
    if old == new:
        return []
    return line_changes(_join(old), _join(new))


def text_changes(old: str, new: str) -> list[LineChange]:
    """As `changes`, for whole texts that end with a newline: saves taking them apart and joining
    them again.
    """
    return (
        []
        if old == new
        else line_changes(old.encode("utf-8", "replace"), new.encode("utf-8", "replace"))
    )


def _join(lines: Sequence[str]) -> bytes:
    return ("\n".join(lines) + "\n").encode("utf-8", "replace") if lines else b""


def pairing(old_length: int, new_length: int, hunks: Sequence[LineChange]) -> list[int]:
    """For each new line the old line it equals, or -1."""
    pairs: list[int] = []
    position = 0
    for hunk in hunks:
        pairs.extend(range(position, hunk.a0))
        pairs.extend([-1] * (hunk.b1 - hunk.b0))
        position = hunk.a1
    pairs.extend(range(position, old_length))
    assert len(pairs) == new_length, "hunks do not fit the texts"
    return pairs


@lru_cache(maxsize=20_000)
def tokens(line: str) -> tuple[str, ...]:
    """Words and punctuation of a line, quotes alike, trailing comma or semicolon dropped: what a
    formatter keeps.
    """
    matches = _TOKEN.findall(line.translate(_QUOTES))
    while matches and matches[-1] in _TRAILING:
        matches.pop()
    return tuple(matches)


@lru_cache(maxsize=20_000)
def _bag(line: str) -> Counter[str]:
    return Counter(tokens(line))


def similarity(a: str, b: str) -> float:
    """Share of tokens two lines have in common, in order (0 to 1); 0 when neither has a word in
    common.
    """
    left = tokens(a)
    right = tokens(b)
    total = len(left) + len(right)
    if not left or not right or 2 * min(len(left), len(right)) < EDITED * total:
        return 0.0
    common = _bag(a) & _bag(b)
    if 2 * common.total() < EDITED * total or not any(_WORD.match(token) for token in common):
        return 0.0
    return SequenceMatcher(None, left, right, autojunk=False).ratio()


def layout_sources(old: Sequence[str], new: Sequence[str]) -> list[int]:
    """For each line of `new` the line of `old` that it only reformats (tokens equal, also across
    line breaks), or -1.

    Both are the two sides of one replaced block. Lines with equal tokens are paired first, in
    order; what lies between is compared token by token, so that a line broken in two or two joined
    in one are found as well.
    """
    result = [-1] * len(new)
    if not old or not new or len(old) > MAX_BLOCK or len(new) > MAX_BLOCK:
        return result
    keys_old, keys_new = (["\0".join(tokens(line)) or "\0" for line in side] for side in (old, new))
    hunks = changes(keys_old, keys_new)
    for index, source in enumerate(pairing(len(old), len(new), hunks)):
        if source >= 0 and _says_something(new[index]):
            result[index] = source
    for hunk in hunks:
        for index, source in enumerate(
            _match_rewrapped(old[hunk.a0 : hunk.a1], new[hunk.b0 : hunk.b1]), hunk.b0
        ):
            if source >= 0:
                result[index] = hunk.a0 + source
    return result


def neighbour(lines: Sequence[str], index: int, step: int) -> str:
    """The next line that says something above (`step` -1) or below (1) the one at `index`; ""
    when there is none.
    """
    others = range(index + step, len(lines) if step > 0 else -1, step)
    return next((lines[other] for other in others if lines[other].strip()), "")


def is_low_information(line: str) -> bool:
    """Says nothing by itself: blank, or no word in it."""
    return _WORD.search(line) is None


def _says_something(line: str) -> bool:
    """Has a word, or is more than one bracket: a lone `}` proves nothing."""
    return bool(_WORD.search(line)) or len(line.strip()) > 2


def _match_rewrapped(old: Sequence[str], new: Sequence[str]) -> list[int]:
    """As `layout_sources`, by tokens alone.

    A line counts when all its tokens are found, in order, among the old ones and the old line they
    come from is used up.
    """
    result = [-1] * len(new)
    old_tokens, old_line = _flat(old)
    new_tokens, new_line = _flat(new)
    if not old_tokens or not new_tokens:
        return result
    used: Counter[int] = Counter()
    votes: list[Counter[int]] = [Counter() for _ in new]
    for index, origin in enumerate(
        pairing(len(old_tokens), len(new_tokens), changes(old_tokens, new_tokens))
    ):
        if origin >= 0:
            used[old_line[origin]] += 1
            votes[new_line[index]][old_line[origin]] += 1
    sizes_old = Counter(old_line)
    sizes_new = Counter(new_line)
    for index, sources in enumerate(votes):
        if not sources or sources.total() < sizes_new[index]:
            continue
        best = max(sources, key=lambda line: (sources[line], -line))
        if used[best] == sizes_old[best] and (_says_something(new[index]) or sizes_old[best] > 1):
            result[index] = best
    return result


def _flat(lines: Sequence[str]) -> tuple[list[str], list[int]]:
    """The tokens of all lines, and the line of each; a formatter that breaks a line adds or
    drops commas anywhere.
    """
    flat = [
        (token, index)
        for index, line in enumerate(lines)
        for token in tokens(line)
        if token not in _TRAILING
    ]
    return [token for token, _ in flat], [index for _, index in flat]


def closest(
    old: Sequence[str], new: Sequence[str], used: Sequence[int] = ()
) -> list[tuple[int, float]]:
    """For each line of `new` the old line it most probably changed, and how similar (>= EDITED), in
    order; else (-1, 0.0).

    An old line is used once (those in `used` not at all, nor are new lines that already have a
    source there) and pairs do not cross, as in a diff of words.
    """
    result = [(-1, 0.0)] * len(new)
    if not old or not new or len(old) * len(new) > MAX_PAIRS:
        return result
    taken = set(used)
    start = 0
    for index, line in enumerate(new):
        if index < len(used) and used[index] >= 0:
            start = max(start, used[index] + 1)
            continue
        following = [u for u in used[index + 1 :] if u >= start]
        end = following[0] if following else len(old)
        scored = [(similarity(old[i], line), -i) for i in range(start, end) if i not in taken]
        best = max(scored, default=(0.0, 0))
        if best[0] >= EDITED:
            result[index] = (-best[1], round(best[0], 3))
            start = -best[1] + 1
    return result


@dataclass(frozen=True, slots=True)
class Kin:
    """What a line of a replaced block has to do with a line it replaced."""

    source: int  # index among the old lines
    kind: str  # reformatted | redacted | secret | edited
    similarity: float = 1.0
    split: bool = False  # another line was already taken for that old line: one line became several


def is_relaid(old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether the new lines have all that the old ones say and no more, as a formatter leaves
    them, in whatever order.
    """
    before, after = (_LAYOUT.sub("", "".join(lines)) for lines in (old, new))
    return bool(after) and len(before) == len(after) and sorted(before) == sorted(after)


def kinship(old: Sequence[str], new: Sequence[str], edits: bool = True) -> list[Kin | None]:
    """For each line of `new` its kin among `old`, the two sides of one replaced block, or None.

    `edits` False leaves out lines that are only similar, which takes time and matters only where an
    agent wrote the old side.
    """
    kin: list[Kin | None] = [None] * len(new)
    if not old or not new:
        return kin
    taken: set[int] = set()
    same = _in_company(old, new, layout_sources(old, new))
    for index, source in enumerate(same):
        if source >= 0:
            kin[index] = Kin(source, "reformatted", split=source in taken)
            taken.add(source)
    for index, source in enumerate(_redacted_pairs(old, new)):
        if source >= 0 and kin[index] is None:
            kin[index] = Kin(source, "secret" if SECRET in old[source] else "redacted")
    for index, (source, ratio) in enumerate(closest(old, new, same) if edits else ()):
        if source >= 0 and kin[index] is None:
            kin[index] = Kin(source, "edited", ratio)
    return kin


def _in_company(old: Sequence[str], new: Sequence[str], same: Sequence[int]) -> list[int]:
    """`same` without common lines (`<button`, `if (!ok) {`) of which neither neighbour has its
    place beside them on both sides.

    Where somebody wrote a block anew, a line that any block has is found again somewhere among the
    lines it replaced. The ends of the block stand beside lines that did not change.
    """
    bare = ["".join(line.split()) for line in new]
    count = Counter(bare) + Counter("".join(line.split()) for line in old)
    ours, theirs = ([n for n, line in enumerate(side) if line.strip()] for side in (new, old))
    rank = positions(theirs)
    # The sources of the non-blank new lines by their rank among the non-blank old ones, between
    # what stands above and below.
    ranks = [-1, *(rank.get(same[index]) for index in ours), len(theirs)]
    remaining = list(same)
    for n, index in enumerate(ours, 1):
        here = ranks[n]
        above = ranks[n - 1]
        below = ranks[n + 1]
        if here is None or (len(bare[index]) >= TELLING and count[bare[index]] <= 2):
            continue
        beside = (above is not None and here - above <= 1) or (
            below is not None and below - here <= 1
        )
        if not beside:
            remaining[index] = -1
    return remaining


def _redacted_pairs(old: Sequence[str], new: Sequence[str]) -> list[int]:
    """For each new line the old one that is the same but for redacted tokens, or -1."""
    result = [-1] * len(new)
    marked = [i for i, line in enumerate(old) if _REDACTED.search(line)][:MAX_BLOCK]
    for index, line in enumerate(new if marked else []):
        result[index] = next((i for i in marked if redacted_equal(old[i], line)), -1)
        if result[index] >= 0:
            marked.remove(result[index])
    return result


_HIDDEN = 8  # non-blanks that a marker stands for, at least
_REDACTED = re.compile(rf"\[?REDACTED(?:_[A-Z]+)?\]?|{re.escape(SECRET)}")


def redacted_equal(sighted: str, real: str) -> bool:
    """Whether `real` is what the redacted line `sighted` may have been: each marker stands for 8
    or more non-blanks.
    """
    parts = _REDACTED.split(sighted)
    if len(parts) < 2 or len(parts) > 20 or len(real) > 5_000 or not any(p.strip() for p in parts):
        return False
    if not real.startswith(parts[0]):
        return False
    position = len(parts[0])
    for number, part in enumerate(parts[1:], 1):
        # Each part at its first possible place: one try per marker, whatever a hostile line holds.
        last = number == len(parts) - 1
        result = (
            len(real) - len(part)
            if last and real.endswith(part)
            else -1
            if last
            else real.find(part, position + _HIDDEN)
        )
        hidden = real[position:result]
        if result < position + _HIDDEN or any(c.isspace() for c in hidden):
            return False
        position = result + len(part)
    return True
