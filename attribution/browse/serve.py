"""Starts Datasette with our plugin on one database."""

from __future__ import annotations

import socket
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from collector.errors import WhoWroteError
from collector.storage.store import Store

SETTINGS = {"truncate_cells_html": 300, "facet_time_limit_ms": 1500, "sql_time_limit_ms": 5000, "default_page_size": 50}


def application(db: Path) -> Any:
    """Datasette with our plugin and one database. Raises WhoWroteError, DatabaseUnusable."""
    if find_spec("datasette") is None:
        raise WhoWroteError("Datasette is not installed", "Install it with whowrote: pip install 'whowrote[browse]'")
    from datasette.app import Datasette
    from datasette.plugins import pm

    with Store(db, create=False) as store:
        store.index_prompts()
    from attribution.browse import plugin

    if not any(one is plugin for one in pm.get_plugins()):  # not installed as a distribution: no entry point
        pm.register(plugin, name="whowrote")
    return Datasette(files=[str(db)], settings=SETTINGS)


def serve(db: Path, host: str, port: int, ready: Callable[[str], None]) -> None:
    """Serves until interrupted; `ready(address)` is called once the port is taken. Raises WhoWroteError when it is in use."""
    datasette = application(db)
    import uvicorn

    taken = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        taken.bind((host, port))
    except OSError as error:
        raise WhoWroteError(
            f"cannot serve on {host}:{port}: {error.strerror}", "Choose another port, or --port 0 for a free one"
        ) from error
    at = f"[{host}]" if ":" in host else host
    ready(f"http://{at}:{taken.getsockname()[1]}/-/whowrote")
    uvicorn.Server(uvicorn.Config(datasette.app(), log_level="warning", lifespan="on")).run(sockets=[taken])
