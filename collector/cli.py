"""The command `collect`: what a bare call says, and the commands of `collector/commands`."""

from __future__ import annotations

import click

from collector.console.commands import CommandFiles
from collector.console.terminal import EXIT_CODES, Program

TEACH = """\
Finds and reads what coding agents leave in git: checkpoints, and the transcripts of their sessions in them.

Try:
  collect checkpoints PATH    what a clone holds: checkpoints, sessions, agents
  collect formats             the agents and layouts this version reads
  collect discover            public repositories that hold checkpoints; --dry-run says what it would ask
  collect report              what was found, left out, and probably missed

Who wrote each line is the other command: attribute
More: collect --help
"""


@click.group(
    cls=Program,
    commands=CommandFiles("collector.commands"),
    invoke_without_command=True,
    epilog=EXIT_CODES,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="whowrote", prog_name="collect")
@click.pass_context
def cli(context: click.Context) -> None:
    """Read what coding agents leave in git: checkpoints and the transcripts of their sessions."""
    if context.invoked_subcommand is None:
        click.echo(TEACH, nl=False)


def main() -> None:
    cli(prog_name="collect")
