"""The commands about lines and commits as they were written: explain, blame, show."""

from __future__ import annotations

from pathlib import Path

import click

from attribution.commands.common import (
    COMMIT,
    at,
    blamed_lines,
    clone_and_file,
    file_and_line,
    file_and_lines,
    print_one,
    print_rows,
)
from collector.console.terminal import data_options, database_option, out


@click.command()
@click.argument("place", nargs=-1, required=True, metavar="[PATH] FILE[:LINE[-LINE]]")
@COMMIT
@database_option
@data_options
def explain(place: tuple[str, ...], commit: str, db: Path, output_format: str) -> None:
    """Explain who wrote a line and how we know.

    Shows the evidence, the prompt and the edit behind the line, and why it was not somebody else. Without :LINE, summarises the
    whole file in blocks of lines with the same origin; FILE:10-20 does so with lines 10 to 20.
    """
    from attribution.queries.blame import blame, blocks
    from attribution.queries.explain import explain as explain_one

    path, file = clone_and_file(place)
    lines = file_and_lines(file)
    name, number = (lines[0], None) if lines else file_and_line(file)
    with at(path, db) as where:
        if number is not None:
            explanation = explain_one(where, name, number, commit)
            print_one(output_format, explanation, lambda terminal: terminal.explain.line_view(out(), explanation))
            return
        blamed = blame(where, name, commit, lines[1] if lines else ())
        rows = blocks(where, blamed)
        print_rows(output_format, rows, lambda terminal: terminal.blame.file_view(out(), blamed, rows))


@click.command()
@click.argument("place", nargs=-1, required=True, metavar="[PATH] FILE")
@COMMIT
@click.option("-L", "lines", default="", metavar="FIRST,LAST", help="Show only these lines, as in git: 10,20 or 10,+5 or 10.")
@click.option("-w", "ignore_space", is_flag=True, help="Look behind commits that only changed spaces in a line, as in git.")
@database_option
@data_options
def blame(place: tuple[str, ...], commit: str, lines: str, ignore_space: bool, db: Path, output_format: str) -> None:
    """Show each line of a file with its author and evidence."""
    from attribution.queries.blame import blame as blame_file

    path, file = clone_and_file(place)
    only = blamed_lines(lines)
    with at(path, db) as where:
        blamed = blame_file(where, file, commit, only, ignore_space)
    print_rows(output_format, blamed.lines, lambda terminal: terminal.blame.blame_view(out(), blamed))


@click.command()
@click.argument("commit")
@click.argument("path", required=False)
@database_option
@data_options
def show(commit: str, path: str | None, db: Path, output_format: str) -> None:
    """Show who wrote the lines of a commit.

    Also lists the sessions and prompts behind it, and the percentages its recorder claims. COMMIT is a commit id or a prefix of
    one; given the PATH of the clone, it can be any revision, for example HEAD~2.
    """
    from attribution.queries.commit import commit_report
    from collector.storage.places import clone_of
    from collector.storage.store import Store

    path = path or clone_of(db)
    if path is None:
        with Store(db, create=False) as store:
            report = commit_report(store, commit)
    else:
        with at(path, db) as where:
            report = commit_report(where.store, commit, where)
    if output_format == "csv":
        print_rows(output_format, list(report.span_rows()), None)
    else:
        print_one(output_format, report, lambda terminal: terminal.commit.commit_view(out(), report))


COMMANDS = (blame, explain, show)
