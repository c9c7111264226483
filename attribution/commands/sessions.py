"""The commands about sessions: features, regions, quality. Parse, call the library, print."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from attribution.commands.common import database, print_rows
from collector.console.terminal import data_options, database_option, notice, out

NAME = "sessions"

_PATH = click.argument("path", required=False)
_SESSION = click.option("--session", default="", metavar="KEY", help="Only this session: its key or the beginning of it.")


@click.command()
@_PATH
@_SESSION
@click.option(
    "--prices", type=click.Path(path_type=Path), metavar="FILE", help="Compute the costs anew with this price table (TOML)."
)
@database_option
@data_options
def features(path: str | None, session: str, prices: Path | None, db: Path, form: str) -> None:
    """What the sessions were like: turns, tools, tokens, cost, time, wording, outcome.

    Of the clone at PATH, or of the whole database. docs/metrics.md explains every feature.
    """
    from attribution.ensure.sessions import repriced
    from attribution.features.tables import prices_from
    from attribution.queries.sessions import feature_rows, null_reasons

    table = prices_from(prices) if prices else None
    with database(path, db) as (store, repo):
        feature_rows(store, repo, session)  # says so when there are none, before anything is changed
        if table:
            notice(f"{repriced(store, table)} sessions have a cost at the prices of {table.as_of}")
        found = feature_rows(store, repo, session)
        why = null_reasons(store, found[0]["session_id"]) if session else {}
    if session:
        print_rows(form, found, lambda terminal: terminal.sessions.feature_list(out(), found[0], why))
    else:
        print_rows(form, found, lambda terminal: terminal.sessions.feature_table(out(), found))


@click.command()
@_PATH
@_SESSION
@click.option("--oscillating", is_flag=True, help="Only regions that go back and forth.")
@database_option
@data_options
def regions(path: str | None, session: str, oscillating: bool, db: Path, form: str) -> None:
    """Places that a session edited more than once, with each round of edits.

    Converging: the edits get smaller. Expanding: they get larger. Oscillating: an earlier text came back, or there is no trend.
    """
    from attribution.queries.sessions import region_rows

    with database(path, db) as (store, repo):
        found = region_rows(store, repo, oscillating, session)
    if form == "csv":
        print_rows(
            form, [{"region": r["id"], "session": r["session"], "path": r["path"], **e} for r in found for e in r["edits"]], None
        )
    else:
        print_rows(form, found, lambda terminal: terminal.sessions.region_list(out(), found))


@click.group(invoke_without_command=True)
@click.option("--explain", default="", metavar="SESSION", help="Take the score of this session apart.")
@database_option
@data_options
@click.pass_context
def quality(context: click.Context, explain: str, db: Path, form: str) -> None:
    """How the sessions went: a score of four parts, and what quality each model gives for its cost.

    The score tells how a session went, not whether its code is right. docs/metrics.md has the formula.
    """
    if context.invoked_subcommand is not None:
        return
    from attribution.queries.scores import model_points, session_scores
    from attribution.queries.sessions import explained

    with database(None, db) as (store, _):
        if explain:
            one = explained(store, explain)
            print_rows(form, [{**one.row, "parts": one.signals}], lambda terminal: terminal.sessions.score_view(out(), one))
            return
        rows = session_scores(store)
    models = model_points(rows)
    print_rows(
        form,
        [{k: v for k, v in r.items() if k != "parts"} for r in rows],
        lambda terminal: terminal.sessions.score_table(out(), rows, models),
    )


@quality.command()
@click.argument("ratings", type=click.Path(path_type=Path), metavar="CSV")
@database_option
@data_options
def validate(ratings: Path, db: Path, form: str) -> None:
    """Compare the scores with people's ratings: a CSV with the columns session and rating."""
    from attribution.queries import scores

    with database(None, db) as (store, _):
        found = scores.validate(store, ratings)
    if found.unmatched:
        notice("no session with a score: " + ", ".join(found.unmatched[:5]))
    print_rows(form, [asdict(found)], lambda terminal: terminal.sessions.agreement_view(out(), found))


@quality.command()
@click.option("--sessions", type=click.IntRange(min=1), default=40, show_default=True, help="How many sessions.")
@click.option("--seed", type=int, default=1, show_default=True, help="Another seed gives another sample.")
@database_option
def sheet(sessions: int, seed: int, db: Path) -> None:
    """Print a CSV for people to rate sessions in: a sample of all types of task and tiers, without scores, agents or models.

    Read each session (attribute features --session KEY helps), write a number from 1 (failed) to 5 (excellent) under rating, and
    give the file to: attribute quality validate CSV. Sessions without a rating are left out.
    """
    from attribution.queries import scores

    with database(None, db) as (store, _):
        rows = scores.sheet(store, sessions, seed)
    print_rows("csv", rows, None)


COMMANDS = (features, regions, quality)
