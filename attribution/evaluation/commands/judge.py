"""The commands about labels by a language model: the run, the labels, how well they agree with
people's.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from attribution.commands.common import PATH, database
from collector.console.tables import print_table
from collector.console.terminal import (
    ANY_PATH,
    Command,
    Reporter,
    data_options,
    database_option,
    notice,
    out,
)
from collector.errors import EXIT_PARTIAL, WhoWroteError
from collector.storage.views import read_view, table_of
from collector.text import count_of, printable, split_names

if TYPE_CHECKING:
    from attribution.evaluation.judge.prompts import Request
    from attribution.evaluation.judge.stage import JudgeRun
    from collector.storage.store import Store

_MODEL = click.option(
    "--model", required=True, metavar="NAME", help="Name of the model, as `llm models` lists it."
)
_OF = click.option(
    "--model",
    default="",
    metavar="NAME",
    help="Model whose labels to use.  [default: the one that answered last]",
)
_QUESTION = click.option(
    "--question",
    "questions",
    type=click.Choice(["session", "turns", "paper"]),
    multiple=True,
    help="Ask only this question; paper: those of SWE-chat.  [default: session and turns]",
)
_SESSION = click.option(
    "--session", default="", metavar="KEY", help="Only this session, by its key or a prefix of it."
)
_LIMIT = click.option(
    "--limit", type=click.IntRange(1), metavar="N", help="Only the N most recent sessions."
)


@click.group()
def judge() -> None:
    """Label sessions with a language model.

    Optional (needs whowrote[llm]): uses a model that you configure in llm, of a service or on your
    machine, and only when you run it. `run` sends shortened transcripts to the model you name;
    `prompts` shows beforehand exactly what would be sent, and `run --dry-run` what it would cost.
    docs/judge.md explains the labels.
    """


def _choice(command: Command) -> Command:
    """Which questions about which sessions."""
    for option in (database_option, _LIMIT, _SESSION, _QUESTION, PATH):
        command = option(command)
    return command


def _requests(
    store: Store, repo: int | None, questions: tuple[str, ...], session: str, limit: int | None
) -> list[Request]:
    from attribution.evaluation.judge.labels import USUAL
    from attribution.evaluation.judge.stage import judge_requests

    with Reporter("judge") as progress:
        requests, notes = judge_requests(store, repo, progress, questions or USUAL, session, limit)
    for note in notes:
        notice(f"note: {note}")
    return requests


@judge.command()
@_choice
@data_options
def prompts(
    path: str | None,
    questions: tuple[str, ...],
    session: str,
    limit: int | None,
    db: Path,
    output_format: str,
) -> None:
    """Show exactly what would be sent to a model. Sends nothing."""
    with database(path, db) as (store, repo):
        rows = [request.row() for request in _requests(store, repo, questions, session, limit)]
    if output_format:
        print_table(output_format, table_of(rows))
        return
    instructions = {row["question"]: row["system"] for row in rows}
    for row in rows:
        head = (
            f"question {row['question']}, version {row['version']}, tokens:"
            f" {row['input_tokens']:,}, turns: {row['turns']}"
        )
        # the instructions once per question
        for text in (head, instructions.pop(row["question"], ""), row["prompt"]):
            for line in text.split("\n") if text else ():
                out().print(printable(line), soft_wrap=True)
        out().print()


@judge.command()
@_choice
@_MODEL
@click.option(
    "--jobs",
    type=click.IntRange(1, 8),
    default=2,
    show_default=True,
    help="Number of parallel requests.",
)
@click.option(
    "--max-cost",
    type=click.FloatRange(0),
    metavar="USD",
    help="Stop before spending more than this.",
)
@click.option("--yes", is_flag=True, help="Send without asking for confirmation.")
@click.option(
    "--dry-run",
    is_flag=True,
    help="Only show the estimated cost; sends nothing and does not need llm.",
)
@click.pass_context
def run(
    context: click.Context,
    path: str | None,
    questions: tuple[str, ...],
    session: str,
    limit: int | None,
    model: str,
    jobs: int,
    max_cost: float | None,
    yes: bool,
    dry_run: bool,
    db: Path,
) -> None:
    """Have a model label sessions.

    Covers the sessions of the clone at PATH, or of all clones in the database. Shows the estimated
    cost, by the length of the prompts and the price table of the database, and asks before anything
    is sent. No question is paid for twice, and interrupted runs resume.
    """
    from attribution.evaluation.judge.queries import judge_cost
    from attribution.evaluation.judge.stage import JudgeOptions, run_judge
    from attribution.evaluation.models import Model
    from attribution.features.prices import prices_of

    chosen = None if dry_run else Model(model)
    name = chosen.name if chosen else model
    with database(path, db) as (store, repo):
        prices = prices_of(store)
        requests = _requests(store, repo, questions, session, limit)
        cost = judge_cost(store, name, requests, prices)
        new = cost.questions - cost.known
        usd = (
            "unknown (no price for this model)"
            if cost.usd is None
            else f"about {cost.usd:,.2f} USD (prices of {prices.as_of})"
        )
        notice(
            f"{name}: {count_of(new, 'new question')} about {count_of(cost.sessions, 'session')},"
            f" {cost.known:,} answered; about {cost.input_tokens:,} tokens in,"
            f" {cost.output_tokens:,} out; cost {usd}"
        )
        if chosen is None:
            return
        if new and not yes:
            _confirm(name)
        with Reporter("judge") as progress:
            result = run_judge(
                store, repo, requests, JudgeOptions(chosen, prices, jobs, max_cost), progress
            )
    notice(_outcome(result))
    if result.failed or result.invalid or result.stopped:
        context.exit(EXIT_PARTIAL)


def _confirm(model: str) -> None:
    """Asks for consent. Raises WhoWroteError without a terminal, Abort if the answer is no."""
    if not sys.stdin.isatty():
        raise WhoWroteError(
            "cannot confirm the cost: no terminal attached",
            "Run it in a terminal, or add --yes (and --max-cost USD)",
        )
    click.confirm(f"Send these parts of transcripts to {model}?", abort=True, err=True)


def _outcome(result: JudgeRun) -> str:
    spent = "" if result.usd is None else f", {result.usd:.4f} USD"
    lines = [
        f"{count_of(result.answered, 'question')} answered, {result.known:,} already known,"
        f" {count_of(result.labels, 'label')}; {result.input_tokens:,} tokens in,"
        f" {result.output_tokens:,} out{spent}"
    ]
    if result.invalid:
        lines.append(
            f"{count_of(result.invalid, 'question')} without a valid answer (whowrote data"
            " problems), to be asked again"
        )
    if result.failed:
        lines.append(f"{count_of(result.failed, 'request')} to the model failed: {result.failure}")
    if result.stopped:
        lines.append(f"stopped: {result.stopped}; run the same command again to continue")
    return "\n".join(lines)


_SHARES = {"label": "word", "class": "word"} | dict.fromkeys(
    ("share", "corrected", "low", "high"), "share"
)


@judge.command()
@PATH
@_OF
@_SESSION
@click.option("--each", is_flag=True, help="List every label instead of the shares.")
@database_option
@data_options
def labels(
    path: str | None, model: str, session: str, each: bool, db: Path, output_format: str
) -> None:
    """Show how often a model gave each label.

    Shares are corrected for the model's measured error rates where `whowrote data judge validate`
    has found them.
    """
    from attribution.evaluation.judge.queries import class_shares, judge_named
    from attribution.queries.sessions import find_session

    with database(path, db) as (store, repo):
        who = judge_named(store, model)
        if each or session:
            only = {
                **who._asdict(),
                "repo_id": repo,
                "session_id": find_session(store, session, repo) if session else None,
            }
            table = read_view(store, "judged", only, "repo, session_id DESC, turn_index, label")
            columns = "session, turn_index=turn, label, value?, number?, prompt?"
        else:
            table = table_of(class_shares(store, who, repo), _SHARES)
            columns = ""
    table.notes.append(
        f"{who.model}, question version {who.prompt_version}: a model's opinions; one session:"
        " --session KEY"
    )
    print_table(output_format, table, columns)


@judge.command()
@click.argument("people", type=ANY_PATH, metavar="CSV")
@click.option(
    "--second",
    type=ANY_PATH,
    metavar="CSV",
    help="Compare with another person's labels instead.",
)
@_OF
@database_option
@data_options
def validate(people: Path, second: Path | None, model: str, db: Path, output_format: str) -> None:
    """Compare a model's labels with labels given by people.

    CSV is a file with the columns session, turn, label and value. Prints sensitivity, specificity,
    and the raw and corrected share of each class, and kappa over all classes. With --second, does
    the same for the labels of two people.
    """
    from attribution.evaluation.judge import stage
    from attribution.evaluation.judge.queries import compare_with_people, judge_named, labels_of

    if second is not None:
        other = "second person"
        result = compare_with_people(people, dict(labels_of(second)))
        said = str(second)
    else:
        with database(None, db) as (store, _):
            who = judge_named(store, model)
            result = stage.validate(store, people, who)
        other = "model"
        said = f"{who.model}, question version {who.prompt_version}"
    if result.unmatched:
        notice(
            f"without a label by this {other}: {len(result.unmatched)}, for example:"
            f" {'; '.join(result.unmatched[:3])}"
        )
    columns = (
        f"label, class, compared, kappa?, tp=both, fp={other} only, fn=person only, sensitivity, "
        "specificity, share, corrected?, low?, high?, pearson?, spearman?, mean_difference?, "
        "note"
    )
    table = table_of(result.rows, _SHARES, [said])
    names = {column.name for column in table.columns}
    print_table(
        output_format,
        table,
        [
            column
            for column in split_names(columns)
            if column.partition("=")[0].removesuffix("?") in names
        ],
    )


DATA = (judge,)
