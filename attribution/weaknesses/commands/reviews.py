"""The commands of people who read findings: samples and verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from attribution.weaknesses.commands.options import COLUMNS, filter_options, write_file
from attribution.weaknesses.words import ReviewVerdict
from collector.console.tables import print_table
from collector.console.terminal import csv_text, data_options, database_option, notice, out

if TYPE_CHECKING:
    from attribution.weaknesses.queries.findings import FindingFilter
    from collector.storage.store import Store

_ANSWERS = {verdict[0]: verdict for verdict in ReviewVerdict}


@click.command()
@click.argument("count", type=click.IntRange(1), metavar="N")
@click.option("--seed", default=1, show_default=True, help="Random seed.")
@filter_options
@database_option
@data_options
def sample(selection: FindingFilter, count: int, seed: int, db: Path, output_format: str) -> None:
    """Sample N findings for review.

    The sample is balanced over repositories, tiers, authors and rules.
    """
    from attribution.weaknesses.queries.findings import findings
    from attribution.weaknesses.queries.findings import sample as draw
    from collector.storage.store import Store

    with Store(db, create=False) as store:
        table = findings(store, None, selection)
    table.rows = draw(table, count, seed)
    print_table(output_format, table, COLUMNS)


@click.command()
@click.option("--reviewer", default="", metavar="NAME", help="Name of the reviewer (required for interactive review).")
@click.option("--sample", "count", type=click.IntRange(1), default=20, show_default=True, help="Number of findings to sample.")
@click.option("--export", type=click.Path(dir_okay=False, path_type=Path), metavar="CSV", help="Write all reviews to a file.")
@click.option(
    "--import",
    "import_from",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="CSV",
    help="Import reviews from a file.",
)
@filter_options
@database_option
def review(selection: FindingFilter, reviewer: str, count: int, export: Path | None, import_from: Path | None, db: Path) -> None:
    """Review findings one by one.

    Answer whether each is a real weakness: t(rue), f(alse), u(nsure), s(kip), q(uit). Reviews are stored under your name and
    survive later scans of the repository.
    """
    from attribution.weaknesses.queries.findings import findings
    from attribution.weaknesses.queries.findings import sample as draw
    from attribution.weaknesses.queries.reviews import import_reviews, reviews
    from collector.storage.store import Store

    with Store(db, create=False) as store:
        if import_from is not None:
            notice(f"{import_reviews(store, import_from.read_text('utf-8'))} reviews imported")
        table = reviews(store)
        if export is not None:
            write_file(export, csv_text([column.name for column in table.columns], table.rows))
            notice(f"{len(table)} reviews written to {export}")
        if import_from is not None or export is not None:
            return
        if not reviewer:
            raise click.UsageError("missing --reviewer NAME (or use --export or --import)")
        reviewed = {row["fingerprint"] for row in table if row["reviewer"] == reviewer}
        unread = [finding for finding in findings(store, None, selection) if finding["fingerprint"] not in reviewed]
        _ask(store, draw(unread, count), reviewer)


def _ask(store: Store, rows: Sequence[dict[str, Any]], reviewer: str) -> None:
    """Asks for a verdict on each finding."""
    from attribution.weaknesses.commands.views import finding_view
    from attribution.weaknesses.queries.findings import context
    from attribution.weaknesses.queries.reviews import review_of, store_reviews

    for number, finding in enumerate(rows):
        finding_view(out(), context(store, finding))
        choice = click.Choice([*_ANSWERS, "s", "q"])
        answer = click.prompt(f"{number + 1} of {len(rows)}: a weakness?", type=choice, err=True)
        if answer == "q":
            break
        if answer in _ANSWERS:
            note = click.prompt("why", default="", show_default=False, err=True)
            store_reviews(store, [review_of(finding, reviewer, _ANSWERS[answer], note)])


FINDINGS = (sample, review)
