"""What the core asks of plug-ins: each question is a method of `Plugin`."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, NamedTuple, cast

from collector.json_values import Row
from collector.plugins import plugin_directories

if TYPE_CHECKING:
    from collector.runtime.progress import Progress
    from collector.runtime.shards import ShardItem
    from collector.storage.store import Store

TableSettings = Mapping[str, Row]
"""Table -> what Datasette is told of it: label_column, facets, sort_desc, hidden."""


class Format(NamedTuple):
    """What another tool writes and a plug-in reads, as a row of `collect formats`."""

    name: str
    label: str
    gives: str
    notes: tuple[str, ...]  # names below refs/notes/ where it is kept, worth fetching


class Plugin:
    """What the core asks of a plug-in, which overrides what it has an answer to.

    `plugin.py` is loaded whenever one is asked: its functions import what they need.
    """

    tables: ClassVar[TableSettings] = MappingProxyType({})

    def formats(self) -> Iterable[Format]:
        return ()

    def mirror(self, address: str, progress: Progress) -> str | None:
        """Fetches the repository at an address; the directory of its mirror.

        Raises WhoWroteError, BadName, InUse.
        """
        return None

    def mirrors(self, store: Store, names: Sequence[str]) -> Iterable[ShardItem]:
        """Repositories of a database whose clones the plug-in keeps, all of them without names."""
        return ()


@cache
def plugins() -> tuple[Plugin, ...]:
    modules = (importlib.import_module(f"{package}.plugin") for package in plugin_directories())
    return tuple(cast("Plugin", module.PLUGIN) for module in modules)
