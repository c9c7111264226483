"""The commands about how sessions went: the chapters quality and grades, and people's ratings."""

from __future__ import annotations

from pathlib import Path

import click

from attribution.commands.common import database
from collector.console.tables import print_table, print_tables
from collector.console.terminal import data_options, database_option, notice


@click.command()
@click.option("--explain", default="", metavar="SESSION", help="Explain the score of this session.")
@click.option(
    "--weights",
    "weights_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Weights of the parts instead of the published ones (JSON), or `rated`: fitted to ratings.",
)
@database_option
@data_options
def quality(explain: str, weights_file: Path | None, db: Path, output_format: str) -> None:
    """Score how sessions went, and quality per dollar by model.

    The score describes how a session went, not whether its code is correct. docs/metrics.md has the formula.
    """
    from attribution.evaluation.scores.frontier import model_table
    from attribution.evaluation.scores.report import explained_score, read_weights, score_table

    weights = None if weights_file is None else read_weights(weights_file)
    with database(None, db) as (store, _):
        if explain:
            print_table(output_format, explained_score(store, explain, weights))
            return
        table = score_table(store, None, weights)
    columns = (
        "repo?", "key=session", "task_type=task", "work", "tier", "q=Q", "q_rank=rank", "completion=compl", "execution=exec",
        "efficiency=eff", "outcome=outc", "cost_usd", "label=first prompt",
    )  # fmt: skip
    models = model_table({**row, "category": row["task_type"]} for row in table)
    if not output_format:
        people = [row for row in table if not row["parent"]]
        spawned = len(table) - len(people)
        also = f", {spawned:,} subagents that are stored as sessions" if spawned else ""
        table.rows, table.notes = people, [f"{len(people):,} sessions{also}", *table.notes]
    print_table(output_format, table, columns)
    if not output_format and len(models):
        print_table(output_format, models)


@click.command()
@click.option("--min-n", type=click.IntRange(min=2), default=5, show_default=True, help="Minimum sessions per group.")
@database_option
@data_options
def grades(min_n: int, db: Path, output_format: str) -> None:
    """Compare sessions by task, agent, model and week.

    Differences between agents and between models are given raw and adjusted for the type of task; intervals are computed over
    repositories if there are at least five. docs/grades.md explains every number.
    """
    from attribution.evaluation.grades.report import grades as chapter

    with database(None, db) as (store, _):
        tables = chapter(store, min_n)
    print_tables(output_format, tables)


@click.command()
@click.argument("ratings_file", type=click.Path(path_type=Path), metavar="[CSV]", required=False)
@click.option("--sessions", type=click.IntRange(min=1), default=40, show_default=True, help="Sessions on the sheet.")
@click.option("--seed", type=int, default=1, show_default=True, help="Random seed of the sheet.")
@click.option(
    "--output", type=click.Path(path_type=Path), metavar="FILE", help="Write fitted weights, for `report quality --weights`."
)
@database_option
@data_options
def ratings(ratings_file: Path | None, sessions: int, seed: int, output: Path | None, db: Path, output_format: str) -> None:
    """Compare scores with people's ratings, or print a sheet.

    Without CSV, prints a sheet as CSV: a stratified sample over task types and tiers, without scores, agents or models. Read each
    session (whowrote sessions KEY helps), enter a number from 1 (failed) to 5 (excellent) under rating, and name the file as CSV.
    Sessions without a rating are ignored. Also finds the weights that agree best with the ratings.
    """
    from attribution.evaluation.scores import ratings as rating
    from attribution.evaluation.scores.report import write_weights

    with database(None, db) as (store, _):
        if ratings_file is None:
            print_table("csv", rating.rating_sheet(store, sessions, seed))
            return
        rated, unmatched = rating.read_ratings(store, ratings_file)
    fit = rating.fit_weights(rated)
    if unmatched:
        notice(f"no scored session found for {len(unmatched)} ratings: {', '.join(unmatched[:5])}")
    if output is not None:
        if fit is None:
            raise click.UsageError(f"the rated sessions of {ratings_file} are too few to fit weights to")
        write_weights(output, fit.weights)
    print_table(output_format, rating.agreement(rated, fit))


DATA = (ratings,)
REPORTS = (grades, quality)
