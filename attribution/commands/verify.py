"""The command that compares line history with git blame: verify."""

from __future__ import annotations

import click

from attribution.commands.common import here
from collector.console.tables import print_table
from collector.console.terminal import Reporter, data_options
from collector.errors import EXIT_CHECK_FAILED


@click.command()
@click.argument("path", required=False)
@click.option(
    "--sample",
    type=click.IntRange(0),
    default=100,
    show_default=True,
    metavar="N",
    help="Number of files to verify per commit; 0 for all.",
)
@click.option("--commits", type=click.IntRange(0), default=0, metavar="N", help="Also verify N randomly chosen earlier commits.")
@click.option("--branch", default="", metavar="NAME", help="Branch, tag or commit to verify.  [default: HEAD]")
@click.option("--seed", type=int, default=0, show_default=True, help="Random seed for choosing files and commits.")
@data_options
@click.pass_context
def verify(context: click.Context, path: str | None, sample: int, commits: int, branch: str, seed: int, output_format: str) -> None:
    """Compare line history with git blame.

    Follows the whole history exactly as git blame does, without tracking moves or whitespace changes, and compares every line.
    Exits with 1 if they differ. Needs no database.
    """
    from attribution.queries.blame_agreement import blame_agreement

    path = path or here()
    with Reporter(path) as progress:
        table = blame_agreement(path, branch, sample or None, commits, seed, progress)
    print_table(output_format, table, ("commit", "files", "lines", "same=same as git blame", "share=agreement"))
    if any(row["same"] != row["lines"] for row in table):
        context.exit(EXIT_CHECK_FAILED)


DATA = (verify,)
