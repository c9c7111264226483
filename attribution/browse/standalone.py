"""Self-contained pages without scripts: the overview of every repository in a database, and its
breakdown.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from importlib import resources
from importlib.util import find_spec
from typing import Any
from urllib.parse import quote

from attribution.addresses import Addresses, Place
from attribution.browse import charts, describe, tables, words
from attribution.browse.pages import session_values
from attribution.browse.requests import PageRequest
from attribution.queries.breakdown import NOT_TO_CONCLUDE, Breakdown
from attribution.queries.overview import (
    CLASSES,
    Overview,
    months,
    overview,
    repositories,
    sum_by_class,
    survival_table,
)
from attribution.queries.session_page import session_page
from collector.console.tables import CLASSES as CLASSES_CELL
from collector.console.tables import html
from collector.errors import WhoWroteError
from collector.json_values import Numbers, Row
from collector.runtime.version import install_command, version
from collector.storage.store import Store
from collector.storage.views import Table


def html_pages(store: Store, index: str) -> Iterator[tuple[str, str]]:
    """(file, page): one page of a single repository; of several the index, and a page of each in a
    directory beside it.

    `index` is the name of the first file; the others are relative to it. Raises WhoWroteError when
    Jinja2 is missing or the database is empty.
    """
    repos, overviews = every_overview(store)
    single = len(overviews) == 1
    directory = index.rpartition(".")[0] or f"{index}-pages"
    if not single:
        table = tables.repository_html(
            repos, lambda name: f"{quote(directory)}/{quote(_file_of(name))}"
        )
        totals = sum_by_class(repos)
        yield (
            index,
            page(
                "whowrote_report.html",
                o=None,
                table=table,
                totals=totals,
                months=months(store),
                base="",
                a=None,
            ),
        )
    for item in overviews:
        values = {
            "show": tables.section_html,
            "kinds_html": tables.kinds_html,
            "survival": tables.survival_html(survival_table(store, item.repo.id)),
            "more": partial(tables.added_sections, store, Addresses("")),
            "up": "" if single else f"../{quote(index)}",
        }
        file = index if single else f"{directory}/{_file_of(item.repo.name)}"
        yield file, page("whowrote_report.html", o=item, base="", a=None, **values)


def _file_of(repository: str) -> str:
    """No two repositories have the same."""
    return f"{quote(repository, safe=' ').replace('%2F', '+')}.html"


_OF_GROUPS = (
    "coverage",
    "lines=lines added",
    "commits",
    f"{CLASSES_CELL}=by class",
    "agent_share=agents by record",
    "agent_or_declared_share=or declared",
    "agent_kept_30_days?=agents’ lines kept 30 days",
    "undeclared_kept_30_days?=undeclared lines kept 30 days",
    "agent_at_head?=agents’ lines at HEAD",
    "cost_usd?=cost",
    "cost_per_line_at_head?=USD per line at HEAD",
    "findings_per_1000?=weaknesses per 1,000 lines of agents",
)


def _class_lines(row: Row) -> Numbers:
    return {name: row[f"{name}_lines"] for name in CLASSES}


def _bar(row: Row) -> str:
    return tables.small_bar(_class_lines(row))


def breakdown_html(breakdown: Breakdown) -> str:
    """The page of a breakdown. Raises WhoWroteError when Jinja2 is missing."""
    by = breakdown.options.by
    rows = breakdown.table.rows
    known = {name for row in rows for name, value in row.items() if value is not None}
    numbers = {name: value if name in known else None for name, value in breakdown.whole.items()}
    whole = {**dict.fromkeys(by), by[0]: "all", **numbers}
    table = replace(breakdown.table, rows=[*rows, whole])
    return page(
        "whowrote_breakdown.html",
        b=breakdown,
        table=html(table, [*by, *_OF_GROUPS], {CLASSES_CELL: _bar}),
        classes=_class_lines,
        warnings=NOT_TO_CONCLUDE,
        a=None,
    )


_TURNS = 100_000  # on one page
_LINK = re.compile(r'<a href="(?!#)[^"]*">(.*?)</a>', re.DOTALL)


def session_html(store: Store, session_id: int) -> str:
    """The page of a session, without links to other pages. Raises WhoWroteError when Jinja2 is
    missing.
    """
    shown = page(
        "whowrote_session.html", parent="whowrote_alone.html", **_session_shown(store, session_id)
    )
    return _LINK.sub(r"\1", shown)


def session_markdown(store: Store, session_id: int) -> str:
    """The same as Markdown: what people and agents said and wrote stands in code blocks, without
    its secrets. Raises WhoWroteError when Jinja2 is missing.
    """
    return page("whowrote_session.md", **_session_shown(store, session_id))


def _session_shown(store: Store, session_id: int) -> Row:
    shown = session_page(store, session_id, most=_TURNS)
    assert shown is not None, "its number is from the database"
    to = Addresses("")
    request = PageRequest(store, Place(shown.repo.name, "session", ""), {}, to, shown.repo)
    return {"a": to, **session_values(request, shown, _TURNS)}


def page(template: str, **values: Any) -> str:
    """A template of the pages, or of a plug-in, with its styles in it.

    Raises WhoWroteError when Jinja2 is missing.
    """
    if find_spec("jinja2") is None:
        raise WhoWroteError(
            "Jinja2 is not installed", f"Install it with whowrote: {install_command('browse')}"
        )
    import jinja2

    env = jinja2.Environment(
        loader=jinja2.FileSystemLoader(describe.files("templates")),
        autoescape=template.endswith(".html"),
        trim_blocks=template.endswith(".md"),
    )
    words.teach(env)
    style = resources.files("attribution.browse").joinpath("static/whowrote.css").read_text("utf-8")
    return env.get_template(template).render(
        style=style, charts=charts, version=version(), **values
    )


def every_overview(store: Store) -> tuple[Table, list[Overview]]:
    """All repositories, and the overview of each."""
    repos = repositories(store)
    if not len(repos):
        raise WhoWroteError(
            f"{store.path} has no repository yet", "Attribute one with: whowrote repo PATH"
        )
    return repos, [
        details for repo in repos if (details := overview(store, repo["repo_id"])) is not None
    ]
