"""Adapter to pydriller: the delta maintainability model and process metrics of commits.

pydriller opens a repository through GitPython, writes to its configuration, reads that of the user, and starts git programs. So
`measure` runs only in worker processes that see nothing of the caller's git, on a scratch directory of our own whose only link to
the analysed repository is the directory of its objects (`collector.git.program.own_copy`).
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from statistics import fmean
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from attribution.evaluation.words import Unmeasured
from collector.errors import WhoWroteError
from collector.files.analysed import ANALYSED, place_of, why_left_out
from collector.git.program import clean_environment, own_copy

if TYPE_CHECKING:
    from pydriller.domain.commit import Commit, ModifiedFile
    from pydriller.git import Git

DMM = ("dmm_unit_size", "dmm_unit_complexity", "dmm_unit_interfacing")
PROCESS = ("change_set", "code_churn", "hunks")
HISTORY = ("contributors", "contributors_experience", "earlier_commits")
_FAILURES = (RecursionError, ValueError, IndexError, AttributeError, TypeError, KeyError, RuntimeError)  # of lizard's tokenizers
_PARSED = 512  # versions of files whose functions are remembered
Values = Mapping[str, float | None]
"""Column of `commit_quality` -> its value."""


@dataclass(frozen=True, slots=True)
class Request:
    """A commit to be measured."""

    sha: str
    large: frozenset[str] = frozenset()  # changed paths that are too large to be parsed


@dataclass(frozen=True, slots=True)
class Measured:
    """What pydriller says about a commit. Without a `reason` it has values of the delta maintainability model."""

    sha: str
    files: int = 0  # whose functions were read
    left_out: int = 0  # program files that do not count
    values: Values = field(default_factory=dict)
    reason: Unmeasured | None = None
    detail: str = ""


class PyDrillerMissing(WhoWroteError):
    """pydriller is not installed."""


def tool() -> str:
    """Names and versions of what measures. Raises PyDrillerMissing."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"pydriller {version('pydriller')}, lizard {version('lizard')}"
    except PackageNotFoundError as error:
        raise PyDrillerMissing(
            "maintainability is measured by pydriller, which is not installed", "Install it with: pip install 'whowrote[quality]'"
        ) from error


@lru_cache(4096)
def counts(path: str) -> bool:
    """Whether a file is one that people or agents write, in a language that lizard parses, by its path."""
    from lizard_languages import get_reader_for

    return get_reader_for(path.rpartition("/")[2]) is not None and place_of(path) in ANALYSED


# --- commits ----------------------------------------------------------------------------------------------------------


def measure(scratch: str, requests: Sequence[Request]) -> list[Measured]:
    """Measures commits; only for worker processes, see above. `scratch` is the directory of a ScratchGit."""
    git = open_repository(scratch)
    return [_measure_commit(git, request) for request in requests]


@lru_cache(1)
def open_repository(scratch: str) -> Git:
    """pydriller on a scratch directory of its own, in a worker process that forgets the caller's environment."""
    directory = own_copy(Path(scratch))
    os.environ.clear()
    os.environ.update(clean_environment(directory))
    import lizard
    from pydriller.git import Git

    # pydriller parses a file for each of the three properties, and its version before a commit is the one after an earlier commit.
    lizard.analyze_file.analyze_source_code = lru_cache(_PARSED)(lizard.analyze_file.analyze_source_code)
    return Git(str(directory))


def _measure_commit(git: Git, request: Request) -> Measured:
    from git.exc import GitError, ODBError

    try:
        files = git.get_commit(request.sha).modified_files
        named = [file for file in files if counts(_path(file))]
        program = [file for file in named if _path(file) not in request.large and _is_program_text(file)]
    except (GitError, ODBError, ValueError) as error:
        return Measured(request.sha, reason=Unmeasured.UNREADABLE, detail=str(error).strip().rpartition("\n")[2].strip()[:200])
    process, left_out = _process(files), len(named) - len(program)
    try:
        commit = _commit_of(program)
        quality = {name: getattr(commit, name) for name in DMM}
    except _FAILURES as error:
        detail = f"{type(error).__name__}: {error}"[:200]
        return Measured(request.sha, len(program), left_out, process, Unmeasured.NOT_PARSED, detail)
    reason = None if program else Unmeasured.NO_CODE
    if program and not any(value is not None for value in quality.values()):
        reason = Unmeasured.VOLUME_UNCHANGED
    return Measured(request.sha, len(program), left_out, process | quality, reason)


