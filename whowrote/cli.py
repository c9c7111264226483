"""The command `whowrote`: the commands of `attribute`, those of `collect` as a group, and its own. `git whowrote` is the same."""

from __future__ import annotations

import sys
from collections import ChainMap
from pathlib import Path

import click

from collector.console.commands import CommandFiles
from collector.console.terminal import CONTEXT, EXIT_CODES, Program

TEACH = """\
Find out who wrote each line of a git repository, a person or a coding agent, and how we know.
Results go into one SQLite file outside the worktree; the clone is only read.

Try, in a clone:
  whowrote repo                attribute every commit and print a summary
  whowrote blame FILE          show a file line by line (also: git whowrote blame FILE)
  whowrote explain FILE:LINE   explain one line: who, how we know, the prompt and the edit behind it
  whowrote survival .          show how long lines of agents and people survive

No clone at hand? whowrote demo
Many repositories: whowrote collect
More: whowrote --help
"""


@click.group(
    cls=Program,
    commands=ChainMap(CommandFiles("attribution.commands"), CommandFiles("whowrote.commands")),
    invoke_without_command=True,
    epilog=EXIT_CODES,
    context_settings=CONTEXT,
)
@click.version_option(package_name="whowrote", prog_name="whowrote")
@click.pass_context
def cli(context: click.Context) -> None:
    """Find out who wrote each line of a git repository, a person or a coding agent, and how we know."""
    if context.invoked_subcommand is None:
        click.echo(TEACH, nl=False)


def main(name: str = "") -> None:
    """Runs the command under the name by which it was started."""
    cli(prog_name=name or ("git whowrote" if Path(sys.argv[0]).stem == "git-whowrote" else "whowrote"))
