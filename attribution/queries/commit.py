"""A commit: its lines by author, the files, the sessions and prompts behind it, and the numbers
its producer claims.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from attribution.queries.coverage import code_lines, kind_lines
from attribution.queries.open_repo import OpenRepo, stand_at
from attribution.queries.repositories import clone_at
from attribution.queries.verdicts import COMMIT_COLUMNS, AttributedLines, CommitRef, commit_spans
from collector.errors import UnknownBranch
from collector.git.repository import GitRepo, line_changes
from collector.groups import group_pairs
from collector.json_values import Numbers, Row
from collector.labels import as_typed
from collector.model import FileChange, LineChange
from collector.storage.store import Store
from collector.storage.views import Table, read_view
from collector.text import decode, is_binary, split_lines


@dataclass(slots=True)
class CommitReport:
    repo: str
    commit: CommitRef
    lines: Numbers  # lines with text of source and test files by class
    kinds: Table  # all kinds of files that have lines
    # that the message names: checkpoint, in_clone, signature (never verified)
    checkpoints: list[Row]
    # path, old_path, status, content, kind (a FileKind), added, deleted, `spans`: AttributedLines
    files: list[Row]
    # rows of session_commits, with the `prompts` of the turns that wrote lines of the commit
    sessions: Table
    claims: Table  # rows of recorder_claims

    def span_rows(self) -> Iterator[Row]:
        """Plain values of each span, for --csv."""
        for file in self.files:
            for span in file["spans"]:
                location = {
                    "commit": self.commit.sha,
                    "path": file["path"],
                    "start_line": span.start,
                    "end_line": span.end,
                }
                yield location | span.attribution.data()


def commit_report(store: Store, name: str, opened: OpenRepo | None = None) -> CommitReport:
    """A commit by its (abbreviated) id, or by any name when the clone is at hand.

    Raises UnknownBranch.
    """
    sha = opened.repo.resolve(name).sha if opened is not None else name.lower()
    if len(sha) < 4 or not set(sha) <= set("0123456789abcdef"):
        raise UnknownBranch(
            f"{name!r} is not a commit id",
            "Given the path of the clone, any revision works: whowrote log --show HEAD PATH",
        )
    number = opened.repo_id if opened is not None else None
    numbers = commit_numbers(store, sha, number)
    if not numbers and opened is not None:
        stand_at(opened, sha)
        store = opened.store
        numbers = commit_numbers(store, sha, number)
    if not numbers:
        raise UnknownBranch(
            f"commit {name} is not in {store.path}",
            "It may be on another branch or before --since; see: whowrote repo --help",
        )
    if len(numbers) > 1:
        raise UnknownBranch(
            f"{name} is ambiguous: several commits start with it",
            "Use more digits, or add the path of the clone",
        )
    return report_of_commit(store, numbers[0])


def commit_numbers(store: Store, sha: str, repo_id: int | None) -> list[int]:
    """Numbers of the commits whose id begins so: none, one, or two where it is ambiguous."""
    sql = (
        "SELECT id FROM commits WHERE commit_sha >= ? AND commit_sha <= ? AND (? IS NULL OR repo_id"
        " = ?) LIMIT 2"
    )
    return store.column(sql, (sha, sha + "g", repo_id, repo_id))


def report_of_commit(store: Store, number: int) -> CommitReport:
    """Reads the commit with this number of its row."""
    (commit,) = store.select(
        CommitRef, f"SELECT {COMMIT_COLUMNS} FROM commits c WHERE c.id = ?", (number,)
    )
    repo = store.value(
        "SELECT r.name FROM commits c JOIN repos r ON r.id = c.repo_id WHERE c.id = ?", (number,)
    )
    sql = (
        "SELECT kind, class, SUM(nonblank) AS lines FROM line_spans WHERE commit_id = ? GROUP BY"
        " 1, 2"
    )
    kinds = kind_lines(store.rows(sql, (number,)))
    return CommitReport(
        repo,
        commit,
        {name: lines for name, lines in code_lines(kinds).items() if lines},
        kinds,
        _checkpoints(store, number),
        _files(store, commit),
        _linked_sessions(store, number),
        read_view(store, "recorder_claims", {"commit_id": number}, "checkpoint"),
    )


def _files(store: Store, commit: CommitRef) -> list[Row]:
    spans = commit_spans(store, commit)
    rows = store.rows(
        "SELECT path, COALESCE(old_path, '') AS old_path, status, content, kind, lines_added AS"
        " added, lines_deleted AS deleted FROM commit_files WHERE commit_id = ? ORDER BY path",
        (commit.id,),
    )
    return [row | {"spans": spans[row["path"]]} for row in rows]


def _checkpoints(store: Store, number: int) -> list[Row]:
    sql = (
        "SELECT l.checkpoint_key AS checkpoint, l.checkpoint IS NOT NULL AS in_clone, k.signature"
        " FROM commit_checkpoint_links l LEFT JOIN checkpoints k ON k.id = l.checkpoint WHERE"
        " l.commit_id = ? ORDER BY 1"
    )
    return [row | {"in_clone": bool(row["in_clone"])} for row in store.rows(sql, (number,))]


def _linked_sessions(store: Store, number: int) -> Table:
    prompts = group_pairs(
        (row["session_id"], as_typed(row["prompt"] or ""))
        for row in store.rows(
            "SELECT DISTINCT t.session_id, t.turn_index, t.prompt FROM line_spans l JOIN turns t ON"
            " t.session_id = l.session_id AND t.turn_index = l.turn_index WHERE l.commit_id = ?"
            " ORDER BY 1, 2",
            (number,),
        )
    )
    table = read_view(
        store, "session_commits", {"commit_id": number}, "agent_lines DESC, session_id"
    )
    for row in table:
        row["prompts"] = prompts[row["session_id"]]
    return table


@dataclass(frozen=True, slots=True)
class CommitSummary:
    """A commit in short, and the sessions that wrote lines of it, most lines first."""

    row: Row  # of the view commit_list
    sessions: list[Row]  # of the view session_commits


def commit_summaries(store: Store, shas: Sequence[str]) -> list[CommitSummary]:
    """Those of the commits that are in the database, in the order given."""
    summaries = []
    for sha in shas:
        for row in read_view(store, "commit_list", {"commit_sha": sha}):
            linked = read_view(
                store, "session_commits", {"commit_id": row["commit_id"]}, "agent_lines DESC"
            )
            summaries.append(
                CommitSummary(row, [session for session in linked if session["agent_lines"]])
            )
    return summaries


_AROUND = 3  # lines of context
# lines that are shown of a file and of a commit
_FILE = 600
_COMMIT = 4000
_LARGE = 2_000_000  # bytes of a file beyond which it is not compared


class ShownLine(NamedTuple):
    mark: str  # "+", "-", " "
    old: int | None  # its number before
    new: int | None  # and after
    text: str
    span: AttributedLines | None  # verdict on an added line


@dataclass(frozen=True, slots=True)
class FileDiff:
    hunks: list[list[ShownLine]]
    cut: int  # lines that are left out
    note: str = ""  # why there are no hunks


@dataclass(frozen=True, slots=True)
class CommitDiff:
    message: str
    files: dict[str, FileDiff]  # by path after the commit; before it for a deletion


def commit_diff(
    path: str | None, sha: str, spans: Mapping[str, Sequence[AttributedLines]]
) -> CommitDiff | None:
    """None when the clone at `path` is gone or does not have the commit.

    A merge is compared with its first parent.
    """
    clone = clone_at(path)
    commit = clone.commit(sha) if clone is not None else None
    if clone is None or commit is None:
        return None
    files = {}
    left = _COMMIT
    for change in clone.changes(commit) or []:
        files[change.path] = diff = _file(clone, change, spans.get(change.path, ()), left)
        left -= sum(map(len, diff.hunks))
    return CommitDiff(commit.message, files)


def _file(
    clone: GitRepo, change: FileChange, spans: Sequence[AttributedLines], left: int
) -> FileDiff:
    old, new = (clone.blob(oid) if oid else b"" for oid in (change.old, change.new))
    if old is None or new is None:
        return FileDiff([], 0, "the content is not in the clone")
    if is_binary(old) or is_binary(new):
        return FileDiff([], 0, "a binary file")
    if max(len(old), len(new)) > _LARGE:
        return FileDiff([], 0, "a large file")
    if left <= 0:
        return FileDiff([], 0, "left out: the commit is long")
    hunks = []
    listing = cut = 0
    for hunk in _hunks(old, new, spans):
        room = max(0, min(_FILE, left) - listing)
        if room:
            hunks.append(hunk[:room])
        cut += max(0, len(hunk) - room)
        listing += min(len(hunk), room)
    return FileDiff(hunks, cut)


def _hunks(old: bytes, new: bytes, spans: Sequence[AttributedLines]) -> Iterator[list[ShownLine]]:
    before = [decode(line) for line in split_lines(old)]
    after = [decode(line) for line in split_lines(new)]
    verdicts = {number: span for span in spans for number in range(span.start, span.end + 1)}
    for group in _together(line_changes(old, new)):
        hunk = []
        a = max(0, group[0].a0 - _AROUND)
        b = group[0].b0 - (group[0].a0 - a)
        for change in group:
            hunk += _context(before, a, change.a0, b)
            hunk += [
                ShownLine("-", n + 1, None, before[n], None) for n in range(change.a0, change.a1)
            ]
            hunk += [
                ShownLine("+", None, n + 1, after[n], verdicts.get(n + 1))
                for n in range(change.b0, change.b1)
            ]
            a = change.a1
            b = change.b1
        hunk += _context(before, a, min(len(before), a + _AROUND), b)
        yield hunk


def _context(before: Sequence[str], start: int, end: int, new: int) -> list[ShownLine]:
    return [ShownLine(" ", n + 1, new + n - start + 1, before[n], None) for n in range(start, end)]


def _together(changes: Iterable[LineChange]) -> Iterator[list[LineChange]]:
    """Changes whose contexts touch, put together."""
    group: list[LineChange] = []
    for change in changes:
        if group and change.a0 - group[-1].a1 > 2 * _AROUND:
            yield group
            group = []
        group.append(change)
    if group:
        yield group
