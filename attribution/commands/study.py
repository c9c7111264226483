"""The command that prints a study of a database: study."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from attribution.commands.sections import Section
from collector.console.terminal import data_options, database_option, notice, out, write_csv, write_json, writing


@click.command()
@click.option("--table", "wanted", multiple=True, metavar="NAME", help="Table to print (repeatable).  [default: all]")
@click.option(
    "--out",
    "directory",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Also write the tables as CSV files to DIR.",
)
@click.option("--parquet", is_flag=True, help="Write Parquet instead of CSV to DIR; needs pandas and pyarrow.")
@database_option
@data_options
def study(wanted: tuple[str, ...], directory: Path | None, parquet: bool, db: Path, output_format: str) -> None:
    """Reproduce the tables of the SWE-chat paper.

    Computes the tables that need no language model from this database, by the paper's definitions and by ours, next to the
    published values. Adds what the paper does not have: survival of lines compared with people's, excess rework, evidence, our
    error rate. 95 % intervals are clustered by repository. docs/study.md explains the numbers.
    """
    from attribution.study import study as make
    from attribution.study.files import save
    from attribution.terminal.study import study_view
    from collector.storage.store import Store

    if parquet and directory is None:
        raise click.UsageError("--parquet needs --out DIR")
    with Store(db, create=False) as store:
        tables = make(store)
    names = [table.name for table in tables]
    unknown = [name for name in wanted if name not in names]
    if unknown:
        raise click.UsageError(f"no such table: {unknown[0]}; choose from: {', '.join(names)}")
    tables = [table for table in tables if not wanted or table.name in wanted]
    if directory is not None:
        with writing(directory):
            notice(f"{len(save(tables, directory, parquet))} files in {directory}")
    if output_format == "json":
        write_json([asdict(table) for table in tables])
    elif output_format == "csv":
        rows = [{"table": t.name, **row} for t in tables for row in t.rows]
        write_csv(list(dict.fromkeys(name for row in rows for name in row)), rows)
    else:
        study_view(out(), tables)


SECTION, ORDER = Section.EXCHANGE, 20
COMMANDS = (study,)
