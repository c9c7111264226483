"""Brings the stored history of a repository up to date: nothing new, only the commits that are
new, or all over again.
"""

from bisect import bisect_left
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from attribution.lineage import reverts
from attribution.lineage.lifetimes import LineLifetime, LineLifetimes
from attribution.lineage.model import (
    AT_MERGE,
    BEFORE,
    BINARY,
    COPY,
    LOST,
    UNREADABLE,
    LineHistory,
)
from attribution.lineage.observers import CommitNotes, Count
from attribution.lineage.requests import HistoryRequest, HistoryUpdate
from attribution.lineage.reverts import named_commit
from attribution.lineage.state import SavedHistory, continues, dump, load
from attribution.lineage.walk import HistoryWalk, WalkOptions
from collector.files.stated import ignored_revisions
from collector.git.program import GitFailed, ScratchGit
from collector.git.repository import GitRepo
from collector.json_values import RowValues, Texts
from collector.model import Problem
from collector.runtime.stages import RunContext, Stage, StageName, clear_problems, digest, last_run
from collector.storage.store import Store, iso
from collector.text import printable
from collector.vocabulary.lines import LineKind

REVERTED = "reverted"
_TABLES = (
    "line_fates",
    "deletions",
    "survival",
    "tip_files",
    "line_moves",
    "line_lifetimes",
    "tip_states",
    "history_commits",
)


class Dated(NamedTuple):
    """The part of a commit that the tables need; whole commits of a long history take hundreds
    of megabytes.
    """

    author_time: float
    commit_time: float
    takes_back: str | None  # the commit that the message says it reverts


@dataclass(slots=True)
class Finished:
    """A pass and its observers."""

    history: LineHistory
    lifetimes: LineLifetimes
    notes: CommitNotes
    first: int  # index of the first commit that is new
    commits: Mapping[str, Dated]  # the new ones, by id


def clear(store: Store, repo_id: int) -> None:
    run = store.connection.execute
    # SQLite follows no chain of a thousand rows that go with each other
    run("UPDATE history_commits SET first_parent = NULL WHERE repo_id = ?", (repo_id,))
    for table in _TABLES:
        run(f"DELETE FROM {table} WHERE repo_id = ?", (repo_id,))


def write(store: Store, repo_id: int, done: Finished, how: Texts) -> None:
    """Writes the rows that are new or different.

    `how`: the columns of `tip_states` that tell how the history was followed.
    """
    rows = _Rows(store, repo_id, done)
    rows.commits()
    rows.lifetimes(rows.reverts())
    rows.moves()
    rows.tip(how)


_COMMIT = (
    "id, repo_id, number, commit_sha, first_parent, parents, main_line, landed, author_at, "
    "committed_at, lines_born, lines_gone, lines_came, lines_present, patch, inverse"
)


_LIFE = (
    "repo_id, origin, birth, path, start_line, end_line, nonblank, blank_lines, kind, at_merge, "
    "death, cause, same_as, gone_from_main, into_path, into_start, into_end"
)


