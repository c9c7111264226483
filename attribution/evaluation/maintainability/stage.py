"""Measures what each commit does to the maintainability of the code, and says who wrote its lines:
fills `commit_quality`.

What is measured never changes, so a run measures the commits that are new; whose the lines are
follows the verdicts of each run.
"""

import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from attribution.ensure.writing import sole_writer
from attribution.evaluation.maintainability import measure
from attribution.evaluation.maintainability.measure import DMM, Measured, Request
from attribution.evaluation.words import EXPECTED, Unmeasured
from attribution.queries.open_repo import OpenRepo
from collector.git.base import is_regular
from collector.git.repository import GitRepo
from collector.groups import group_pairs
from collector.limits import SCANNED_BYTES
from collector.model import Commit, Problem
from collector.runtime import workers
from collector.runtime.progress import Progress
from collector.runtime.stages import RunContext, Stage, StageName, digest, last_run
from collector.runtime.workers import Task, TaskLimits, TaskResult
from collector.storage.store import Store
from collector.vocabulary.lines import LINE_CLASSES

VERSION = "1"
# reports only on new commits: what was reported before stays
STAGE = Stage(StageName.COMMIT_QUALITY, VERSION)
_COLUMNS = (
    "repo_id",
    "commit_sha",
    "measured_by",
    "reason",
    *LINE_CLASSES,
    "files",
    "left_out",
    *DMM,
)
# commits: most versions of files are parsed once for the commit that makes them and once for the
# next one
_TOGETHER = 25
# for one commit
_SECONDS = 60
_MEMORY = 1_500_000_000
_MOST_TEXT = 32 << 20  # bytes of changed files, both versions
_IN_DIFF = 1 << 20  # larger files have no text diff (collector.git.program)


def measure_new_commits(clone: OpenRepo, jobs: int, progress: Progress) -> None:
    """Measures the commits of a clone that were not measured before. Raises PyDrillerMissing."""
    with sole_writer(clone, progress):
        measure_commits(
            RunContext(clone.store, clone.repo, clone.repo_id, progress), clone.head, jobs
        )


def measure_commits(context: RunContext, head: str, jobs: int = 0) -> int | None:
    """Measures the commits up to `head` that are not in the table: how many these were; None:
    nothing changed since the last run.

    Raises PyDrillerMissing, DatabaseUnusable.
    """
    store = context.store
    repo = context.repo
    repo_id = context.repo_id
    tool = measure.tool()
    lines = last_run(store, repo_id, StageName.LINES)
    packs = repo.packs() if repo.censored().partial else []
    key = digest(
        VERSION, tool, head, *([f"{lines.key} {lines.finished_at}"] if lines else ()), *packs
    )
    run = STAGE.start(store, repo_id, key)
    if run.is_current:
        return None
    update = _Update(context, head, f"{tool}, version {VERSION}")
    update.refresh()
    done = update.measure(jobs or os.cpu_count() or 1)
    with run.writing():
        run.report(update.ordinary_reasons())
    return done


