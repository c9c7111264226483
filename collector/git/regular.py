"""Whether everything that libgit2 would open of a repository is a file: opening a pipe waits for
ever, reading a device never ends.

A clone that somebody else laid out may hold anything: a pipe in place of its configuration, or a
configuration that includes one. Nothing is opened here but regular files.
"""

import os
import re
import stat
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from collector.limits import CONFIG_BYTES

_DEEPEST = 10  # files that include files, as in git
_SECTION = re.compile(r"^\s*\[\s*include(?:if\b[^\]]*)?\s*\](.*)", re.IGNORECASE)
_OTHER_SECTION = re.compile(r"^\s*\[")
_PATH = re.compile(r"^\s*path\s*=\s*(.*)", re.IGNORECASE)


class NotRegular(Exception):
    """What is no file, and where it is."""

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        self.path = path


def require_files(path: str | Path) -> None:
    """Looks at the repository around `path`. Raises NotRegular."""
    for folder in (Path(path).absolute(), *Path(path).absolute().parents):
        for directory in (folder / ".git", folder):
            if git_directory := _git_directory(directory):
                _look(git_directory)
                return


def _git_directory(path: Path) -> Path | None:
    """The directory of a repository: `place`, or the one that it names in a file.

    Raises NotRegular.
    """
    if path.is_dir():
        # of a repository, of a linked worktree
        files = (path / name for name in ("objects", "commondir"))
        if os.path.lexists(path / "HEAD") and any(map(os.path.lexists, files)):
            return path
        return None
    if path.name != ".git" or not os.path.lexists(path):
        return None
    named = _small_text(path).removeprefix("gitdir:").strip()
    target = path.parent / named
    if named and target.is_dir():
        return target
    return None


@cache
def _look(directory: Path) -> None:
    """Once in a process for each repository."""
    for file in _files(directory):
        _require(file)
    if (directory / "commondir").is_file():
        common = directory / _small_text(directory / "commondir").strip()
        if common.is_dir() and common.resolve() != directory.resolve():
            _look(common.resolve())
    for name in ("config", "config.worktree"):
        if (directory / name).is_file():
            _require_included(directory / name, 0)


def _files(directory: Path) -> Iterator[Path]:
    """Everything below that is neither a directory nor, as its directory says, a regular file."""
    waiting = [str(directory)]
    while waiting:
        try:
            entries = os.scandir(waiting.pop())
        except OSError:
            continue
        with entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                elif not entry.is_file(follow_symlinks=False):
                    yield Path(entry.path)


def _require(path: Path) -> None:
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):  # a link that leads nowhere cannot be opened either
        return
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise NotRegular(path)


def _small_text(path: Path) -> str:
    """Raises NotRegular."""
    _require(path)
    try:
        with path.open("rb") as file:
            return file.read(CONFIG_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def _require_included(config: Path, depth: int) -> None:
    """What a configuration includes, whatever the conditions."""
    inside = False
    for line in _small_text(config).replace("\\\n", "").splitlines():
        if section := _SECTION.match(line):
            inside = True
            line = section[1]
        elif _OTHER_SECTION.match(line):
            inside = False
        if inside and (match := _PATH.match(line)):
            value = match[1].strip().strip('"').replace('\\"', '"').replace("\\\\", "\\")
            target = config.parent / os.path.expanduser(value)  # noqa: PTH111 (a `~name` without a home stays as it is)
            _require(target)
            if depth < _DEEPEST and target.is_file():
                _require_included(target, depth + 1)
