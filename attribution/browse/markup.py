"""Texts of repositories and agents as safe markup: highlighted source, rendered Markdown. Pure.

Both escape whatever they are given. What a lexer may cost is bounded, since the text is hostile: usual languages, no long lines, a
limited length, a limited number of tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from html import escape
from itertools import islice
from typing import Any

from collector.console.formats import source
from collector.text import printable

_SIZE, _LINE, _TOKENS = 400_000, 2_000, 200_000  # characters of a file and of a line, tokens
_MARKDOWN = 50_000  # characters
# Suffix -> lexer of pygments.
_LEXERS = {
    "py": "python", "pyi": "python", "js": "javascript", "mjs": "javascript", "cjs": "javascript", "jsx": "jsx", "ts": "typescript",
    "tsx": "tsx", "rs": "rust", "go": "go", "java": "java", "kt": "kotlin", "swift": "swift",
    "c": "c", "h": "c", "cc": "cpp", "cpp": "cpp",
    "hpp": "cpp", "cs": "csharp", "rb": "ruby", "php": "php", "sh": "bash", "bash": "bash", "zsh": "bash", "sql": "sql",
    "css": "css",
    "scss": "scss", "html": "html", "vue": "html", "svelte": "html", "xml": "xml", "json": "json", "yaml": "yaml", "yml": "yaml",
    "toml": "toml",
    "ini": "ini", "md": "markdown", "ex": "elixir", "exs": "elixir", "dart": "dart", "lua": "lua", "scala": "scala",
}  # fmt: skip


def highlight(path: str, texts: Sequence[str]) -> list[str] | None:
    """Each line as HTML with classes of pygments; None where the text is not highlighted."""
    name = _LEXERS.get(path.rpartition("/")[2].rpartition(".")[2].lower())
    lines_of_text = [source(text) for text in texts]
    if name is None or sum(map(len, lines_of_text)) > _SIZE or any(len(text) > _LINE for text in lines_of_text):
        return None
    from pygments.lexers import get_lexer_by_name
    from pygments.token import STANDARD_TYPES

    lexer = get_lexer_by_name(name, stripnl=False, ensurenl=True)
    lines: list[list[str]] = [[]]
    tokens = list(islice(lexer.get_tokens("\n".join(lines_of_text)), _TOKENS + 1))
    if len(tokens) > _TOKENS:
        return None
    for kind, text in tokens:
        while kind not in STANDARD_TYPES:
            kind = kind.parent
        style = STANDARD_TYPES[kind]
        for number, part in enumerate(text.split("\n")):
            if number:
                lines.append([])
            if part:
                lines[-1].append(f'<span class="{style}">{escape(part)}</span>' if style else escape(part))
    return ["".join(line) for line in lines[: len(texts)]] if len(lines) >= len(texts) else None


@cache
def _reader() -> Any:
    from markdown_it import MarkdownIt

    # No HTML, no images, no links: a text of an agent loads nothing and leads nowhere.
    return (
        MarkdownIt("commonmark", {"html": False, "linkify": False})
        .enable("table")
        .disable(["image", "link", "autolink", "reference"])
    )


def render_markdown(text: str | None) -> str:
    """Markdown as HTML without links, images and markup of its own."""
    visible = printable(text or "")
    cut = f"<p class='dim'>{len(visible) - _MARKDOWN:,} more characters</p>" if len(visible) > _MARKDOWN else ""
    return str(_reader().render(visible[:_MARKDOWN])) + cut
