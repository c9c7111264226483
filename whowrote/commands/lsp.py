"""`whowrote serve lsp`: who wrote the lines of the file that is open in an editor."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from io import FileIO
from pathlib import Path

import click

from collector.errors import WhoWroteError


@click.command()
@click.option(
    "--db", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="SQLite file.  [default: that of each clone]"
)
def lsp(db: Path | None) -> None:
    """Serve hovers and inlay hints to editors (LSP).

    Speaks the Language Server Protocol on stdin and stdout; an editor starts it. It answers for every file of a clone that the
    editor opens: who wrote the line, how we know, the prompt behind it. Needs whowrote[lsp].
    """
    if find_spec("pygls") is None:
        raise WhoWroteError("whowrote serve lsp needs whowrote[lsp]", "Install it with: pip install 'whowrote[lsp]'")
    from whowrote.lsp_server import Answers, server

    server(db).start_io(stdout=Answers(FileIO(sys.stdout.fileno(), "wb")))


SERVE = (lsp,)
