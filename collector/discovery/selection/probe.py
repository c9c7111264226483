"""Asks a git server which of the interesting refs a repository has: one request of protocol 2,
no API budget.
"""

import hashlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeVar
from urllib.parse import urlsplit

from collector.checkpoints import store_of
from collector.checkpoints.entire import PREFIXES as CHECKPOINTS
from collector.checkpoints.entire import is_on_server
from collector.discovery.channels.channel import valid_name
from collector.discovery.github.git_server import GitServers, NoRefs, Refs
from collector.discovery.mirrors.remote import note_names
from collector.discovery.words import ProbeOutcome
from collector.json_values import Row, Texts
from collector.vocabulary.sessions import CheckpointStore

# What is asked for. HEAD comes with the ref it points to.
PREFIXES = ("HEAD", *CHECKPOINTS, "refs/notes/")


def ref_columns(refs: Refs) -> Row:
    """What refs say about the checkpoints of a repository, as columns of `candidates`."""
    oids = refs.oids
    names: dict[CheckpointStore, list[str]] = {store: [] for store in CheckpointStore}
    for name in filter(is_on_server, oids):
        if store := store_of(name):
            names[store].append(name)
    notes = [ref for name in note_names() if (ref := f"refs/notes/{name}") in oids]
    head = oids.get("HEAD") or oids.get(refs.head or "")
    lines = [
        f"{oids[name]} {name}\n" for name in sorted(oids) if is_on_server(name) or name in notes
    ]
    holding = (CheckpointStore.V1, CheckpointStore.V2, CheckpointStore.LEGACY, CheckpointStore.REF)
    return {
        "confirmed": int(any(names[store] for store in holding)),
        "head_ref": refs.head,
        "head_oid": head,
        "v1_oid": _oid_of(oids, names[CheckpointStore.V1]),
        "v2_oid": _oid_of(oids, names[CheckpointStore.V2]),
        "legacy_oid": _oid_of(oids, names[CheckpointStore.LEGACY]),
        "checkpoint_refs": len(names[CheckpointStore.REF]),
        "shadow_branches": len(names[CheckpointStore.SHADOW]),
        "notes": " ".join(notes) or None,
        "refs_digest": hashlib.sha256(f"{''.join(lines)}{head} {refs.head}\n".encode()).hexdigest(),
    }


def _oid_of(oids: Texts, names: list[str]) -> str | None:
    """Of a branch if there is one, else of another ref, in order of the names."""
    if names:
        return oids[min(names, key=lambda name: (not name.startswith("refs/heads/"), name))]
    return None


@dataclass(frozen=True)
class RefsProbe:
    """The answer to one probe; `columns` as in `ref_columns`."""

    outcome: ProbeOutcome
    columns: Row = field(default_factory=dict)
    renamed_to: str | None = None
    detail: str = ""


@dataclass
class Prober:
    """Call it with (server, name); several threads may share it, so that a rate limit stops them
    all.
    """

    servers: GitServers

    def __call__(self, server: str, name: str) -> RefsProbe:
        """Never raises for what a server can do."""
        try:
            served = self.servers.refs(f"{server}/{name}.git", PREFIXES)
        except NoRefs as failure:
            outcome = ProbeOutcome.PRIVATE_OR_MISSING if failure.gone else ProbeOutcome.UNREACHABLE
            return RefsProbe(outcome, detail=str(failure))
        return RefsProbe(ProbeOutcome.OK, ref_columns(served), _new_name(server, name, served.url))


def _new_name(server: str, name: str, url: str) -> str | None:
    if not url.startswith(server + "/"):
        host = urlsplit(url).hostname
        if host:
            return f"{host}/{urlsplit(url).path.strip('/').removesuffix('.git')}"
        return None
    new = valid_name(url.removeprefix(server + "/"))
    if new is not None and new.lower() != name.lower():
        return new
    return None


Item = TypeVar("Item")


def probe_all(
    prober: Prober, items: Iterable[Item], address: Callable[[Item], tuple[str, str]], jobs: int = 8
) -> Iterator[tuple[Item, RefsProbe]]:
    """Each item with the answer, in the order of the items; no more than `jobs` are asked and
    not yet handed out.
    """
    remaining = iter(items)
    with ThreadPoolExecutor(max_workers=jobs, thread_name_prefix="probe") as pool:
        running = deque(
            (item, pool.submit(prober, *address(item))) for item in islice(remaining, jobs)
        )
        while running:
            item, answer = running.popleft()
            yield item, answer.result()
            running.extend(
                (item, pool.submit(prober, *address(item))) for item in islice(remaining, 1)
            )
