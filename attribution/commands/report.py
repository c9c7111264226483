"""The commands that make pages to pass on: report."""

from __future__ import annotations

from pathlib import Path
from typing import IO

import click

from collector.console.commands import CommandFiles
from collector.console.terminal import database_option, notice, out, writing


@click.group(commands=CommandFiles("attribution.commands", "REPORTS"), invoke_without_command=True)
@click.option(
    "--html", "page", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="One page with everything inside."
)
@click.option(
    "--commits", type=click.File("r"), metavar="FILE", help="Only the commits whose ids FILE lists, as a table; - for stdin."
)
@click.option("--markdown", is_flag=True, help="A short table, for a pull request or a README.  [default]")
@database_option
@click.pass_context
def report(context: click.Context, page: Path | None, commits: IO[str] | None, markdown: bool, db: Path) -> None:
    """The main numbers of a database: a page that needs no server, or a table in Markdown.

    The page needs whowrote[browse] to be made, nothing to be read: styles and pictures are inside, and it has no script.
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
            out().print(standalone.markdown_of(store, shas), soft_wrap=True, end="")
        elif markdown or page is None:
            out().print(standalone.markdown(store), soft_wrap=True, end="")


COMMANDS = (report,)
