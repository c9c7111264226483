"""The lines of a fix in the stored line history: what it removed, what it added, and what stood
around that.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import groupby

from attribution.culprit.repaired import (
    AddedBlock,
    TracedLines,
    code_lines,
    is_inner_test,
    neighbours,
    weight_of,
)
from attribution.lineage.git_blame import Introduction
from attribution.lineage.introduced import introductions
from attribution.lineage.model import BEFORE
from attribution.queries.verdicts import MoveHistories
from collector.files.kinds import kind_of
from collector.git.repository import GitRepo
from collector.storage.store import Store
from collector.text import decode, printable, split_lines
from collector.vocabulary.lines import FileKind

AddedBlocks = Mapping[str, Sequence[AddedBlock]]
"""Path -> what a commit added to that file."""


# INDEXED BY: SQLite thinks that few lines of a repository have one number, and would read them all
# for each row.
_WHERE_WRITTEN = """
SELECT t.origin, b.number AS "commit", b.commit_sha AS sha, l.path,
  l.start_line + t.origin - l.origin AS line, t.lines, COALESCE(f.kind, '') AS kind,
  COALESCE(l.into_path, '') AS into_path, COALESCE(l.into_start, 1) AS into_start,
  COALESCE(l.into_end, 0) AS into_end
FROM line_lifetimes l
JOIN line_fates t INDEXED BY line_fates_life ON t.repo_id = l.repo_id AND t.life = l.origin
JOIN history_commits b ON b.id = l.birth
LEFT JOIN commits c ON c.repo_id = b.repo_id AND c.commit_sha = b.commit_sha
LEFT JOIN commit_files f ON f.commit_id = c.id AND f.path = l.path
"""
# A deleted file, a merge and what cannot be read repair nothing; other names of the same lines
# would count twice.
_REMOVED = f"""{_WHERE_WRITTEN} WHERE l.death = (SELECT id FROM history_commits WHERE repo_id = ?
AND commit_sha = ?)
AND l.cause IN ('modified', 'deleted', 'reverted') AND l.same_as IS NULL AND l.kind = 'text'
  ORDER BY t.origin
"""
_OLDER = """
SELECT h.lines_gone = 0 AND c.lines_deleted > 0
  AND NOT EXISTS (SELECT 1 FROM line_moves m WHERE m.commit_id = h.id AND m.origin > 0)
FROM history_commits h JOIN commits c ON c.repo_id = h.repo_id AND c.commit_sha = h.commit_sha
WHERE h.repo_id = ? AND h.commit_sha = ?
"""
_ADDED = """
SELECT l.path, l.start_line, l.end_line FROM line_lifetimes l JOIN history_commits b
  ON b.id = l.birth