class _Update:
    """What a run writes about one repository."""

    def __init__(self, context: RunContext, head: str, tool: str) -> None:
        self._store, self._repo, self._repo_id, self._tool = (
            context.store,
            context.repo,
            context.repo_id,
            tool,
        )
        self._progress = context.progress
        self._commits = {commit.sha: commit for commit in self._repo.history(head)}
        self._files = _written_files(self._store, self._repo_id)
        self._lines = _lines_by_class(self._store, self._repo_id)

    def refresh(self) -> None:
        """Drops rows that another version made or whose commit is gone; whose the lines are may
        be known better now.
        """
        stale = (
            "repo_id = ?1 AND (measured_by <> ?2 OR reason = ?3 "
            "OR commit_sha NOT IN (SELECT commit_sha FROM commits WHERE repo_id = ?1))"
        )
        changes = ", ".join(f"{name} = ?" for name in LINE_CLASSES)
        with self._store.transaction() as connection:
            connection.execute(
                f"DELETE FROM commit_quality WHERE {stale}",
                (self._repo_id, self._tool, Unmeasured.UNREADABLE),
            )
            connection.executemany(
                f"UPDATE commit_quality SET {changes} WHERE repo_id = ? AND commit_sha = ?",
                [(*self._shares(sha), self._repo_id, sha) for sha in self._measured_commits()],
            )
            connection.execute(
                "DELETE FROM problems WHERE repo_id = ?1 AND stage = ?2 "
                "AND subject NOT IN (SELECT commit_sha FROM commit_quality WHERE repo_id = ?1)",
                (self._repo_id, STAGE.name),
            )

    def measure(self, jobs: int) -> int:
        """Measures the commits that have no row; each portion is stored when it is there.

        How many there were.
        """
        measured = self._measured_commits()
        new = [
            row["commit_sha"]
            for row in self._store.rows(_IN_ORDER, (self._repo_id,))
            if row["commit_sha"] not in measured
        ]
        planned = [self._plan(self._commits[sha]) for sha in new if sha in self._commits]
        requests = [plan for plan in planned if isinstance(plan, Request)]
        self._write([plan for plan in planned if isinstance(plan, Measured)])
        done = 0
        for portion in _measure(self._repo, requests, jobs):
            self._write(portion)
            done += len(portion)
            self._progress("measuring commits", done, len(requests))
        return done

    def ordinary_reasons(self) -> list[Problem]:
        """How many commits have no value for an ordinary reason."""
        rows = self._store.rows(
            "SELECT reason, COUNT(*) AS commits FROM commit_quality WHERE repo_id = ? AND reason <>"
            " '' GROUP BY reason",
            (self._repo_id,),
        )
        return [
            Problem(STAGE.name, "commits", r["reason"], f"commits: {r['commits']}")
            for r in rows
            if r["reason"] in EXPECTED
        ]

    def _measured_commits(self) -> set[str]:
        sql = "SELECT commit_sha FROM commit_quality WHERE repo_id = ?"
        return set(self._store.column(sql, (self._repo_id,)))

    def _plan(self, commit: Commit) -> Request | Measured:
        """What to ask about a commit, or why it cannot be asked."""
        if commit.is_merge:
            return Measured(commit.sha, reason=Unmeasured.MERGE)
        if not any(map(measure.counts, self._files[commit.sha])):
            return Measured(commit.sha, reason=Unmeasured.NO_CODE)
        changes = self._repo.changes(commit, renames=False)
        if changes is None:
            return Measured(commit.sha, reason=Unmeasured.UNREADABLE, detail="a tree is missing")
        large = set()
        size = 0
        for change in changes:
            for blob, mode in ((change.old, change.old_mode), (change.new, change.new_mode)):
                if blob is None or not is_regular(mode):
                    continue
                length = self._repo.blob_size(blob)
                if length is None:
                    return Measured(
                        commit.sha, reason=Unmeasured.UNREADABLE, detail=f"{change.path} is missing"
                    )
                size += length if length < _IN_DIFF else 0
                if length > SCANNED_BYTES:
                    large.add(change.path)
        if size > _MOST_TEXT:
            return Measured(commit.sha, reason=Unmeasured.TOO_LARGE, detail=f"{size:,} bytes")
        return Request(commit.sha, frozenset(large))

    def _write(self, portion: Sequence[Measured]) -> None:
        """Stores what was measured, with the problems of these commits."""
        rows = []
        for commit in portion:
            head = (
                self._repo_id,
                commit.sha,
                self._tool,
                commit.reason or "",
                *self._shares(commit.sha),
            )
            rows.append(
                (*head, commit.files, commit.left_out, *(commit.values.get(name) for name in DMM))
            )
        problems = [
            Problem(STAGE.name, m.sha, m.reason, m.detail)
            for m in portion
            if m.reason and m.reason not in EXPECTED
        ]
        with self._store.transaction():
            self._store.insert("commit_quality", _COLUMNS, rows)
            self._store.add_problems(self._repo_id, problems)

    def _shares(self, sha: str) -> list[int]:
        return [self._lines[sha][name] for name in LINE_CLASSES]


Portion = list[Request]


def _measure(repo: GitRepo, requests: Sequence[Request], jobs: int) -> Iterator[list[Measured]]:
    """What pydriller says, in portions.

    A portion that fails is tried again commit by commit, to see which one it is.
    """
    portions = [
        list(requests[start : start + _TOGETHER]) for start in range(0, len(requests), _TOGETHER)
    ]
    with repo.open_scratch() as git:
        failed = []
        for portion, done in _run(git.directory, portions, jobs, _SECONDS + _TOGETHER):
            if done.error:
                failed += [[request] for request in portion]
            else:
                yield done.value
        for (request,), done in _run(git.directory, failed, jobs, _SECONDS):
            yield (
                [Measured(request.sha, reason=Unmeasured.FAILED, detail=done.error)]
                if done.error
                else done.value
            )


def _run(
    scratch: Path, portions: Sequence[Portion], jobs: int, seconds: float
) -> Iterator[tuple[Portion, TaskResult]]:
    tasks = [Task(str(number), (str(scratch), portion)) for number, portion in enumerate(portions)]
    limits = TaskLimits(seconds, _MEMORY, attempts=1)
    for done in workers.run(measure.measure, tasks, min(jobs, len(tasks)), limits):
        yield portions[int(done.key)], done


_IN_ORDER = "SELECT commit_sha FROM commits WHERE repo_id = ? ORDER BY position"


def _written_files(store: Store, repo_id: int) -> dict[str, list[str]]:
    """Commit -> files that it adds lines to, or of which the clone lacks the content."""
    return group_pairs(
        (row["commit_sha"], row["path"])
        for row in store.rows(
            "SELECT c.commit_sha, f.path FROM commit_files f JOIN commits c ON c.id = f.commit_id "
            "WHERE c.repo_id = ? AND (f.lines_added > 0 OR f.content = 'missing')",
            (repo_id,),
        )
    )


def _lines_by_class(store: Store, repo_id: int) -> dict[str, Counter[str]]:
    """Commit -> class -> added lines with text, in files that count."""
    lines: dict[str, Counter[str]] = defaultdict(Counter)
    sql = (
        "SELECT commit_sha, path, class, SUM(nonblank) AS lines FROM line_spans WHERE repo_id = ?"
        " GROUP BY 1, 2, 3"
    )
    for row in store.rows(sql, (repo_id,)):
        if measure.counts(row["path"]):
            lines[row["commit_sha"]][row["class"]] += row["lines"]
    return lines
