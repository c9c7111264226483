"""The adapter for lizard: cyclomatic complexity of the functions that a commit changed, a control
for comparisons of authors.

Agents may be given, or write, other code than people. Rates are therefore also compared among files
whose changed functions are alike: each added line has the complexity of the function around it, a
file of a commit the mean over its added lines with text.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from attribution.weaknesses.scan.source import ScanPlan, Side
from attribution.weaknesses.stage.rows import sides_of
from collector.errors import WhoWroteError
from collector.git.repository import GitRepo
from collector.runtime.stages import RunContext, Stage, StageName, digest, last_run
from collector.runtime.version import install_command
from collector.storage.store import Store

VERSION = "1"
STAGE = Stage(StageName.COMPLEXITY, VERSION)
SUFFIXES = (
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
)
# of its tokenizers
FAILURES = (
    RecursionError,
    ValueError,
    IndexError,
    AttributeError,
    TypeError,
    KeyError,
    RuntimeError,
)

Function = tuple[int, int, int]
"""First line, last line, complexity."""


class LizardMissing(WhoWroteError):
    """lizard is not installed."""


def measure(context: RunContext, cache: Store, plan: Callable[[], ScanPlan]) -> None:
    """Fills `scan_files.complexity` of the scanned source files of a repository.

    Raises LizardMissing, DatabaseUnusable.
    """
    store = context.store
    repo_id = context.repo_id
    tool = _tool()
    scan = last_run(store, repo_id, StageName.WEAKNESSES)
    run = STAGE.start(
        store, repo_id, digest(VERSION, tool, *([f"{scan.key} {scan.finished_at}"] if scan else ()))
    )
    if run.is_current:
        return
    files = store.rows(
        "SELECT f.id, c.commit_sha, f.path FROM scan_files n JOIN commit_files f ON f.id ="
        " n.file_id JOIN commits c ON c.id = f.commit_id WHERE c.repo_id = ? AND n.scanned = 1 AND"
        " n.place = 'source'",
        (repo_id,),
    )
    sides = sides_of(plan())
    spans = _added_spans(store, repo_id)
    values = []
    for number, row in enumerate(files):
        context.progress("measuring complexity", number, len(files))
        side = sides.get((row["commit_sha"], row["path"]))
        if side is not None and side.kind.suffix in SUFFIXES:
            values.append(
                (
                    mean_complexity(
                        _functions_of(context.repo, cache, tool, side), spans[row["id"]]
                    ),
                    row["id"],
                )
            )
    with run.writing() as connection:
        connection.executemany("UPDATE scan_files SET complexity = ? WHERE file_id = ?", values)


def _added_spans(store: Store, repo_id: int) -> dict[int, list[tuple[int, int, int]]]:
    """Changed file -> spans of added lines: first, last, lines with text."""
    spans = defaultdict(list)
    for row in store.rows(
        "SELECT s.file_id, s.start_line, s.end_line, s.nonblank FROM spans s JOIN commit_files f ON"
        " f.id = s.file_id JOIN commits c ON c.id = f.commit_id WHERE c.repo_id = ?",
        (repo_id,),
    ):
        spans[row["file_id"]].append((row["start_line"], row["end_line"], row["nonblank"]))
    return spans


def _functions_of(repo: GitRepo, cache: Store, tool: str, side: Side) -> Sequence[Function]:
    """The functions of a text, from the cache when the tool has measured it before."""
    key = (side.blob, side.kind.suffix, tool)
    stored = cache.value(
        "SELECT functions FROM blob_functions WHERE blob = ? AND suffix = ? AND tool = ?", key
    )
    if stored is not None:
        return [(first, last, complexity) for first, last, complexity in json.loads(stored)]
    measured = functions(repo.blob(side.blob) or b"", side.kind.suffix)
    with cache.transaction() as connection:
        connection.execute(
            "INSERT OR REPLACE INTO blob_functions VALUES (?, ?, ?, ?)",
            (*key, json.dumps(measured)),
        )
    return measured


def _tool() -> str:
    """Name and version. Raises LizardMissing."""
    try:
        import lizard
    except ImportError as error:
        raise LizardMissing(
            "complexity needs lizard, which is not installed",
            f"Install it with: {install_command('scan')}",
        ) from error
    return f"lizard {getattr(lizard, 'version', '')}".strip()


def functions(data: bytes, suffix: str) -> list[Function]:
    """Of one text; none when its language is not known or it cannot be read."""
    if suffix not in SUFFIXES:
        return []
    import lizard

    try:
        analysis = lizard.analyze_file.analyze_source_code(
            f"text.{suffix}", data.decode("utf-8", "replace")
        )
    except FAILURES:
        return []
    return [(f.start_line, f.end_line, f.cyclomatic_complexity) for f in analysis.function_list]


def mean_complexity(
    measured: Sequence[Function], spans: Iterable[tuple[int, int, int]]
) -> float | None:
    """Mean over spans of added lines (first, last, lines with text); a line in several functions
    has the innermost's.
    """
    whole = weighted = 0.0
    inner = sorted(measured, key=lambda f: f[1] - f[0])
    for start, end, nonblank in spans:
        values = [
            next((c for a, b, c in inner if a <= line <= b), 1) for line in range(start, end + 1)
        ]
        whole += nonblank
        weighted += nonblank * sum(values) / len(values)
    return weighted / whole if whole else None
