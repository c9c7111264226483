"""Pure: names of candidates as people and servers write them, and which repository holds the checkpoints of another."""

from __future__ import annotations

import re
from typing import NamedTuple

from collector.checkpoints.entire import remote_setting
from collector.repository_names import GITHUB, BadName, source

_NAME = re.compile(r"[A-Za-z0-9_.-]{1,100}(?:/[A-Za-z0-9_.-]{1,100}){1,5}")
_PROVIDERS = {"github": GITHUB, "gitlab": "https://gitlab.com"}


class NamedRepository(NamedTuple):
    """A repository on a server."""

    server: str  # https://…
    name: str  # owner/name; on GitLab also group/subgroup/name


def valid_name(text: str) -> str | None:
    """`owner/name`, or `group/subgroup/name`, without `.git`; None for anything that could be something else."""
    name = text.removesuffix(".git").strip("/")
    if not _NAME.fullmatch(name) or any(part in (".", "..", ".git") or part.startswith("-") for part in name.split("/")):
        return None
    return name


def parse_name(text: str, server: str = GITHUB) -> NamedRepository | None:
    """The repository of `owner/name`, `host/owner/name`, a web address, or an ssh address; None when it is none of them."""
    text = text.strip()
    plain = valid_name(text)
    if plain is not None and "." not in plain.partition("/")[0] and (server != GITHUB or plain.count("/") == 1):
        return NamedRepository(server, plain)
    try:
        url = source(text, server).url
    except BadName:
        return None
    scheme, _, after = url.partition("://")
    host, _, path = after.partition("/")
    name = valid_name(path)
    return NamedRepository(f"{scheme}://{host}", name) if scheme.startswith("http") and name else None


def checkpoint_remote(settings: str, server: str = GITHUB) -> NamedRepository | None:
    """The repository that holds the checkpoints, from the text of the settings; None: this one."""
    setting = remote_setting(settings)
    if setting is None:
        return None
    home = server if setting.provider in ("", "github") else _PROVIDERS.get(setting.provider.lower())
    return parse_name(setting.repository, home) if home else None
