"""The command that opens the database in a browser: browse."""

from __future__ import annotations

from pathlib import Path

import click

from collector.console.terminal import database_option, notice


@click.command()
@database_option
@click.option("--port", type=click.IntRange(0, 65535), default=8001, show_default=True, help="Port; 0: any that is free.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address; other machines can read what is served elsewhere.")
@click.option("--no-open", is_flag=True, help="Do not open the browser.")
def browse(db: Path, port: int, host: str, no_open: bool) -> None:
    """Look at a database in the browser: repositories, files line by line, sessions, commits, and every table.

    Needs whowrote[browse]. Nothing is loaded from elsewhere and nothing is written but an index of prompts for searching.
    """
    from attribution.browse.serve import serve

    def ready(address: str) -> None:
        notice(f"{db} is at {address}  (Ctrl-C ends it)")
        if not no_open:
            click.launch(address)

    serve(db, host, port, ready)


COMMANDS = (browse,)
