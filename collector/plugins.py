"""Modules of a folder, found by their `NAME`: adding an agent or a layout is adding a file."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType


def modules_of(package: str) -> list[ModuleType]:
    """Modules of `package` that define NAME, in order of ORDER (default 50), then name."""
    found = []
    for info in pkgutil.iter_modules(importlib.import_module(package).__path__):
        module = importlib.import_module(f"{package}.{info.name}")
        if hasattr(module, "NAME"):
            found.append(module)
    return sorted(found, key=lambda module: (getattr(module, "ORDER", 50), module.NAME))
