"""Complexity of the functions that commits changed, for the files that were scanned."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from attribution.weaknesses.scan.cache import FunctionCache
from attribution.weaknesses.scan.complexity import SUFFIXES, Function, functions, mean_complexity, tool
from attribution.weaknesses.scan.source import ScanPlan
from attribution.weaknesses.stage.rows import sides_of
from collector.runtime.stages import RunContext, Stage, StageName, digest, last_run
from collector.storage.store import Store

VERSION = "1"
STAGE = Stage(StageName.COMPLEXITY, VERSION)
_BATCH = 200  # texts whose functions go into the cache at once


def measure(context: RunContext, cache_store: Store, plan: Callable[[], ScanPlan]) -> None:
    """Fills `scan_files.complexity` of the scanned source files of a repository. Raises LizardMissing, DatabaseUnusable."""
    store, repo_id, cache = context.store, context.repo_id, FunctionCache(cache_store, tool())
    scan = last_run(store, repo_id, StageName.WEAKNESSES)
    run = STAGE.start(store, repo_id, digest(VERSION, cache.tool, *([f"{scan.key} {scan.finished_at}"] if scan else ())))
    if run.is_current:
        return
    files = store.rows(
        "SELECT f.id, c.commit_sha, f.path FROM scan_files n JOIN commit_files f ON f.id = n.file_id "
        "JOIN commits c ON c.id = f.commit_id WHERE c.repo_id = ? AND n.scanned = 1 AND n.place = 'source'",
        (repo_id,),
    )
    sides, spans = sides_of(plan()), _added_spans(store, repo_id)
    values = []
    new: list[tuple[str, str, list[Function]]] = []
    for number, row in enumerate(files):
        context.progress("measuring complexity", number, len(files))
        side = sides.get((row["commit_sha"], row["path"]))
        if side is None or side.kind.suffix not in SUFFIXES:
            continue
        measured = cache.functions(*side.text)
        if measured is None:
            measured = functions(context.repo.blob(side.blob) or b"", side.kind.suffix)
            new.append((*side.text, measured))
        if len(new) >= _BATCH:
            cache.save(new)
            new.clear()
        values.append((mean_complexity(measured, spans[row["id"]]), row["id"]))
    cache.save(new)
    with run.writing() as connection:
        connection.executemany("UPDATE scan_files SET complexity = ? WHERE file_id = ?", values)


def _added_spans(store: Store, repo_id: int) -> dict[int, list[tuple[int, int, int]]]:
    """Changed file -> spans of added lines: first, last, lines with text."""
    spans: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for row in store.rows(
        "SELECT s.file_id, s.start_line, s.end_line, s.nonblank FROM spans s JOIN commit_files f ON f.id = s.file_id "
        "JOIN commits c ON c.id = f.commit_id WHERE c.repo_id = ?",
        (repo_id,),
    ):
        spans[row["file_id"]].append((row["start_line"], row["end_line"], row["nonblank"]))
    return spans
