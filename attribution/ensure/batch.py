"""The conclusions for all repositories of a database, each in a shard of its own."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from attribution.authorship.options import AttributeOptions
from attribution.ensure.lines import attribute_one
from attribution.features import version as features_version
from attribution.queries.repositories import all_repositories
from attribution.stages import feature_rows as rows
from attribution.stages.lines_due import VERSION, is_current
from collector.errors import NotARepository, UnknownBranch
from collector.git.repository import GitRepo
from collector.hooks import plugins
from collector.local.model import LocalChoice, LocalOptions
from collector.runtime import shards
from collector.runtime.runner import RunOptions
from collector.runtime.shards import FinishedItem, ShardItem
from collector.runtime.stages import StageName, digest
from collector.runtime.workers import TaskLimits
from collector.storage.store import Store


class LostClone(NamedTuple):
    name: str
    path: str  # where the clone was


class KnownRepositories(NamedTuple):
    """Repositories whose clone is there, and those whose clone is not."""

    items: list[ShardItem]
    lost: list[LostClone]


def repositories(store: Store, names: Sequence[str]) -> KnownRepositories:
    """The named repositories, or all in the database."""
    chosen = {name.lower() for name in names}
    present = {
        item.name.lower(): item for plugin in plugins() for item in plugin.mirrors(store, names)
    }
    lost = []
    for row in sorted(all_repositories(store), key=lambda row: row.id):
        key = row.name.lower()
        if key in present or (chosen and key not in chosen):
            continue
        if row.path and Path(row.path).is_dir():
            present[key] = ShardItem(row.name, row.path, "")
        else:
            lost.append(LostClone(row.name, row.path or "?"))
    return KnownRepositories(list(present.values()), lost)


def waiting(store: Store, items: Sequence[ShardItem], retry: bool) -> list[ShardItem]:
    """The repositories that have work left."""
    rows.prepare(store)
    keyed = [
        replace(item, key=digest(VERSION, features_version(), item.key))
        for item in items
        if item.key
    ]
    mirrors = shards.pending(store, StageName.LINES, keyed, retry)
    return [*mirrors, *(item for item in items if not item.key and not _current(store, item))]


# A corpus is judged by what its repositories hold, not by what is on the machine that reads them.
_OPTIONS = AttributeOptions(local=LocalOptions(LocalChoice.NEVER))


def _current(store: Store, item: ShardItem) -> bool:
    try:
        return is_current(store, item.path, _OPTIONS)
    except (NotARepository, UnknownBranch):
        return False


def attribute_all(
    store: Store, items: Sequence[ShardItem], how: RunOptions
) -> Iterator[FinishedItem]:
    """Attributes each and yields as it ends."""
    with_grace = replace(how, limits=how.limits.with_grace())
    yield from shards.run(store, StageName.LINES, fill_shard, items, (how.limits,), with_grace)


def fill_shard(name: str, path: str, shard: str, limits: TaskLimits) -> str:
    """Attributes one clone into its shard, in a worker.

    Returns whether the shard is done or there is nothing to attribute.
    """
    try:
        clone = GitRepo(path)
        with shards.building_shard(Path(shard)) as store:
            attribute_one(store, clone, _OPTIONS, limits=limits)
    except UnknownBranch:
        return "nothing"
    return "done"
