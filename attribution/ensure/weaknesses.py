"""Weaknesses in the lines of a clone, up to date."""

from __future__ import annotations

from attribution.ensure.writing import sole_writer
from attribution.queries.open_repo import OpenRepo
from attribution.stages.weaknesses import scan_repository
from attribution.weaknesses.scan.request import ScanRequest, ScanUpdate
from collector.runtime.progress import Progress
from collector.runtime.stages import RunContext


def weaknesses_found(where: OpenRepo, wanted: ScanRequest, progress: Progress) -> ScanUpdate:
    """Scans what is new in a clone. Raises EngineMissing, EngineFailed, RulesUnusable, DatabaseUnusable."""
    with sole_writer(where, progress):
        return scan_repository(RunContext(where.store, where.repo, where.repo_id, progress), where.head, wanted)
