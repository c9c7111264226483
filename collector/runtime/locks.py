"""Locks between processes: a file that is locked as long as somebody holds it open."""

import math
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from collector.errors import WhoWroteError
from collector.runtime.progress import Progress, no_progress
from collector.storage.store import Store
from collector.text import add_ending

if sys.platform != "win32":
    import fcntl

_POLL = 0.1  # seconds


class InUse(WhoWroteError):
    """Another run works on the same thing."""


@contextmanager
def file_lock(
    path: Path, patience: float, what: str, shared: bool = False, progress: Progress = no_progress
) -> Iterator[int]:
    """Holds a lock file, which ends with the last process that has it open.

    Raises InUse after `patience` seconds.

    `progress` hears of it while it waits. Who holds it alone may remove the file before it lets go.
    """
    deadline = time.monotonic() + patience
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            while not _try_lock(descriptor, shared):
                if time.monotonic() >= deadline:
                    raise InUse(
                        f"{what} is in use by another run",
                        "Wait until it has finished, then run the same command again",
                    )
                progress(f"waiting for another run on {what}", 0, 0)
                time.sleep(_POLL)
        except BaseException:
            os.close(descriptor)
            raise
        if _is_at(descriptor, path):
            break
        os.close(descriptor)  # removed by its last holder while we waited
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def lock_path(db: Path) -> Path:
    """The lock of a database: held alone by a run that fills all of it, shared by runs that
    write one repository each.
    """
    return add_ending(db, ".lock")


@contextmanager
def writing_database(store: Store, progress: Progress = no_progress) -> Iterator[None]:
    """While this run writes to some repository: no run that fills the whole database is at work.

    Waits as long as it takes.
    """
    if store.is_read_only:
        yield
        return
    path = lock_path(store.path)
    with file_lock(path, math.inf, str(store.path), shared=True, progress=progress) as descriptor:
        try:
            yield
        finally:
            if _try_lock(descriptor, shared=False):  # nobody else shares it
                path.unlink(missing_ok=True)


@contextmanager
def writing_repository(
    store: Store, repo_id: int, progress: Progress = no_progress
) -> Iterator[None]:
    """While this run writes to a repository it is the only one.

    Waits as long as it takes; call within `writing_database`.
    """
    if store.is_read_only:
        yield
        return
    path = lock_path(store.path)
    path = path.with_name(f"{path.name}.{repo_id}")
    with file_lock(path, math.inf, "this repository", progress=progress):
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


def _is_at(descriptor: int, path: Path) -> bool:
    with suppress(OSError):
        return os.path.samestat(os.fstat(descriptor), path.stat())
    return False


def _try_lock(descriptor: int, shared: bool) -> bool:
    """Takes the lock if that is possible at once. Windows has no such locks."""
    if sys.platform == "win32":
        return True
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
