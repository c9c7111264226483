"""`whowrote serve mcp`: answers for coding agents and editors."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import click

from attribution.commands.common import here
from collector.console.terminal import database_option
from collector.errors import WhoWroteError


@click.command()
@click.argument("path", required=False)
@database_option
def mcp(path: str | None, db: Path) -> None:
    """Serve answers about a clone to agents (MCP).

    Speaks the Model Context Protocol on stdin and stdout; an agent or editor starts it. Tools: who wrote these lines, why is this
    line here, what did this session do, what was tried and undone in this file. Needs whowrote[mcp].
    """
    if find_spec("mcp") is None:
        raise WhoWroteError("whowrote serve mcp needs whowrote[mcp]", "Install it with: pip install 'whowrote[mcp]'")
    from whowrote.mcp_server import server

    server(path or here(), db).run()


SERVE = (mcp,)