class _Rows:
    def __init__(self, store: Store, repo_id: int, done: Finished) -> None:
        self._store = store
        self._repo_id = repo_id
        self._done = done
        self._known = store.rows(
            "SELECT id, main_line FROM history_commits WHERE repo_id = ? ORDER BY number",
            (repo_id,),
        )
        start = store.next_id("history_commits")
        self._ids = [row["id"] for row in self._known]  # by number of the commit
        self._ids += range(start, start + len(done.notes.counts))
        self._path = cache(printable)  # a path is in many rows

    def commits(self) -> None:
        main = 1 + max(
            (row["main_line"] for row in self._known if row["main_line"] is not None), default=-1
        )
        rows = []
        for number, count in enumerate(self._done.notes.counts, self._done.first):
            rows.append(self._commit_row(number, count, main if count.mainline else None))
            main += count.mainline
        self._store.insert("history_commits", _COMMIT, rows)

    def _commit_row(self, number: int, count: Count, main: int | None) -> RowValues:
        commit = self._done.commits[count.sha]
        ids = self._ids
        landed = self._done.lifetimes.landed[number]
        patch = count.patch or (None, None)
        return (
            ids[number],
            self._repo_id,
            number,
            count.sha,
            ids[count.parent] if count.parent >= 0 else None,
            count.parents,
            main,
            ids[landed] if landed >= 0 else None,
            iso(commit.author_time) or "",
            iso(commit.commit_time) or "",
            count.born,
            count.gone,
            count.came,
            count.present,
            *patch,
        )

    def reverts(self) -> dict[int, set[int]]:
        """Commit -> the commits it takes back, a merge with all that it had brought; noted in
        the rows of both.
        """
        done = self._done
        ids = self._ids
        claimed = {}
        patches = []
        for number, count in enumerate(done.notes.counts, done.first):
            name = done.commits[count.sha].takes_back
            if name is not None:
                claimed[number] = name
            if count.patch is not None:
                patches.append((number, count.patch))
        older = self._store.pairs(
            "SELECT inverse, number FROM history_commits WHERE repo_id = ? AND number < ? AND"
            " inverse IS NOT NULL ORDER BY number",
            (self._repo_id, done.first),
        )
        reverted_by = reverts.reverts(claimed, patches, done.history.shas, older)
        brought = {target: {target} for target in reverted_by.values()}
        for number, landed in enumerate(done.lifetimes.landed):
            if landed in brought:
                brought[landed].add(number)
        execute = self._store.connection.executemany
        execute(
            "UPDATE history_commits SET reverts = ? WHERE id = ?",
            [(ids[b], ids[a]) for a, b in reverted_by.items()],
        )
        undone = [(ids[a], ids[number]) for a, b in reverted_by.items() for number in brought[b]]
        execute("UPDATE history_commits SET reverted_by = ? WHERE id = ?", undone)
        return {a: brought[b] for a, b in reverted_by.items()}

    def lifetimes(self, taken_back: Mapping[int, set[int]]) -> None:
        done = self._done
        rows = None
        if done.lifetimes.touched is not None:
            rows = _rows_to_write(done)
            origins = done.history.origins
            spans = [
                (self._repo_id, first, first + count - 1) for _, first, count in origins.hunks(rows)
            ]
            self._store.connection.executemany(
                "DELETE FROM line_lifetimes WHERE repo_id = ? AND origin BETWEEN ? AND ?", spans
            )
        boundary = {
            number for number, sha in enumerate(done.history.shas) if sha in done.history.boundary
        }
        lifetime_spans = done.lifetimes.spans(done.history, rows)
        self._store.insert(
            "line_lifetimes",
            _LIFE,
            (self._life_row(x, taken_back, x.birth in boundary) for x in lifetime_spans),
        )

    def _life_row(
        self, x: LineLifetime, taken_back: Mapping[int, set[int]], boundary: bool
    ) -> RowValues:
        ids = self._ids
        kind = _kind(x.flags, boundary)
        cause = REVERTED if x.cause != LOST and x.birth in taken_back.get(x.death, ()) else x.cause
        into = (
            (self._path(x.into.path), x.into.line, x.into.line + x.into.lines - 1)
            if x.into is not None
            else (None, None, None)
        )
        return (
            self._repo_id,
            x.origin,
            ids[x.birth],
            self._path(x.path),
            x.line,
            x.line + x.lines - 1,
            x.nonblank,
            self._blank_lines(x) if x.nonblank < x.lines else None,
            kind,
            int(bool(x.flags & AT_MERGE)),
            ids[x.death] if x.death >= 0 else None,
            cause or None,
            x.same_as if x.same_as >= BEFORE else None,
            ids[x.left] if x.left >= 0 else None,
            *into,
        )

    def _blank_lines(self, x: LineLifetime) -> str:
        blank = self._done.lifetimes.blank[x.origin : x.origin + x.lines]
        return " ".join([str(x.line + n) for n, flag in enumerate(blank) if flag])

    def moves(self) -> None:
        columns = "repo_id, commit_id, path, start_line, end_line, how, origin"
        rows = (
            (
                self._repo_id,
                self._ids[t.commit],
                self._path(t.path),
                t.line,
                t.line + t.lines - 1,
                t.how,
                t.origin,
            )
            for t in self._done.notes.moves
        )
        self._store.insert("line_moves", columns, rows)

    def tip(self, how: Texts) -> None:
        history = self._done.history
        lifetimes = self._done.lifetimes
        lines = sum(lifetimes.alive[BEFORE + 1 :])
        total = history.present[-1] if history.present else 0
        row = (
            self._repo_id,
            history.tip,
            *how.values(),
            lines,
            total - lines,
            len(history.shas),
            len(self._done.notes.counts),
            dump(history, lifetimes),
        )
        self._store.connection.execute("DELETE FROM tip_states WHERE repo_id = ?", (self._repo_id,))
        self._store.insert(
            "tip_states",
            ("repo_id", "tip_sha", *how, "lines", "copies", "commits", "added", "state"),
            [row],
        )


def _kind(flags: int, boundary: bool) -> LineKind:
    if flags & BINARY:
        return LineKind.BINARY
    if flags & UNREADABLE or boundary:
        return LineKind.UNCERTAIN
    return LineKind.COPY if flags & COPY else LineKind.TEXT


def _rows_to_write(done: Finished) -> list[int]:
    """New hunks, and older hunks with a line whose fate may have changed."""
    origins = done.history.origins
    touched = done.lifetimes.touched_origins()
    older = {origins.row(origin) for origin in touched if origin != BEFORE}
    new = max(bisect_left(origins.commit, done.first), 1)  # commits have rows in their order
    return sorted(row for row in older if row < new) + list(range(new, len(origins)))


VERSION = "5"
# reports only on new commits: what was reported before stays
STAGE = Stage(StageName.HISTORY, VERSION)
# changes that do not end a line, as `tip_states.keep` has them
_KEPT = "whitespace reformatted moved"
UNREAD = "file_unread"  # a check of the database knows this name


