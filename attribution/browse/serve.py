"""Starts Datasette with our plugin on one database."""

import secrets
import socket
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from attribution.browse.private import TOKEN, Access, private
from collector.errors import WhoWroteError
from collector.runtime.version import install_command
from collector.storage.bounded import limit_heap
from collector.storage.store import Store

SETTINGS = {
    "truncate_cells_html": 300,
    "facet_time_limit_ms": 1500,
    "sql_time_limit_ms": 5000,
    "default_page_size": 50,
    "suggest_facets": False,
}

# prints one, with all variables, for every mistyped address
_TRACEBACKS = "datasette.handle_exception"
HEAP = 512_000_000  # bytes of SQLite's memory for all pages together


def application(db: Path) -> Any:
    """Datasette with our plugin and one database. Raises WhoWroteError, DatabaseUnusable."""
    if find_spec("datasette") is None:
        raise WhoWroteError(
            "Datasette is not installed", f"Install it with whowrote: {install_command('browse')}"
        )
    from datasette.app import Datasette
    from datasette.plugins import pm

    with Store(db, create=False) as store:
        if not store.is_read_only:
            store.index_prompts()
    from attribution.browse import plugin
    from attribution.browse.plugin import BoundedDatabase

    # not installed as a distribution: no entry point
    if not any(item is plugin for item in pm.get_plugins()):
        pm.register(plugin, name="whowrote")
    if pm.has_plugin(_TRACEBACKS):
        pm.unregister(name=_TRACEBACKS)
    datasette = Datasette(settings=SETTINGS)
    datasette.remove_database("_memory")  # what Datasette has when it is given no file
    datasette.add_database(BoundedDatabase(datasette, str(db)))
    return datasette


def serve(db: Path, host: str, port: int, ready: Callable[[str], None]) -> None:
    """Serves until interrupted; `ready(address)` is called once the port is taken.

    Raises WhoWroteError when it is in use.

    Only who knows the address, which has a token, can read the pages.
    """
    datasette = application(db)
    import uvicorn

    taken = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        taken.bind((host, port))
        # who opens the address at once waits for the application instead of being refused
        taken.listen()
    except OSError as error:
        raise WhoWroteError(
            f"cannot serve on {host}:{port}: {error.strerror}",
            "Choose another port, or --port 0 for a free one",
        ) from error
    name = f"[{host}]" if ":" in host else host
    access = Access(host, taken.getsockname()[1], secrets.token_urlsafe(24))
    ready(f"http://{name}:{access.port}/-/whowrote?{TOKEN}={access.token}")
    limit_heap(HEAP)
    guarded = private(datasette.app(), access)
    uvicorn.Server(uvicorn.Config(guarded, log_level="warning", lifespan="on", ws="none")).run(
        sockets=[taken]
    )
