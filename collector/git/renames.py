"""Which added file is a deleted file under a new name, decided as git 2.39 decides it.

Two questions with different answers. `pair` is `git diff -M`: one source serves one destination,
the best pairs first. `RenameSources` is `git blame`: each destination looks for itself, so that a
source may serve many.

Git compares sizes and "spans": a text is cut after each newline and after 64 bytes at the latest,
and the bytes of spans that both texts have, divided by the size of the larger text, are the
similarity (scaled to 60,000). A last piece without newline and shorter than 64 bytes is not
counted. Git takes spans for equal whose numbers below 107,927 are; here they are compared
themselves, which changed none of 13,118 pairs of 66 repositories.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from collector.json_values import Numbers, Texts
from collector.text import file_name, is_binary

FULL = 60_000  # git's score for identical
MINIMUM = FULL // 2  # -M50%
BY_NAME = MINIMUM + (FULL - MINIMUM) // 2  # enough when the file name is unique on both sides
LIMIT = 1000  # diff.renameLimit: no matrix above this squared
_SPAN = 64
_CANDIDATES = 4  # kept per destination
_IDENTICAL = 102  # identical sources looked at for one destination
_HELD = 500_000  # spans kept in memory

File = tuple[str, str, int]  # path, blob id, mode
Getter = Callable[[str], bytes | None]
Spans = dict[bytes, int]
# negative score, other file name?, place in the matrix, source, target
_Candidate = tuple[int, int, int, int, int]


def pair(
    deleted: Sequence[File],
    added: Sequence[File],
    get: Getter,
    *,
    size: Callable[[str], int | None] | None = None,
) -> Texts:
    """Added path -> deleted path, as `git diff -M` pairs the files of one comparison.

    `get` gives a blob's content, `size` its bytes without reading it: most pairs are ruled out by
    that.
    """
    sources = sort_by_path(deleted)
    targets = sort_by_path(added)
    texts = RenameTexts(get, size)
    pairs = _pair_equal(sources, targets)
    for stage in (_pair_names, _pair_similar):
        used = set(pairs.values())
        sources = [s for s in sources if s[0] not in used]
        targets = [t for t in targets if t[0] not in pairs]
        if not sources or not targets:
            break
        pairs.update(stage(sources, targets, texts))
    return pairs


class RenameSources:
    """The deleted files of one comparison, in path order, found by their content and by their
    name without a look at each.
    """

    def __init__(self, files: Iterable[File]) -> None:
        self.files = sort_by_path(files)
        self._contents = _index_contents(self.files)
        self._names = _unique_names(self.files)

    def has(self, oid: str) -> bool:
        """Whether one of the files had this content."""
        return oid in self._contents

    def best(self, path: str, oid: str, mode: int, texts: RenameTexts) -> str | None:
        """The deleted file that `git blame` goes on with where `path` was added."""
        same = _pick(path, mode, self._contents.get(oid, {}))
        if same is not None:
            return same
        target = (path, oid, mode)
        named = self._names.get(file_name(path))
        if named is not None and _similar(named, target, texts) >= BY_NAME:
            return named[0]
        return _pair_similar(self.files, [target], texts).get(path)


class RenameTexts:
    """Sizes and spans of blobs, computed once per comparison of two trees."""

    def __init__(
        self,
        get: Getter,
        size: Callable[[str], int | None] | None = None,
        budget: int | None = None,
    ) -> None:
        """`size` tells a blob's size without reading it; after `budget` comparisons nothing is
        similar any more.
        """
        self._get = get
        self._size = size
        self.budget = budget
        self._known: dict[str, tuple[Spans, int] | None] = {}
        self._held = 0
        self._sizes: dict[str, int | None] = {}

    def score(self, old: str, new: str) -> int:
        """Similarity of two blobs in git's units; 0 when one is missing or the sizes are too
        different.
        """
        a = self._size_of(old)
        b = self._size_of(new)
        if a is None or b is None or _too_different(a, b):
            return 0
        if self.budget is not None:
            self.budget -= 1
            if self.budget < 0:
                return 0
        old_spans = self._load(old)
        new_spans = self._load(new)
        if old_spans is None or new_spans is None:
            return 0
        return _score(old_spans[0], new_spans[0], max(a, b))

    def _size_of(self, oid: str) -> int | None:
        if oid not in self._sizes:
            loaded = self._load(oid) if self._size is None else None
            self._sizes[oid] = self._size(oid) if self._size else loaded[1] if loaded else None
        return self._sizes[oid]

    def _load(self, oid: str) -> tuple[Spans, int] | None:
        if oid in self._known:
            return self._known[oid]
        loaded = None if (data := self._get(oid)) is None else (spans(data), len(data))
        if self._held < _HELD:
            self._known[oid] = loaded
            self._held += len(loaded[0]) if loaded else 1
        return loaded


def sort_by_path(files: Iterable[File]) -> list[File]:
    """In the order in which git meets them: by the bytes of the path."""
    return sorted(files, key=lambda f: f[0].encode("utf-8", "surrogateescape"))


def _pair_equal(sources: Sequence[File], targets: Sequence[File]) -> Texts:
    """Same content; among several sources one with the same file name, else the first."""
    waiting = _index_contents(sources)
    pairs = {}
    for path, oid, mode in targets:
        choice = _pick(path, mode, waiting.get(oid, {}))
        if choice is not None:
            pairs[path] = choice
            del waiting[oid][choice]
    return pairs


def _index_contents(sources: Sequence[File]) -> dict[str, Numbers]:
    """Blob id -> path -> mode, in the order in which git looks at files with one content."""
    paths: dict[str, Numbers] = {}
    for path, oid, mode in sources:
        paths.setdefault(oid, {})[path] = mode
    return paths


def _pick(path: str, mode: int, candidates: Numbers) -> str | None:
    name = file_name(path)
    first = None
    looked = 0
    for candidate, its_mode in candidates.items():
        if its_mode != mode and not (_regular(mode) and _regular(its_mode)):
            continue
        if file_name(candidate) == name:
            return candidate
        if first is None:
            first = candidate
        looked += 1
        if looked >= _IDENTICAL:
            break
    return first


def _pair_names(sources: Sequence[File], targets: Sequence[File], texts: RenameTexts) -> Texts:
    """A file name that occurs once among the sources and once among the targets, at 75 % or
    more.
    """
    old = _unique_names(sources)
    new = _unique_names(targets)
    pairs = {}
    for name, source in old.items():
        target = new.get(name)
        if source is not None and target is not None and _similar(source, target, texts) >= BY_NAME:
            pairs[target[0]] = source[0]
    return pairs


def _unique_names(files: Sequence[File]) -> dict[str, File | None]:
    names = {}
    for file in files:
        name = file_name(file[0])
        names[name] = None if name in names else file
    return names


def _pair_similar(sources: Sequence[File], targets: Sequence[File], texts: RenameTexts) -> Texts:
    """Every source against every target; the best pairs first, each file at most once."""
    if len(sources) * len(targets) > LIMIT * LIMIT:
        return {}
    matrix = sorted(
        candidate
        for number, target in enumerate(targets)
        for candidate in _row(number, target, sources, texts)
    )
    pairs = {}
    used = set()
    for _, _, _, source, target_number in matrix:
        path = targets[target_number][0]
        if path not in pairs and source not in used:
            pairs[path] = sources[source][0]
            used.add(source)
    return pairs


def _row(
    number: int, target: File, sources: Sequence[File], texts: RenameTexts
) -> list[_Candidate]:
    """The four best sources of a target.

    A newcomer takes the place of the worst one, if it is better than that.
    """
    name = file_name(target[0])
    # (negative score, other name, source); too poor ones hold a place, too
    best: list[tuple[int, int, int]] = []
    for index, source in enumerate(sources):
        rank = (-_similar(source, target, texts), 0 if file_name(source[0]) == name else 1)
        if len(best) < _CANDIDATES:
            best.append((*rank, index))
            continue
        worst = max(range(_CANDIDATES), key=lambda p: best[p][:2])  # the first of equals
        if rank < best[worst][:2]:
            best[worst] = (*rank, index)
    base = number * _CANDIDATES
    return [
        (score, other, base + rank_number, index, number)
        for rank_number, (score, other, index) in enumerate(best)
        if -score >= MINIMUM
    ]


def _similar(source: File, target: File, texts: RenameTexts) -> int:
    if _regular(source[2]) and _regular(target[2]):
        return texts.score(source[1], target[1])
    return 0


def _regular(mode: int) -> bool:
    return mode & 0o170000 == 0o100000


def _too_different(a: int, b: int) -> bool:
    larger = max(a, b)
    return larger * (FULL - MINIMUM) < (larger - min(a, b)) * FULL


def _score(old: Spans, new: Spans, larger: int) -> int:
    """Bytes in common over the `larger` size."""
    common = sum(min(old[span], new[span]) for span in old.keys() & new.keys())
    return common * FULL // larger if larger else 0


def spans(data: bytes) -> Spans:
    """Span -> bytes of the text in such spans."""
    if b"\r\n" in data and not is_binary(data):
        data = data.replace(b"\r\n", b"\n")
    sizes: Spans = {}
    lines = data.split(b"\n")
    last = lines.pop()
    for line in lines:
        if len(line) >= _SPAN:
            line = _cut(line, sizes)
        line += b"\n"
        sizes[line] = sizes.get(line, 0) + len(line)
    _cut(last, sizes)
    return sizes


def _cut(line: bytes, sizes: Spans) -> bytes:
    """Counts the full spans at the head of a long line and gives the rest."""
    full = len(line) // _SPAN * _SPAN
    for start in range(0, full, _SPAN):
        piece = line[start : start + _SPAN]
        sizes[piece] = sizes.get(piece, 0) + _SPAN
    return line[full:]
