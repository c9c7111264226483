"""The command `attribute`, which has the same commands as `whowrote`, and the page that it
prints outside a clone.
"""

import click

from collector.console.commands import CommandFiles
from collector.console.terminal import CONTEXT, EXIT_CODES, Program

TEACH = """\
Find out who wrote each line of a git repository, a person or a coding agent, and how we know.
It works afterwards, on any clone: agents leave records of their sessions in git, and whowrote
replays them line by line. Results go into one SQLite file outside the worktree; the clone is only
read.

Try, in a clone:
  whowrote                     attribute new commits and print a summary
  whowrote blame FILE          show a file line by line (also: git whowrote blame FILE)
  whowrote why FILE:LINE       explain one line: who, how we know, the prompt and the edit behind it
  whowrote survival .          show how long lines of agents and people survive

No clone at hand? whowrote demo
Many repositories: whowrote collect
More: whowrote --help
"""


@click.group(
    cls=Program,
    commands=CommandFiles(),
    invoke_without_command=True,
    epilog=EXIT_CODES,
    context_settings=CONTEXT,
)
@click.version_option(package_name="whowrote", prog_name="whowrote")
@click.pass_context
def cli(context: click.Context) -> None:
    """Find out who wrote each line of a git repository, a person or a coding agent, and how we
    know.

    Without a command, in a clone: attribute new commits and print a summary.
    """
    if context.invoked_subcommand is not None:
        return
    from collector.storage.places import clone_around

    if clone_around(".") is None:
        click.echo(TEACH, nl=False)
    else:
        context.invoke(cli.commands["repo"])


def main(name: str = "attribute") -> None:
    """Runs the command under the name by which it was started."""
    cli(prog_name=name)
