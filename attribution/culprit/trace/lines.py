"""The lines of a fix in the stored line history: what it removed, what it added, and what stood around that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from attribution.culprit.repaired import CODE_KINDS, OTHER_KINDS, AddedBlock, TracedLines, is_code, is_inner_test, neighbours
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


class _Lines(NamedTuple):
    """Lines with one author and one fate, and where they were written."""

    origin: int
    commit: int
    sha: str
    path: str
    line: int
    lines: int
    kind: str | None


# INDEXED BY: SQLite thinks that few lines of a repository have one number, and would read them all for each row.
_WHERE_WRITTEN = """
SELECT t.origin, b.number AS "commit", b.commit_sha AS sha, l.path, l.start_line + t.origin - l.origin AS line, t.lines, f.kind
FROM line_lifetimes l JOIN line_fates t INDEXED BY line_fates_life ON t.repo_id = l.repo_id AND t.life = l.origin
JOIN history_commits b ON b.id = l.birth
LEFT JOIN commits c ON c.repo_id = b.repo_id AND c.commit_sha = b.commit_sha
LEFT JOIN commit_files f ON f.commit_id = c.id AND f.path = l.path
"""
# A deleted file, a merge and what cannot be read repair nothing; other names of the same lines would count twice.
_REMOVED = f"""{_WHERE_WRITTEN} WHERE l.death = (SELECT id FROM history_commits WHERE repo_id = ? AND commit_sha = ?)
AND l.cause IN ('modified', 'deleted', 'reverted') AND l.same_as IS NULL AND l.kind = 'text' ORDER BY t.origin
"""
_OLDER = """
SELECT h.lines_gone = 0 AND c.lines_deleted > 0
  AND NOT EXISTS (SELECT 1 FROM line_moves m WHERE m.commit_id = h.id AND m.origin > 0)
FROM history_commits h JOIN commits c ON c.repo_id = h.repo_id AND c.commit_sha = h.commit_sha
WHERE h.repo_id = ? AND h.commit_sha = ?
"""
_ADDED = """
SELECT l.path, l.start_line, l.end_line FROM line_lifetimes l JOIN history_commits b ON b.id = l.birth
WHERE b.repo_id = ? AND b.commit_sha = ? AND l.kind = 'text' ORDER BY l.path, l.start_line
"""
_AT = f"""{_WHERE_WRITTEN} WHERE b.repo_id = ? AND b.commit_sha = ? AND l.path = ?
AND l.start_line + t.origin - l.origin <= ? AND l.start_line + t.origin - l.origin + t.lines > ?"""
_FILES = 500  # texts that are kept


class LineLookup:
    """Lines of one repository."""

    def __init__(self, store: Store, repo_id: int, repo: GitRepo) -> None:
        self._store, self._repo_id, self._repo = store, repo_id, repo
        self._moves = MoveHistories(store, repo_id)
        self._texts = lru_cache(_FILES)(self._read_texts)

    def removed(self, sha: str) -> list[TracedLines]:
        """The code that a commit changed or removed, by where it was written first."""
        return list(self._code(self._store.select(_Lines, _REMOVED, (self._repo_id, sha))))

    def _code(self, spans: Iterable[_Lines]) -> Iterator[TracedLines]:
        for span in spans:
            every = self._texts(span.sha, span.path)
            texts = every[span.line - 1 : span.line - 1 + span.lines]
            if is_inner_test(span.path, every, span.line):
                span = span._replace(kind=FileKind.TEST)
            code = [n for n, text in enumerate(texts) if is_code(span.path, text)]
            if code:
                yield _traced(span, span.line + code[0], len(code))

    def is_older(self, sha: str) -> bool:
        """Whether a commit removed lines and none of them is in the followed part of history."""
        return bool(self._store.value(_OLDER, (self._repo_id, sha)))

    def adds_code(self, sha: str, added: AddedBlocks) -> bool:
        """Whether any of the blocks that a commit wrote says something, in a file that people write."""
        return any(
            is_code(path, text)
            for path, blocks in added.items()
            if kind_of(path) in CODE_KINDS | OTHER_KINDS
            for block in blocks
            for text in self._texts(sha, path)[block.first - 1 : block.last]
        )

    def added(self, sha: str) -> AddedBlocks:
        """Path -> the lines that a commit wrote itself."""
        blocks: dict[str, list[AddedBlock]] = {}
        for row in self._store.rows(_ADDED, (self._repo_id, sha)):
            blocks.setdefault(row["path"], []).append(AddedBlock(row["start_line"], row["end_line"]))
        return {path: _joined(of_file) for path, of_file in blocks.items()}

    def around(self, sha: str, added: AddedBlocks) -> list[TracedLines]:
        """The neighbours of what a commit added, by where they were written first; each as often as it is one."""
        lines: Counter[TracedLines] = Counter()
        for path, blocks in added.items():
            texts = self._texts(sha, path)
            new = {n for block in blocks for n in range(block.first, block.last + 1)}
            near = [n for block in blocks if block.last <= len(texts) for n in neighbours(path, texts, block, new)]
            written = introductions(self._repo, sha, path, len(texts), sorted(set(near))) if near else {}
            lines.update(self._first_written(written[n]) for n in near)
        return [line._replace(lines=times) for line, times in lines.items()]

    def _first_written(self, introduced: Introduction) -> TracedLines:
        """The line in the stored history; of no commit when it is older than that."""
        moved = self._moves.of(introduced)
        first = moved.first if moved else introduced
        if first is not None:
            spans = self._store.select(_Lines, _AT, (self._repo_id, first.sha, printable(first.path), first.line, first.line))
            if spans:
                return _traced(spans[0], first.line, 1)
        return TracedLines(BEFORE, -1, "", introduced.path, introduced.line, 1, kind_of(introduced.path))

    def _read_texts(self, sha: str, path: str) -> list[str]:
        """The lines of a file of a commit; none where the clone lacks them."""
        oid = self._repo.file_at(sha, path)
        data = self._repo.blob(oid) if oid else None
        return [decode(line) for line in split_lines(data or b"")]


def _traced(span: _Lines, line: int, lines: int) -> TracedLines:
    kind = span.kind or kind_of(span.path)
    return TracedLines(span.origin, span.commit, span.sha, span.path, line, lines, kind)


def _joined(blocks: Sequence[AddedBlock]) -> list[AddedBlock]:
    """Blocks with those put together that touch: parts of one have different fates."""
    joined: list[AddedBlock] = []
    for block in blocks:
        if joined and block.first == joined[-1].last + 1:
            joined[-1] = AddedBlock(joined[-1].first, block.last)
        else:
            joined.append(block)
    return joined
