"""The steps of a run, in order.

read (checkpoints, sessions, commits) -> replay (worktrees) -> judge (lines) -> write. Facts are
written session by session; everything concluded from them in one transaction at the end, together
with the row that says from which inputs.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from attribution.authorship.commits import CommitHistory
from attribution.authorship.elsewhere import landed_elsewhere
from attribution.authorship.options import AttributeOptions
from attribution.authorship.run_data import Judged
from attribution.features.prices import prices_of
from attribution.lineage.reverts import taken_back
from attribution.stages import earlier, feature_rows, line_rows, outcomes, turn_outcomes
from attribution.stages.judging import judge_lines
from attribution.stages.lines_due import STAGE, Target
from attribution.stages.sessions import keep_shared_lines, read_sessions
from collector.checkpoints import read_all
from collector.git.repository import GitRepo
from collector.load import (
    LOAD,
    facts_key,
    key_of_run,
    session_files,
    store_checkpoints,
    write_commits,
)
from collector.local import local_checkpoints
from collector.local.model import LocalSessions
from collector.model import Commit, Problem
from collector.repository_rows import describe_repo, name_releases
from collector.runtime.stages import Clock, RunContext, StageName, forget_runs


def attribute_again(
    context: RunContext,
    target: Target,
    local: LocalSessions,
    options: AttributeOptions,
    *,
    clock: Clock,
) -> str:
    """Attributes all lines and writes them; returns a note about lines that lost their author, ""
    where none did.
    """
    store = context.store
    repo = context.repo
    context.progress("reading checkpoints", 0, 0)
    repo.check_trees(target.head)
    problems = list(local.problems)
    checkpoints = read_all(repo, problems)
    checkpoints += local_checkpoints(local, checkpoints)
    local = replace(local, problems=tuple(problems))
    run = STAGE.start(store, context.repo_id, target.key, clock=clock)
    before = _named_lines(context)  # rows go with the sessions that are gone
    ids = store_checkpoints(context, checkpoints, local.problems)
    files = session_files(checkpoints, local)
    sessions = read_sessions(context, files, ids, options.jobs)
    judged = judge_lines(context, target.head, sessions, (checkpoints, local))
    keep_shared_lines(context, target.head, judged.evidence.history.lines.shared_lines())
    context.progress("writing", 0, 0)
    run.key = key_of_run(context, run.key)
    with run.writing():
        describe_repo(context, target.branch, target.head)
        run.report([*_write(context, judged, target.head, options.since), *_damaged_commits(repo)])
        weaker = _weaker(before, _named_lines(context), judged)
        # its rows went with those they point to
        forget_runs(store, (StageName.SURVIVAL, StageName.RELEASES), context.repo_id)
        run.covers(feature_rows.COSTS, feature_rows.costs_key(prices_of(store)))
        # all that `collect run` would have read
        if options.whole and not local.sessions and run.key == target.key:
            run.covers(LOAD, facts_key(store, repo, target.head))
    name_releases(store, context.repo_id, repo, target.head)
    return weaker


_NAMED = (
    "SELECT c.commit_sha, f.path, f.agent_lines + f.declared_lines + f.human_lines +"
    " f.likely_human_lines + f.tool_lines AS named FROM commit_files f JOIN commits c ON c.id ="
    " f.commit_id WHERE c.repo_id = ? AND named > 0"
)


def _named_lines(context: RunContext) -> dict[tuple[str, str], int]:
    """(commit, path) -> added lines with an author."""
    rows = context.store.rows(_NAMED, (context.repo_id,))
    return {(row["commit_sha"], row["path"]): row["named"] for row in rows}


def _weaker(
    before: Mapping[tuple[str, str], int], now: Mapping[tuple[str, str], int], judged: Judged
) -> str:
    """How many lines an earlier run named an author of and this one does not, and why; "" for
    none.
    """
    still = {commit.sha for commit in judged.evidence.history.commits}
    lost = Counter[bool]()
    for file, count in before.items():
        lost[file[0] in still] += max(0, count - now.get(file, 0))
    where = {False: "that are no longer in the history", True: "that are still there"}
    parts = [f"{lost[there]:,} of commits {words}" for there, words in where.items() if lost[there]]
    return f"lines whose author was known before and is not now: {'; '.join(parts)}" * bool(parts)


def _damaged_commits(repo: GitRepo) -> list[Problem]:
    """Commits that are damaged in a way that git overlooks."""
    return [
        Problem(
            "commits", sha, "commit_damaged", "libgit2 cannot parse it: it was read as git shows it"
        )
        for sha in repo.refused
    ]


def _write(context: RunContext, judged: Judged, head: str, since: float | None) -> list[Problem]:
    """Replaces the conclusions about a repository.

    Call within a transaction. Returns what could not be judged.
    """
    store = context.store
    repo_id = context.repo_id
    before = earlier.put_aside(store, repo_id, judged.evidence.history.commits)
    numbers = write_commits(
        store, repo_id, _commits_since(judged.evidence.history, since), context.repo.mailmap(head)
    )
    line_rows.clear(store, repo_id)
    line_rows.links(store, repo_id, numbers, judged.evidence.links)
    line_rows.sessions(store, numbers, judged)
    earlier.link_again(store, numbers, before)
    earlier.keep(judged, before)
    line_rows.lines(store, repo_id, numbers, judged)
    line_rows.edits(store, judged.replayed)
    line_rows.totals(store, repo_id, judged)
    line_rows.vendor(store, repo_id)
    line_rows.confidence(store)
    elsewhere = landed_elsewhere(judged.texts, judged.replayed.runs)
    reverted = taken_back(
        (commit.sha, commit.message) for commit in judged.evidence.history.commits
    )
    after = outcomes.AfterSessions(elsewhere, reverted)
    outcomes.fill_outcomes(store, repo_id, judged.evidence.sessions.edits, judged.replayed, after)
    turn_outcomes.fill_turns(store, repo_id, judged.evidence.sessions.edits, judged.replayed)
    feature_rows.fill_costs(store, repo_id, prices_of(store))
    feature_rows.fill_what_follows(store, repo_id)
    return [*line_rows.problems(judged), *outcomes.problems(store, repo_id)]


def _commits_since(history: CommitHistory, since: float | None) -> list[Commit]:
    """As git has them, with its times."""
    recorded = (history.recorded.get(commit.sha, commit) for commit in history.commits)
    return [commit for commit in recorded if since is None or commit.author_time >= since]
