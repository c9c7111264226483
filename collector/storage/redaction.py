"""The adapter for detect-secrets (extra `redact`): finds keys, tokens and passwords in text.

Its entropy plugins are left out: they take words for secrets. Nothing is sent anywhere, and nothing is verified with a provider.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

from collector.errors import WhoWroteError

_MARK = "[secret]"
_SHORTEST = 6  # characters; shorter finds are the names of types ("ghp") or nothing
_LONGEST_LINE = 20_000
# A block of a private key: the library finds its first line only.
_BLOCK = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL)
# Lines without any of these can hold no assigned password, which is the slow search.
_HINT = re.compile(r"pass|pwd|secret|token|key|auth|cred|private|contrase", re.IGNORECASE)
# Tokens whose kind the library does not know or reports without the token itself.
_TOKENS = re.compile(
    r"\b(?:gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{30,255}|sk-ant-[A-Za-z0-9_-]{20,255}|AIza[A-Za-z0-9_-]{35}"
    r"|hf_[A-Za-z0-9]{30,60}|xox[abprs]-[A-Za-z0-9-]{10,255})"
)


def secrets_out(text: str) -> str:
    """The text with every secret found replaced by a mark. Raises WhoWroteError when the library is not installed."""
    patterns, keywords = _finders()
    text = _TOKENS.sub(_MARK, _BLOCK.sub(_MARK, text))
    found = {secret for pattern in patterns for secret in pattern(text)}
    for line in text.split("\n"):
        if _HINT.search(line) and len(line) <= _LONGEST_LINE:
            found.update(keywords(line))
    for secret in sorted((s for s in found if len(s) >= _SHORTEST), key=len, reverse=True):
        text = text.replace(secret, _MARK)
    return text


@cache
def _finders() -> tuple[list[Callable[[str], set[str]]], Callable[[str], set[str]]]:
    try:
        from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
        from detect_secrets.plugins.base import RegexBasedDetector
    except ImportError as error:
        raise WhoWroteError(
            "--redact needs the library detect-secrets", "Install it with: pip install 'whowrote[redact]'"
        ) from error
    patterns: list[Callable[[str], set[str]]] = []
    keywords: Any = None
    for kind in get_mapping_from_secret_type_to_class().values():
        name = kind.__name__
        if name == "KeywordDetector":
            keywords = kind()
        elif name not in ("IPPublicDetector", "PrivateKeyDetector") and issubclass(kind, RegexBasedDetector):
            patterns.append(_strings(kind()))
    return patterns, lambda line: _assigned(keywords, line)


def _assigned(plugin: Any, line: str) -> set[str]:
    found = plugin.analyze_line(filename="", line=line, line_number=1)
    return {one.secret_value for one in found if one.secret_value}


def _strings(plugin: Any) -> Callable[[str], set[str]]:
    return lambda text: {found for found in plugin.analyze_string(text) if isinstance(found, str)}
