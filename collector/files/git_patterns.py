"""Adapter to pathspec: what `.gitattributes` and `.gitignore`-like files say about a path. Pure.

pathspec knows the patterns of `.gitignore`. Those of `.gitattributes` are the same with two
exceptions (gitattributes(5)): negative patterns are not allowed, and a pattern that matches a
directory does not match the files in it.
"""

from __future__ import annotations

import re
import warnings
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from collector.limits import ATTRIBUTE_PATTERNS, WILDCARDS
from collector.text import file_name

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_INSIDE = "ps_d"  # the group in which pathspec captures the slash after a directory that matched


class AttributePattern(NamedTuple):
    """A pattern of a `.gitattributes` in `directory` ("" is the root)."""

    directory: str
    glob: str

    def matches(self, path: str) -> bool:
        """Whether it names this path, given from the root.

        A pattern that git would not accept names nothing.
        """
        start = f"{self.directory}/" if self.directory else ""
        regex = (
            _regex(self.glob) if path.startswith(start) and not self.glob.startswith("!") else None
        )
        if regex is None:
            return False
        below = path.removeprefix(start)
        match = regex.match(below if "/" in self.glob else file_name(below))
        return match is not None and match.groupdict().get(_INSIDE) is None


def is_ignored(path: str, text: str) -> bool:
    """Whether a `.gitignore`-like file at the root leaves out a path: the last pattern that fits
    decides.
    """
    return _ignore_spec(text).match_file(path)


@lru_cache(8)
def _ignore_spec(text: str) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec

    lines = (line.strip() for line in text.split("\n"))
    # `:include` is semgrep's.
    specs = [_spec(line) for line in lines if line and not line.startswith(("#", ":"))]
    return GitIgnoreSpec(
        [pattern for spec in specs if spec is not None for pattern in spec.patterns]
    )


@lru_cache(ATTRIBUTE_PATTERNS)
def _regex(glob: str) -> re.Pattern[str] | None:
    spec = _spec(glob)
    regex = getattr(next(iter(spec.patterns), None), "regex", None) if spec else None
    return regex


def _spec(glob: str) -> GitIgnoreSpec | None:
    """One pattern; None for an invalid one (`[z-a]`, `!` alone), or one that could take for ever
    to compare.
    """
    from pathspec import GitIgnoreSpec

    # they match the same, and each star may have to be tried at each place
    glob = re.sub(r"\*{3,}", "**", glob)
    if len(re.findall(r"\*+", glob)) > WILDCARDS:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # `[[` in a pattern is one to `re`
        try:
            return GitIgnoreSpec.from_lines([glob])
        except (ValueError, re.error):
            return None
