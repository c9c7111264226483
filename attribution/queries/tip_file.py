"""A file of the tip: its lines with who wrote them, from the database; their text, where the
clone is still at hand.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from attribution.lineage.git_blame import Introduction
from attribution.queries.blame import BlameLine, blame, blocks
from attribution.queries.explain import LineExplanation, explain_line
from attribution.queries.open_repo import KnownRepo, OpenRepo
from attribution.queries.overview import CLASSES, by_class
from attribution.queries.repositories import RepositoryRow, clone_at, repository
from attribution.queries.verdicts import (
    ATTRIBUTION_COLUMNS,
    COMMIT_COLUMNS,
    CommitRef,
    LineAttribution,
    attribution_of,
    commit_of,
)
from collector.json_values import Numbers, Row
from collector.storage.store import Store
from collector.storage.views import Column, Table, described_view, read_view
from collector.text import decode, is_binary, split_lines

PAGE = 1000  # lines on one page


@dataclass(frozen=True, slots=True)
class TipSpan:
    """Consecutive lines with one origin."""

    start: int
    end: int
    attribution: LineAttribution
    commit: CommitRef | None
    introduced_path: str
    introduced_line: int | None  # of the first line, in the commit that introduced it


@dataclass(frozen=True, slots=True)
class TipFile:
    repo: RepositoryRow
    tip: str  # commit up to which the lines were followed
    file: Row  # row of tip_files
    spans: list[TipSpan]
    texts: list[str] | None  # of all lines; None when the clone is not at hand
    notes: list[str]

    @property
    def path(self) -> str:
        return str(self.file["path"])

    @property
    def by_class(self) -> Numbers:
        """Lines with text by class, older ones too."""
        return by_class(self.file)


def tip_file(store: Store, file_id: int) -> TipFile | None:
    """None when the database has no such file."""
    file = next(iter(read_view(store, "tip_files", {"id": file_id})), None)
    repo = repository(store, file["repo_id"]) if file is not None else None
    if file is None or repo is None:
        return None
    tip = store.value("SELECT tip_sha FROM tip_states WHERE repo_id = ?", (repo.id,)) or ""
    texts = _texts(repo.path, tip, file)
    spans = [_span(row) for row in store.rows(_SPANS, (file_id,))]
    return TipFile(
        repo, tip, file, spans, *((None, [texts]) if isinstance(texts, str) else (texts, []))
    )


def _span(row: Row) -> TipSpan:
    """Lines of commits outside the attributed history have no commit, those that nothing is
    known of no author.
    """
    commit = commit_of(row) if row["id"] is not None else None
    attribution = attribution_of(row) if row["author"] is not None else LineAttribution()
    return TipSpan(
        row["start"],
        row["end"],
        attribution,
        commit,
        row["introduced_path"],
        row["introduced_line"],
    )


_SPANS = f"""
SELECT t.start_line AS start, t.end_line AS end, COALESCE(t.birth_path, f.path) AS introduced_path,
  t.birth_line AS introduced_line, {COMMIT_COLUMNS}, {ATTRIBUTION_COLUMNS}
