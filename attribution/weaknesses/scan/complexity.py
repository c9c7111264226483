"""The door to lizard: cyclomatic complexity of the functions that a commit changed, a control for comparisons of authors.

Agents may be given, or write, other code than people. Rates are therefore also compared among files whose changed functions are
alike: each added line has the complexity of the function around it, a file of a commit the mean over its added lines with text.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from collector.errors import WhoWroteError
from collector.git.repository import GitRepo
from collector.load import digest
from collector.storage.store import Store

VERSION = "1"
STAGE = "complexity"
_KNOWN = {
    "py",
    "js",
    "jsx",
    "ts",
    "tsx",
    "go",
    "java",
    "php",
    "rb",
    "rs",
    "c",
    "h",
    "cpp",
    "hpp",
    "cs",
    "kt",
    "scala",
    "swift",
    "lua",
}
_FAILURES = (RecursionError, ValueError, IndexError, AttributeError, TypeError, KeyError, RuntimeError)  # of its tokenizers
_BATCH = 200

Function = tuple[int, int, int]
"""First line, last line, complexity."""


class LizardMissing(WhoWroteError):
    """lizard is not installed."""


def tool() -> str:
    """Name and version. Raises LizardMissing."""
    try:
        import lizard
    except ImportError as error:
        raise LizardMissing(
            "complexity needs lizard, which is not installed", "Install it with: pip install 'whowrote[scan]'"
        ) from error
    return f"lizard {getattr(lizard, 'version', '')}".strip()


def functions(data: bytes, suffix: str) -> list[Function]:
    """Of one text; none when its language is not known or it cannot be read."""
    if suffix not in _KNOWN:
        return []
    import lizard

    try:
        found = lizard.analyze_file.analyze_source_code(f"text.{suffix}", data.decode("utf-8", "replace"))
    except _FAILURES:
        return []
    return [(f.start_line, f.end_line, f.cyclomatic_complexity) for f in found.function_list]


def of_lines(some: Sequence[Function], spans: Iterable[tuple[int, int, int]]) -> float | None:
    """Mean over spans of added lines (first, last, lines with text); a line in several functions has the innermost's."""
    whole = weighted = 0.0
    inner = sorted(some, key=lambda f: f[1] - f[0])
    for start, end, nonblank in spans:
        values = [next((c for a, b, c in inner if a <= line <= b), 1) for line in range(start, end + 1)]
        whole += nonblank
        weighted += nonblank * sum(values) / len(values)
    return weighted / whole if whole else None


def update(
    store: Store, kept: Store, repo: GitRepo, repo_id: int, sides: Callable[[], dict[tuple[str, str], Any]], progress: Any
) -> None:
    """Fills `scan_files.complexity` of the scanned source files of a repository. Raises LizardMissing, DatabaseUnusable."""
    name = tool()
    scan = store.rows("SELECT input_key, finished_at FROM stage_runs WHERE repo_id = ? AND stage = 'weaknesses'", (repo_id,))
    key = digest(VERSION, name, *(f"{r['input_key']} {r['finished_at']}" for r in scan))
    if store.is_done(repo_id, STAGE, "", key, VERSION):
        return
    started = time.monotonic()
    files = store.rows(
        "SELECT f.id, c.commit_sha, f.path FROM scan_files n JOIN commit_files f ON f.id = n.file_id "
        "JOIN commits c ON c.id = f.commit_id "
        "WHERE c.repo_id = ? AND n.scanned = 1 AND n.place = 'source'",
        (repo_id,),
    )
    spans: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for r in store.rows(
        "SELECT s.file_id, s.start_line, s.end_line, s.nonblank FROM spans s JOIN commit_files f ON f.id = s.file_id "
        "JOIN commits c ON c.id = f.commit_id WHERE c.repo_id = ?",
        (repo_id,),
    ):
        spans[r["file_id"]].append((r["start_line"], r["end_line"], r["nonblank"]))
    versions = sides()
    measured = _Measured(kept, repo, name)
    values = []
    for number, r in enumerate(files):
        progress("measuring complexity", number, len(files))
        side = versions.get((r["commit_sha"], r["path"]))
        if side is not None and side.kind.suffix in _KNOWN:
            values.append((of_lines(measured.of(side.blob, side.kind.suffix), spans[r["id"]]), r["id"]))
    measured.flush()
    with store.transaction() as connection:
        connection.executemany("UPDATE scan_files SET complexity = ? WHERE file_id = ?", values)
        store.done(repo_id, STAGE, "", key, VERSION, time.monotonic() - started, 0)


class _Measured:
    """Functions of texts, from the cache or measured now."""

    def __init__(self, kept: Store, repo: GitRepo, name: str) -> None:
        self._kept, self._repo, self._tool = kept, repo, name
        self._new: list[tuple[str, str, str, str]] = []

    def of(self, blob: str, suffix: str) -> list[Function]:
        known = self._kept.value(
            "SELECT functions FROM blob_functions WHERE blob = ? AND suffix = ? AND tool = ?", (blob, suffix, self._tool)
        )
        if known is not None:
            return [(a, b, c) for a, b, c in json.loads(known)]
        found = functions(self._repo.blob(blob) or b"", suffix)
        self._new.append((blob, suffix, self._tool, json.dumps(found)))
        if len(self._new) >= _BATCH:
            self.flush()
        return found

    def flush(self) -> None:
        with self._kept.transaction() as connection:
            connection.executemany("INSERT OR REPLACE INTO blob_functions VALUES (?, ?, ?, ?)", self._new)
        self._new.clear()
