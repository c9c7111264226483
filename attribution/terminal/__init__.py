"""Values on a terminal (rich): one module for each kind of view, and the styles they share.

A module is imported when it is first used (`terminal.blame`), so that a command brings along only
what it shows.
"""

import importlib
from types import ModuleType


def __getattr__(name: str) -> ModuleType:
    if name.startswith("_"):
        raise AttributeError(name)
    try:
        return importlib.import_module(f"{__name__}.{name}")
    except ModuleNotFoundError as error:
        raise AttributeError(f"there are no views of {name}") from error
