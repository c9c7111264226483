"""`whowrote collect`: the commands of the program `collect`."""

from __future__ import annotations

import click

from attribution.commands.sections import Section
from collector.console.commands import CommandFiles
from collector.console.terminal import Program


@click.group(cls=Program, commands=CommandFiles("collector.commands"))
def collect() -> None:
    """Find, fetch and load many repositories that contain records of agents."""


SECTION, ORDER = Section.ATTRIBUTE, 90
COMMANDS = (collect,)
