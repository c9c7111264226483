"""The command about evaluation runs."""

from __future__ import annotations

from pathlib import Path

import click

from attribution.commands.common import database
from collector.console.options import ListingCommand
from collector.console.tables import print_table
from collector.console.terminal import Reporter, data_options, database_option, notice


def _formats() -> list[tuple[str, str]]:
    from attribution.evaluation.attempts import readers

    return [(reader.NAME, " ".join((reader.__doc__ or "").split("\n\n")[0].split())) for reader in readers()]


@click.command(cls=ListingCommand, listing=_formats, title="Formats")
@click.argument("directory", type=click.Path(path_type=Path), metavar="[DIR]", required=False)
@database_option
@click.option(
    "--gold",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Data set with instance_id and the reference patch (JSON Lines or Parquet).",
)
@click.option("--min-n", type=click.IntRange(min=1), default=1, show_default=True, help="Minimum attempts per treatment.")
@click.option("--by-run", is_flag=True, help="List each run separately; harnesses may not record what differed between runs.")
@data_options
def attempts(directory: Path | None, db: Path, gold: Path | None, min_n: int, by_run: bool, output_format: str) -> None:
    """Import evaluation runs, and show how often they succeed.

    With DIR, first imports every file below it that is recognised by its structure as one of the formats listed below; importing
    the same files twice changes nothing. Prints pass@k with intervals and the outcomes, by treatment, retries listed separately.
    docs/grades.md explains every number.
    """
    from attribution.evaluation.attempts.rates import treatments
    from attribution.evaluation.words import PatchOutcome
    from collector.storage.views import table_of

    if directory is not None and not _import(directory, gold, db):
        return
    with database(None, db) as (store, _):
        result = treatments(store, min_n, by_run)
    for note in result.notes if output_format or not result.rows else ():
        notice(f"note: {note}")
    note = "pass@1: mean over tasks with 95 % interval; attempts that the harness could not judge count as not solved"
    rates = [name for row in result.rows[:1] for name in row if name.startswith("pass_at_")]
    units = dict.fromkeys((*rates, "first", "later"), "share") | {"cost_per_solved": "USD"}
    table = table_of(result.rows, units, [note, *result.notes])
    further = (f"{name}=pass@{name.rpartition('_')[2]}" for name in rates if name.rpartition("_")[2].isdigit())
    columns = (
        "model", "agent?", "dataset?", "settings", "tasks", "attempts", "solved", "pass_at_1=pass@1", "pass_at_1_low=from",
        "pass_at_1_high=to", *(name for name in further if not name.startswith("pass_at_1=")), "later?=retries",
        *(f"{label}?" for label in PatchOutcome), "localized?=right file",
    )  # fmt: skip
    print_table(output_format, table, columns if result.rows else ())


def _import(directory: Path, gold: Path | None, db: Path) -> bool:
    """Whether the directory holds results."""
    from attribution.evaluation.attempts.gold import gold_files
    from attribution.evaluation.attempts.scan import scan
    from attribution.evaluation.attempts.stage import write
    from collector.storage.store import Store

    patches = gold_files(gold) if gold else None
    with Reporter(str(directory)) as progress:
        scanned = scan(directory, progress)
    with Store(db) as store:
        new = write(store, scanned, patches)
    notice(f"{scanned.recognised} files with results: {len(scanned.attempts)} attempts, {new} of them new")
    if scanned.problems:
        notice(f"note: {len(scanned.problems)} files could not be used in full: whowrote data problems --db {db}")
    if not scanned.attempts:
        notice(f"note: nothing below {directory} was recognised as a result")
    return bool(scanned.attempts)


DATA = (attempts,)
