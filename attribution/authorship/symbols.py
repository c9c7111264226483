"""The symbol that encloses a place of a file, by the rule of git's hunk headers. Pure.

The nearest line above that looks like the head of a function or class, told by a pattern for each
language. For languages without a pattern it is git's own fallback: a line that begins with a
letter, `_` or `$`. Nothing is parsed: a line inside a string can be taken for a head, and the head
found may have ended before the place, as in git.
"""

import re

_MOST_LINES = 2_000  # searched upwards: data files have no heads at all
_WIDTH = 80  # git shows as much

_HEADS = {
    "py pyi": r"\s*(?:class|(?:async\s+)?def)\s",
    "go": r"\s*(?:func\b|type\s.*\b(?:struct|interface)\b)",
    "rs": (
        r"\s*(?:pub(?:\s*\([^)]*\))?\s+)?(?:(?:async|const|unsafe|extern(?:\s+\"[^\"]*\")?)\s+)*"
        r"(?:struct|enum|union|mod|trait|fn|impl|macro_rules!)[<\s][^;]*$"
    ),
    "rb": r"\s*(?:class|module|def)\s",
    "md mdx markdown": r" {0,3}#{1,6}(?:\s|$)",
    "php": (
        r"\s*(?:(?:(?:abstract|final|public|protected|private|static)\s+)*function\b|(?:(?:final|abstract)\s+)?"
        r"(?:class|enum|interface|trait)\b)"
    ),
    "sh bash": r"\s*(function\s+[\w.:-]+(?:\s*\(\s*\)|\s+\{)?|[\w.:-]+\s*\(\s*\))",
    "c cc cpp cxx h hpp hh": r"(?![\s]*[A-Za-z_]\w*:\s*(?:$|/[/*]))(?:::\s*)?[A-Za-z_]",
    "css scss": r"(?!.*;\s*$)[_a-zA-Z0-9.#@:\[*&>~+-]",
}
_BY_EXTENSION = {
    name: re.compile(pattern) for names, pattern in _HEADS.items() for name in names.split()
}
_FALLBACK = re.compile(r"[A-Za-z_$]")


def enclosing(path: str, text: str, offset: int) -> str:
    """The head line above `offset`, the place where a line of the text begins; "" when there is
    none.
    """
    head = _BY_EXTENSION.get(path.rpartition(".")[2].lower(), _FALLBACK)
    for line in reversed(text[: max(0, offset - 1)].rsplit("\n", _MOST_LINES)[-_MOST_LINES:]):
        result = head.match(line) if line else None
        if result:  # the group is what git shows, where that is not the line
            return (result[1] if head.groups else line).strip()[:_WIDTH].rstrip()
    return ""
