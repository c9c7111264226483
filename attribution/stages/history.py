"""Brings the stored history of a repository up to date: nothing new, only the commits that are new, or all over again."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from attribution.lineage.lifetimes import LineLifetimes
from attribution.lineage.observers import CommitNotes
from attribution.lineage.requests import HistoryRequest, HistoryUpdate
from attribution.lineage.reverts import named_commit
from attribution.lineage.state import SavedHistory, continues, load
from attribution.lineage.walk import HistoryWalk, WalkOptions
from attribution.stages import history_rows as tables
from attribution.stages.history_rows import Dated, Finished
from collector.git.program import GitFailed, ScratchGit, open_scratch
from collector.git.repository import GitRepo
from collector.model import Problem
from collector.runtime.stages import RunContext, Stage, StageName, clear_problems, digest, last_run
from collector.storage.store import Store

VERSION = "2"
STAGE = Stage(StageName.HISTORY, VERSION)  # reports only on new commits: what was reported before stays
_KEPT = "whitespace reformatted moved"  # changes that do not end a line, as `tip_states.keep` has them
UNREAD = "file_unread"  # a check of the database knows this name


def follow_history(context: RunContext, head: str, request: HistoryRequest) -> HistoryUpdate:
    """Follows the lines up to the commit `head`. Raises DatabaseUnusable, GitFailed."""
    store, repo_id = context.store, context.repo_id
    saved = _stored_settings(store, repo_id)
    keep = request.keep if request.keep is not None else saved is None or bool(saved["keep"])
    full = request.full if request.full is not None else saved is not None and not saved["after_sha"]
    settings = _settings(context.repo, request.max_file)
    lines = last_run(store, repo_id, StageName.LINES)
    key = digest(VERSION, head, settings, _KEPT if keep else "", str(full), str(lines.key if lines else None))
    run = STAGE.start(store, repo_id, key)
    if saved is not None and run.is_current:
        return HistoryUpdate("unchanged", saved["after_sha"], 0)
    notes: list[str] = []
    with open_scratch(context.repo) as git:
        after = "" if full else _window(context, git, head, notes)
        how = {"after_sha": after, "keep": _KEPT if keep else "", "settings": settings}
        same = saved is not None and how.items() <= saved.items()
        rewritten = same and saved is not None and not continues(git, saved["tip_sha"], head)
        old = stored_history(store, repo_id) if same and not rewritten else None
        walk = HistoryWalk(context.repo, git, WalkOptions(request.max_file, keep, texts=True))
        done = _walk(context, walk, head, after, old)
    if rewritten:
        notes.append("the branch was rewritten or moved: its line history was recomputed from the beginning")
    with run.writing():
        if old is None:
            tables.clear(store, repo_id)
            clear_problems(store, repo_id, (STAGE.name,))
        tables.write(store, repo_id, done, how)
        unread = [Problem(STAGE.name, sha, UNREAD, path) for sha, path in done.notes.unread]
        run.report([*done.history.problems, *unread])
    return HistoryUpdate("new" if saved is None else "again" if old is None else "continued", after, len(done.commits), notes)


def _stored_settings(store: Store, repo_id: int) -> Mapping[str, Any] | None:
    """How the stored history was followed."""
    rows = store.rows("SELECT tip_sha, after_sha, keep, settings FROM tip_states WHERE repo_id = ?", (repo_id,))
    return rows[0] if rows else None


def stored_history(store: Store, repo_id: int) -> SavedHistory | None:
    """The history as it was stored last; None when there is none, or none that can be read."""
    data = store.value("SELECT state FROM tip_states WHERE repo_id = ?", (repo_id,))
    return load(data) if data is not None else None


def _settings(repo: GitRepo, max_file: int) -> str:
    """What else the result depends on: an object that was missing may be there now."""
    censored = repo.censored()
    packs = repo.packs() if censored.partial else []
    return digest(VERSION, str(max_file), *sorted(censored.shallow), *packs)


def _walk(context: RunContext, walk: HistoryWalk, head: str, after: str, old: SavedHistory | None) -> Finished:
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
            commits[sha] = Dated(commit.author_time, commit.commit_time, named_commit(commit.message))
    return Finished(history, lifetimes, notes, first, commits)


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
