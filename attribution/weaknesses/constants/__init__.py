"""Findings that only constants of the same file reach, also through one private helper: not weaknesses. Pure.

Rules look at one function at a time. A statement or command that is put together from a parameter is none that outside input can
reach when the function is private to its file and every call there passes a constant. What cannot be decided stays a finding: a
function that other files may call, a name that is used other than in calls, a helper of a helper.
"""

from __future__ import annotations

from attribution.weaknesses.constants import javascript, python

VERSION = "1"  # of what counts as constant: scans that another one filtered are made again
_RULES = frozenset(
    {"command-built", "shell-command", "shell-true", "sql-built", "sql-structure", "sql-condition-built", "code-built", "eval"}
)
_OWN = "whowrote."
_LANGUAGES = {
    **dict.fromkeys(("py", "pyi"), python.is_constant),
    **dict.fromkeys(("js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx"), javascript.is_constant),
}


def only_constants(rule: str, suffix: str, data: bytes, start: int, end: int) -> bool:
    """Whether nothing but constants of the text reaches the bytes of it that a rule of ours matched."""
    decide = _LANGUAGES.get(suffix)
    if decide is None or not rule.startswith(_OWN) or rule.rpartition(".")[2] not in _RULES:
        return False
    return decide(data, start, end)


__all__ = ["VERSION", "only_constants"]
