"""The commands about lines and commits as they were written: explain, blame, show."""

from __future__ import annotations

from pathlib import Path

import click

from attribution.commands.common import COMMIT, at, file_and_line, print_one, print_rows
from collector.console.terminal import data_options, database_option, out


@click.command()
@click.argument("path")
@click.argument("file", metavar="FILE[:LINE]")
@COMMIT
@database_option
@data_options
def explain(path: str, file: str, commit: str, db: Path, form: str) -> None:
    """Who wrote a line of a clone, how we know, the prompt and the edit behind it, and why not someone else.

    Without :LINE the whole file, by blocks of lines that came the same way.
    """
    from attribution.queries.blame import blame, blocks
    from attribution.queries.explain import explain as explain_one

    name, number = file_and_line(file)
    with at(path, db) as where:
        if number is not None:
            explanation = explain_one(where, name, number, commit)
            print_one(form, explanation, lambda terminal: terminal.explain.line_view(out(), explanation))
            return
        blamed = blame(where, name, commit)
        rows = blocks(where, blamed)
        print_rows(form, rows, lambda terminal: terminal.blame.file_view(out(), blamed, rows))


@click.command()
@click.argument("path")
@click.argument("file")
@COMMIT
@database_option
@data_options
def blame(path: str, file: str, commit: str, db: Path, form: str) -> None:
    """A file of a clone, each line with its commit, author and evidence."""
    from attribution.queries.blame import blame as blame_file

    with at(path, db) as where:
        blamed = blame_file(where, file, commit)
    print_rows(form, blamed.lines, lambda terminal: terminal.blame.blame_view(out(), blamed))


@click.command()
@click.argument("commit")
@click.argument("path", required=False)
@database_option
@data_options
def show(commit: str, path: str | None, db: Path, form: str) -> None:
    """A commit: lines by author, sessions and prompts behind it, and the numbers its producer claims.

    COMMIT is an id or its beginning. With the PATH of the clone it can be any name, for example HEAD~2.
    """
    from attribution.queries.commit import commit_report
    from collector.storage.store import Store

    if path is None:
        with Store(db, create=False) as store:
            report = commit_report(store, commit)
    else:
        with at(path, db) as where:
            report = commit_report(where.store, commit, where)
    if form == "csv":
        print_rows(form, list(report.span_rows()), None)
    else:
        print_one(form, report, lambda terminal: terminal.commit.commit_view(out(), report))


COMMANDS = (explain, blame, show)
