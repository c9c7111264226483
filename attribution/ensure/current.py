"""What a run would write, for a question: a copy of the database with the commits that it lacks,
also those that were never made, and the sessions that it does not know as they are now.

The same functions decide and write as in a run, on the commits and sessions that concern the files
that were asked about. The copy goes with the question; a run settles it.
"""

import json
import math
from collections.abc import Collection, Mapping, Sequence
from functools import partial

from attribution.authorship.run_data import Judged
from attribution.authorship.scope import Scope
from attribution.authorship.verdicts import Verdict, unknown
from attribution.queries.open_repo import OpenRepo
from attribution.queries.recorded_sessions import stored_now
from attribution.stages import line_rows
from attribution.stages.judging import judge_lines
from attribution.stages.sessions import kept_shared_lines, read_sessions
from collector.checkpoints.statements import checkpoint_ids
from collector.errors import InputTooLarge
from collector.git.repository import GitRepo, line_changes
from collector.load import (
    add_checkpoints,
    remove_commits,
    session_files,
    session_run,
    write_commits,
)
from collector.model import Checkpoint, Commit, FileChange
from collector.runtime.progress import no_progress
from collector.runtime.stages import RunContext
from collector.storage.retention import FULL
from collector.storage.store import Store, iso
from collector.text import file_name, printable
from collector.vocabulary.lines import Reason

# seconds before the first of the commits from which on everything that agents did is read
_RECENT = 3 * 86_400.0
# More than this takes as long as a run.
_MOST_COMMITS, _MOST_FILES, _MOST_CHANGES = 100, 300, 2_000

_CHANGES = """
SELECT DISTINCT c.commit_sha, COALESCE(f.old_path, '') AS old_path FROM commits c
  JOIN commit_files f ON f.commit_id = c.id
WHERE c.repo_id = ? AND f.path IN (SELECT value FROM json_each(?))
"""
# `concerned`: 1 for a session that edited one of the files, did something lately, or named one and
# is linked to a commit of them or went on after the last.
_SESSIONS = """
WITH paths AS (SELECT value AS path FROM json_each(?3)), names AS (SELECT value AS word
  FROM json_each(?4)),
  changes AS (SELECT id, author_at FROM commits WHERE repo_id = ?1 AND commit_sha IN (SELECT value
  FROM json_each(?5)))
SELECT s.key, s.ended_at >= ?2
  OR EXISTS (SELECT 1 FROM edits e WHERE e.session_id = s.id AND e.path IN (SELECT path FROM paths))
  OR (s.ended_at >= (SELECT COALESCE(MAX(author_at), '') FROM changes WHERE author_at < ?2)
      OR EXISTS (SELECT 1 FROM commit_sessions x WHERE x.session_id = s.id
        AND x.commit_id IN (SELECT id FROM changes)))
    AND EXISTS (SELECT 1 FROM tool_calls t, names WHERE t.session_id = s.id
      AND instr(COALESCE(t.command, t.input), word))
  AS concerned
FROM sessions s WHERE s.repo_id = ?1
"""


def complete(base: Store, opened: OpenRepo, paths: Collection[str] = ()) -> None:
    """Puts what a run would write about the commits that wait into a copy of the database, which
    the clone is asked with from now on; and the sessions that it does not know as they are now.

    `paths`: the files that are asked about; none: all that those commits changed. Of what takes as
    long as a run, the commits alone are there, and a note says so.
    """
    repo = opened.repo
    newer = [commit for sha in opened.waiting if (commit := repo.commit(sha)) is not None]
    opened.store = store = _copy(base, opened)
    context = RunContext(store, repo, opened.repo_id, no_progress)
    opened.complete = opened.complete if paths else None
    with store.transaction():
        numbers = write_commits(store, opened.repo_id, newer, repo.mailmap(opened.tip), beside=True)
    try:
        judged, asked = _judge_waiting(context, opened, newer, paths)
    except InputTooLarge:
        if newer or store.policy.keeps(FULL):
            opened.notes.append("what no run has read is too much for a question")
        if not paths:  # a list says that nothing is known of them
            opened.store = _copy(base, opened)
        return
    if judged is None:
        return
    _limit(judged, opened, not asked.issuperset(opened.newer))
    numbers = {sha: numbers[sha] for sha in asked}
    with store.transaction():
        line_rows.links(store, opened.repo_id, numbers, judged.evidence.links)
        line_rows.lines(store, opened.repo_id, numbers, judged)
        line_rows.sessions(store, numbers, judged)


def _copy(base: Store, opened: OpenRepo) -> Store:
    """The database without commits that are none of what is asked about: those of the branch that
    was attributed, where another is checked out.
    """
    store, tip = base.private_copy(), opened.newer[-1] if opened.newer else opened.tip
    others = opened.repo.history_of([opened.head], [tip])
    remove_commits(store, opened.repo_id, (commit.sha for commit in others))
    return store


