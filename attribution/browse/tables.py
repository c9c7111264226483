"""The tables that several pages and the standalone report have, and their cells: links, bars.

All text is escaped here.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from html import escape

from attribution import hooks
from attribution.addresses import Addresses
from attribution.browse import charts, words
from attribution.queries.coverage import AgentShare
from attribution.queries.overview import Section
from collector.console.formats import cut
from collector.console.tables import Cell, TableHtml, html
from collector.json_values import Numbers, Row
from collector.storage.store import Store
from collector.storage.views import Column, Table
from collector.vocabulary.agents import label_of
from collector.vocabulary.lines import LINE_CLASSES


def link(address: str, value: object, most: int = 90, **attributes: str) -> str:
    """A link with a text that is safe and short."""
    more = "".join(f' {name}="{escape(text)}"' for name, text in attributes.items())
    return f'<a href="{escape(address)}"{more}>{text(value, most)}</a>'


def text(value: object, most: int = 90) -> str:
    """Any value on one line, safe and short."""
    return escape(cut(value, most))


def dim(value: object, most: int = 90) -> str:
    return f'<span class="dim">{text(value, most)}</span>'


def bar(row: Row) -> str:
    """The lines of a row by class as a small bar; those at HEAD may be older than the followed
    history.
    """
    return small_bar({name: row.get(name) or 0 for name in (*LINE_CLASSES, "older")})


def small_bar(lines: Numbers) -> str:
    """Class -> lines as a small bar."""
    return f'<div class="mini">{charts.stacked_bar(lines, 160, 12)}</div>'


def author_cell(repo: str, to: Addresses, row: Row) -> str:
    """Class and agent of the lines of a row, and the session that wrote them, where there are
    pages to link to.
    """
    parts = [text((row["class"] or "").replace("_", " "))]
    if row["agent"]:
        parts.append(dim(label_of(row["agent"]) or row["agent"], 30))
    if row["session"] and to:
        parts.append(
            link(
                to.session(repo, row["session"], row.get("turn_index", row.get("turn"))), "session"
            )
        )
    return "<br>".join(parts)


def repository_html(repos: Table, address: Callable[[str], str]) -> str:
    """All repositories with links to their pages."""
    more = [
        Column("share", "", "lines that agents wrote, by record or declared"),
        Column("tip", "", "lines at HEAD by class"),
    ]
    table = replace(repos, columns=[*repos.columns, *more])
    columns = (
        "repo=repository, share=by agents, commits, sessions, agents, classes=lines added, "
        "tip=lines at HEAD, last_commit_at=last commit"
    )
    makers = {
        "repo": lambda row: link(address(row["repo"]), row["repo"]),
        "share": _share_cell,
        "classes": bar,
        "tip": lambda row: small_bar(row["tip"]) if row["tip"] else dim("not computed"),
    }
    return html(table, columns, makers)


def _share_cell(row: Row) -> str:
    share = AgentShare.of({name: row[name] for name in LINE_CLASSES})
    return words.percent(share.by_agents, share.lines)


def survival_html(table: Table) -> str:
    """Shares of lines that survive, as a table."""
    return html(
        table,
        (
            "author=class, horizon=days, share=share surviving, low=95 % from, high=to, "
            "at_risk=lines at risk"
        ),
    )


def kinds_html(table: Table) -> str:
    """Lines by kind of file."""
    return html(
        table,
        "kind, lines=lines added, agent=agent lines, classes=by class",
        {"classes": bar},
    )


def section_html(
    section: Section, links: Mapping[str, Mapping[str, Cell]] | None = None
) -> TableHtml:
    """A table of the overview; `links`: name of a table -> column -> its cells, where there are
    pages to link to.
    """
    own = {
        "classes": bar,
        "directory": lambda row: text(row["directory"] or "(root)"),
    }
    return html(
        section.table, section.columns, own | dict((links or {}).get(section.table.name, {}))
    )


def added_sections(store: Store, to: Addresses, repo_id: int) -> list[hooks.Section]:
    """What plug-ins add to the page of a repository."""
    return hooks.sections(store, hooks.OfRepository(repo_id, to))
