"""Commands that only hold others."""

from __future__ import annotations

import click

from collector.cli import collect
from collector.console.commands import CommandFiles


@click.group(commands=CommandFiles("DATA"))
def data() -> None:
    """Export, check and compare what a database holds."""


@click.group(commands=CommandFiles("SERVE"))
def serve() -> None:
    """Serve answers to agents (MCP) and editors (LSP)."""


COMMANDS = (data, serve, collect)
