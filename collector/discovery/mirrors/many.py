"""Fetches many repositories, several at a time, each of them once whatever names it is given.

Only a server knows that two names are of one repository: it sends who asks at the old name to the new one. A mirror that is there
keeps its name; a new one has the name that its repository has today.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from pathlib import Path

from collector.discovery.mirrors.disk import Mirrors
from collector.discovery.mirrors.remote import Remote
from collector.discovery.mirrors.table import mirrored_sources, name_sources, not_forgotten, note
from collector.discovery.mirrors.update import FetchOptions, FetchResult, update_mirror
from collector.errors import WhoWroteError
from collector.limits import REDIRECTS
from collector.repository_names import BadName, RepositorySource, moved_source, same_place
from collector.storage.store import Store

JOBS = 4  # transfers at a time


@dataclass(frozen=True, slots=True)
class FetchPlan:
    """How mirrors are brought up to date."""

    root: Path  # of all mirrors
    options: FetchOptions = field(default_factory=FetchOptions)
    remote: Remote = field(default_factory=Remote)


def fetch(store: Store, sources: Sequence[RepositorySource], plan: FetchPlan) -> Iterator[FetchResult]:
    """Fetches each and notes what became of it. Ends early when the disk is full: the others are left for the next run.

    A name whose repository has another one has the state `moved` and no row; the repository has a result of its own.
    """
    mirrors, fetched = Mirrors(plan.root), set[str]()
    # Mirrors come first: then it is known which of them were renamed when a name comes that is new.
    batch = [source for source in sources if mirrors.path(source.name).is_dir()]
    requests = [(source.name, source) for source in sources if source not in batch]
    for _ in range(REDIRECTS):
        fetched |= {source.name for source in batch}
        for result in _fetch_each(batch, plan):
            with store.transaction():
                note(store, result)
            if result.state == "moved":
                try:
                    requests.append((result.name, moved_source(result.address)))
                    continue
                except BadName as error:
                    result = replace(result, state="failed", detail=f"the server sends us to another address: {error}")
            if result.news:
                result.news += _twin(store, result)
            yield result
            if result.state == "disk_full":
                return
        here = name_sources(store, (source for _, source in requests))
        yield from (
            _result_of_old_name(store, name, here[source.place()]) for name, source in requests if here[source.place()].name != name
        )
        allowed = not_forgotten(store, here.values())
        batch = list({source.name: source for source in allowed if source.name not in fetched}.values())
        requests = []
        if not batch:
            return
    for source in batch:
        yield FetchResult(source.name, source.url, detail="the server sends us from address to address")


def _result_of_old_name(store: Store, name: str, present: RepositorySource) -> FetchResult:
    """What became of an old name."""
    if not not_forgotten(store, [present]):
        return FetchResult(name, present.url, "moved", detail=f"it is {present.name}, which was removed with collect forget")
    return FetchResult(name, present.url, "moved", detail=f"it is {present.name}", same_as=present.name)


def _twin(store: Store, result: FetchResult) -> str:
    """Words about a second mirror of a repository that was renamed."""
    for other in mirrored_sources(store):
        if other.name != result.name and same_place(other.url, result.url):
            return f"; {other.name} is the same, and to keep one of the two, run: collect forget {result.name}"
    return ""


def _fetch_each(sources: Iterable[RepositorySource], plan: FetchPlan) -> Iterator[FetchResult]:
    """Results as they come; threads are enough, because git does the work."""
    mirrors = Mirrors(plan.root)

    def work(source: RepositorySource) -> FetchResult:
        try:
            return update_mirror(source, mirrors, plan.remote, plan.options)
        except WhoWroteError as error:
            return FetchResult(source.name, source.url, detail=str(error))

    with ThreadPoolExecutor(JOBS, "fetch") as pool:
        try:
            for future in as_completed([pool.submit(work, source) for source in sources]):
                yield future.result()
        except BaseException:  # also when nobody asks for more results: transfers would go on for an hour
            plan.remote.stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
