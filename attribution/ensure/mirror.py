"""A mirror, with all checkpoints, of a repository that is named by its address."""

from __future__ import annotations

from typing import TYPE_CHECKING

from collector.errors import WhoWroteError
from collector.plugins import hooks

if TYPE_CHECKING:
    from collector.runtime.progress import Progress


def is_address(text: str) -> bool:
    """Whether it names a repository on a server, and not a directory."""
    return text.startswith(("https://", "http://", "file://", "git@", "ssh://"))


def mirror_address(address: str, progress: Progress) -> str:
    """Fetches the default branch, checkpoints and notes; returns the mirror's directory. Raises WhoWroteError, BadName, InUse."""
    mirror = next(hooks("mirror"), None)
    if mirror is None:
        raise WhoWroteError("this installation cannot mirror repositories", "Clone it with git, and give the clone's path")
    return str(mirror(address, progress))
