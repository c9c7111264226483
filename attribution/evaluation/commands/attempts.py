"""The commands about evaluation runs and sentence embeddings."""

from pathlib import Path

import click

from attribution.commands.common import PATH, database
from attribution.evaluation.words import PatchOutcome
from collector.console.options import ListingCommand
from collector.console.tables import print_table
from collector.console.terminal import ANY_PATH, Reporter, data_options, database_option, notice
from collector.storage.views import read_view
from collector.text import count_of


@click.command()
@PATH
@click.option(
    "--model",
    type=click.Choice(["ngrams", "sentences"]),
    default="ngrams",
    show_default=True,
    help=(
        "ngrams: hashed words, needs nothing; sentences: a multilingual encoder that also tells"
        " which messages push back (needs whowrote[vectors])."
    ),
)
@database_option
@data_options
def embed(path: str | None, model: str, db: Path, output_format: str) -> None:
    """Measure how far each turn drifts from the task.

    Embeds the sessions of the clone at PATH, or of all clones in the database. No text is embedded
    twice, and interrupted runs resume. Nothing leaves this machine. docs/metrics.md explains the
    columns.
    """
    from attribution.evaluation.embedding.stage import embed_all
    from attribution.evaluation.models import embedder

    with database(path, db) as (store, repo):
        chosen = embedder(model)
        with Reporter("embed") as progress:
            run = embed_all(store, repo, chosen, progress)
        only = {"model": chosen.model, "repo_id": repo}
        table = read_view(store, "session_drift", only, "repo, started_at DESC, session_id")
    for note in run.notes:
        notice(f"note: {note}")
    notice(
        f"embedded {count_of(run.sessions, 'session')}, {count_of(run.turns, 'turn')}:"
        f" {chosen.model}, {run.seconds:.0f} s; texts computed: {run.computed}, cached:"
        f" {run.cached}; unchanged sessions: {run.unchanged}, unreadable: {run.unreadable}"
    )
    table.notes.append(
        f"{count_of(len(table), 'session')}; by turn: cp_curve, intent_coherence_curve of"
        " session_embeddings"
    )
    columns = (
        "key=session, started_at, texts, max_cp, drift_onset_turn=>0.2 at, "
        "drift_onset_calibrated=drift at, assumption_lock_turn=lock at, plan_ged=plan, "
        "goal_alignment_at_close=close, session_failure_mode=mode, pushback_turns?=push back, "
        "turns_classified?=of, label=first prompt"
    )
    print_table(output_format, table, columns)


def _formats() -> list[tuple[str, str]]:
    from attribution.evaluation.attempts import readers

    return [
        (reader.NAME, " ".join((reader.__doc__ or "").split("\n\n")[0].split()))
        for reader in readers()
    ]


@click.command(cls=ListingCommand, listing=_formats, title="Formats")
@click.argument("directory", type=ANY_PATH, metavar="[DIR]", required=False)
@database_option
@click.option(
    "--gold",
    type=ANY_PATH,
    metavar="FILE",
    help="Data set with instance_id and the reference patch (JSON Lines or Parquet).",
)
@click.option(
    "--min-n",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Minimum attempts per treatment.",
)
@click.option(
    "--by-run",
    is_flag=True,
    help="List each run separately; harnesses may not record what differed between runs.",
)
@data_options
def attempts(
    directory: Path | None,
    db: Path,
    gold: Path | None,
    min_n: int,
    by_run: bool,
    output_format: str,
) -> None:
    """Import evaluation runs, and show how often they succeed.

    With DIR, first imports every file below it that is recognised by its structure as one of the
    formats listed below; importing the same files twice changes nothing. Prints pass@k with
    intervals and the outcomes, by treatment, retries listed separately. docs/grades.md explains
    every number.
    """
    from attribution.evaluation.attempts.rates import treatments

    if directory is not None and not _import(directory, gold, db):
        return
    with database(None, db) as (store, _):
        table = treatments(store, min_n, by_run)
    for note in table.notes[1:] if output_format or not table.rows else ():
        notice(f"note: {note}")
    numbers = (
        column.name.rpartition("_")[2]
        for column in table.columns
        if column.name.startswith("pass_at_")
    )
    further = (f"pass_at_{number}=pass@{number}" for number in numbers if number.isdigit())
    columns = (
        "model",
        "agent?",
        "dataset?",
        "settings",
        "tasks",
        "attempts",
        "solved",
        "pass_at_1=pass@1",
        "pass_at_1_low=from",
        "pass_at_1_high=to",
        *(name for name in further if not name.startswith("pass_at_1=")),
        "later?=retries",
        *(f"{label}?" for label in PatchOutcome),
        "localized?=right file",
    )
    print_table(output_format, table, columns if table.rows else ())


def _import(directory: Path, gold: Path | None, db: Path) -> bool:
    """Whether the directory holds results."""
    from attribution.evaluation.attempts.scan import scan
    from attribution.evaluation.attempts.stage import gold_files, write
    from collector.storage.store import Store

    patches = gold_files(gold) if gold else None
    with Reporter(str(directory)) as progress:
        scanned = scan(directory, progress)
    with Store(db) as store:
        new = write(store, scanned, patches)
    notice(
        f"{count_of(scanned.recognised, 'file')} with results:"
        f" {count_of(len(scanned.attempts), 'attempt')}, {new} of them new"
    )
    if scanned.problems:
        notice(
            f"note: {count_of(len(scanned.problems), 'file')} could not be used in full: whowrote"
            f" data problems --db {db}"
        )
    if not scanned.attempts:
        notice(f"note: nothing below {directory} was recognised as a result")
    return bool(scanned.attempts)


DATA = (attempts, embed)