def _judge_waiting(
    context: RunContext, opened: OpenRepo, newer: Sequence[Commit], paths: Collection[str]
) -> tuple[Judged | None, set[str]]:
    """The verdicts, and the commits that they are about; None where no commit waits. Raises
    InputTooLarge where they take as long as a run.
    """
    changes = {commit.sha: opened.repo.changes(commit) or () for commit in newer}
    asked = {
        sha
        for sha, files in changes.items()
        if not paths or any(change.path in paths for change in files)
    }
    # Another file that is not committed says whose work it is by what was done to it lately; by all
    # of its past only where lines may have come from it.
    waiting = asked.intersection(opened.unmade if paths else ())
    beside = {change.path for sha in waiting for change in changes[sha]}
    seeds = {*paths}.union(
        change.path
        for sha in asked
        for change in changes[sha]
        if sha not in waiting or _loses_lines(opened.repo, change)
    )
    names, earlier = _files_and_commits(opened, seeds, changes)
    is_small = len(names) <= _MOST_FILES and len(earlier) <= _MOST_CHANGES
    if len(newer) > _MOST_COMMITS or not is_small or not context.store.policy.keeps(FULL):
        raise InputTooLarge("many files changed in many commits", "")
    since = min((commit.author_time for commit in newer), default=math.inf) - _RECENT
    commits = {*earlier, *opened.waiting}
    scope = Scope(commits, names | beside, since, asked, kept_shared_lines(context))
    return _judge_files(context, opened, newer, names, scope), asked


def _loses_lines(repo: GitRepo, change: FileChange) -> bool:
    before, after = (repo.content(oid) if oid else b"" for oid in (change.old, change.new))
    return any(each.a1 > each.a0 for each in line_changes(before, after))


def _judge_files(
    context: RunContext,
    opened: OpenRepo,
    newer: Sequence[Commit],
    names: Collection[str],
    scope: Scope,
) -> Judged | None:
    """`names`: files of which all sessions are read; of the others, those of the last days."""
    store, repo = context.store, context.repo
    head = [opened.tip, *opened.waiting][-1]
    words = {file_name(name) for name in names}
    values = (
        opened.repo_id,
        iso(scope.since) or "~",
        *(json.dumps(sorted(several)) for several in (names, words, scope.commits)),
    )
    sessions = store.pairs(_SESSIONS, values)
    # transcripts that lie in the worktree are in the commits that were never made
    checkpoints, local = stored = stored_now(store, repo, opened.repo_id, head)
    due = _sessions_named(newer, checkpoints)
    files = [
        item
        for item in session_files(checkpoints, local)
        if sessions.get(printable(item.key), True)
        or item.key in due
        or not session_run(context, item).is_current
    ]
    with store.transaction():
        ids = add_checkpoints(context, _unknown(checkpoints, sessions))
    read = read_sessions(context, files, ids, few=True)
    return judge_lines(context, head, read, stored, scope) if newer else None


def _sessions_named(newer: Sequence[Commit], checkpoints: Sequence[Checkpoint]) -> set[str]:
    """Sessions of the checkpoints that commits name."""
    named = {name for commit in newer for name in checkpoint_ids(commit.message)}
    due = (checkpoint for checkpoint in checkpoints if checkpoint.id in named)
    return {record.session_id for checkpoint in due for record in checkpoint.sessions}


def _unknown(checkpoints: Sequence[Checkpoint], known: Collection[str]) -> list[Checkpoint]:
    """Checkpoints with a session that the database does not have."""
    return [
        checkpoint
        for checkpoint in checkpoints
        if any(printable(record.session_id) not in known for record in checkpoint.sessions)
    ]


def _limit(judged: Judged, opened: OpenRepo, is_doubtful: bool) -> None:
    """Nobody is named whom only a run names. What is not committed is judged as if it were; only
    that nothing links it to an agent is no answer, as a commit may say so yet.
    """
    for sha, verdict in judged.verdicts.items():
        verdict.change(partial(_limit_verdict, sha in opened.unmade, is_doubtful))


def _limit_verdict(is_pending: bool, is_doubtful: bool, verdict: Verdict) -> Verdict:
    is_open = verdict.reason is Reason.TRANSCRIPT_NOT_STORED or (is_doubtful and verdict.is_unseen)
    if is_pending and (is_open or verdict.reason is Reason.NO_SESSION):
        return unknown(Reason.NOT_COMMITTED)
    return unknown(Reason.NOT_YET) if is_open else verdict


def _files_and_commits(
    opened: OpenRepo, seeds: set[str], changes: Mapping[str, Sequence[FileChange]]
) -> tuple[set[str], set[str]]:
    """The files and the others between which lines may have moved, under all their names.

    And the attributed commits that changed them.
    """
    paths = set[str]()
    commits = set[str]()
    waiting = seeds
    while waiting and len(paths) <= _MOST_FILES:
        rows = opened.store.rows(_CHANGES, (opened.repo_id, json.dumps(sorted(waiting))))
        commits.update(row["commit_sha"] for row in rows)
        names = {
            change.old_path
            for files in changes.values()
            for change in files
            if change.path in waiting
        }
        paths |= waiting
        waiting = names.union(row["old_path"] for row in rows) - paths - {""}
    return paths, commits
