"""The directory of all mirrors: places, locks, sizes, leftovers of killed transfers."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from collector.repository_names import checked_label, directory, tombstone
from collector.runtime.locks import file_lock

STATE = "whowrote.json"  # in every mirror: what it was when it was complete
_INCOMING = ".incoming"
_LOCKS = ".locks"
_PAUSES = ".pauses"


@dataclass(slots=True)
class State:
    """What a mirror holds, written when all of it is there."""

    url: str = ""
    key: str = ""  # of the refs that the server had
    transcripts: str = ""  # all, last, none
    elsewhere: str = ""  # owner/name of the repository with its checkpoints
    note: str = ""  # what was not as it should be at the last update
    lasting: list[str] = field(default_factory=list)  # what is not as it should be as long as the mirror is there
    checkpoint_refs: int = 0
    missing: int = 0  # large files of checkpoints that were left out
    address: str = ""  # where the server has it now, when `url` is only its old address


class Mirrors:
    """Where mirrors are. Nothing outside of `root` is ever written or removed."""

    def __init__(self, root: Path) -> None:
        self.root = Path(os.path.abspath(root))  # noqa: PTH100 (links in it stay: they are the user's)

    def path(self, name: str) -> Path:
        return self.root / directory(name)

    def pauses(self) -> Path:
        """What all workers know about servers that limit them."""
        return self.root / _PAUSES

    def incoming(self, name: str) -> Path:
        """A new directory for a mirror that is not complete yet; what killed runs left of the same one is removed."""
        place = self.root / _INCOMING
        place.mkdir(parents=True, exist_ok=True)
        prefix = tombstone(name)[:16] + "."
        for left in place.glob(prefix + "*"):
            shutil.rmtree(left, ignore_errors=True)
        return Path(tempfile.mkdtemp(prefix=prefix, dir=place))

    def remove(self, name: str) -> int:
        """Removes a mirror and all that is left of it; returns its bytes."""
        with self.lock(name, 60):
            path = self.path(name)
            size = size_of(path)
            shutil.rmtree(self.incoming(name), ignore_errors=True)
            if path.exists():  # first out of the way: half a mirror is never found under its name
                grave = self.incoming(name)
                path.rename(grave / "mirror")
                shutil.rmtree(grave)
            with contextlib.suppress(OSError):
                path.parent.rmdir()
            (self.root / _LOCKS / f"{tombstone(name)[:32]}.lock").unlink(missing_ok=True)
        return size

    @contextmanager
    def lock(self, name: str, patience: float) -> Iterator[int]:
        """Only one process at a time works on a mirror. Yields the descriptor. Raises InUse after `patience` seconds."""
        place = self.root / _LOCKS
        place.mkdir(parents=True, exist_ok=True)
        with file_lock(place / f"{tombstone(name)[:32]}.lock", patience, f"the mirror of {name}") as descriptor:
            yield descriptor


# --- one mirror -------------------------------------------------------------------------------------------------------


def lay_out(path: Path, url: str, sha256: bool = False, name: str = "") -> None:
    """An empty bare repository in an empty directory: no hooks, no template, nothing of the user's configuration."""
    for folder in ("objects/info", "objects/pack", "refs/heads", "refs/tags"):
        (path / folder).mkdir(parents=True, exist_ok=True)
    (path / "HEAD").write_text("ref: refs/heads/none\n")
    configure(path, url, sha256, name=name)


def configure(path: Path, url: str, sha256: bool = False, partial: bool = False, name: str = "") -> None:
    """Writes the whole configuration of a mirror. `partial`: objects may be missing on purpose; `name`: as in RepositorySource."""
    version = 1 if sha256 or partial else 0
    lines = ["[core]", f"\trepositoryformatversion = {version}", "\tbare = true", "\tlogAllRefUpdates = false"]
    if sha256 or partial:
        lines.append("[extensions]")
        lines += ["\tobjectformat = sha256"] if sha256 else []
        lines += ["\tpartialClone = origin"] if partial else []
    lines += ['[remote "origin"]', f'\turl = "{url}"']  # names.checked_url: no quotes, backslashes or hidden characters
    lines += ["\tpromisor = true", "\tpartialclonefilter = blob:limit=64k"] if partial else []
    lines += ["[whowrote]", f'\tname = "{checked_label(name)}"'] if name.count("/") > 1 else []
    _write(path / "config", "\n".join(lines) + "\n")


def set_url(path: Path, url: str) -> None:
    """The address of an existing mirror, in the form in which it is asked today."""
    text = (path / "config").read_text("utf-8", "replace")
    changed = re.sub(r"(?m)^\turl = .*$", lambda _: f'\turl = "{url}"', text)
    if changed != text:
        _write(path / "config", changed)


def set_head(path: Path, branch: str) -> None:
    """`branch`: refs/heads/…, checked by refs.is_safe."""
    _write(path / "HEAD", f"ref: {branch}\n")


def tidy(path: Path) -> None:
    """Removes what a killed git left behind: unfinished packs and locks of refs. Call with the lock of the mirror held."""
    for pattern in (
        "objects/pack/tmp_*",
        "objects/pack/.tmp-*",
        "objects/pack/*.keep",
        "objects/tmp_*",
        "*.lock",
        "refs/**/*.lock",
    ):
        for left in path.glob(pattern):
            if left.is_file() and not left.is_symlink():
                left.unlink(missing_ok=True)
    for pack in path.glob("objects/pack/*.pack"):
        if not pack.with_suffix(".idx").exists():  # killed between the two: git does not see it
            pack.unlink(missing_ok=True)


def load_state(path: Path) -> State:
    """An empty one when the mirror is not complete, or somebody else's."""
    try:
        found = json.loads((path / STATE).read_text("utf-8"))
        return State(**{name: type(old)(found[name]) for name, old in asdict(State()).items() if name in found})
    except (OSError, ValueError, TypeError):
        return State()


def save_state(path: Path, state: State) -> None:
    _write(path / STATE, json.dumps(asdict(state)) + "\n")


def _write(path: Path, text: str) -> None:
    """All or nothing."""
    new = path.with_name(path.name + ".lock")
    new.write_text(text, "utf-8")
    new.replace(path)


def size_of(path: Path) -> int:
    """Bytes of all files below a directory; 0 when it is not there."""
    total = 0
    for folder, _, files in os.walk(path):
        for name in files:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(folder, name)).st_size  # noqa: PTH118 (a thousand times a second)
    return total


def free_space(path: Path) -> int:
    """Bytes that are free where `path` will be."""
    while not path.exists():
        path = path.parent
    return shutil.disk_usage(path).free
