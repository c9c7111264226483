"""Self-contained pages without scripts: the overview of every repository in a database, and its breakdown."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from importlib import resources
from importlib.util import find_spec
from typing import Any

from attribution.browse import charts, tables, words
from attribution.browse.addresses import Addresses
from attribution.queries.breakdown import NOT_TO_CONCLUDE, Breakdown
from attribution.queries.overview import CLASSES, Overview, overview, repositories, sum_by_class, survival_table
from collector.errors import WhoWroteError
from collector.plugins import plugin_directories
from collector.runtime.version import version
from collector.storage.store import Store
from collector.storage.views import Table


def html(store: Store) -> str:
    """The page. Raises WhoWroteError when Jinja2 is missing or the database is empty."""
    repos, overviews = every_overview(store)
    survivals = {item.repo.id: tables.survival_html(survival_table(store, item.repo.id)) for item in overviews}
    return page(
        "whowrote_report.html", repos=repos, overviews=overviews, totals=sum_by_class(repos),
        table=tables.repository_html(repos, "#{}".format), show=tables.section_html, kinds_html=tables.kinds_html,
        survivals=survivals, more=partial(tables.added_sections, store, to=Addresses("")), base="", a=None,
    )  # fmt: skip


def breakdown_html(breakdown: Breakdown) -> str:
    """The page of a breakdown. Raises WhoWroteError when Jinja2 is missing."""
    return page("whowrote_breakdown.html", b=breakdown, classes=_class_lines, warnings=NOT_TO_CONCLUDE, a=None)


def _class_lines(row: Mapping[str, Any]) -> dict[str, int]:
    return {name: row[f"{name}_lines"] for name in CLASSES}


def page(template: str, **values: Any) -> str:
    """A template of the pages, or of a plug-in, with its styles in it. Raises WhoWroteError when Jinja2 is missing."""
    if find_spec("jinja2") is None:
        raise WhoWroteError("Jinja2 is not installed", "Install it with whowrote: pip install 'whowrote[browse]'")
    import jinja2

    folders = [directory / "templates" for directory in plugin_directories().values()]
    loaders = [jinja2.PackageLoader("attribution.browse"), jinja2.FileSystemLoader(folders)]
    env = jinja2.Environment(loader=jinja2.ChoiceLoader(loaders), autoescape=True)
    words.teach(env)
    style = resources.files("attribution.browse").joinpath("static/whowrote.css").read_text("utf-8")
    return env.get_template(template).render(style=style, charts=charts, version=version(), **values)


def every_overview(store: Store) -> tuple[Table, list[Overview]]:
    """All repositories, and the overview of each."""
    repos = repositories(store)
    if not len(repos):
        raise WhoWroteError(f"{store.path} has no repository yet", "Attribute one with: whowrote repo PATH")
    return repos, [details for repo in repos if (details := overview(store, repo["repo_id"])) is not None]
