"""The command about transcripts on this machine: doctor."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from attribution.commands.common import local_options
from collector.console.tables import print_table
from collector.console.terminal import data_options

if TYPE_CHECKING:
    from collector.local.model import LocalOptions


@click.command()
@click.option(
    "--transcripts",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    multiple=True,
    metavar="DIR",
    help="Look in DIR instead: a copy of a home directory, or of an agent's directory in it (repeatable).",
)
@click.argument("path", required=False)
@data_options
def doctor(path: str | None, transcripts: tuple[Path, ...], output_format: str) -> None:
    """Show which agents keep transcripts on this machine.

    Where they are, how far back they go, which agents delete theirs, and what cannot be read. Only names, sizes and times of files
    are looked at. With PATH, list the transcripts that belong to this clone, and why.
    """
    local = local_options("always", transcripts, ())
    if path is not None:
        _list_transcripts(path, local, output_format)
        return
    from collector.local import machines
    from collector.local.report import survey

    columns = ("agent", "files", "bytes=size", "oldest", "newest", "tested=read from", "note", "path")
    print_table(output_format, survey(machines(local)), columns)


def _list_transcripts(path: str, local: LocalOptions, output_format: str) -> None:
    from collector.git.repository import GitRepo
    from collector.local.report import would_read

    columns = ("agent", "written=last written", "files", "bytes=size", "why", "path=file")
    print_table(output_format, would_read(GitRepo(path), local), columns)


COMMANDS = (doctor,)
