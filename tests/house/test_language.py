"""Everything a user reads is in plain English: phrases that this project used to have and that
no native speaker would write.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent

# Pattern -> what to write instead.
CALQUES = {
    r"(?<!there )\b(is|are|was|were|be) no (?!more|less|different|[a-z]+er\b|worse)[a-z]": (
        "is not a"
    ),
    r"\bso many\b": "a number: N commits, at least that many",
    r"\b(for|after|before|seen|observed|live|lived) so long\b": "that long",
    r"\bdrawn?\b(?= (at random|evenly|by|from|with|for|in|\d|N\b))|\bfor drawing\b|\bto draw\b": (
        "sample"
    ),
    r"\bof (ours|yours|theirs)\b": "our, your, their",
    r"\banew\b": "again",
    r"\b(told|tell|counted|kept|shown|listed|named|attempts|runs?|stands?|comes?) apart\b": (
        "separately, distinguish"
    ),
    r"\b(is|are) told\b(?! to)": "is given, is shown",
    r"\bmend(s|ed|ing)?\b": "fix",
    r"\blines? with text\b": "non-blank line",
    r"\b(at|of|to) the tip\b": "HEAD",
    r"\b(say|says|said|speak|speaks) (nothing )?of\b": "mention",
    r"\btoo sure\b|\btak(e|es|en|ing) \w+ as independent\b": "assumes independence",
    r"\bpromises? of\b": "invariant",
    r"\bwho ends?\b": "who removes",
    r"\bof today\b": "current",
    r"\ba bug of\b": "a bug in",
    r"\b(is|are|was|were) no(thing|body) but\b": "is only",
}
_ALLOWED: set[tuple[str, str]] = set()  # (file, words): quotations


def _pages() -> list[Path]:
    folders = [
        ROOT,
        *(ROOT / name for name in ("docs", "docs/decisions", "docs/templates", "docs/examples")),
    ]
    found = [
        path
        for folder in folders
        for path in sorted(folder.glob("*.md")) + sorted(folder.glob("*.yml"))
    ]
    found += sorted((ROOT / ".github").rglob("*.yml")) + sorted((ROOT / ".github").rglob("*.md"))
    return found + sorted((ROOT / "attribution").glob("*/templates/*.html"))


def _texts(path: Path) -> Iterator[str]:
    """Strings of a module that are sentences, docstrings left out: messages, titles,
    descriptions.
    """
    tree = ast.parse(path.read_text("utf-8"))
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in docstrings
            and " " in node.value
        ):
            yield node.value


def _complaints(name: str, text: str) -> list[str]:
    words = " ".join(text.split())
    found = [
        (match[0], better)
        for pattern, better in CALQUES.items()
        for match in re.finditer(pattern, words, re.I)
    ]
    return [f"{name}: {said!r}: {better}" for said, better in found if (name, said) not in _ALLOWED]


_PACKAGES = sorted(
    {
        path.parent
        for name in ("attribution", "collector", "whowrote")
        for path in (ROOT / name).rglob("*.py")
    }
)


def _names(paths: Iterable[Path]) -> list[str]:
    return [path.relative_to(ROOT).as_posix() for path in paths]


@pytest.mark.parametrize("page", _names(_pages()))
def test_pages(page: str) -> None:
    assert _complaints(page, (ROOT / page).read_text("utf-8")) == []


@pytest.mark.parametrize("package", _names(_PACKAGES))
def test_messages(package: str) -> None:
    texts = [
        (path.name, text) for path in sorted((ROOT / package).glob("*.py")) for text in _texts(path)
    ]
    assert [
        complaint for name, text in texts for complaint in _complaints(f"{package}/{name}", text)
    ] == []
