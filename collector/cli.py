"""The command `collect`, which is also `whowrote collect`."""

import click

from collector.console.commands import CommandFiles
from collector.console.terminal import CONTEXT, EXIT_CODES, Program

TEACH = """\
Find and read what coding agents leave in git: checkpoints with the transcripts of their sessions.

Try:
  collect formats              list the supported agents and layouts
  collect discover             find public repositories with checkpoints
  collect run --list FILE      fetch and load the repositories named in FILE

To find out who wrote each line, use the other command: whowrote
More: collect --help
"""


@click.group(
    cls=Program,
    commands=CommandFiles("COLLECT"),
    invoke_without_command=True,
    epilog=EXIT_CODES,
    context_settings=CONTEXT,
)
@click.version_option(package_name="whowrote", prog_name="collect")
@click.pass_context
def collect(context: click.Context) -> None:
    """Find, fetch and load many repositories."""
    if context.invoked_subcommand is None:
        click.echo(TEACH, nl=False)


cli = collect


def main() -> None:
    collect(prog_name="collect")
