"""What the templates need beyond the values: filters that make texts safe and short, and rows of a
file. Pure.

Texts of repositories and transcripts are escaped by Jinja as HTML; `safe` also makes visible what
would reorder or hide text.

Source and Markdown escape whatever they are given. What a lexer may cost is bounded, since the text
is hostile: usual languages, no long lines, a limited length, a limited number of tokens.
"""

import html
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import Any

from attribution.browse.charts import NAMES
from attribution.lineage import minimum
from attribution.queries.explain import earlier_words
from attribution.queries.tip_file import TipFile, TipSpan
from attribution.stats.accuracy import audited_note
from collector.console import formats
from collector.console.formats import LETTER, MEANING, cut, source
from collector.json_values import Numbers
from collector.storage.redaction import secrets_out
from collector.text import count_of, printable, split_names
from collector.vocabulary.agents import label_of

# characters of a file and of a line, tokens
_SIZE = 400_000
_LINE = 2_000
_TOKENS = 200_000
_MARKDOWN = 50_000  # characters
# Suffixes of the languages that are coloured, and those whose lexer pygments does not choose by
# them.
_COLOURED = split_names(
    "py, pyi, js, mjs, cjs, jsx, ts, tsx, rs, go, java, kt, swift, c, h, cc, cpp, hpp, cs, rb, "
    "php, sh, bash, zsh, css, scss, html, xml, json, yaml, yml, toml, ini, md, ex, exs, dart, lua, "
    "scala"
)
_NAMED = {"sql": "sql", "vue": "html", "svelte": "html"}


# What pygments calls it in its style sheets -> what it has the colour of; others are coloured by
# their first letter, or not at all.
_COLOURS = {"nf": "f", "nc": "f", "fm": "f", "nd": "f", "ow": "k", "nt": "k", "dl": "s", "il": "m"}
_SPAN = re.compile(r'<span class="(\w+)[^"]*">(.*?)</span>')


def highlight(path: str, texts: Sequence[str]) -> list[str] | None:
    """Each line as HTML with classes k, s, c, m, f of what has a colour; None where the text is
    not highlighted.
    """
    suffix = path.rpartition("/")[2].rpartition(".")[2].lower()
    lines_of_text = [source(text) for text in texts]
    if (
        suffix not in (*_COLOURED, *_NAMED)
        or sum(map(len, lines_of_text)) > _SIZE
        or any(len(text) > _LINE for text in lines_of_text)
    ):
        return None
    import pygments
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import get_lexer_by_name, get_lexer_for_filename

    if suffix in _NAMED:
        lexer = get_lexer_by_name(_NAMED[suffix], stripnl=False, ensurenl=True)
    else:
        lexer = get_lexer_for_filename(f".{suffix}", stripnl=False, ensurenl=True)
    tokens = list(islice(lexer.get_tokens("\n".join(lines_of_text)), _TOKENS + 1))
    lines = _SPAN.sub(_colour_span, pygments.format(tokens, HtmlFormatter(nowrap=True))).split(
        "\n"
    )[: len(texts)]
    return lines if len(tokens) <= _TOKENS and len(lines) == len(texts) else None


def _colour_span(span: re.Match[str]) -> str:
    style, text = span.groups()
    colour = _COLOURS.get(style, style[:1])
    return f"<i class={colour}>{text}</i>" if colour in "kscmf" else text


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
    cut = (
        f"<p class='dim'>{count_of(len(visible) - _MARKDOWN, 'more character')}</p>"
        if len(visible) > _MARKDOWN
        else ""
    )
    return str(_reader().render(visible[:_MARKDOWN])) + cut


# what is markup within a line
_MARKUP = re.compile(r"[\\`*_\[\]~|!@#]|:(?=//)|(?<=www)\.", re.IGNORECASE)


def fence(text: str, language: str = "") -> str:
    """A code block of Markdown, whatever stands in the text; secrets taken out."""
    shown = secrets_out(printable(text))
    marks = "`" * max(3, 1 + max(map(len, re.findall("`+", shown)), default=0))
    return f"\n{marks}{language}\n{shown}\n{marks}\n"


def escape_markdown(value: object) -> str:
    """Text within a line that is no markup; secrets taken out."""
    line = " ".join(secrets_out(safe(value)).split())
    return html.escape(_MARKUP.sub(r"\\\g<0>", line), quote=False)


NOTHING = "–"


def safe(value: object) -> str:
    """Any value as text without control and direction characters."""
    return printable(str(value)) if value is not None else ""


def number(value: float | None) -> str:
    return formats.number(value) or NOTHING


def percent(part: float | None, whole: float | None) -> str:
    return formats.percent(part, whole) or NOTHING


def minute(moment: str | None) -> str:
    return formats.minute(moment or "") or NOTHING


def part(lines: Any, whole: Any) -> str:
    """A share of lines by what became of them; of few lines there is none."""
    return "" if minimum.part_of(lines, whole) is None else percent(lines, whole)


def accuracy_sentence() -> str:
    """How often the classes are right, as a sentence; "" when nobody read any."""
    note = audited_note("agent", "declared", "human", "likely_human", "tool")
    return f"{note[:1].upper()}{note[1:]}." if note else ""


def in_order(parts: Numbers) -> Numbers:
    """Classes in their order, without those that are empty."""
    return {k: parts[k] for k in NAMES if parts.get(k)}


def file_runs(file: TipFile, first: int, most: int, chosen: int) -> list[TipSpan]:
    """The spans of lines `first` to `first + most - 1`; one ends at the chosen line, which is
    explained below it.
    """
    runs = []
    for span in file.spans:
        start = max(span.start, first)
        end = min(span.end, first + most - 1)
        for last in (chosen, end) if start <= chosen < end else (end,):
            runs += [replace(span, start=start, end=last)] if start <= last else []
            start = last + 1
    return runs


def teach(env: Any) -> None:
    """Gives a Jinja environment the filters and names of the templates."""
    filters = {
        "ww_safe": safe,
        "ww_line": cut,
        "ww_agent": lambda slug: label_of(slug or ""),
        "ww_number": number,
        "ww_count": count_of,
        "ww_minute": minute,
        "ww_source": formats.source,
        "ww_known": in_order,
        "ww_markdown": render_markdown,
        "ww_fence": fence,
        "ww_md": escape_markdown,
    }
    env.filters.update(filters)
    env.globals.update(
        {
            "ww_percent": percent,
            "ww_letter": LETTER,
            "ww_name": NAMES,
            "ww_meaning": MEANING,
            "ww_accuracy": accuracy_sentence,
            "ww_part": part,
            "ww_earlier": earlier_words,
            "ww_least": minimum.SHARE,
        }
    )
