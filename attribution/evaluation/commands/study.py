"""The chapter with the tables of the SWE-chat paper."""

from __future__ import annotations

from pathlib import Path

import click

from collector.console.tables import print_tables
from collector.console.terminal import csv_text, data_options, database_option, notice, writing

_FILE = click.Path(dir_okay=False, path_type=Path)
_DIRECTORY = click.Path(file_okay=False, path_type=Path)


@click.command()
@click.option("--table", "names", multiple=True, metavar="NAME", help="Table to print (repeatable).  [default: all]")
@click.option("--out", "directory", type=_DIRECTORY, metavar="DIR", help="Also write the tables as CSV files to DIR.")
@click.option("--html", "html_file", type=_FILE, metavar="FILE", help="Write a self-contained HTML page with figures.")
@click.option("--markdown", "markdown_file", type=_FILE, metavar="FILE", help="Write the tables as Markdown.")
@database_option
@data_options
def study(
    names: tuple[str, ...], directory: Path | None, html_file: Path | None, markdown_file: Path | None, db: Path, output_format: str
) -> None:
    """Reproduce the tables of the SWE-chat paper.

    Computes its tables from this database, by the paper's definitions and by ours, next to the published values; those that
    need a judge from stored labels, if there are any. Adds what the paper does not have: survival of lines compared with
    people's, excess rework, evidence, our error rate. 95 % intervals are clustered by repository. docs/study.md explains the
    numbers. --html needs whowrote[browse].
    """
    from attribution.evaluation.study import study as chapter
    from collector.storage.store import Store

    with Store(db, create=False) as store:
        tables = chapter(store)
    every = [table.name for table in tables]
    unknown = [name for name in names if name not in every]
    if unknown:
        raise click.UsageError(f"no such table: {unknown[0]}; choose from: {', '.join(every)}")
    tables = [table for table in tables if not names or table.name in names]
    if directory is not None:
        with writing(directory):
            directory.mkdir(parents=True, exist_ok=True)
            for table in tables:
                text = csv_text([column.name for column in table.columns], table.rows)
                (directory / f"{table.name}.csv").write_text(text, "utf-8")
        notice(f"{len(tables)} files in {directory}")
    if html_file is not None or markdown_file is not None:
        from attribution.evaluation.study.page import html, markdown

        for path, render in ((html_file, html), (markdown_file, markdown)):
            if path is not None:
                text = render(tables)
                with writing(path):
                    path.write_text(text, "utf-8")
                notice(f"{path}: {len(text) // 1024} kB")
        if not output_format:
            return
    print_tables(output_format, tables)


REPORTS = (study,)
