"""Adapter to pydriller: the delta maintainability model of commits.

pydriller opens a repository through GitPython, writes to its configuration, reads that of the user,
and starts git programs. So `measure` runs only in worker processes that see nothing of the caller's
git, on a scratch directory of our own whose only link to the analysed repository is the directory
of its objects (`collector.git.program.own_copy`).
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from attribution.evaluation.words import Unmeasured
from collector.errors import WhoWroteError
from collector.files.analysed import ANALYSED, place_of, why_left_out
from collector.git.program import clean_environment, own_copy
from collector.runtime.version import install_command
from collector.text import error_text, file_name

if TYPE_CHECKING:
    from pydriller.domain.commit import Commit, ModifiedFile
    from pydriller.git import Git

DMM = ("dmm_unit_size", "dmm_unit_complexity", "dmm_unit_interfacing")
# of lizard's tokenizers
FAILURES = (
    RecursionError,
    ValueError,
    IndexError,
    AttributeError,
    TypeError,
    KeyError,
    RuntimeError,
)
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
    """What pydriller says about a commit.

    Without a `reason` it has values of the delta maintainability model.
    """

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
            "maintainability is measured by pydriller, which is not installed",
            f"Install it with: {install_command('quality')}",
        ) from error


@lru_cache(4096)
def counts(path: str) -> bool:
    """Whether a file is one that people or agents write, in a language that lizard parses, by
    its path.
    """
    from lizard_languages import get_reader_for

    return get_reader_for(file_name(path)) is not None and place_of(path) in ANALYSED


def measure(scratch: str, requests: Sequence[Request]) -> list[Measured]:
    """Measures commits; only for worker processes, see above.

    `scratch` is the directory of a ScratchGit.
    """
    git = open_repository(scratch)
    return [_measure_commit(git, request) for request in requests]


@lru_cache(1)
def open_repository(scratch: str) -> Git:
    """pydriller on a scratch directory of its own, in a worker process that forgets the caller's
    environment.
    """
    directory = own_copy(Path(scratch))
    os.environ.clear()
    os.environ.update(clean_environment(directory))
    import lizard
    from pydriller.git import Git

    # pydriller parses a file for each of the three properties, and its version before a commit is
    # the one after an earlier commit.
    lizard.analyze_file.analyze_source_code = lru_cache(_PARSED)(
        lizard.analyze_file.analyze_source_code
    )
    return Git(str(directory))


def _measure_commit(git: Git, request: Request) -> Measured:
    from git.exc import GitError, ODBError

    try:
        files = git.get_commit(request.sha).modified_files
        named = [file for file in files if counts(_path(file))]
        program = [
            file for file in named if _path(file) not in request.large and _is_program_text(file)
        ]
    except (GitError, ODBError, ValueError) as error:
        return Measured(
            request.sha,
            reason=Unmeasured.UNREADABLE,
            detail=str(error).strip().rpartition("\n")[2].strip()[:200],
        )
    left_out = len(named) - len(program)
    try:
        commit = _commit_of(program)
        quality = {name: getattr(commit, name) for name in DMM}
    except FAILURES as error:
        detail = error_text(error)[:200]
        return Measured(request.sha, len(program), left_out, {}, Unmeasured.NOT_PARSED, detail)
    reason = None if program else Unmeasured.NO_CODE
    if program and not any(value is not None for value in quality.values()):
        reason = Unmeasured.VOLUME_UNCHANGED
    return Measured(request.sha, len(program), left_out, quality, reason)


def _path(file: ModifiedFile) -> str:
    return file.new_path or file.old_path or ""


def _is_program_text(file: ModifiedFile) -> bool:
    """Whether both versions are texts that somebody wrote; a generated file may have been
    written by hand before.
    """
    suffix = _path(file).rpartition(".")[2]
    return all(
        not why_left_out(data, suffix)
        for data in (file.content_before, file.content)
        if data is not None
    )


def _commit_of(files: list[ModifiedFile]) -> Commit:
    """A commit of these files alone, which are not asked of git again for every metric."""
    from pydriller.domain.commit import Commit

    class Part(Commit):  # type: ignore[misc]
        modified_files = files

    return Part(None, None)
