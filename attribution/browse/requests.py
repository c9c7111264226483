"""A page that is asked for, what it shows, and what the core asks of plug-ins with pages."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from attribution.addresses import Addresses, Place
from attribution.hooks import Plugin
from collector.json_values import Row, Texts

if TYPE_CHECKING:
    from attribution.queries.repositories import RepositoryRow
    from collector.storage.store import Store


class NotThere(Exception):
    """What the address names is not in the database; the text says what."""


class Moved(Exception):
    """The page has another address, which is the text."""


class Shown(NamedTuple):
    template: str
    values: Row


class PageRequest(NamedTuple):
    store: Store
    place: Place
    arguments: Texts  # of the address
    to: Addresses
    repo: RepositoryRow | None = None

    @property
    def repository(self) -> RepositoryRow:
        """The repository of the address; pages of the whole database have none."""
        assert self.repo is not None
        return self.repo

    def number(self, name: str) -> int:
        text = self.arguments.get(name, "")
        return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0

    def text(self, name: str) -> str:
        return self.arguments.get(name, "").strip()[:200]


PageMaker = Callable[[PageRequest], Shown]
Pages = dict[str, tuple[str, PageMaker]]
"""Kind of a page of a repository -> the name of its tab, and what makes it."""


class PluginWithPages(Plugin):
    """What the core asks of a plug-in that has pages of its own."""

    def pages(self) -> Pages:
        """Kind of a page of a repository -> the name of its tab, and what makes it."""
        raise NotImplementedError
