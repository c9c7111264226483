"""The command that prints a study of a database: study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from collector.console.terminal import data_options, database_option, notice, out, write_csv, write_json, writing

if TYPE_CHECKING:
    from attribution.study.model import StudyTable


_FILE = click.Path(dir_okay=False, path_type=Path)


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
@click.option("--html", "page", type=_FILE, metavar="FILE", help="Write a self-contained HTML page with figures.")
@click.option("--markdown", "text", type=_FILE, metavar="FILE", help="Write the tables as Markdown.")
@database_option
@data_options
def study(
    wanted: tuple[str, ...], directory: Path | None, parquet: bool, db: Path, output_format: str, **files: Path | None
) -> None:
    """Reproduce the tables of the SWE-chat paper.

    Computes its tables from this database, by the paper's definitions and by ours, next to the published values; those that
    need a judge from stored labels, if there are any. Adds what the paper does not have: survival of lines compared with
    people's, excess rework, evidence, our error rate. 95 % intervals are clustered by repository. docs/study.md explains the
    numbers. --html needs whowrote[browse].
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
    written = _write(tables, files)
    if output_format == "json":
        write_json([asdict(table) for table in tables])
    elif output_format == "csv":
        rows = [{"table": t.name, **row} for t in tables for row in t.rows]
        write_csv(list(dict.fromkeys(name for row in rows for name in row)), rows)
    elif not written:
        study_view(out(), tables)


def _write(tables: Sequence[StudyTable], files: Mapping[str, Path | None]) -> bool:
    """Whether a file was asked for."""
    from attribution.browse.standalone import study_html, study_markdown

    made = {"page": study_html, "text": study_markdown}
    for name, path in files.items():
        if path is not None:
            text = made[name](tables)
            with writing(path):
                path.write_text(text, "utf-8")
            notice(f"{path}: {len(text) // 1024} kB")
    return any(path is not None for path in files.values())


COMMANDS = (study,)