def follow_history(context: RunContext, head: str, request: HistoryRequest) -> HistoryUpdate:
    """Follows the lines up to the commit `head`. Raises DatabaseUnusable, GitFailed."""
    store = context.store
    repo_id = context.repo_id
    rows = store.rows(
        "SELECT tip_sha, after_sha, keep, settings FROM tip_states WHERE repo_id = ?", (repo_id,)
    )
    saved = rows[0] if rows else None
    keep = request.keep if request.keep is not None else saved is None or bool(saved["keep"])
    full = (
        request.full if request.full is not None else saved is not None and not saved["after_sha"]
    )
    ignored = ignored_revisions(context.repo, head) if keep else frozenset[str]()
    settings = _settings(context.repo, request.max_file, ignored)
    lines = last_run(store, repo_id, StageName.LINES)
    key = digest(
        VERSION, head, settings, _KEPT if keep else "", str(full), str(lines.key if lines else None)
    )
    run = STAGE.start(store, repo_id, key)
    if saved is not None and run.is_current:
        return HistoryUpdate("unchanged", saved["after_sha"], 0)
    notes: list[str] = []
    with context.repo.open_scratch() as git:
        after = "" if full else _window(context, git, head, notes)
        how = {"after_sha": after, "keep": _KEPT if keep else "", "settings": settings}
        same = saved is not None and how.items() <= saved.items()
        rewritten = same and saved is not None and not continues(git, saved["tip_sha"], head)
        old = stored_history(store, repo_id) if same and not rewritten else None
        walk = HistoryWalk(context.repo, git, WalkOptions(request.max_file, keep, True, ignored))
        done = _walk(context, walk, head, after, old)
    if rewritten:
        notes.append(
            "the branch was rewritten or moved: its line history was recomputed from the beginning"
        )
    with run.writing():
        if old is None:
            clear(store, repo_id)
            clear_problems(store, repo_id, (STAGE.name,))
        write(store, repo_id, done, how)
        unread = [Problem(STAGE.name, sha, UNREAD, path) for sha, path in done.notes.unread]
        run.report([*done.history.problems, *unread])
    return HistoryUpdate(
        "new" if saved is None else "again" if old is None else "continued",
        after,
        len(done.commits),
        notes,
    )


def stored_history(store: Store, repo_id: int) -> SavedHistory | None:
    """The history as it was stored last; None when there is none, or none that can be read."""
    data = store.value("SELECT state FROM tip_states WHERE repo_id = ?", (repo_id,))
    return load(data) if data is not None else None


def _settings(repo: GitRepo, max_file: int, ignored: frozenset[str]) -> str:
    """What else the result depends on: an object that was missing may be there now."""
    censored = repo.censored()
    packs = repo.packs() if censored.partial else []
    named = (*sorted(censored.shallow), *packs, *sorted(ignored))
    return digest(VERSION, str(max_file), *named)


def _walk(
    context: RunContext, walk: HistoryWalk, head: str, after: str, old: SavedHistory | None
) -> Finished:
    """Runs a pass with its observers, from the beginning or from where the `old` pass ended."""
    saved, lifetimes = old if old is not None else (None, LineLifetimes())
    first = len(saved.shas) if saved is not None else 0
    notes = CommitNotes()
    notes.know(saved.shas if saved is not None else [])
    history = walk.run(head, after, saved, [lifetimes.step, notes.step], context.progress)
    commits = {}
    for sha in history.shas[first:]:
        commit = context.repo.commit(sha)
        if commit is not None:
            commits[sha] = Dated(
                commit.author_time, commit.commit_time, named_commit(commit.message)
            )
    return Finished(history, lifetimes, notes, first, commits)


def _window(context: RunContext, git: ScratchGit, head: str, notes: list[str]) -> str:
    """The commit of the main line before the first commit that brought work of an agent; "" when
    the whole history is followed.
    """
    named = context.store.column(
        "SELECT commit_sha FROM commits c WHERE repo_id = ? AND (declared_agent IS NOT NULL OR"
        " EXISTS (SELECT 1 FROM commit_sessions s WHERE s.commit_id = c.id))",
        (context.repo_id,),
    )
    if not named:
        notes.append("no commit names an agent: the whole history is followed")
        return ""
    return parent_before_first(_parents(context.repo, git, head), head, set(named))


def _parents(repo: GitRepo, git: ScratchGit, head: str) -> dict[str, list[str]]:
    try:
        lines = git.output(["rev-list", "--parents", head]).decode("ascii").splitlines()
    except GitFailed:
        return {commit.sha: list(commit.parents) for commit in repo.history(head)}
    return {row[0]: row[1:] for row in (line.split(" ") for line in lines)}


def parent_before_first(parents: dict[str, list[str]], head: str, linked: Collection[str]) -> str:
    """The first parent of the commit of the main line that brought the first of `linked`; ""
    when it has none.
    """
    chain = [head]
    while above := parents.get(chain[-1]):
        chain.append(above[0])
    visited = set()
    for commit in reversed(chain):
        stack = [commit]
        while stack:
            sha = stack.pop()
            if sha in visited or sha not in parents:
                continue
            if sha in linked:
                above = parents[commit]
                return above[0] if above else ""
            visited.add(sha)
            stack += parents[sha]
    return ""
