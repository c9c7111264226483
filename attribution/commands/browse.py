"""The command that opens the database in a browser: browse."""

from __future__ import annotations

from pathlib import Path

import click

from collector.console.terminal import database_option, notice


@click.command()
@database_option
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8001, show_default=True, help="Port to listen on; 0 picks a free one."
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on. Anything but the default exposes the database to other machines.",
)
@click.option("--no-open", is_flag=True, help="Do not open the browser.")
def browse(db: Path, port: int, host: str, no_open: bool) -> None:
    """Explore a database in the browser.

    Shows repositories, files line by line, sessions, commits and every table. Needs whowrote[browse]. The pages load nothing from
    the network. The database is not changed, except that a full-text index of prompts is added where it can be written.

    The address has a token: without it nothing is shown, to other programs and users of this machine neither. Programs send it as
    the header "Authorization: Bearer TOKEN". Queries are limited in time, memory and size.
    """
    from attribution.browse.serve import serve

    def ready(address: str) -> None:
        notice(f"{db} is at {address}  (press Ctrl-C to stop)")
        if not no_open:
            click.launch(address)

    try:
        serve(db, host, port, ready)
    except KeyboardInterrupt:  # the usual end
        notice("stopped")


COMMANDS = (browse,)
