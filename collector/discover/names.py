"""Pure: names of repositories as people and servers write them, and which one holds the checkpoints of another."""

from __future__ import annotations

import re
from typing import NamedTuple

from collector.checkpoints.entire import remote_setting

GITHUB = "https://github.com"
_PART = r"[A-Za-z0-9_.-]{1,100}"
_NAME = re.compile(rf"{_PART}(?:/{_PART}){{1,5}}")
_HOST = re.compile(r"[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+(?::\d{1,5})?/[^/\s]+/[^/\s]")  # without a scheme; owners have no dots
_SSH = re.compile(rf"(?:ssh://)?git@([A-Za-z0-9.-]{{1,253}})(?::\d{{1,5}}(?=/))?[:/]({_PART}(?:/{_PART}){{1,5}})")
_WEB = re.compile(rf"(https?)://(?:[^/@\s]*@)?([A-Za-z0-9.-]{{1,253}}(?::\d{{1,5}})?)/({_PART}(?:/{_PART}){{1,5}})/?")
_PROVIDERS = {"github": GITHUB, "gitlab": "https://gitlab.com"}


def valid_name(text: str) -> str | None:
    """`owner/name` (of GitLab also `group/subgroup/name`) without `.git`; None for anything that could be something else."""
    name = text.removesuffix(".git").strip("/")
    if not _NAME.fullmatch(name) or any(part in (".", "..", ".git") or part.startswith("-") for part in name.split("/")):
        return None
    return name


class NamedRepository(NamedTuple):
    """A repository on a server."""

    server: str  # https://…
    name: str  # owner/name


def parse_name(text: str, server: str = GITHUB) -> NamedRepository | None:
    """The repository of `owner/name`, `host/owner/name`, a web address, or an ssh address; None when it is none of them."""
    text = text.strip()
    if _HOST.match(text):
        text = f"https://{text}"
    if match := _WEB.fullmatch(text):
        name, where = valid_name(match[3]), f"{match[1]}://{match[2].lower()}"
        if where.endswith("//www.github.com"):
            where = GITHUB
        if where == GITHUB and name is not None:
            name = valid_name("/".join(name.split("/")[:2]))  # …/tree/main and the like
    elif match := _SSH.fullmatch(text):
        name, where = valid_name(match[2]), f"https://{match[1].lower()}"
    else:
        name, where = valid_name(text), server
    if name is None or (where == GITHUB and name.count("/") != 1):
        return None
    return NamedRepository(where, name)


def checkpoint_remote(settings: str, server: str = GITHUB) -> NamedRepository | None:
    """The repository that holds the checkpoints, from the text of the settings; None: this one."""
    named = remote_setting(settings)
    if named is None:
        return None
    provider, name = named
    where = server if provider in ("", "github") else _PROVIDERS.get(provider.lower())
    return parse_name(name, where) if where else None