WHERE b.repo_id = ? AND b.commit_sha = ? AND l.kind = 'text' ORDER BY l.path, l.start_line
"""
_AT = f"""{_WHERE_WRITTEN} WHERE b.repo_id = ? AND b.commit_sha = ? AND l.path = ?
AND l.start_line + t.origin - l.origin <= ? AND l.start_line + t.origin - l.origin + t.lines > ?"""
_FILES = 500  # texts that are kept


class LineLookup:
    """Lines of one repository."""

    def __init__(self, store: Store, repo_id: int, repo: GitRepo) -> None:
        self._store = store
        self._repo_id = repo_id
        self._repo = repo
        self._moves = MoveHistories(store, repo_id)
        self._texts = lru_cache(_FILES)(self._read_texts)
        self._code_lines = lru_cache(_FILES)(
            lambda sha, path: code_lines(path, self._texts(sha, path))
        )

    def removed(self, sha: str, names: AbstractSet[str]) -> list[TracedLines]:
        """The code that a commit changed or removed, by where it was written first.

        `names`: those in its message.
        """
        spans = self._store.select(TracedLines, _REMOVED, (self._repo_id, sha))
        return [lines for span in spans for lines in self._code(span, sha, names)]

    def _code(self, span: TracedLines, fix: str, names: AbstractSet[str]) -> Iterator[TracedLines]:
        """The lines of code of a span, together where they have the same weight."""
        every = self._texts(span.sha, span.path)
        replacement = self._texts(fix, span.into_path)[span.into_start - 1 : span.into_end]
        kind = (
            FileKind.TEST
            if is_inner_test(span.path, every, span.line)
            else span.kind or kind_of(span.path)
        )
        code = (
            n
            for n in range(span.line, span.line + span.lines)
            if n in self._code_lines(span.sha, span.path)
        )
        weights = {n: weight_of(span.path, kind, every[n - 1], replacement, names) for n in code}
        for weight, numbers in groupby(weights, weights.__getitem__):
            first, *others = numbers
            yield span._replace(line=first, lines=1 + len(others), kind=kind, weight=weight)

    def is_older(self, sha: str) -> bool:
        """Whether a commit removed lines and none of them is in the followed part of history."""
        return bool(self._store.value(_OLDER, (self._repo_id, sha)))

    def adds_code(self, sha: str, added: AddedBlocks, kinds: AbstractSet[str]) -> bool:
        """Whether any of the blocks that a commit wrote says something, in a file of these
        kinds.
        """
        return any(
            not self._code_lines(sha, path).isdisjoint(range(block.first, block.last + 1))
            for path, blocks in added.items()
            for block in blocks
            if kind_of(path) in kinds
        )

    def added(self, sha: str) -> AddedBlocks:
        """Path -> the lines that a commit wrote itself; parts of a block may have different
        fates.
        """
        numbers: dict[str, list[int]] = {}
        for row in self._store.rows(_ADDED, (self._repo_id, sha)):
            numbers.setdefault(row["path"], []).extend(
                range(row["start_line"], row["end_line"] + 1)
            )
        runs = {
            path: groupby(enumerate(several), lambda each: each[1] - each[0])
            for path, several in numbers.items()
        }
        blocks = {
            path: [[number for _, number in run] for _, run in of_file]
            for path, of_file in runs.items()
        }
        return {
            path: [AddedBlock(block[0], block[-1]) for block in of_file]
            for path, of_file in blocks.items()
        }

    def around(self, sha: str, added: AddedBlocks, names: AbstractSet[str]) -> list[TracedLines]:
        """The neighbours of what a commit added, by where they were written first; each as often
        as it is one.
        """
        lines: Counter[TracedLines] = Counter()
        for path, blocks in added.items():
            texts = self._texts(sha, path)
            new = {n for block in blocks for n in range(block.first, block.last + 1)}
            near = [
                n
                for block in blocks
                if block.last <= len(texts)
                for n in neighbours(path, texts, block, new)
            ]
            written = (
                introductions(self._repo, sha, path, len(texts), sorted(set(near))) if near else {}
            )
            first = ((self._first_written(written[n]), texts[n - 1]) for n in near)
            lines.update(
                each._replace(weight=weight_of(each.path, each.kind, text, (), names))
                for each, text in first
            )
        return [line._replace(lines=times) for line, times in lines.items()]

    def _first_written(self, introduced: Introduction) -> TracedLines:
        """The line in the stored history; of no commit when it is older than that."""
        moved = self._moves.of(introduced)
        first = moved.first if moved else introduced
        if first is not None:
            where = (self._repo_id, first.sha, printable(first.path), first.line, first.line)
            for span in self._store.select(TracedLines, _AT, where):
                return span._replace(
                    line=first.line, lines=1, kind=span.kind or kind_of(first.path)
                )
        return TracedLines(
            BEFORE, -1, "", introduced.path, introduced.line, 1, kind_of(introduced.path)
        )

    def _read_texts(self, sha: str, path: str) -> list[str]:
        """The lines of a file of a commit; none where the clone lacks them."""
        oid = self._repo.file_at(sha, path)
        data = self._repo.blob(oid) if oid else None
        return [decode(line) for line in split_lines(data or b"")]
