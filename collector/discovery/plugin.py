"""What the core asks of discovery: mirrors of repositories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from collector.hooks import Plugin, TableSettings

if TYPE_CHECKING:
    from collector.runtime.progress import Progress
    from collector.runtime.shards import ShardItem
    from collector.storage.store import Store


class Discovery(Plugin):
    tables: ClassVar[TableSettings] = {"cursors": {"hidden": True}, "mirrors": {"hidden": True}}

    def mirror(self, address: str, progress: Progress) -> str:
        from collector.discovery.mirrors.update import mirror

        return mirror(address, progress)

    def mirrors(self, store: Store, names: Sequence[str]) -> list[ShardItem]:
        from collector.discovery.mirrors.table import items

        return items(store, names)


PLUGIN = Discovery()
