"""The command about transcripts on this machine: doctor."""

from __future__ import annotations

from pathlib import Path

import click

from attribution.commands.common import local_options, print_rows
from collector.console.terminal import data_options, out


@click.command()
@click.option(
    "--transcripts",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    multiple=True,
    metavar="DIR",
    help="Look in DIR instead: a copy of a home directory, or of an agent's directory in it (repeatable).",
)
@data_options
def doctor(transcripts: tuple[Path, ...], output_format: str) -> None:
    """Show which agents keep transcripts on this machine.

    Where they are, how far back they go, which agents delete theirs, and what cannot be read. Only names, sizes and times of files
    are looked at. Which of them belong to a clone: whowrote repo PATH --local --dry-run.
    """
    from collector.local import machines
    from collector.local.report import survey

    rows = [row for machine in machines(local_options(None, transcripts, ())) for row in survey(machine)]
    print_rows(output_format, rows, lambda terminal: terminal.local.survey(out(), rows))


COMMANDS = (doctor,)
