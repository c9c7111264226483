"""`whowrote serve mcp` and `whowrote serve lsp`: answers for coding agents and editors."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from io import FileIO
from pathlib import Path

import click

from attribution.commands.common import here
from collector.console.terminal import database_option
from collector.errors import WhoWroteError


def _require(package: str, extra: str) -> None:
    if find_spec(package) is None:
        raise WhoWroteError(f"whowrote serve {extra} needs whowrote[{extra}]", f"Install it with: pip install 'whowrote[{extra}]'")


@click.command()
@click.argument("path", required=False)
@database_option
def mcp(path: str | None, db: Path) -> None:
    """Serve answers about a clone to agents (MCP).

    Speaks the Model Context Protocol on stdin and stdout; an agent or editor starts it. Tools: who wrote these lines, why is this
    line here, what did this session do, what was tried and undone in this file. Needs whowrote[mcp].
    """
    _require("mcp", "mcp")
    from whowrote.servers.mcp_server import server

    server(path or here(), db).run()


@click.command()
@click.option(
    "--db", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="SQLite file.  [default: that of each clone]"
)
def lsp(db: Path | None) -> None:
    """Serve hovers and inlay hints to editors (LSP).

    Speaks the Language Server Protocol on stdin and stdout; an editor starts it. It answers for every file of a clone that the
    editor opens: who wrote the line, how we know, the prompt behind it. Needs whowrote[lsp].
    """
    _require("pygls", "lsp")
    from whowrote.servers.lsp_server import Answers, server

    server(db).start_io(stdout=Answers(FileIO(sys.stdout.fileno(), "wb")))


SERVE = (mcp, lsp)
