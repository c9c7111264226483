"""The page of a repository about its fixes: what they repaired, and the prompt that introduced
it.
"""

from functools import partial

from attribution.addresses import Addresses
from attribution.browse.requests import PageRequest, Shown
from attribution.browse.tables import author_cell, dim, link, text
from attribution.culprit.queries.culprits import culprit_table, stored_fixes, summary
from collector.console.tables import Cell, html
from collector.json_values import Row
from collector.storage.views import Table
from collector.text import count_of

_MOST = 100  # fixes on the page
_HINT = "Not every line that a fix changes was wrong. "
_NOTHING = '<p class="note">No fix was traced yet. Run: whowrote culprit PATH --all</p>'


def repairs_page(request: PageRequest) -> Shown:
    """The latest fixes of agents' lines; with `author=all` of everybody's."""
    every = request.text("author") == "all"
    traced = stored_fixes(request.store, request.repository.id)
    shown = [fix for fix in traced if every or fix.by_agents][:_MOST]
    address = partial(request.to.repo, request.place.repo, "repairs")
    other = (
        link(address(), "only lines of agents")
        if every
        else link(address(author="all"), "lines of everybody")
    )
    notes = f'<p class="dim">{text(" ".join(summary(traced)), 300)}. {_HINT}{other}</p>'
    table = _table(culprit_table(request.store, shown), request.place.repo, request.to)
    parts = [notes, table] if traced else [_NOTHING]
    return Shown(
        "whowrote_plain.html", {"heading": "What fixes repaired", "kind": "repairs", "parts": parts}
    )


def _table(table: Table, repo: str, to: Addresses) -> str:
    makers: dict[str, Cell] = {
        "fix": partial(_fix_cell, repo, to),
        "introduced_by": partial(_commit_cell, repo, to),
        "path": partial(_place_cell, repo, to),
        "class": partial(author_cell, repo, to),
        "prompt": lambda row: text(row["prompt"], 300),
        "outcome": lambda row: text(row["outcome"].replace("_", " ")),
    }
    columns = (
        "fix, path=what it repaired, class=written by, prompt, introduced_by=in, "
        "days=lived days, outcome=traced by"
    )
    return html(table, columns, makers) if table.rows else "<p>No fix repaired such a line.</p>"


def _fix_cell(repo: str, to: Addresses, row: Row) -> str:
    subject = row["subject"] or row["fix"][:9]
    return f"{link(to.commit(repo, row['fix']), subject, 70)}<br>{dim(row['tier'])}"


def _commit_cell(repo: str, to: Addresses, row: Row) -> str:
    if not row["introduced_by"]:
        return ""
    likely = f"<br>{dim('likely the culprit')}" if row["likely"] else ""
    return f"{link(to.commit(repo, row['introduced_by']), row['introduced_at'][:10])}{likely}"


def _place_cell(repo: str, to: Addresses, row: Row) -> str:
    if not row["path"]:
        return ""
    address = f"{to.file(repo, row['path'], row['introduced_by'], line=row['line'])}#L{row['line']}"
    lines = dim(count_of(row["lines"], "line"))
    return f"{link(address, row['path'] + ':' + str(row['line']), 60)}<br>{lines}"
