"""Fetches many repositories, several at a time, each of them once whatever names it is given.

Only a server knows that two names are of one repository: it sends who asks at the old name to the new one. Mirrors that are there
come first, so that it is known which of them were renamed when a name comes that is new; and before such a name is fetched, mirrors
that may have been renamed are asked where they are now. A new mirror has the name that its repository has today.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from collector.fetching import mirrors as fetching
from collector.fetching.disk import Mirrors
from collector.fetching.mirror_table import not_forgotten, note, told_apart
from collector.fetching.mirrors import FetchOptions, FetchResult
from collector.fetching.remote import Failure, Remote
from collector.repository_names import GITHUB, BadName, RepositorySource, host_of, moved, same_place
from collector.runtime import runner
from collector.runtime.runner import RunOptions
from collector.runtime.workers import Task, TaskLimits
from collector.storage.store import Store

MOST_ASKED = 20  # mirrors that are asked for their address because of one new name
MOST_MOVES = 5  # times that a server may send us on from where it sent us


@dataclass(frozen=True, slots=True)
class FetchPlan:
    """How mirrors are brought up to date."""

    root: Path  # of all mirrors
    options: FetchOptions = field(default_factory=FetchOptions)
    jobs: int = 2
    budget: int = 0  # bytes of all mirrors together; 0 for no limit
    token: str = ""
    server: str = GITHUB


def fetch(store: Store, sources: Sequence[RepositorySource], plan: FetchPlan) -> Iterator[FetchResult]:
    """Fetches each and notes what became of it. Ends early when the disk is full: the rest is left for the next run.

    A name whose repository has another one has the state `moved` and no row; the repository has a result of its own.
    """
    many, mirrors = _Many(store, plan), Mirrors(plan.root)
    known = [one for one in sources if mirrors.path(one.name).is_dir()]
    yield from many.fetch(known)
    names = {one.name for one in known}  # that were fetched in this run
    waiting = [(one.name, one) for one in sources if one.name not in names]
    many.find_moved([one for _, one in waiting], {one.name for one in sources})
    for _ in range(MOST_MOVES):
        here = told_apart(store, (one for _, one in waiting))
        for name, one in waiting:
            if name != here[one.place()].name:
                yield _moved(store, name, here[one.place()])
        every = not_forgotten(store, here.values()).sources
        fresh = {one.name: one for one in every if one.name not in names}
        names |= fresh.keys()
        waiting = []
        for done in many.fetch(fresh.values()):
            if done.state != "moved":
                yield done
                continue
            try:
                waiting.append((done.name, moved(done.address)))
            except BadName as error:
                yield replace(done, state="failed", detail=f"the server sends us to another address: {error}")
        if not waiting or many.full:
            return
    for name, one in waiting:
        yield FetchResult(name, one.url, "failed", detail="the server sends us from address to address")


def _moved(store: Store, name: str, one: RepositorySource) -> FetchResult:
    if not_forgotten(store, [one]).forgotten:
        return FetchResult(name, one.url, "moved", detail=f"it is {one.name}, which was removed with collect forget")
    return FetchResult(name, one.url, "moved", detail=f"it is {one.name}", same_as=one.name)


class _Many:
    """Batches of one run, which share its budget."""

    def __init__(self, store: Store, plan: FetchPlan) -> None:
        self._store, self._plan = store, plan
        self._spent = int(store.value("SELECT COALESCE(SUM(bytes), 0) FROM mirrors"))
        self.full = False

    def fetch(self, sources: Iterable[RepositorySource]) -> Iterator[FetchResult]:
        """Every one of `sources` under its name; an old name without a mirror is not noted."""
        by_name = {one.name: one for one in sources}
        plan, options = self._plan, self._plan.options
        # A transfer has its own clock and ends itself; this one is for whatever hangs beside it.
        limits = TaskLimits(seconds=options.limits.seconds * 2 + options.patience + 600)
        for done in runner.run(
            fetch_one, map(self._task, self._while_space(by_name.values())), RunOptions(plan.jobs, limits=limits)
        ):
            result = done.value if not done.error else FetchResult(done.key, by_name[done.key].url, "failed", detail=done.error)
            before = self._row(done.key)
            with self._store.transaction():
                note(self._store, result)
            self._spent += result.bytes - (before["bytes"] if before else 0)
            self.full = self.full or result.state == "disk_full"
            if result.ok() and result.address and not (before and before["address"] == result.address):
                result.news = self._news(result)
            yield result

    def _while_space(self, sources: Iterable[RepositorySource]) -> Iterator[RepositorySource]:
        for one in sources:
            if self.full:
                return
            yield one

    def _task(self, one: RepositorySource) -> Task:
        plan, options = self._plan, self._plan.options
        row = self._row(one.name)
        # Together the running ones get what is left, so that the budget holds whatever each of them meets.
        left = max(0, plan.budget - self._spent) // plan.jobs
        share = (row["bytes"] if row else 0) + left if plan.budget else options.limits.bytes
        limits = replace(options.limits, bytes=share, source="--disk") if share < options.limits.bytes else options.limits
        return Task(one.name, (one, str(plan.root), replace(options, limits=limits), plan.token, plan.server))

    def _row(self, name: str) -> dict[str, Any] | None:
        return next(iter(self._store.rows("SELECT bytes, address FROM mirrors WHERE name = ?", (name,))), None)

    def _news(self, done: FetchResult) -> str:
        for other in self._store.rows("SELECT name, url FROM mirrors WHERE name <> ?", (done.name,)):
            if same_place(other["url"], done.address):
                advice = f"to keep one of the two, run: collect forget {done.name}"
                return f"it is {other['name']} now, which has a mirror of its own; {advice}"
        return f"it is {done.address} now, and keeps its name here"

    def find_moved(self, new: Sequence[RepositorySource], asked: set[str]) -> None:
        """Asks mirrors of the same owner or the same name as a new one, unless they were `asked`, where they are now.

        Who renames a repository leaves its owner, or with a transfer its name, as it was; when both changed, it has a second mirror
        until it is asked for by its old name.
        """
        rows = self._store.rows("SELECT name, url FROM mirrors WHERE refs_key IS NOT NULL AND address IS NULL ORDER BY rowid")
        known = [RepositorySource(r["name"], r["url"]) for r in rows if r["name"] not in asked]
        related = {
            one.name: one
            for wanted in new
            for one in [one for one in known if _may_be(one, wanted)][:MOST_ASKED]
        }  # fmt: skip
        plan = self._plan
        tasks = (Task(one.name, (one, plan)) for one in related.values())
        limits = TaskLimits(seconds=plan.options.limits.seconds + 600)
        for done in runner.run(address_of, tasks, RunOptions(plan.jobs, limits=limits)):
            with self._store.transaction() as connection:
                sql = "UPDATE mirrors SET checks = checks + 1, address = COALESCE(?, address) WHERE name = ?"
                connection.execute(sql, (done.value or None, done.key))


def _may_be(one: RepositorySource, new: RepositorySource) -> bool:
    """Whether a mirror may be of a repository that has the name of the new one today."""
    here, there = one.place().split("/"), new.place().split("/")
    return host_of(one.url) != "" and host_of(one.url) == host_of(new.url) and (here[-2] == there[-2] or here[-1] == there[-1])


# --- tasks of workers -------------------------------------------------------------------------------------------------


def fetch_one(one: RepositorySource, root: str, options: FetchOptions, token: str, server: str) -> FetchResult:
    """One repository into its mirror."""
    mirrors = Mirrors(Path(root))
    return fetching.update_mirror(one, mirrors, Remote(token, server, mirrors.pauses()), options)


def address_of(one: RepositorySource, plan: FetchPlan) -> str:
    """Where a repository is now; "" when that is its address, or cannot be known."""
    remote = Remote(plan.token, plan.server, Mirrors(plan.root).pauses())
    try:
        found = remote.refs(one.url, plan.options.wanted, plan.options.protocols).url
    except Failure:
        return ""
    return "" if same_place(found, one.url) else found


__all__ = ["FetchPlan", "fetch"]
