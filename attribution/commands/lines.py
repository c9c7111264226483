"""The commands about lines: blame, why."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from attribution.commands.common import (
    COMMIT,
    blamed_lines,
    clone_and_file,
    file_and_lines,
    follow_clone,
    open_clone,
    print_one,
    print_rows,
)
from collector.console.terminal import data_options, database_option, out, write_json

if TYPE_CHECKING:
    from attribution.queries.open_repo import OpenRepo


@click.command()
@click.argument("arguments", nargs=-1, required=True, metavar="[PATH] FILE[:LINE[-LINE]]")
@COMMIT
@click.option("--history", is_flag=True, help="First follow the history of lines, as `whowrote survival` does.")
@click.option("--full", is_flag=True, help="The same for the whole history, from its first commit.")
@database_option
@data_options
def why(arguments: tuple[str, ...], commit: str, history: bool, full: bool, db: Path, output_format: str) -> None:
    """Explain who wrote a line, how we know, and what became of it.

    Shows the evidence, the prompt and the edit behind the line, and why it was not somebody else. Once lines are followed, also
    when it was introduced, moved, reformatted and removed, and by whom. Use --commit for a line that no longer exists.

    Without :LINE, summarises the whole file in blocks of lines with the same origin; FILE:10-20 does so with lines 10 to 20.
    """
    path, file = clone_and_file(arguments)
    name, lines = file_and_lines(file)
    number = lines.first if lines is not None and lines.first == lines.last else None
    with follow_clone(path, db, True if full else None, None) if history or full else _open_as_stored(path, db) as (opened, notes):
        if number is not None:
            _why_line(opened, name, number, commit, output_format, notes)
            return
        from attribution.queries.blame import blame as blame_file
        from attribution.queries.blame import blocks

        blamed = blame_file(opened, name, commit, lines or ())
        rows = blocks(opened, blamed)
        print_rows(output_format, rows, lambda terminal: terminal.blame.file_view(out(), blamed, rows))


@contextmanager
def _open_as_stored(path: str, db: Path) -> Iterator[tuple[OpenRepo, None]]:
    with open_clone(path, db) as opened:
        yield opened, None


def _why_line(opened: OpenRepo, name: str, number: int, commit: str, output_format: str, notes: list[str] | None) -> None:
    """`notes`: about lines that were followed for this; None: they are as they were stored."""
    from attribution.queries.explain import explain
    from attribution.queries.history import is_followed, line_history

    explanation = explain(opened, name, number, commit)
    history = line_history(opened, name, number, commit) if notes is not None or is_followed(opened) else None
    if history is not None:
        history.notes += notes or []
    if output_format == "csv" and notes is not None and history is not None:
        print_rows(output_format, history.events, None)
    elif output_format == "json":
        write_json(explanation.data() | {"history": history.data() if history is not None else None})
    else:
        print_one(output_format, explanation, lambda terminal: terminal.explain.line_view(out(), explanation, history))


@click.command()
@click.argument("arguments", nargs=-1, required=True, metavar="[PATH] FILE")
@COMMIT
@click.option("-L", "lines", default="", metavar="FIRST,LAST", help="Show only these lines, as in git: 10,20 or 10,+5 or 10.")
@click.option("-w", "ignore_space", is_flag=True, help="Look behind commits that only changed spaces in a line, as in git.")
@database_option
@data_options
def blame(arguments: tuple[str, ...], commit: str, lines: str, ignore_space: bool, db: Path, output_format: str) -> None:
    """Show each line of a file with its author and evidence."""
    from attribution.queries.blame import blame as blame_file

    path, file = clone_and_file(arguments)
    only = blamed_lines(lines)
    with open_clone(path, db) as opened:
        blamed = blame_file(opened, file, commit, only, ignore_space)
    print_rows(output_format, blamed.lines, lambda terminal: terminal.blame.blame_view(out(), blamed))


COMMANDS = (blame, why)
