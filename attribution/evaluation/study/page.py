"""A study as a self-contained page, and as Markdown: every table, and what of the paper has no counterpart."""

from __future__ import annotations

from collections.abc import Sequence

from attribution.browse.comment import cell
from attribution.browse.standalone import page
from collector.console.tables import cell_text
from collector.console.tables import html as table_html
from collector.storage.views import Table

NOT_COMPARED = (
    "The 59 % of the second version's abstract that survive: its text gives no definition, so nothing here can stand beside it.",
    "The second version's share of collaborative sessions: its abstract names the other two only.",
    "Tokens and cost: the paper names neither its prices nor which tokens it counts. Ours are list prices of recorded tokens.",
    "Weaknesses: the paper scanned whole trees with the rules of Semgrep's server on that day, which nobody can run "
    "again. Its rate of vibe-coded commits rests on at most 5.8 % of the added lines, as its own table implies.",
    "Sessions with a clean mapping: 48.6 % in the paper, whose rule is not given. Ours asks for one session, one "
    "commit and no squash.",
    "Human deletion: the paper counts lines that were not committed, whoever removed them. Ours names a person only "
    "with a witness.",
    "Pushback, intent, persona, success, domain and audience need a judge; without labels in the database their table is empty.",
    "Figures without printed numbers: ours stand alone where the data allow it (tools by position, languages of prompts, "
    "modes over time); reading values off the paper's pictures would invent precision.",
    "Semgrep rules by number of findings: the paper's are the server's rules of that day, ours are other rules "
    "(`whowrote findings`).",
)
"""What of the paper has no counterpart here, with the reason."""


def html(tables: Sequence[Table]) -> str:
    """The page. Raises WhoWroteError when Jinja2 is missing."""
    return page("whowrote_study_report.html", tables=tables, missing=NOT_COMPARED, show=table_html)


def markdown(tables: Sequence[Table]) -> str:
    parts = []
    for table in tables:
        parts += [f"## {table.title}", ""]
        if table.rows:
            names = [column.name for column in table.columns]
            parts += [f"| {' | '.join(cell(name.replace('_', ' ')) for name in names)} |", "|" + "---|" * len(names)]
            cells = ([cell(cell_text(column, row[column.name])) for column in table.columns] for row in table)
            parts += [f"| {' | '.join(row)} |" for row in cells]
        else:
            parts.append("No data.")
        parts += ["", *(line for note in table.notes for line in (note, ""))]
    parts += ["## What is not compared, and why", "", *(f"- {sentence}" for sentence in NOT_COMPARED)]
    return "\n".join(parts) + "\n"
