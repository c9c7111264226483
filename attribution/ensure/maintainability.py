"""What the commits of a clone do to the maintainability of the code, up to date."""

from __future__ import annotations

from attribution.ensure.writing import sole_writer
from attribution.queries.open_repo import OpenRepo
from attribution.stages.commit_quality import measure_commits
from collector.runtime.progress import Progress
from collector.runtime.stages import RunContext


def commits_measured(where: OpenRepo, jobs: int, progress: Progress) -> None:
    """Measures the commits that were not measured before. Raises PyDrillerMissing."""
    with sole_writer(where, progress):
        measure_commits(RunContext(where.store, where.repo, where.repo_id, progress), where.head, jobs)
