"""Complexity of the functions that commits changed, for the files that were scanned."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping

from attribution.weaknesses.scan.cache import FunctionCache
from attribution.weaknesses.scan.complexity import SUFFIXES, Function, functions, of_lines, tool
from attribution.weaknesses.scan.source import Side
from collector.git.repository import GitRepo
from collector.runtime.stages import RunContext, Stage, StageName, digest, last_run
from collector.storage.store import Store

VERSION = "1"
STAGE = Stage(StageName.COMPLEXITY, VERSION)
_BATCH = 200  # texts whose functions go into the cache at once


def measure(context: RunContext, cache: Store, sides: Callable[[], Mapping[tuple[str, str], Side]]) -> None:
    """Fills `scan_files.complexity` of the scanned source files of a repository. Raises LizardMissing, DatabaseUnusable."""
    store, repo_id, name = context.store, context.repo_id, tool()
    scan = last_run(store, repo_id, StageName.WEAKNESSES)
    run = STAGE.start(store, repo_id, digest(VERSION, name, *([f"{scan.key} {scan.finished_at}"] if scan else ())))
    if run.unchanged:
        return
    files = store.rows(
        "SELECT f.id, c.commit_sha, f.path FROM scan_files n JOIN commit_files f ON f.id = n.file_id "
        "JOIN commits c ON c.id = f.commit_id "
        "WHERE c.repo_id = ? AND n.scanned = 1 AND n.place = 'source'",
        (repo_id,),
    )
    versions, spans = sides(), _added(store, repo_id)
    measured = _Functions(context.repo, FunctionCache(cache, name))
    values = []
    for number, r in enumerate(files):
        context.progress("measuring complexity", number, len(files))
        side = versions.get((r["commit_sha"], r["path"]))
        if side is not None and side.kind.suffix in SUFFIXES:
            values.append((of_lines(measured.of(side.blob, side.kind.suffix), spans[r["id"]]), r["id"]))
    measured.flush()
    with run.writing() as connection:
        connection.executemany("UPDATE scan_files SET complexity = ? WHERE file_id = ?", values)


def _added(store: Store, repo_id: int) -> dict[int, list[tuple[int, int, int]]]:
    """Changed file -> spans of added lines: first, last, lines with text."""
    spans: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for r in store.rows(
        "SELECT s.file_id, s.start_line, s.end_line, s.nonblank FROM spans s JOIN commit_files f ON f.id = s.file_id "
        "JOIN commits c ON c.id = f.commit_id WHERE c.repo_id = ?",
        (repo_id,),
    ):
        spans[r["file_id"]].append((r["start_line"], r["end_line"], r["nonblank"]))
    return spans


class _Functions:
    """Functions of texts, from the cache or measured now."""

    def __init__(self, repo: GitRepo, cache: FunctionCache) -> None:
        self._repo, self._cache = repo, cache
        self._new: list[tuple[str, str, list[Function]]] = []

    def of(self, blob: str, suffix: str) -> list[Function]:
        known = self._cache.known(blob, suffix)
        if known is not None:
            return known
        found = functions(self._repo.blob(blob) or b"", suffix)
        self._new.append((blob, suffix, found))
        if len(self._new) >= _BATCH:
            self.flush()
        return found

    def flush(self) -> None:
        self._cache.save(self._new)
        self._new.clear()
