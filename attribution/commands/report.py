"""The commands that make pages to pass on: report."""

from __future__ import annotations

from pathlib import Path
from typing import IO

import click

from attribution.commands.sections import Section
from collector.console.commands import CommandFiles
from collector.console.terminal import database_option, notice, out, writing


@click.group(commands=CommandFiles("attribution.commands", "REPORTS"), invoke_without_command=True)
@click.option(
    "--html", "page", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write a self-contained HTML page."
)
@click.option(
    "--commits",
    type=click.File("r"),
    metavar="FILE",
    help="Summarise only the commits listed in FILE (one id per line; - for stdin).",
)
@click.option("--prompts", is_flag=True, help="With --commits: also the beginning of each session's first prompt.")
@click.option("--markdown", is_flag=True, help="Print a short Markdown table for a pull request or README.  [default]")
@database_option
@click.pass_context
def report(context: click.Context, page: Path | None, commits: IO[str] | None, prompts: bool, markdown: bool, db: Path) -> None:
    """Summarise a database as HTML or Markdown.

    The HTML page is self-contained, without scripts; creating it needs whowrote[browse].
    For a pull request: git rev-list BASE..HEAD | attribute report --commits -
    """
    if context.invoked_subcommand is not None:
        return
    from attribution.browse import standalone
    from collector.storage.store import Store

    with Store(db, create=False) as store:
        if page is not None:
            text = standalone.html(store)
            with writing(page):
                page.write_text(text, "utf-8")
            notice(f"{page}: {len(text) // 1024} kB, open it in a browser")
        if commits is not None:
            shas = [line.strip().lower() for line in commits if line.strip()]
            out().print(standalone.markdown_of(store, shas, prompts), soft_wrap=True, end="")
        elif markdown or page is None:
            out().print(standalone.markdown(store), soft_wrap=True, end="")


SECTION, ORDER = Section.EXCHANGE, 10
COMMANDS = (report,)
