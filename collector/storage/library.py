"""The adapter for sqlite-utils: the index for full-text search, small tables."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from collector.storage.connection import Connection


def _sqlite_utils() -> ModuleType:
    """Imported where it is needed: it costs as much as a small command. It would load pandas and numpy for types we never store."""
    unwanted = [name for name in ("pandas", "numpy") if name not in sys.modules]
    sys.modules.update(dict.fromkeys(unwanted))  # type: ignore[arg-type]
    try:
        import sqlite_utils
    finally:
        for name in unwanted:
            del sys.modules[name]
    return sqlite_utils


def database(connection: Connection) -> Any:
    """The connection as sqlite-utils sees it."""
    return _sqlite_utils().Database(connection, execute_plugins=False)
