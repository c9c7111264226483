"""Brings the stored history of a repository up to date: nothing new, only the commits that are new, or all over again."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

from attribution.lineage.lifetimes import LineLifetimes
from attribution.lineage.match_policy import MatchPolicy
from attribution.lineage.model import LineHistory
from attribution.lineage.observers import CommitNotes, Observers
from attribution.lineage.requests import ALL_MATCHES, HistoryRequest, HistoryUpdate
from attribution.lineage.reverts import named_commit
from attribution.lineage.state import continues, load
from attribution.lineage.walk import HistoryWalk, WalkOptions, WalkStart
from attribution.stages import history_rows as tables
from attribution.stages.history_rows import Dated, Finished
from collector.git.program import GitFailed, ScratchGit, open_scratch
from collector.git.repository import GitRepo
from collector.model import Problem
from collector.runtime.stages import RunContext, Stage, StageName, clear_problems, digest, last_run
from collector.storage.store import Store

VERSION = "2"
STAGE = Stage(StageName.HISTORY, VERSION)  # reports only on new commits: what was reported before stays
UNREAD = "file_unread"  # a check of the database knows this name


@dataclass(frozen=True, slots=True)
class _Saved:
    """How the stored history was followed."""

    tip: str
    after: str
    policy: MatchPolicy
    settings: str


@dataclass(frozen=True, slots=True)
class _Plan:
    """How the history is followed now."""

    head: str
    after: str
    settings: str
    options: WalkOptions


def follow_history(context: RunContext, head: str, request: HistoryRequest) -> HistoryUpdate:
    """Follows the lines up to the commit `head`. Raises DatabaseUnusable, GitFailed."""
    store, repo_id = context.store, context.repo_id
    saved = _load_saved(store, repo_id)
    policy = request.policy if request.policy is not None else saved.policy if saved is not None else ALL_MATCHES
    full = request.full if request.full is not None else saved is not None and not saved.after
    settings = _settings(context.repo, request.max_file)
    lines = last_run(store, repo_id, StageName.LINES)
    key = digest(VERSION, head, settings, tables.policy_words(policy), str(full), str(lines.key if lines else None))
    run = STAGE.start(store, repo_id, key)
    if saved is not None and run.is_current:
        return HistoryUpdate("unchanged", head, saved.after, 0, run.seconds)
    notes: list[str] = []
    with open_scratch(context.repo) as git:
        after = "" if full else _window(context, git, head, notes)
        plan = _Plan(head, after, settings, WalkOptions(request.max_file, policy, texts=True))
        same = saved is not None and (saved.after, saved.policy, saved.settings) == (after, policy, settings)
        rewritten = same and saved is not None and not continues(git, saved.tip, head)
        old = _restore(store, repo_id) if same and not rewritten else None
        done = _walk(context, git, plan, old)
    state = "new" if saved is None else "again" if old is None else "continued"
    if rewritten:
        notes.append("the branch was rewritten or moved: its line history was recomputed from the beginning")
    with run.writing():
        if old is None:
            tables.clear(store, repo_id)
            clear_problems(store, repo_id, (STAGE.name,))
        tables.write(store, repo_id, done)
        unread = [Problem(STAGE.name, sha, UNREAD, path) for sha, path in done.notes.unread]
        run.report([*done.history.problems, *unread])
    return HistoryUpdate(state, head, after, len(done.commits), run.seconds, notes)


def _load_saved(store: Store, repo_id: int) -> _Saved | None:
    rows = store.rows("SELECT tip_sha, after_sha, keep, settings FROM tip_states WHERE repo_id = ?", (repo_id,))
    if not rows:
        return None
    words = rows[0]["keep"].split()
    policy = MatchPolicy("whitespace" in words, "reformatted" in words, "moved" in words)
    return _Saved(rows[0]["tip_sha"], rows[0]["after_sha"], policy, rows[0]["settings"])


class StoredHistory(NamedTuple):
    """The line history of a repository with the lifetimes of its lines."""

    lines: LineHistory
    lifetimes: LineLifetimes


def _restore(store: Store, repo_id: int) -> StoredHistory | None:
    data = store.value("SELECT state FROM tip_states WHERE repo_id = ?", (repo_id,))
    state = load(data)
    return StoredHistory(state.lines, state.lifetimes) if state is not None and state.lifetimes is not None else None


def stored_history(store: Store, repo_id: int) -> StoredHistory | None:
    """The history as it was stored last; None when there is none."""
    return _restore(store, repo_id) if _load_saved(store, repo_id) is not None else None


def _settings(repo: GitRepo, max_file: int) -> str:
    """What else the result depends on: an object that was missing may be there now."""
    censored = repo.censored()
    packs = repo.packs() if censored.partial else []
    return digest(VERSION, str(max_file), *sorted(censored.shallow), *packs)


def _walk(context: RunContext, git: ScratchGit, plan: _Plan, old: StoredHistory | None) -> Finished:
    """Runs a pass with its observers, from the beginning or from where the `old` pass ended."""
    saved, lifetimes = old if old is not None else (None, LineLifetimes())
    first = len(saved.shas) if saved is not None else 0
    notes = CommitNotes()
    notes.know(saved.shas if saved is not None else [])
    history = HistoryWalk(context.repo, git, plan.options).run(
        plan.head,
        WalkStart(after=plan.after if saved is None else "", saved=saved),
        observer=Observers(lifetimes, notes),
        progress=lambda done, total: context.progress("following lines", done, total),
    )
    commits = {}
    for sha in history.shas[first:]:
        commit = context.repo.commit(sha)
        if commit is not None:
            commits[sha] = Dated(commit.author_time, commit.commit_time, named_commit(commit.message))
    return Finished(history, lifetimes, notes, first, commits, plan.after, plan.options.keep, plan.settings)


# --- the window -------------------------------------------------------------------------------------------------------


def _window(context: RunContext, git: ScratchGit, head: str, notes: list[str]) -> str:
    """The commit of the main line before the first commit that brought work of an agent; "" when the whole history is followed."""
    rows = context.store.rows(
        "SELECT commit_sha FROM commits c WHERE repo_id = ? AND (declared_agent IS NOT NULL OR EXISTS "
        "(SELECT 1 FROM commit_sessions s WHERE s.commit_id = c.id))",
        (context.repo_id,),
    )
    linked = {row["commit_sha"] for row in rows}
    if not linked:
        notes.append("no commit names an agent: the whole history is followed")
        return ""
    return parent_before_first(_parents(context.repo, git, head), head, linked)


def _parents(repo: GitRepo, git: ScratchGit, head: str) -> dict[str, list[str]]:
    try:
        lines = git.output(["rev-list", "--parents", head]).decode("ascii").splitlines()
    except GitFailed:
        return {commit.sha: list(commit.parents) for commit in repo.history(head)}
    return {row[0]: row[1:] for row in (line.split(" ") for line in lines)}


def parent_before_first(parents: dict[str, list[str]], head: str, linked: Collection[str]) -> str:
    """The first parent of the commit of the main line that brought the first of `linked`; "" when it has none."""
    chain = [head]
    while above := parents.get(chain[-1]):
        chain.append(above[0])
    visited: set[str] = set()
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
