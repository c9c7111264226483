"""The command about sentence embeddings."""

from __future__ import annotations

from pathlib import Path

import click

from attribution.commands.common import database, print_rows
from attribution.embedding import BACKENDS
from collector.console.terminal import Reporter, data_options, database_option, notice, out


@click.command()
@click.argument("path", required=False)
@click.option(
    "--backend",
    type=click.Choice(BACKENDS),
    default=BACKENDS[0],
    show_default=True,
    help="minilm: a sentence model; ngrams: hashed character n-grams.",
)
@click.option("--model", type=click.Path(path_type=Path), metavar="DIR", help="Directory with the weights of minilm.")
@click.option("--session", default="", metavar="KEY", help="Show the curves and turns of this session only.")
@database_option
@data_options
def embed(path: str | None, backend: str, model: Path | None, session: str, db: Path, output_format: str) -> None:
    """Measure how far each turn drifts from the task.

    Uses local sentence embeddings (needs whowrote[embed]) on the sessions of the clone at PATH, or of all clones in the database.
    No text is embedded twice, and interrupted runs resume. Nothing is downloaded and nothing leaves the machine. docs/metrics.md
    explains the columns.
    """
    from attribution.embedding import embedder
    from attribution.ensure.sessions import embed_all
    from attribution.queries.embeddings import curves, embedding_rows

    with database(path, db) as (store, repo):
        if session:
            curve = curves(store, session, repo)
            print_rows(output_format, curve.turns, lambda terminal: terminal.embedding.curve_view(out(), curve))
            return
        with_ = embedder(backend, model)
        with Reporter("embed") as progress:
            done = embed_all(store, repo, with_, progress)
        for note in done.notes:
            notice(f"note: {note}")
        notice(
            f"embedded {done.sessions} sessions with {done.turns} turns using {with_.model} in {done.seconds:.1f} s: "
            f"{done.computed} texts computed, {done.cached} cached; {done.unchanged} sessions unchanged, "
            f"{done.unreadable} unreadable"
        )
        rows = embedding_rows(store, repo, with_.model)
    print_rows(output_format, rows, lambda terminal: terminal.embedding.embedding_table(out(), rows))


DATA = (embed,)
