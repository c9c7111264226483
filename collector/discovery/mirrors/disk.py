"""The directory of all mirrors: paths, locks, sizes, leftovers of killed transfers."""

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from collector.repository_names import checked_label, directory, tombstone
from collector.runtime.locks import file_lock
from collector.text import add_ending, first_group

_INCOMING = ".incoming"
_LOCKS = ".locks"
_URL = re.compile(r"(?m)^\turl = \"?(.*?)\"?$")
# What a killed git leaves behind: unfinished packs and locks of refs.
_LEFTOVERS = (
    "objects/pack/tmp_*",
    "objects/pack/.tmp-*",
    "objects/pack/*.keep",
    "objects/tmp_*",
    "*.lock",
    "refs/**/*.lock",
)


class Mirrors:
    """Where mirrors are. Nothing outside of `root` is ever written or removed."""

    def __init__(self, root: Path) -> None:
        self.root = Path(os.path.abspath(root))  # noqa: PTH100 (links in it stay: they are the user's)

    def path(self, name: str) -> Path:
        return self.root / directory(name)

    def incoming(self, name: str) -> Path:
        """A new directory for a mirror that is not complete yet; what killed runs left of the
        same one is removed.
        """
        folder = self.root / _INCOMING
        folder.mkdir(parents=True, exist_ok=True)
        prefix = tombstone(name)[:16] + "."
        for leftover in folder.glob(prefix + "*"):
            shutil.rmtree(leftover, ignore_errors=True)
        return Path(tempfile.mkdtemp(prefix=prefix, dir=folder))

    def remove(self, name: str) -> int:
        """Removes a mirror and all that belongs to it; returns its bytes."""
        with self.lock(name, 60):
            path = self.path(name)
            size = size_of(path)
            shutil.rmtree(self.incoming(name), ignore_errors=True)
            if path.exists():  # first out of the way: half a mirror is never found under its name
                grave = self.incoming(name)
                path.rename(grave / "mirror")
                shutil.rmtree(grave)
            with suppress(OSError):
                path.parent.rmdir()
            self._lock_file(name).unlink(missing_ok=True)
        return size

    @contextmanager
    def lock(self, name: str, patience: float) -> Iterator[int]:
        """Only one process at a time works on a mirror.

        Yields the descriptor. Raises InUse after `patience` seconds.
        """
        (self.root / _LOCKS).mkdir(parents=True, exist_ok=True)
        with file_lock(self._lock_file(name), patience, f"the mirror of {name}") as descriptor:
            yield descriptor

    def _lock_file(self, name: str) -> Path:
        return self.root / _LOCKS / f"{tombstone(name)[:32]}.lock"


def lay_out(path: Path, url: str, sha256: bool = False, name: str = "") -> None:
    """An empty bare repository in an empty directory: no hooks, no template, nothing of the user's
    configuration.

    `url`: checked by repository_names.checked_url, so without quotes; `name`: as in
    RepositorySource.
    """
    for folder in ("objects/info", "objects/pack", "refs/heads", "refs/tags"):
        (path / folder).mkdir(parents=True, exist_ok=True)
    lines = [
        "[core]",
        f"\trepositoryformatversion = {int(sha256)}",
        "\tbare = true",
        "\tlogAllRefUpdates = false",
    ]
    if sha256:
        lines += ["[extensions]", "\tobjectformat = sha256"]
    lines += ['[remote "origin"]', f'\turl = "{url}"']
    if name.count("/") > 1:
        lines += ["[whowrote]", f'\tname = "{checked_label(name)}"']
    (path / "config").write_text("\n".join(lines) + "\n", "utf-8")
    set_head(path, "refs/heads/none")


def url_of(path: Path) -> str:
    """Where a mirror is fetched from; "" for one that is damaged."""
    try:
        return first_group(_URL.search((path / "config").read_text("utf-8", "replace")))
    except OSError:
        return ""


def set_url(path: Path, url: str) -> None:
    _write(
        path / "config",
        _URL.sub(lambda _: f'\turl = "{url}"', (path / "config").read_text("utf-8", "replace")),
    )


def set_head(path: Path, branch: str) -> None:
    """`branch`: refs/heads/…, checked by refs.is_safe."""
    _write(path / "HEAD", f"ref: {branch}\n")


def _write(path: Path, text: str) -> None:
    """All or nothing."""
    new = add_ending(path, ".lock")
    new.write_text(text, "utf-8")
    new.replace(path)


def tidy(path: Path) -> None:
    """Removes leftovers of a killed git. Call with the lock of the mirror held."""
    for leftover in (file for pattern in _LEFTOVERS for file in path.glob(pattern)):
        if leftover.is_file() and not leftover.is_symlink():
            leftover.unlink(missing_ok=True)
    for pack in path.glob("objects/pack/*.pack"):
        if not pack.with_suffix(".idx").exists():  # killed between the two: git does not see it
            pack.unlink(missing_ok=True)


def size_of(path: Path) -> int:
    """Bytes of all files below a directory; 0 when it is not there."""
    total = 0
    for folder, _, files in os.walk(path):
        for name in files:
            with suppress(OSError):
                total += os.lstat(os.path.join(folder, name)).st_size  # noqa: PTH118 (a thousand times a second)
    return total


def free_space(path: Path) -> int:
    """Bytes that are free where `path` will be."""
    while not path.exists():
        path = path.parent
    return shutil.disk_usage(path).free
