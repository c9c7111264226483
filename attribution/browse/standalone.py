"""Self-contained pages without scripts: the overview of every repository in a database, and its breakdown."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import partial
from importlib import resources
from importlib.util import find_spec
from typing import Any, NamedTuple

from attribution.browse import charts, tables, words
from attribution.browse.addresses import Addresses
from attribution.queries.breakdown import NOT_TO_CONCLUDE, Breakdown
from attribution.queries.commit import CommitSummary
from attribution.queries.overview import CLASSES, Overview, overview, repositories, sum_by_class, survival_table
from attribution.queries.pull_request import FileLines, PullRequest
from collector.errors import WhoWroteError
from collector.plugins import plugin_directories
from collector.runtime.version import version
from collector.storage.store import Store
from collector.storage.views import Table

_FILES = 40  # rows of a table in a comment
_MARKDOWN = """\
Non-blank lines added by commits. *agent*: a recorded edit or command of an agent wrote the line; *declared*: the commit names an
agent, but no recorded session shows its work; *human*: a person wrote it, with a witness; *likely_human*: a person as far as known;
*tool*: a program wrote it; *unknown*: evidence is missing; *undeclared*: nothing links the commit to an agent."""


def html(store: Store) -> str:
    """The page. Raises WhoWroteError when Jinja2 is missing or the database is empty."""
    shown = _everything(store)
    survivals = {item.repo.id: tables.survival_html(survival_table(store, item.repo.id)) for item in shown.overviews}
    return page(
        "whowrote_report.html", repos=shown.repositories, overviews=shown.overviews, totals=sum_by_class(shown.repositories),
        table=tables.repository_html(shown.repositories, "#{}".format), show=tables.section_html, kinds_html=tables.kinds_html,
        survivals=survivals, more=partial(tables.added_sections, store, to=Addresses("")), base="", a=None,
    )  # fmt: skip


def breakdown_html(found: Breakdown) -> str:
    """The page of a breakdown. Raises WhoWroteError when Jinja2 is missing."""
    return page("whowrote_breakdown.html", b=found, warnings=NOT_TO_CONCLUDE, a=None)


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


def markdown(store: Store) -> str:
    """The same in short, for a comment on a pull request or a README."""
    shown = _everything(store)
    parts = [f"| repository | commits | linked | {' | '.join(CLASSES)} |", "|---" + "|--:" * (2 + len(CLASSES)) + "|"]
    for repo, details in zip(shown.repositories, shown.overviews, strict=True):
        cells = [f"{repo[kind]:,} ({words.percent(repo[kind], repo['lines'])})" for kind in CLASSES]
        parts.append(f"| {cell(repo['repo'])} | {details.commits:,} | {details.linked:,} | {' | '.join(cells)} |")
    parts += ["", "Source and test files only.", "", *_coverage(shown.overviews), _MARKDOWN, *_audited()]
    return "\n".join(parts) + "\n"


def markdown_of(found: PullRequest, prompts: bool = False) -> str:
    """The lines of some commits by class, commit by commit and file by file, their sessions, what plug-ins add: for a pull request.

    `prompts`: with the beginning of each session's first prompt.
    """
    totals, every = found.lines, sum(found.lines.values())
    head = ", ".join(f"**{words.percent(lines, every)}** {kind}" for kind, lines in totals.items() if lines)
    note = [f"{found.missing} commits are not in the database.", ""] if found.missing else []
    counted = f"Lines added in source and test files: {every:,}, {head or 'no non-blank lines'}."
    commits = _class_table("commit", "sessions", [_commit_row(commit, prompts) for commit in found.commits])
    parts = [counted, "", *note, *commits, "", *_file_table(found.files), *found.sections, _MARKDOWN, *_audited()]
    return "\n".join(parts) + "\n"


def badge(percent: float | None) -> str:
    """The share of agents for an endpoint badge of shields.io, as JSON; no number where no session is on record."""
    message = "no records" if percent is None else f"{percent:.0f} %"
    colour = "lightgrey" if percent is None else "blue"
    return json.dumps({"schemaVersion": 1, "label": "lines by agents", "message": message, "color": colour}) + "\n"


def _class_table(first: str, last: str, rows: Sequence[str]) -> list[str]:
    head = f"| {first} | {' | '.join(CLASSES)} |{f' {last} |' if last else ''}"
    return [head, "|---" + "|--:" * len(CLASSES) + f"|{'---|' if last else ''}", *rows]


def _file_table(files: Sequence[FileLines]) -> list[str]:
    rows = [f"| {cell(file.path)} | {_cells(file.lines)} |" for file in files[:_FILES]]
    more = [f"{len(files) - _FILES:,} more files.", ""] if len(files) > _FILES else []
    return [*_class_table("file", "", rows), "", *more] if rows else []


def _audited() -> list[str]:
    """How often the classes are right, as a paragraph of its own."""
    note = words.audited()
    return ["", note] if note else []


def _coverage(overviews: Sequence[Overview]) -> list[str]:
    """The share of lines with a named author, where commits have any sign of an agent."""
    found = [(o.repo.name, o.headline.coverage[0]) for o in overviews if o.headline.coverage[0].lines]
    cells = [f"{cell(name)} {words.percent(item.attributed, item.lines)} of {item.lines:,}" for name, item in found]
    return [f"Coverage, lines with a named author in commits with any sign of an agent: {', '.join(cells)}.", ""] if cells else []


def _commit_row(summary: CommitSummary, prompts: bool) -> str:
    row = summary.row
    names = [
        cell(s["agent"] or "agent") + (f": {cell(words.line(s['label'], 60))}" if prompts else "") for s in summary.sessions[:3]
    ]
    sessions = "; ".join(dict.fromkeys(names))
    return f"| `{row['commit_sha'][:9]}` {cell(words.line(row['subject'], 70))} | {_cells(row)} | {sessions} |"


def _cells(lines: Mapping[str, int]) -> str:
    return " | ".join(f"{lines[kind]:,}" if lines.get(kind) else "" for kind in CLASSES)


class _Everything(NamedTuple):
    repositories: Table
    overviews: list[Overview]  # of the same repositories


def _everything(store: Store) -> _Everything:
    repos = repositories(store)
    if not len(repos):
        raise WhoWroteError(f"{store.path} has no repository yet", "Attribute one with: whowrote repo PATH")
    return _Everything(repos, [details for repo in repos if (details := overview(store, repo["repo_id"])) is not None])


# What GitHub makes links of, also where Markdown's own signs are escaped: names, numbers, commits, addresses.
_REFERENCES = re.compile(r"@(?=\w)|#(?=\d)|\bGH-(?=\d)|://|\bwww(?=\.)|\b[0-9a-f]{6}(?=[0-9a-f])", re.IGNORECASE)
_NOTHING = "<!-- -->"  # not shown, and no word goes on over it


def cell(text: str) -> str:
    """Text in a table that is text: nothing in it is a link, mentions somebody or refers to an issue or commit."""
    marked = _REFERENCES.sub(lambda match: match[0] + "\0", words.line(text, 200))
    safe = re.sub(r"([\\`*_\[\]!@#~|])", r"\\\1", marked.replace("&", "&amp;").replace("<", "&lt;"))
    return safe.replace("\0", _NOTHING)
