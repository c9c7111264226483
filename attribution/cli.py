"""The command `attribute`: its greeting, and the commands of `attribution/commands`."""

from __future__ import annotations

import click

from collector.console.commands import CommandFiles
from collector.console.terminal import CONTEXT, EXIT_CODES, Program

TEACH = """\
Find out who wrote each line of a git repository, a person or a coding agent, and how we know.
It works afterwards, on any clone: agents leave records of their sessions in git, and whowrote replays them line by line.
Results go into one SQLite file; the clone is only read.

Try, in a clone:
  attribute repo                attribute every commit and print a summary
  attribute blame FILE          show a file line by line
  attribute explain FILE:LINE   explain one line: who, how we know, the prompt and the edit behind it
  attribute survival .          show how long lines of agents and people survive

No clone at hand? attribute demo
More: attribute --help
"""


@click.group(
    cls=Program,
    commands=CommandFiles("attribution.commands"),
    invoke_without_command=True,
    epilog=EXIT_CODES,
    context_settings=CONTEXT,
)
@click.version_option(package_name="whowrote", prog_name="attribute")
@click.pass_context
def cli(context: click.Context) -> None:
    """Find out who wrote each line of a git repository, a person or a coding agent, and how we know."""
    if context.invoked_subcommand is None:
        click.echo(TEACH, nl=False)


def main() -> None:
    cli(prog_name="attribute")
