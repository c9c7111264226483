"""The command about sentence embeddings."""

from __future__ import annotations

from pathlib import Path

import click

from attribution.commands.common import database
from collector.console.tables import print_table
from collector.console.terminal import Reporter, data_options, database_option, notice


@click.command()
@click.argument("path", required=False)
@click.option(
    "--model",
    default="ngrams",
    show_default=True,
    metavar="NAME",
    help="Embedding model, as `llm embed-models` lists it (needs whowrote[llm]); ngrams: hashed words, needs nothing.",
)
@database_option
@data_options
def embed(path: str | None, model: str, db: Path, output_format: str) -> None:
    """Measure how far each turn drifts from the task.

    Embeds the sessions of the clone at PATH, or of all clones in the database. No text is embedded twice, and interrupted runs
    resume. With ngrams, and with models that llm runs on this machine, nothing leaves it. docs/metrics.md explains the columns.
    """
    from attribution.evaluation.embedding.queries import drift_table
    from attribution.evaluation.embedding.stage import embed_all
    from attribution.evaluation.models import embedder

    with database(path, db) as (store, repo):
        chosen = embedder(model)
        with Reporter("embed") as progress:
            run = embed_all(store, repo, chosen, progress)
        table = drift_table(store, repo, chosen.model)
    for note in run.notes:
        notice(f"note: {note}")
    notice(
        f"embedded {run.sessions} sessions with {run.turns} turns using {chosen.model} in {run.seconds:.1f} s: "
        f"{run.computed} texts computed, {run.cached} cached; {run.unchanged} sessions unchanged, {run.unreadable} unreadable"
    )
    table.notes.append(f"{len(table)} sessions; curves turn by turn: cp_curve and intent_coherence_curve of session_embeddings")
    columns = (
        "key=session", "started_at", "texts", "max_cp", "drift_onset_turn=>0.2 at", "drift_onset_calibrated=drift at",
        "assumption_lock_turn=lock at", "plan_ged=plan", "goal_alignment_at_close=close", "session_failure_mode=mode",
        "label=first prompt",
    )  # fmt: skip
    print_table(output_format, table, columns)


DATA = (embed,)
