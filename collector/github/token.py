"""Where the token comes from: a file, the environment, or the program `gh`. It is held in an object that does not show it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from collector.errors import WhoWroteError

NO_TOKEN = (
    "no token: code search and GraphQL need one, the other searches are slower (10 instead of 30 requests a minute), and metadata "
    "costs one of 60 requests an hour per repository. Set GITHUB_TOKEN, or use --token-file or `gh auth login`; no scope is needed."
)


@dataclass(frozen=True, slots=True)
class Token:
    """`source` says where it was found; `secret` is in no text made of the object."""

    source: str
    secret: str = field(repr=False)

    def __str__(self) -> str:
        return f"token from {self.source}"


def find_token(file: Path | None, host: str = "github.com", environment: Mapping[str, str] | None = None) -> Token | None:
    """The first of --token-file, GITHUB_TOKEN, GH_TOKEN, `gh auth token`. Raises WhoWroteError for a file that cannot be used."""
    environment = os.environ if environment is None else environment
    if file is not None:
        return Token(str(file), _from_file(file))
    for name in ("GITHUB_TOKEN", "GH_TOKEN"):
        secret = environment.get(name, "").strip()
        if secret:
            return Token(name, _checked(secret, name))
    from collector.git.program import gh_token

    printed = gh_token(host, environment)
    return Token("gh auth token", _checked(printed, "gh auth token")) if printed else None


def _from_file(file: Path) -> str:
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise WhoWroteError(f"the token file {file} cannot be read: {type(error).__name__}", "Check --token-file") from None
    secret = text.strip().partition("\n")[0].strip()
    if not secret:
        raise WhoWroteError(f"the token file {file} is empty", "Put the token on its first line")
    return _checked(secret, str(file))


def _checked(secret: str, source: str) -> str:
    if not secret.isascii() or not secret.isprintable() or " " in secret or len(secret) > 1000:
        raise WhoWroteError(f"{source} does not contain a token", "A token is one word of letters, digits and underscores")
    return secret
