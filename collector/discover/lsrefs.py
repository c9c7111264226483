"""Asks a git server which of the interesting refs a repository has: one request of protocol v2, no API budget.

A v1 branch that is all there is gets a second request, for its commit alone, because the branch may hold an empty tree. Older
servers are asked for all their refs.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar
from urllib.parse import urlsplit

from collector.discover.names import valid_name
from collector.discover.ref_state import PREFIXES, RefState, ref_state
from collector.git.pktline import BadProtocol, ServerSays, commit_request, parse_commit, tree_of
from collector.github.git_server import GitServers, NoRefs
from collector.vocabulary.corpus import ProbeOutcome

EMPTY_TREES = ("4b825dc642cb6eb9a060e54bf8d69288fbee4904", "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321")


@dataclass(frozen=True, slots=True)
class RefsProbe:
    """`v1_empty` is None when it was not looked at."""

    outcome: ProbeOutcome
    ref_state: RefState | None = None
    v1_empty: bool | None = None
    renamed_to: str | None = None
    detail: str = ""


@dataclass(slots=True)
class Prober:
    """Call it with (server, name); several threads may share it, so that a rate limit stops them all."""

    servers: GitServers

    def __call__(self, server: str, name: str) -> RefsProbe:
        """Never raises for what a server can do."""
        try:
            served = self.servers.refs(f"{server}/{name}.git", PREFIXES)
            found = ref_state(served.refs)
            empty = self._is_empty(served.url, found.v1_oid) if found.only_v1 and found.v1_oid else None
        except NoRefs as failure:
            outcome = ProbeOutcome.PRIVATE_OR_MISSING if failure.gone else ProbeOutcome.UNREACHABLE
            return RefsProbe(outcome, detail=str(failure))
        return RefsProbe(ProbeOutcome.OK, found, empty, _new_name(server, name, served.url))

    def _is_empty(self, base: str, oid: str) -> bool | None:
        """Whether the branch holds an empty tree; None when the server does not give single commits. Raises NoRefs."""
        for _ in range(2):  # a damaged answer is rare, and a wrong None would stay
            answer = self.servers.post(base, commit_request(oid))
            if answer.status >= 500:
                raise NoRefs(f"the server answered {answer.status}")
            with contextlib.suppress(ServerSays, BadProtocol):
                return tree_of(parse_commit([answer.body])) in EMPTY_TREES
        return None


Item = TypeVar("Item")


def probe_all(
    prober: Prober, items: Iterable[Item], where: Callable[[Item], tuple[str, str]], jobs: int = 8
) -> Iterator[tuple[Item, RefsProbe]]:
    """Each item with what was seen, in the order of the items; no more than `jobs` are asked and not yet handed out."""
    waiting = iter(items)
    with ThreadPoolExecutor(max_workers=jobs, thread_name_prefix="probe") as pool:
        asked = deque((item, pool.submit(prober, *where(item))) for item in islice(waiting, jobs))
        while asked:
            item, answer = asked.popleft()
            yield item, answer.result()
            asked.extend((item, pool.submit(prober, *where(item))) for item in islice(waiting, 1))


def _new_name(server: str, name: str, url: str) -> str | None:
    if not url.startswith(server + "/"):
        host = urlsplit(url).hostname
        return f"{host}/{urlsplit(url).path.strip('/').removesuffix('.git')}" if host else None
    new = valid_name(url.removeprefix(server + "/"))
    return new if new is not None and new.lower() != name.lower() else None
