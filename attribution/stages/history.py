"""Brings the stored history of a repository up to date: nothing new, only the commits that are new, or all over again."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from attribution.lineage.lifetimes import LineLifetimes
from attribution.lineage.match_policy import MatchPolicy
from attribution.lineage.model import LineHistory
from attribution.lineage.observers import CommitNotes, Observers
from attribution.lineage.reverts import named
from attribution.lineage.state import continues, load
from attribution.lineage.walk import MAX_FILE, HistoryWalk, WalkOptions, open_scratch
from attribution.stages import history_rows as tables
from attribution.stages.history_rows import Dated, Finished
from collector.git.program import GitFailed, ScratchGit
from collector.git.repository import GitRepo
from collector.load import digest
from collector.model import Problem
from collector.storage.store import Store

VERSION = "1"
STAGE = "history"
UNREAD = "file_unread"  # a check of the database knows this name
KEPT = MatchPolicy(whitespace=True, reformatted=True, moved=True)

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class HistoryRequest:
    full: bool | None = False  # True: the whole history; False: from the first commit of an agent on; None: as it is stored
    keep: MatchPolicy | None = KEPT  # what does not end a line; None: as it is stored
    max_file: int = MAX_FILE


@dataclass(slots=True)
class HistoryUpdate:
    """What a run did."""

    state: str  # unchanged | continued | new | again
    tip: str
    after: str  # the window: its past is not followed; "" for everything
    commits: int  # followed now
    seconds: float
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Saved:
    tip: str
    after: str
    keep: MatchPolicy
    settings: str


def follow_history(
    store: Store,
    repo: GitRepo,
    repo_id: int,
    head: str,
    wanted: HistoryRequest,
    progress: Progress = lambda what, done, total: None,
) -> HistoryUpdate:
    """Follows the lines up to the commit `head`. Raises DatabaseUnusable, GitFailed."""
    started = time.monotonic()
    saved = _saved(store, repo_id)
    keep = wanted.keep if wanted.keep is not None else saved.keep if saved is not None else KEPT
    full = wanted.full if wanted.full is not None else saved is not None and not saved.after
    settings = _settings(repo, wanted.max_file)
    lines = store.value("SELECT input_key FROM stage_runs WHERE repo_id = ? AND stage = 'lines'", (repo_id,))
    key = digest(VERSION, head, settings, tables.keep_words(keep), str(full), str(lines))
    if saved is not None and store.is_done(repo_id, STAGE, "", key, VERSION):
        return HistoryUpdate("unchanged", head, saved.after, 0, time.monotonic() - started)
    notes: list[str] = []
    with open_scratch(repo) as git:
        after = "" if full else _window(store, repo, git, repo_id, head, notes)
        same = saved is not None and (saved.after, saved.keep, saved.settings) == (after, keep, settings)
        rewritten = same and saved is not None and not continues(git, saved.tip, head)
        old = _restore(store, repo_id) if same and not rewritten else None
        run = _Run(repo, git, WalkOptions(wanted.max_file, keep, texts=True), head, after, settings, progress)
        done = run.go(old)
    state = "new" if saved is None else "again" if old is None else "continued"
    if rewritten:
        notes.append("the branch was rewritten or moved: its history was followed anew")
    with store.transaction():
        _write(store, repo_id, done, run.commits, old is None)
        seconds = time.monotonic() - started
        unread = [Problem(STAGE, sha, UNREAD, path) for sha, path in done.notes.unread]
        problems = [*done.history.problems, *unread]
        store.add_problems(repo_id, problems)
        store.done(repo_id, STAGE, "", key, VERSION, seconds, len(problems))
    return HistoryUpdate(state, head, after, len(run.commits), seconds, notes)


def _write(store: Store, repo_id: int, done: Finished, commits: dict[str, Dated], anew: bool) -> None:
    if anew:
        tables.clear(store, repo_id)
        store.connection.execute("DELETE FROM problems WHERE repo_id = ? AND stage = ?", (repo_id, STAGE))
    tables.write(store, repo_id, done, commits)


def _saved(store: Store, repo_id: int) -> _Saved | None:
    rows = store.rows("SELECT tip_sha, after_sha, keep, settings FROM tip_states WHERE repo_id = ?", (repo_id,))
    if not rows:
        return None
    words = rows[0]["keep"].split()
    keep = MatchPolicy("whitespace" in words, "reformatted" in words, "moved" in words)
    return _Saved(rows[0]["tip_sha"], rows[0]["after_sha"], keep, rows[0]["settings"])


def _restore(store: Store, repo_id: int) -> tuple[LineHistory, LineLifetimes] | None:
    data = store.value("SELECT state FROM tip_states WHERE repo_id = ?", (repo_id,))
    found = load(data)
    return (found[0], found[1]) if found is not None and found[1] is not None else None


def stored(store: Store, repo_id: int) -> tuple[LineHistory, LineLifetimes] | None:
    """The history as it was stored last; None when there is none."""
    return _restore(store, repo_id) if _saved(store, repo_id) is not None else None


def _settings(repo: GitRepo, max_file: int) -> str:
    """What else the result depends on: an object that was missing may be there now."""
    censored = repo.censored()
    packs = repo.packs() if censored.partial else []
    return digest(VERSION, str(max_file), *sorted(censored.shallow), *packs)


class _Run:
    """One pass with its observers."""

    def __init__(
        self, repo: GitRepo, git: ScratchGit, options: WalkOptions, head: str, after: str, settings: str, progress: Progress
    ) -> None:
        self._repo, self._git, self._options = repo, git, options
        self._head, self._after, self._settings = head, after, settings
        self._progress = progress
        self.commits: dict[str, Dated] = {}

    def go(self, old: tuple[LineHistory, LineLifetimes] | None) -> Finished:
        saved, lives = old if old is not None else (None, LineLifetimes())
        first = len(saved.shas) if saved is not None else 0
        notes = CommitNotes()
        notes.know(saved.shas if saved is not None else [])
        history = HistoryWalk(self._repo, self._git, self._options).run(
            self._head,
            after=self._after if saved is None else "",
            saved=saved,
            observer=Observers(lives, notes),
            tell=lambda done, total: self._progress("following lines", done, total),
        )
        for sha in history.shas[first:]:
            commit = self._repo.commit(sha)
            if commit is not None:
                self.commits[sha] = Dated(commit.author_time, commit.commit_time, named(commit.message))
        return Finished(history, lives, notes, first, self._after, self._options.keep, self._settings)


# --- the window -------------------------------------------------------------------------------------------------------


def _window(store: Store, repo: GitRepo, git: ScratchGit, repo_id: int, head: str, notes: list[str]) -> str:
    """The commit of the main line before the first one that brought work of an agent; "" when that is everything."""
    found = store.rows(
        "SELECT commit_sha FROM commits c WHERE repo_id = ? AND (declared_agent IS NOT NULL OR EXISTS "
        "(SELECT 1 FROM commit_sessions s WHERE s.commit_id = c.id))",
        (repo_id,),
    )
    linked = {row["commit_sha"] for row in found}
    if not linked:
        notes.append("no commit names an agent: the whole history is followed")
        return ""
    return before_first(_parents(repo, git, head), head, linked)


def _parents(repo: GitRepo, git: ScratchGit, head: str) -> dict[str, list[str]]:
    try:
        lines = git.output(["rev-list", "--parents", head]).decode("ascii").splitlines()
    except GitFailed:
        return {commit.sha: list(commit.parents) for commit in repo.history(head)}
    return {row[0]: row[1:] for row in (line.split(" ") for line in lines)}


def before_first(parents: dict[str, list[str]], head: str, linked: Collection[str]) -> str:
    """The first parent of the commit of the main line that brought the first of `linked`; "" when it has none."""
    chain = [head]
    while above := parents.get(chain[-1]):
        chain.append(above[0])
    seen: set[str] = set()
    for commit in reversed(chain):
        stack = [commit]
        while stack:
            at = stack.pop()
            if at in seen or at not in parents:
                continue
            if at in linked:
                above = parents[commit]
                return above[0] if above else ""
            seen.add(at)
            stack += parents[at]
    return ""
