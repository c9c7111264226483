"""The command `attribute`: what a bare call says, and the commands of `attribution/commands`."""

from __future__ import annotations

import click

from collector.console.commands import CommandFiles
from collector.console.terminal import EXIT_CODES, Program

TEACH = """\
Who wrote each line of a repository: a person or a coding agent, and how we know.
It works afterwards, on any clone: agents leave their sessions in git, and this program replays them line by line.
Everything lands in one SQLite file; the clone is only read.

Try, in this order:
  attribute repo PATH                 attribute every commit, ends in a short table
  attribute blame PATH FILE           a file, line by line
  attribute explain PATH FILE:LINE    one line: who, how we know, the prompt and the edit behind it
  attribute survival PATH             how long lines live, agents' and people's

More: attribute --help
"""


@click.group(
    cls=Program,
    commands=CommandFiles("attribution.commands"),
    invoke_without_command=True,
    epilog=EXIT_CODES,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="whowrote", prog_name="attribute")
@click.pass_context
def cli(context: click.Context) -> None:
    """Who wrote each line of a git repository, human or coding agent, and how we know."""
    if context.invoked_subcommand is None:
        click.echo(TEACH, nl=False)


def main() -> None:
    cli(prog_name="attribute")
