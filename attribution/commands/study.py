"""The command that prints a study of a database: study."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from collector.console.terminal import data_options, database_option, notice, out, write_csv, write_json, writing


@click.command()
@click.option("--table", "wanted", multiple=True, metavar="NAME", help="Only this table; may be repeated.")
@click.option("--out", "directory", type=click.Path(file_okay=False, path_type=Path), metavar="DIR", help="Also CSV files.")
@click.option("--parquet", is_flag=True, help="Parquet files in DIR instead; needs pandas and pyarrow.")
@database_option
@data_options
def study(wanted: tuple[str, ...], directory: Path | None, parquet: bool, db: Path, form: str) -> None:
    """The tables of SWE-chat that need no judge, from this database, by the paper's definition and by ours, beside its numbers.

    Also what the paper does not have: lines after the commit against people's, excess rework, evidence, our error rate. Intervals
    are of 95 % and take repositories, not sessions, as independent. docs/study.md says what the numbers mean.
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
        raise click.UsageError(f"there is no table {unknown[0]}; there are: {', '.join(names)}")
    tables = [table for table in tables if not wanted or table.name in wanted]
    if directory is not None:
        with writing(directory):
            notice(f"{len(save(tables, directory, parquet))} files in {directory}")
    if form == "json":
        write_json([asdict(table) for table in tables])
    elif form == "csv":
        rows = [{"table": t.name, **row} for t in tables for row in t.rows]
        write_csv(list(dict.fromkeys(name for row in rows for name in row)), rows)
    else:
        study_view(out(), tables)


COMMANDS = (study,)