def _path(file: ModifiedFile) -> str:
    return file.new_path or file.old_path or ""


def _is_program_text(file: ModifiedFile) -> bool:
    """Whether both versions are texts that somebody wrote; a generated file may have been written by hand before."""
    suffix = _path(file).rpartition(".")[2]
    return all(not why_left_out(data, suffix) for data in (file.content_before, file.content) if data is not None)


def _commit_of(files: list[ModifiedFile]) -> Commit:
    """A commit of these files alone, which are not asked of git again for every metric."""
    from pydriller.domain.commit import Commit

    class Part(Commit):  # type: ignore[misc]
        modified_files = files

    return Part(None, None)


def _process(files: list[ModifiedFile]) -> dict[str, float | None]:
    """Process metrics of a commit, over all files that it changes."""
    from pydriller.metrics.process.hunks_count import HunksCount

    churn = sum(file.added_lines + file.deleted_lines for file in files)
    hunks = _metric_by_file(HunksCount, [SimpleNamespace(modified_files=files)])
    return dict(zip(PROCESS, (len(files), churn, int(sum(hunks.values()))), strict=True))


def _metric_by_file(metric: Any, commits: Sequence[Any]) -> dict[str, float]:
    """A process metric of pydriller over commits that are at hand: it would read them from git again, for each metric."""
    stand_in = SimpleNamespace(repo_miner=SimpleNamespace(traverse_commits=lambda: commits))
    if hasattr(metric, "_initialize"):
        metric._initialize(stand_in)
    return dict(metric.count(stand_in))


# --- what happened to files before ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file that a commit changed, with the names that pydriller's metrics ask for."""

    new_path: str
    old_path: str
    added_lines: int
    deleted_lines: int
    content: str  # as in `commit_files`
    is_deleted: bool

    @property
    def change_type(self) -> Any:
        from pydriller.domain.commit import ModificationType

        return ModificationType.MODIFY if self.new_path == self.old_path else ModificationType.RENAME


def file_history(paths: Sequence[str], commits: Sequence[Any]) -> Values:
    """pydriller's metrics of these files over earlier commits, newest first: means over those that existed; {} when all are new.

    Read from the clone, every commit would have to be compared with its parent again for each later one.
    """
    from pydriller.metrics.process.commits_count import CommitsCount
    from pydriller.metrics.process.contributors_count import ContributorsCount
    from pydriller.metrics.process.contributors_experience import ContributorsExperience

    metrics = [_metric_by_file(metric, commits) for metric in (ContributorsCount, ContributorsExperience, CommitsCount)]
    existing = [path for path in paths if all(path in metric for metric in metrics)]
    means = (round(fmean(metric[path] for path in existing), 3) for metric in metrics) if existing else ()
    return dict(zip(HISTORY, means, strict=False))


class EarlierWork:
    """The changed files of all ordinary commits, oldest first, found again by name."""

    def __init__(self, commits: Iterable[tuple[str, str, Sequence[ChangedFile]]], is_ancestor: Callable[[str, str], bool]) -> None:
        """`commits`: (id, e-mail of the author, changed files); `is_ancestor(a, b)`: whether b comes after a."""
        self._is_ancestor = is_ancestor
        self._authors: dict[str, SimpleNamespace] = {}  # in the order of the commits
        self._by_name: dict[str, list[tuple[str, ChangedFile]]] = defaultdict(list)
        for sha, email, files in commits:
            self._authors[sha] = SimpleNamespace(email=email)
            for file in files:
                self._by_name[file.new_path].append((sha, file))
        self._order = {sha: number for number, sha in enumerate(self._authors)}

    def before(self, sha: str, paths: Sequence[str]) -> Values:
        """The history of files with these names before the commit `sha`; {} when all of them are new."""
        names = list(dict.fromkeys(paths))
        commits: dict[str, list[ChangedFile]] = defaultdict(list)
        for name in names:  # grows: a file is followed to the names that it had before
            for other, file in self._by_name.get(name, ()):
                if self._is_ancestor(other, sha):
                    commits[other].append(file)
                    if file.old_path not in names:
                        names.append(file.old_path)
        newest_first = sorted(commits, key=self._order.__getitem__, reverse=True)
        return file_history(paths, [SimpleNamespace(author=self._authors[c], modified_files=commits[c]) for c in newest_first])
