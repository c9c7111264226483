"""Locks between processes: a file that is locked as long as somebody holds it open."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from collector.errors import WhoWroteError

if sys.platform != "win32":
    import fcntl


class InUse(WhoWroteError):
    """Another run works on the same thing."""


@contextmanager
def file_lock(path: Path, patience: float, what: str) -> Iterator[int]:
    """Holds a lock file, which ends with the last process that has it open. Raises InUse."""
    deadline = time.monotonic() + patience
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            _lock(descriptor, deadline, what)
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


def _is_at(descriptor: int, path: Path) -> bool:
    with contextlib.suppress(OSError):
        return os.path.samestat(os.fstat(descriptor), path.stat())
    return False


def _lock(descriptor: int, deadline: float, subject: str) -> None:
    if sys.platform == "win32":
        return
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise InUse(
                    f"{subject} is in use by another run", "Wait until it has finished, then run the same command again"
                ) from None
            time.sleep(0.1)
        else:
            return
