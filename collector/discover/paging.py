"""Searches of GitHub's API read to the end: slices of at most 1,000 results, pages, and a cursor after each page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from collector.discover.channel import Channel, ChannelContext, DryRunStep
from collector.discover.discovery_log import OPEN, Cursor, DiscoveryHit
from collector.github.client import Refused
from collector.json_values import identifier

CAP = 1000  # results GitHub gives of one query
PER_PAGE = 100
RE_ASKED = 5  # times that an incomplete answer is asked again
_FINISHED = ("done", "split", "capped", "refused")


@dataclass(frozen=True, slots=True)
class Search:
    """One kind of search. `split` cuts a slice in two, empty when it cannot; `read` makes a hit of a result, None if it is none."""

    channel: str
    path: str
    resource: str
    split: Callable[[str], list[str]]
    read: Callable[[dict[str, Any]], DiscoveryHit | None]
    sort: tuple[tuple[str, str], ...] = ()


def run_search(context: ChannelContext, search: Search, query: str, roots: Sequence[str]) -> None:
    """Reads all slices of a query; `roots` are the slices to begin with."""
    known = {c.slice for c in context.discovery_log.cursors(search.channel, query)}
    context.discovery_log.put(Cursor(search.channel, query, root) for root in roots if root not in known)
    while not context.enough():
        cursor = context.discovery_log.next_open(search.channel, query)
        if cursor is None:
            return
        context.progress(f"{search.channel}: {cursor.slice}", cursor.found, min(cursor.total or 0, CAP))
        try:
            _step(context, search, cursor)
        except Refused as error:
            if error.status != 422:
                raise
            context.discovery_log.put([replace(cursor, state="refused", detail=str(error))])


def _step(context: ChannelContext, search: Search, cursor: Cursor) -> None:
    """Reads one page, or splits the slice."""
    number = int(cursor.position or 1)
    items, total, complete, more = _page(context, search, cursor.slice, number)
    total = max(total, cursor.total or 0)
    children = search.split(cursor.slice) if number == 1 and total > CAP else []
    if children:
        parts = [Cursor(search.channel, cursor.query, child) for child in children]
        context.discovery_log.record(cursor, replace(cursor, state="split", total=total), (), parts)
        return
    hits = _merged(hit for item in items if isinstance(item, dict) and (hit := search.read(item)) is not None)
    last = not items or not more or number * PER_PAGE >= CAP
    state = ("capped" if total > CAP else "done") if last else "part"
    detail = cursor.detail if complete else "the server could not finish the search"
    after = replace(cursor, state=state, position=str(number + 1), total=total, found=cursor.found + len(items), detail=detail)
    context.new += context.discovery_log.record(cursor, after, hits)


def _page(context: ChannelContext, search: Search, slice: str, number: int) -> tuple[list[Any], int, bool, bool]:
    """Results, their number as promised, whether the server finished the search, whether there is a next page."""
    params: dict[str, str | int] = {"q": slice, "per_page": PER_PAGE, "page": number, **dict(search.sort)}
    for attempt in range(RE_ASKED + 1):
        page = context.github.get(search.path, params, search.resource, keep=False)
        value = page.value if isinstance(page.value, dict) else {}
        items, total = value.get("items"), value.get("total_count")
        complete = not value.get("incomplete_results")
        if complete or attempt == RE_ASKED:
            break
        context.clock.sleep(2.0**attempt)
    items = items if isinstance(items, list) else []
    return items, identifier(total) or len(items), complete, page.next is not None


def _merged(hits: Any) -> list[DiscoveryHit]:
    """One hit per repository of a page."""
    found: dict[str, DiscoveryHit] = {}
    for hit in hits:
        known = found.get(hit.full_name)
        found[hit.full_name] = hit if known is None else replace(known, hits=known.hits + hit.hits)
    return list(found.values())


class FoundRepository(NamedTuple):
    """The public repository of a result."""

    name: str  # owner/name
    number: int | None  # the server's own id


def repository_of(item: dict[str, Any]) -> FoundRepository | None:
    """The public repository of a result; None when it has none."""
    repository = item.get("repository", item)
    if not isinstance(repository, dict) or repository.get("private"):
        return None
    name, number = repository.get("full_name"), repository.get("id")
    return FoundRepository(name, identifier(number)) if isinstance(name, str) else None


def plan_search(context: ChannelContext, search: Search, query: str, roots: Sequence[str]) -> DryRunStep:
    """What is left of a query: at least one request per slice not begun, and the pages known to be missing."""
    known = {c.slice: c for c in context.discovery_log.cursors(search.channel, query)}
    waiting = [c for c in known.values() if c.state in OPEN] + [
        Cursor(search.channel, query, root) for root in roots if root not in known
    ]
    requests = sum(_left(c) for c in waiting)
    new = any(c.total is None for c in waiting)
    note = "plus 10 per 1,000 results" if new else ""
    finished = sum(c.state in _FINISHED for c in known.values())
    return DryRunStep(f"{search.channel}: {query}", requests, search.resource, requests * 400_000, note, finished)


def search_channel(
    about: str, needs_token: bool, search: Search, queries: Sequence[str], roots: Callable[[ChannelContext, str], list[str]]
) -> Channel:
    """A channel that asks `queries`, each of them per owner when owners are wished for; `roots` are the slices to begin with."""

    def questions(context: ChannelContext) -> list[str]:
        return [f"{query} user:{owner}" for query in queries for owner in context.request.owners] or list(queries)

    def run(context: ChannelContext) -> None:
        for query in questions(context):
            run_search(context, search, query, roots(context, query))

    def plan(context: ChannelContext) -> list[DryRunStep]:
        return [plan_search(context, search, query, roots(context, query)) for query in questions(context)]

    return Channel(search.channel, about, needs_token, run, plan)


def _left(cursor: Cursor) -> int:
    if cursor.total is None:
        return 1
    pages = -(-min(cursor.total, CAP) // PER_PAGE)
    return max(1, pages - int(cursor.position or 1) + 1)
