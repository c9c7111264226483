"""Where the token comes from: the environment, or the program `gh`. It is held in an object that does not show it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from collector.errors import WhoWroteError

NO_TOKEN = (
    "no token: code search and GraphQL need one, the other searches are slower (10 instead of 30 requests a minute), and metadata "
    "costs one of 60 requests an hour per repository. Set GITHUB_TOKEN, or use `gh auth login`; no scope is needed."
)


@dataclass(frozen=True, slots=True)
class Token:
    """`source` says where it was found; `secret` is in no text made of the object."""

    source: str
    secret: str = field(repr=False)

    def __str__(self) -> str:
        return f"token from {self.source}"


def find_token(host: str = "github.com", environment: Mapping[str, str] | None = None) -> Token | None:
    """The first of GITHUB_TOKEN, GH_TOKEN, `gh auth token`. Raises WhoWroteError for one that cannot be a token."""
    environment = os.environ if environment is None else environment
    for name in ("GITHUB_TOKEN", "GH_TOKEN"):
        secret = environment.get(name, "").strip()
        if secret:
            return Token(name, _check(secret, name))
    from collector.git.program import gh_token

    secret = gh_token(host, environment) or ""
    return Token("gh auth token", _check(secret, "gh auth token")) if secret else None


def _check(secret: str, source: str) -> str:
    if not secret.isascii() or not secret.isprintable() or " " in secret or len(secret) > 1000:
        raise WhoWroteError(f"{source} does not contain a token", "A token is one word of letters, digits and underscores")
    return secret
