"""The command about evaluation runs: attempts. Parse, call the library, print."""

from __future__ import annotations

from pathlib import Path

import click

from collector.commands.common import print_table
from collector.console.options import ListingCommand
from collector.console.terminal import Reporter, data_options, database_option, notice


def _listed() -> list[tuple[str, str]]:
    from collector.attempts import readers

    return [(reader.NAME, " ".join((reader.__doc__ or "").split("\n\n")[0].split())) for reader in readers()]


@click.command(cls=ListingCommand, listing=_listed, title="Formats")
@click.argument("directory", type=click.Path(path_type=Path), metavar="DIR")
@database_option
@click.option(
    "--gold",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Data set with instance_id and the reference patch (JSON Lines or Parquet).",
)
@data_options
def attempts(directory: Path, db: Path, gold: Path | None, output_format: str) -> None:
    """Import the results of evaluation runs.

    Reads every file below DIR that it recognises by its structure as one of the formats listed below. Importing the same files
    twice changes nothing.
    """
    from collector.attempts.gold import gold_files
    from collector.attempts.scan import scan
    from collector.attempts.tables import summary, write
    from collector.storage.store import Store

    patches = gold_files(gold) if gold else None
    with Reporter(str(directory)) as progress:
        scanned = scan(directory, progress)
    with Store(db) as store:
        done = write(store, scanned, patches)
        rows = summary(store, scanned.sources)
    columns = ("harness", "run", "agent", "model", "attempts", "verified", "resolved", "labelled")
    end = f"{scanned.recognised} files with results: {done.new} new attempts, {done.changed} changed, {done.same} unchanged"
    print_table(output_format, rows, columns, end)
    if scanned.problems:
        notice(f"note: {len(scanned.problems)} files could not be used in full: whowrote data problems --db {db}")
    if not scanned.attempts:
        notice(f"note: nothing below {directory} was recognised as a result")


COLLECT = (attempts,)
