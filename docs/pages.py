"""Makes pages from templates: prose from docs/templates/*.md, numbers and tables from
docs/generate.py and benchmarks/*.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

DOCS = Path(__file__).parent
_PLACE = re.compile(r"\{\{ (\w+) \}\}")


def fill(template: str, values: Mapping[str, object]) -> str:
    """The text of docs/templates/TEMPLATE with every `{{ name }}` replaced.

    Raises KeyError for a name without a value, and for a value that the template does not use.
    """
    text = (DOCS / "templates" / template).read_text("utf-8")
    used = set(_PLACE.findall(text))
    if unused := set(values) - used:
        raise KeyError(f"docs/templates/{template} does not use {', '.join(sorted(unused))}")
    return _PLACE.sub(lambda place: str(values[place[1]]).rstrip("\n"), text)


def fill_each(templates: Sequence[str], values: Mapping[str, object]) -> dict[str, str]:
    """Template -> its text, for templates that share values. Raises KeyError as `fill`, for a
    value that none of them uses.
    """
    used = {
        name: set(_PLACE.findall((DOCS / "templates" / name).read_text("utf-8")))
        for name in templates
    }
    if unused := set(values) - set().union(*used.values()):
        raise KeyError(f"no template uses {', '.join(sorted(unused))}")
    return {name: fill(name, {key: values[key] for key in used[name]}) for name in templates}


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; `|` in cells is escaped."""
    lines = [_row(header), "|" + "---|" * len(header), *(_row(row) for row in rows)]
    return "\n".join(lines)


def _row(cells: Sequence[object]) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"
