"""A mirror, with all checkpoints, of a repository that is named by its address or that a clone came from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from collector.errors import WhoWroteError
from collector.plugins import hooks
from collector.repository_names import BadName

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


def mirror_of_origin(path: str, progress: Progress) -> str:
    """The mirror of the repository that the clone at `path` came from. Raises WhoWroteError."""
    from collector.git.repository import GitRepo

    address = GitRepo(path).remote_url()
    if not address:
        raise WhoWroteError(f"{path} has no remote called origin", "Fetch its checkpoints with git; --fetch asks the origin")
    try:
        return mirror_address(address, progress)
    except BadName as error:
        hint = "Fetch its checkpoints with git, as whowrote repo without --fetch proposes"
        raise WhoWroteError(f"--fetch cannot mirror the origin of {path}: {address}", hint) from error
