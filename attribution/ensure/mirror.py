"""A mirror, with all checkpoints, of a repository that is named by its address or that a clone came from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from collector.errors import WhoWroteError
from collector.repository_names import BadName, moved, source

if TYPE_CHECKING:
    from collector.runtime.progress import Progress


def is_address(text: str) -> bool:
    """Whether it names a repository on a server, and not a directory."""
    return text.startswith(("https://", "http://", "file://", "git@", "ssh://"))


def mirrored(address: str, progress: Progress) -> str:
    """Fetches the default branch, checkpoints and notes; returns the mirror's directory. Raises WhoWroteError, BadName, InUse."""
    from collector.fetching.disk import Mirrors
    from collector.fetching.mirrors import FetchOptions, update_mirror
    from collector.fetching.remote import Remote
    from collector.github.token import find_token
    from collector.storage.places import mirrors_directory

    token, repository = find_token(None, "github.com"), source(address)
    remote = Remote(token.secret if token is not None else "")
    options = FetchOptions(protocols=("https", repository.url.partition(":")[0]))  # the one of the address: the user chose it
    progress("fetching", 0, 0)
    done = update_mirror(repository, Mirrors(mirrors_directory()), remote, options)
    if done.state == "moved":  # one mirror, whichever of its names is used
        done = update_mirror(moved(done.address), Mirrors(mirrors_directory()), remote, options)
    if not done.ok():
        raise WhoWroteError(f"{done.url}: {done.state.replace('_', ' ')}: {done.detail}", "Check the address, or clone it with git")
    return done.path


def mirror_of_origin(path: str, progress: Progress) -> str:
    """The mirror of the repository that the clone at `path` came from. Raises WhoWroteError."""
    from collector.git.repository import GitRepo

    address = GitRepo(path).remote_url()
    if not address:
        raise WhoWroteError(f"{path} has no remote called origin", "Fetch its checkpoints with git; --fetch asks the origin")
    try:
        return mirrored(address, progress)
    except BadName as error:
        hint = "Fetch its checkpoints with git, as whowrote repo without --fetch proposes"
        raise WhoWroteError(f"--fetch cannot mirror the origin of {path}: {address}", hint) from error
