"""Plug-ins, and modules that are found in a package by their `NAME`.

A plug-in is a directory with everything about one subject that the core does not need: its tables,
commands, pages and docs. The core never imports it. `plugin.py` in the directory has `PLUGIN`,
which answers what the core asks (`collector/hooks.py`, about conclusions `attribution/hooks.py`).

Beside `plugin.py`, these are found by their names:

    schema/*.sql, schema/cache/*.sql    tables and views (`collector/storage/schema`)
                                        `-- carried: TABLE...` tables that cannot be computed again
                                        (`storage/carry.py`)
                                        `-- text kept with CONTENT: TABLE.COLUMN...`
                                        (`storage/retention.py`)
    checks.sql, feature_checks.sql      invariants of the tables, the second about features
                                        (`attribution/queries/checks`)
    templates/*.html                    templates of pages that stand alone
                                        (`attribution/browse/standalone.py`)
    questions.sql                       queries that Datasette lists
                                        (`attribution/browse/describe.py`)
    words.py                            closed sets of words that the schema mentions
                                        (`collector/vocabulary/schema.py`)
    commands/*.py                       commands (`collector/console/commands.py`)
"""

import importlib
import pkgutil
from pathlib import Path
from types import ModuleType

PLUGINS = (
    "attribution.culprit",
    "attribution.disclosure",
    "attribution.evaluation",
    "attribution.exchange",
    "attribution.weaknesses",
    "collector.discovery",
    "whowrote.servers",
    "whowrote.setup",
)
_TOP = Path(__file__).parent.parent


def plugin_directories() -> dict[str, Path]:
    """Package of each plug-in that is installed -> its directory. Nothing is imported."""
    directories = {package: _TOP.joinpath(*package.split(".")) for package in PLUGINS}
    return {
        package: directory
        for package, directory in directories.items()
        if (directory / "plugin.py").is_file()
    }


def modules_of(package: str) -> list[ModuleType]:
    """Modules of `package` that define NAME, in order of ORDER (default 50), then name."""
    path = importlib.import_module(package).__path__
    modules = (
        importlib.import_module(f"{package}.{info.name}") for info in pkgutil.iter_modules(path)
    )
    named = [module for module in modules if hasattr(module, "NAME")]
    return sorted(named, key=lambda module: (getattr(module, "ORDER", 50), module.NAME))
