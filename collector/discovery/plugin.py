"""What the core asks of discovery: mirrors of repositories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from collector.errors import WhoWroteError
from collector.repository_names import moved_source, source

if TYPE_CHECKING:
    from collector.runtime.progress import Progress

HOOKS = {"mirrors": "collector.discovery.mirrors.table:items"}


def mirror(address: str, progress: Progress) -> str:
    """Fetches the default branch, checkpoints and notes; returns the mirror's directory. Raises WhoWroteError, BadName, InUse."""
    from collector.discovery.github.patience import find_token
    from collector.discovery.mirrors.disk import Mirrors
    from collector.discovery.mirrors.remote import Remote
    from collector.discovery.mirrors.update import FetchOptions, update_mirror
    from collector.storage.places import mirrors_directory

    repository, remote, mirrors = source(address), Remote(find_token()), Mirrors(mirrors_directory())
    progress("fetching", 0, 0)
    result = update_mirror(repository, mirrors, remote, FetchOptions())
    if result.state == "moved":  # one mirror, whichever of its names is used
        result = update_mirror(moved_source(result.address), mirrors, remote, FetchOptions())
    if not result.is_usable():
        state = result.state.replace("_", " ")
        raise WhoWroteError(f"{result.url}: {state}: {result.detail}", "Check the address, or clone it with git")
    return result.path


def browse_tables() -> dict[str, dict[str, Any]]:
    return {"cursors": {"hidden": True}, "mirrors": {"hidden": True}}