FROM tip_spans t JOIN tip_files f ON f.id = t.file_id LEFT JOIN origins o ON o.id = t.origin_id
LEFT JOIN sessions s ON s.id = o.session_id LEFT JOIN history_commits b ON b.id = t.birth
LEFT JOIN commits c ON c.repo_id = b.repo_id AND c.commit_sha = b.commit_sha
WHERE t.file_id = ? ORDER BY t.start_line
"""


def _texts(path: str | None, tip: str, file: Row) -> list[str] | str:
    """The lines of the file in the clone, or why they cannot be read."""
    clone = clone_at(path) if tip else None
    if clone is None:
        return (
            f"the text is not in the database, and the clone is no longer at {path}: showing lines"
            " without text"
        )
    oid = clone.file_at(tip, file["path"]) if clone.has(tip) else None
    data = clone.blob(oid) if oid else None
    if data is None:
        return "the clone does not contain this file at that commit: showing lines without text"
    if is_binary(data):
        return "a binary file: only git counts lines in it"
    texts = [decode(line) for line in split_lines(data)]
    return texts if len(texts) == file["lines"] else "the file has changed since it was analysed"


def file_of_commit(opened: OpenRepo, repo: RepositoryRow, path: str, commit: str) -> TipFile:
    """A file of any commit of the clone, its lines looked up with git blame.

    Raises UnknownBranch, WhoWroteError.
    """
    result = blame(opened, path, commit)
    spans = []
    for block in blocks(opened, result):
        first = block.first
        spans.append(
            TipSpan(
                block.start,
                block.end,
                first.attribution,
                first.commit,
                first.introduced.path,
                first.introduced.line,
            )
        )
    count = Counter(line.attribution.kind or "older" for line in result.lines if line.text.strip())
    row = {
        "path": result.path,
        "lines": len(result.texts),
        **{name: count[name] for name in (*CLASSES, "older")},
    }
    return TipFile(repo, result.sha, row, spans, result.texts, [])


def explained(store: Store, file: TipFile, number: int) -> LineExplanation | None:
    """Everything about one line of the file; None when the attributed history does not have the
    commit that introduced it.
    """
    span = next((span for span in file.spans if span.start <= number <= span.end), None)
    if span is None or span.commit is None or span.introduced_line is None:
        return None
    opened = KnownRepo(store, file.repo.id, file.repo.name, file.tip, file.repo.branch or "")
    introduced = Introduction(
        span.commit.sha, span.introduced_path, span.introduced_line + number - span.start
    )
    texts = file.texts or []
    line = BlameLine(
        number, texts[number - 1] if texts else "", introduced, span.commit, span.attribution
    )
    return explain_line(opened, line, texts, file.path, opened.head)


def tree(store: Store, repo: RepositoryRow, path: str = "") -> Table | None:
    """What is in a directory of HEAD, directories first, in order of their names; None when
    there is no such directory.
    """
    files = [
        (row["path"], by_class(row)) for row in read_view(store, "tip_files", {"repo_id": repo.id})
    ]
    rows = _entries(path, files or [(name, {}) for name in _names(repo)])
    if not rows and path:
        return None
    named = [
        Column("name", "text", "file or directory"),
        Column("files", "integer", "files in a directory; NULL for a file"),
    ]
    lines = Column("lines", "integer", "non-blank lines; NULL where they were not followed [lines]")
    classes = [
        column
        for column in described_view("tip_files").columns
        if column.name in (*CLASSES, "older")
    ]
    return Table("tree", "What is in a directory.", [*named, lines, *classes], rows)


def _names(repo: RepositoryRow) -> list[str]:
    """Files of HEAD, from the clone; none when it is gone."""
    clone = clone_at(repo.path)
    return (
        list(clone.paths(repo.head_sha))
        if clone is not None and repo.head_sha and clone.has(repo.head_sha)
        else []
    )


def _entries(path: str, files: Iterable[tuple[str, Numbers]]) -> list[Row]:
    prefix = f"{path}/" if path else ""
    lines: dict[tuple[bool, str], Counter[str]] = {}
    counts = Counter[tuple[bool, str]]()
    for name, classes in files:
        if name.startswith(prefix):
            first, slash, _ = name[len(prefix) :].partition("/")
            lines.setdefault((not slash, first), Counter()).update(classes)
            counts[not slash, first] += 1
    return [
        {
            "name": name,
            "path": prefix + name,
            "is_directory": not is_file,
            "files": None if is_file else counts[is_file, name],
            "lines": sum(of.values()) if of else None,
            **{kind: of[kind] for kind in (*CLASSES, "older")},
        }
        for (is_file, name), of in sorted(lines.items())
    ]
