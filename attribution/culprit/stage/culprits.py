"""Stores the fixes of a repository with what each repaired, and who reviewed: `fixes`,
`fixed_lines`, `commit_reviews`.
"""

from collections.abc import Iterator, Sequence

from attribution.culprit.repaired import TracedFix
from attribution.culprit.trace.fixes import FixFinder, finder_of, fixes_among
from attribution.ensure.writing import sole_writer
from attribution.queries.open_repo import OpenRepo
from collector.checkpoints.statements import reviewers
from collector.runtime.progress import Progress
from collector.runtime.stages import Stage, StageName, digest, last_run
from collector.storage.store import Store
from collector.text import printable

VERSION = "4"
STAGE = Stage(StageName.CULPRITS, VERSION)
_INPUTS = (StageName.HISTORY, StageName.SURVIVAL, StageName.WEAKNESSES)
_FIX = "id, repo_id, commit_sha, fixed_at, tier, names, outcome, culprit_sha, basis"


def trace_all_fixes(opened: OpenRepo, progress: Progress) -> None:
    """Traces every fix of a clone again when its lines changed since.

    Raises DatabaseUnusable, WhoWroteError.
    """
    finder = finder_of(opened, progress)
    with sole_writer(opened, progress):
        run = STAGE.start(opened.store, opened.repo_id, _key(opened))
        if run.is_current:
            return
        fixes = list(_trace(finder, opened, progress))
        with run.writing():
            _write(opened.store, opened.repo_id, fixes)
            opened.store.connection.execute(
                "DELETE FROM commit_reviews WHERE repo_id = ?", (opened.repo_id,)
            )
            commits = opened.repo.history_of([opened.head])
            rows = (
                (opened.repo_id, commit.sha, printable(person))
                for commit in commits
                for person in reviewers(commit)
            )
            opened.store.insert("commit_reviews", "repo_id, commit_sha, reviewer", rows)


def _key(opened: OpenRepo) -> str:
    """`finished_at` too: the rows of lines that the fixes point to are written again by each
    run.
    """
    runs = [last_run(opened.store, opened.repo_id, name) for name in _INPUTS]
    return digest(VERSION, *(f"{run.key} {run.finished_at}" if run else "" for run in runs))


def _trace(finder: FixFinder, opened: OpenRepo, progress: Progress) -> Iterator[TracedFix]:
    fixes = list(fixes_among(finder, opened.repo.history_of([opened.head])))
    for number, commit in enumerate(fixes):
        progress("tracing fixes", number, len(fixes))
        yield finder.trace(commit)


def _write(store: Store, repo_id: int, fixes: Sequence[TracedFix]) -> None:
    store.connection.execute("DELETE FROM fixes WHERE repo_id = ?", (repo_id,))
    numbered = list(enumerate(fixes, store.next_id("fixes")))
    rows = (
        (n, repo_id, f.sha, f.fixed_at, f.tier, f.names, f.outcome, f.culprit_sha, f.basis)
        for n, f in numbered
    )
    store.insert("fixes", _FIX, rows)
    lines = (
        (number, *each, rank) for number, fix in numbered for rank, each in enumerate(fix.lines, 1)
    )
    store.insert("fixed_lines", "fix_id, origin, line, lines, rank", lines)
