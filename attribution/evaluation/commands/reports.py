"""The chapters quality, grades, maintainability and study, and the command about people's
ratings.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from attribution.commands.common import PATH, database, open_clone
from collector.console.tables import print_table, print_tables
from collector.console.terminal import ANY_PATH, Reporter, data_options, database_option, notice
from collector.json_values import Row
from collector.text import count_of
from collector.vocabulary.sessions import Driver

if TYPE_CHECKING:
    from collector.storage.views import Table


@click.command()
@click.option("--explain", default="", metavar="SESSION", help="Explain the score of this session.")
@click.option(
    "--weights",
    type=click.Choice(["published", "rated"]),
    default="published",
    show_default=True,
    help="Signals, weights and tiers: those of the source, or chosen by ratings.",
)
@click.option("--weekly", is_flag=True, help="Print a digest by week.")
@click.option(
    "--min-q",
    type=click.FloatRange(0, 1),
    help="List sessions with a lower score only; exit with 1 if there are any.",
)
@database_option
@data_options
def quality(
    explain: str, weights: str, weekly: bool, min_q: float | None, db: Path, output_format: str
) -> None:
    """Score how sessions went, and quality per dollar by model.

    The score describes how a session went, not whether its code is correct. docs/metrics.md has the
    formula.

    As an alert: whowrote report quality --min-q 0.4
    """
    from attribution.evaluation.scores.quality import ALERT
    from attribution.evaluation.scores.report import explained_score, score_table, week_table

    rated = weights == "rated"
    with database(None, db) as (store, _):
        if explain:
            print_table(output_format, explained_score(store, explain, rated))
            return
        table = score_table(store, rated)
    low = [row for row in table if row["q"] is not None and min_q is not None and row["q"] < min_q]
    if weekly:
        print_table(output_format, week_table(table, ALERT if min_q is None else min_q))
    else:
        _print_scores(output_format, table, low if min_q is not None else None)
    if low:
        notice(f"{count_of(len(low), 'session')} with a score below {min_q:g}")
        raise SystemExit(1)


def _print_scores(output_format: str, table: Table, low: list[Row] | None) -> None:
    """Sessions and models; `low`: these sessions only."""
    from attribution.evaluation.scores.report import model_table

    columns = (
        "repo?, key=session, task_type=task, work, tier, q=Q, q_rank=rank, completion=compl, "
        "execution=exec, efficiency=eff, outcome=outc, cost_usd, label=first prompt"
    )
    models = model_table(table if low is None else ())
    if low is not None:
        table.rows = low
    if not output_format:
        people = [row for row in table if not row["parent"]]
        spawned = len(table) - len(people)
        also = f", {count_of(spawned, 'subagent')} stored as a session" if spawned else ""
        table.rows = people
        table.notes = [f"{count_of(len(people), 'session')}{also}", *table.notes]
    print_table(output_format, table, columns)
    if not output_format and len(models):
        print_table(output_format, models)


@click.command()
@click.option(
    "--min-n",
    type=click.IntRange(min=2),
    default=5,
    show_default=True,
    help="Minimum sessions per group.",
)
@click.option("--by-judge", is_flag=True, help="Grade by the judge's success score instead of Q.")
@click.option(
    "--driver",
    "drivers",
    multiple=True,
    type=click.Choice([*map(str, Driver)]),
    help="Only its sessions (repeatable).",
)
@database_option
@data_options
def grades(
    min_n: int, by_judge: bool, drivers: tuple[str, ...], db: Path, output_format: str
) -> None:
    """Compare sessions by task, agent, model and week.

    Differences between agents and between models are given raw and adjusted for the type of task;
    intervals are computed over repositories if there are at least five. docs/grades.md explains
    every number.
    """
    from attribution.evaluation.grades.report import grades as chapter

    with database(None, db) as (store, _):
        tables = chapter(store, min_n, by_judge, drivers)
    print_tables(output_format, tables)


@click.command()
@click.argument("ratings_file", type=ANY_PATH, metavar="[CSV]", required=False)
@click.option(
    "--sessions",
    type=click.IntRange(min=1),
    default=40,
    show_default=True,
    help="Sessions on the sheet.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Random seed of the sheet.")
@database_option
@data_options
def ratings(
    ratings_file: Path | None, sessions: int, seed: int, db: Path, output_format: str
) -> None:
    """Compare scores with people's ratings, or print a sheet.

    Without CSV, prints a sheet as CSV: a stratified sample over task types and tiers, without
    scores, agents or models. Read each session (whowrote sessions --session KEY helps), enter 1
    (failed) to 5 (excellent) under rating, and name the file as CSV. Sessions without a rating are
    ignored. Also finds the weights that agree best with the ratings.
    """
    from attribution.evaluation.scores import ratings as rating

    with database(None, db) as (store, _):
        if ratings_file is None:
            print_table("csv", rating.rating_sheet(store, sessions, seed))
            return
        rated, unmatched = rating.read_ratings(store, ratings_file)
    fit = rating.fit_weights(rated)
    if unmatched:
        notice(
            f"no scored session found for {count_of(len(unmatched), 'rating')}:"
            f" {', '.join(unmatched[:5])}"
        )
    print_table(output_format, rating.agreement(rated, fit))


@click.command()
@PATH
@click.option(
    "--min-n",
    type=click.IntRange(2),
    default=10,
    show_default=True,
    help="Minimum commits per group.",
)
@click.option(
    "--jobs",
    type=click.IntRange(0, 256),
    default=0,
    help="Number of parallel processes.  [default: one per core]",
)
@database_option
@data_options
def maintainability(path: str | None, min_n: int, jobs: int, db: Path, output_format: str) -> None:
    """Compare how commits affect maintainability, by author.

    Each commit is measured once with the delta maintainability model of pydriller: how much of the
    change goes into short, simple functions with few parameters. Given the PATH of a clone, its new
    commits are measured first. Without PATH, reports on all measured repositories in the database.
    docs/maintainability.md explains every number.
    """
    from attribution.evaluation.maintainability.report import maintainability as chapter
    from collector.storage.store import Store

    if path is None:
        with Store(db, create=False) as store:
            tables = chapter(store, None, min_n)
    else:
        from attribution.evaluation.maintainability.stage import measure_new_commits

        with open_clone(path, db) as clone:
            with Reporter(path) as progress:
                measure_new_commits(clone, jobs, progress)
            tables = chapter(clone.store, clone.repo_id, min_n)
    print_tables(output_format, tables)


@click.command()
@click.option(
    "--table",
    "names",
    multiple=True,
    metavar="NAME",
    help="Table to print (repeatable).  [default: all]",
)
@database_option
@data_options
def study(names: tuple[str, ...], db: Path, output_format: str) -> None:
    """Reproduce the tables of the SWE-chat paper.

    Computes its tables from this database, by the paper's definitions and by ours, next to the
    published values; those that need a judge from stored labels, if there are any. 95 % intervals
    are clustered by repository. docs/study.md explains the numbers.
    """
    from attribution.evaluation.study import study as chapter
    from collector.storage.store import Store

    with Store(db, create=False) as store:
        tables = chapter(store)
    every = [table.name for table in tables]
    unknown = [name for name in names if name not in every]
    if unknown:
        raise click.UsageError(f"no such table: {unknown[0]}; choose from: {', '.join(every)}")
    tables = [table for table in tables if not names or table.name in names]
    print_tables(output_format, tables)


DATA = (ratings,)
REPORTS = (grades, maintainability, quality, study)
