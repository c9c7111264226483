"""What Entire calls its refs, trailers and files: the only package that knows these names. Pure.

Refs are below `entire/`: as branches, and in a namespace of their own. A clone has them under these
names, as remote-tracking branches, or where our mirrors put the checkpoints of another repository.
"""

import re
from typing import NamedTuple

from collector.json_values import load_json

FOLDER = ".entire"  # in the worktree: settings, and what is not committed
SETTINGS = f"{FOLDER}/settings.json"
CHECKPOINT_TRAILER = "Entire-Checkpoint"
SESSION_TRAILER = "Entire-Session"
METADATA_TRAILER = "Entire-Metadata"
OWN_NAMESPACE = "refs/entire/"  # refs that are no branches
PREFIXES = ("refs/heads/entire/", OWN_NAMESPACE)  # on a server, and in a mirror of it
BRANCHES = "entire/"  # what the names of the branches begin with
FETCH_MIRROR = tuple(f"+{prefix}*:{prefix}*" for prefix in PREFIXES)
# Checkpoints of a repository that are kept in another one: beside the repository's own, where the
# readers find them.
FETCH_ELSEWHERE = (
    "+refs/heads/entire/*:refs/remotes/checkpoints/entire/*",
    "+refs/entire/*:refs/remotes/checkpoint-refs/entire/*",
)
_REF = re.compile(r"refs/(?:heads/|remotes/[^/]+/)?entire/")
_BRANCH = re.compile(r"refs/(?:heads|remotes/[^/]+)/(entire/.+)")
# 12 hex digits (random) or a ULID. The producer's own ULID pattern is looser; both are accepted.
ID = r"(?:[0-9a-f]{12}|[0-7][0-9ABCDEFGHJKMNPQRSTVWXYZ]{25})"


def is_checkpoint_ref(name: str) -> bool:
    """Whether a ref of a server, a mirror or a clone is one of Entire's."""
    return _REF.match(name) is not None


def is_on_server(name: str) -> bool:
    """The same for the names that a server uses, which are also those of a mirror's own
    checkpoints.
    """
    return name.startswith(PREFIXES)


def server_path(ref: str, checkpoint: str) -> str:
    """Branch and directory of a checkpoint as the server's pages name them; "" where a ref is no
    branch there.
    """
    match = _BRANCH.match(ref)
    if match:
        return f"{match[1]}/{checkpoint[:2]}/{checkpoint[2:]}"
    return ""


class CheckpointRemote(NamedTuple):
    """The repository that keeps the checkpoints of another one, as the settings name it."""

    provider: str  # "" when it is not said
    repository: str


def remote_setting(settings: str | bytes | None) -> CheckpointRemote | None:
    """The place of the checkpoints that the text of the settings names; None when they stay in
    their repository.
    """
    try:
        value = load_json(settings or "{}")
    except (ValueError, RecursionError):
        return None
    for key in ("strategy_options", "checkpoint_remote"):
        value = value.get(key) if isinstance(value, dict) else None
    if isinstance(value, str):
        return CheckpointRemote("", value)
    if not isinstance(value, dict) or not isinstance(value.get("repo"), str):
        return None
    return CheckpointRemote(str(value.get("provider") or ""), value["repo"])


RECORDS = r"\.entire/(?!settings(?:\.local)?\.json$)"
"""Regular expression of paths in a working tree that Entire fills itself: its logs and metadata,
not the settings people keep.
"""
