"""The commands about labels by a language model: what it costs, the run, the labels, how well they agree with people's."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from attribution.commands.common import database, print_rows
from collector.console.terminal import Reporter, data_options, database_option, notice, out
from collector.errors import EXIT_PARTIAL, WhoWroteError

if TYPE_CHECKING:
    from attribution.features.prices import Prices
    from attribution.judge.run import JudgeModel, JudgeRun, QuestionFilter
    from attribution.queries.judge import JudgeCost


_PATH = click.argument("path", required=False)
_MODEL = click.option("--model", required=True, metavar="NAME", help="Name of the model, as `llm models` or the server lists it.")
_OF = click.option("--model", default="", metavar="NAME", help="Model whose labels to use.  [default: the one that answered last]")
_QUESTION = click.option(
    "--question",
    "questions",
    type=click.Choice(["session", "turns", "paper"]),
    multiple=True,
    help="Ask only this question; paper: those of SWE-chat.  [default: session and turns]",
)
_SESSION = click.option("--session", default="", metavar="KEY", help="Only this session, by its key or a prefix of it.")
_LIMIT = click.option("--limit", type=click.IntRange(1), metavar="N", help="Only the N most recent sessions.")
_PRICES = click.option(
    "--prices", type=click.Path(path_type=Path), metavar="FILE", help="Price table to use: a TOML file, or genai-prices."
)


@click.group()
def judge() -> None:
    """Label sessions with a language model.

    Optional: uses a model of a server you name (`--server`, as Ollama, llama.cpp, vLLM or LM Studio run one), or one you configure
    in llm (needs whowrote[judge]), and only when you run it. `run` sends shortened transcripts to the model you name; `prompts`
    shows beforehand exactly what would be sent, and `cost` what it would cost.
    docs/judge.md explains the labels.
    """


def _common(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in (database_option, _LIMIT, _SESSION, _QUESTION, _PATH):
        command = option(command)
    return command


def _wanted(questions: tuple[str, ...], session: str, limit: int | None) -> QuestionFilter:
    from attribution.judge.labels import USUAL
    from attribution.judge.run import QuestionFilter

    return QuestionFilter(questions or USUAL, session, limit)


def _table(path: Path | None) -> Prices:
    from attribution.features.list_prices import chosen_prices, read_choice

    return chosen_prices(read_choice(path) if path else None)


@judge.command()
@_common
@data_options
def prompts(path: str | None, questions: tuple[str, ...], session: str, limit: int | None, db: Path, output_format: str) -> None:
    """Show exactly what would be sent to a model. Sends nothing."""
    from attribution.ensure.judge import judge_requests
    from attribution.queries.judge import prompt_rows

    with database(path, db) as (store, repo), Reporter("judge") as progress:
        asked = judge_requests(store, repo, _wanted(questions, session, limit), progress)
    rows = prompt_rows(asked.requests)
    print_rows(output_format, rows, lambda terminal: terminal.judge.prompt_view(out(), rows))


@judge.command()
@_common
@_MODEL
@_PRICES
@data_options
def cost(
    path: str | None,
    questions: tuple[str, ...],
    session: str,
    limit: int | None,
    model: str,
    prices: Path | None,
    db: Path,
    output_format: str,
) -> None:
    """Estimate what a run would cost at list prices.

    The estimate is based on the length of the prompts. Sends nothing and does not need llm.
    """
    from attribution.ensure.judge import judge_requests
    from attribution.queries.judge import judge_cost

    with database(path, db) as (store, repo), Reporter("judge") as progress:
        asked = judge_requests(store, repo, _wanted(questions, session, limit), progress)
        expected = judge_cost(store, model, asked.requests, _table(prices))
    for note in asked.notes:
        notice(f"note: {note}")
    print_rows(output_format, [expected], lambda terminal: terminal.judge.cost_view(out(), model, expected))


@judge.command()
@_common
@_MODEL
@_PRICES
@click.option("--server", metavar="URL", help="Server with OpenAI's interface, as http://localhost:11434/v1; no llm needed.")
@click.option("--jobs", type=click.IntRange(1, 8), default=2, show_default=True, help="Number of parallel requests.")
@click.option("--max-cost", type=click.FloatRange(0), metavar="USD", help="Stop before spending more than this.")
@click.option("--yes", is_flag=True, help="Send without asking for confirmation.")
@click.pass_context
def run(
    context: click.Context,
    path: str | None,
    questions: tuple[str, ...],
    session: str,
    limit: int | None,
    model: str,
    prices: Path | None,
    server: str | None,
    jobs: int,
    max_cost: float | None,
    yes: bool,
    db: Path,
) -> None:
    """Have a model label sessions.

    Covers the sessions of the clone at PATH, or of all clones in the database. Shows the estimated cost and asks for confirmation
    before anything is sent. No question is paid for twice, and interrupted runs resume.
    """
    from attribution.ensure.judge import judge_requests, run_judge
    from attribution.judge.run import JudgeOptions
    from attribution.queries.judge import judge_cost

    asking, table = _judge_model(model, server), _table(prices)
    with database(path, db) as (store, repo):
        with Reporter("judge") as progress:
            asked = judge_requests(store, repo, _wanted(questions, session, limit), progress)
        for note in asked.notes:
            notice(f"note: {note}")
        expected = judge_cost(store, asking.name, asked.requests, table)
        notice(_in_words(asking.name, expected))
        if expected.questions > expected.known and not yes:
            _agreed(f"{asking.name} at {server}" if server else asking.name)
        with Reporter("judge") as progress:
            done = run_judge(store, repo, asked.requests, JudgeOptions(asking, table, jobs, max_cost), progress)
    notice(_outcome(done))
    if done.failed or done.invalid or done.stopped:
        context.exit(EXIT_PARTIAL)


def _judge_model(name: str, server: str | None) -> JudgeModel:
    """Raises WhoWroteError."""
    if server is not None:
        from attribution.judge.server import ServerModel

        return ServerModel(server, name)
    from attribution.judge.model import Model

    return Model(name)


def _in_words(model: str, expected: JudgeCost) -> str:
    new = expected.questions - expected.known
    price = (
        "unknown (no price for this model)"
        if expected.usd is None
        else f"about {expected.usd:.2f} USD (prices of {expected.prices_as_of})"
    )
    return (
        f"{model}: {new:,} new questions about {expected.sessions:,} sessions, {expected.known:,} already answered; "
        f"about {expected.input_tokens:,} tokens in, {expected.output_tokens:,} out; cost {price}"
    )


def _agreed(model: str) -> None:
    """Asks for consent. Raises WhoWroteError without a terminal, Abort if the answer is no."""
    if not sys.stdin.isatty():
        raise WhoWroteError(
            "cannot confirm the cost: no terminal attached", "Run it in a terminal, or add --yes (and --max-cost USD)"
        )
    click.confirm(f"Send these parts of transcripts to {model}?", abort=True, err=True)


def _outcome(done: JudgeRun) -> str:
    spent = "" if done.usd is None else f", {done.usd:.4f} USD"
    lines = [
        f"{done.answered} questions answered, {done.known} already known, {done.labels} labels; "
        f"{done.input_tokens:,} tokens in, {done.output_tokens:,} out{spent}"
    ]
    if done.invalid:
        lines.append(f"{done.invalid} questions got no valid answer (see whowrote data problems); the next run asks them again")
    if done.failed:
        lines.append(f"{done.failed} requests to the model failed: {done.failures[-1]}")
    if done.stopped:
        lines.append(f"stopped: {done.stopped}; run the same command again to continue")
    return "\n".join(lines)


@judge.command()
@_PATH
@_OF
@_SESSION
@click.option("--each", is_flag=True, help="List every label instead of the shares.")
@database_option
@data_options
def labels(path: str | None, model: str, session: str, each: bool, db: Path, output_format: str) -> None:
    """Show how often a model gave each label.

    Shares are corrected for the model's measured error rates where `whowrote data judge validate` has found them.
    """
    from attribution.queries.judge_labels import class_shares, judge_named, label_rows

    with database(path, db) as (store, repo):
        who = judge_named(store, model)
        every = label_rows(store, who, repo, session) if each or session else []
        rows = [] if each or session else class_shares(store, who, repo)
    if each or session:
        print_rows(output_format, every, lambda terminal: terminal.judge.label_view(out(), who, every))
    else:
        print_rows(output_format, rows, lambda terminal: terminal.judge.share_view(out(), who, rows))


@judge.command()
@click.argument("people", type=click.Path(path_type=Path), metavar="CSV")
@_OF
@database_option
@data_options
def validate(people: Path, model: str, db: Path, output_format: str) -> None:
    """Compare a model's labels with labels given by people.

    CSV is a file with the columns session, turn, label and value. Prints sensitivity, specificity, and the raw and corrected share
    of each class, and kappa over all classes.
    """
    from attribution.ensure.judge import validated
    from attribution.queries.judge_labels import judge_named

    with database(None, db) as (store, _):
        result = validated(store, people, judge_named(store, model))
    if result.unmatched:
        notice(f"{len(result.unmatched)} rows have no label by this model, for example: {'; '.join(result.unmatched[:3])}")
    if output_format == "csv":
        print_rows(output_format, [row for label in result.labels for row in label.class_rows()], None)
    else:
        print_rows(output_format, result.labels, lambda terminal: terminal.judge.validation_view(out(), result))


DATA = (judge,)
