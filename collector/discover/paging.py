"""Searches of GitHub's API read to the end: slices of at most 1,000 results, pages, and a cursor after each page.

Nothing is left out in silence: a slice that is refused, that the server cannot finish or that cannot be cut any further has a state
of its own, is told, and the first two are asked again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from collector.discover.channel import ChannelContext, DryRunStep
from collector.discover.discovery_log import OPEN, Cursor, DiscoveryHit
from collector.discover.slices import Split, kind
from collector.errors import WhoWroteError
from collector.github.client import Refused
from collector.json_values import identifier
from collector.vocabulary.corpus import CursorState

CAP = 1000  # results GitHub gives of one query
PER_PAGE = 100
# Pages of one query that one run reads. Each cut reads one and makes two slices, so this bounds slices as well: a server that
# promises results without an end is left after some hours at GitHub's rate, told as unfinished, and the next run goes on.
MOST_PAGES = 5_000
RE_ASKED = 2  # times that an incomplete answer is asked again at once; at the end of the run it is asked once more
_FINISHED = (CursorState.DONE, CursorState.SPLIT, CursorState.CAPPED, CursorState.IGNORED)
_AGAIN = (CursorState.REFUSED, CursorState.INCOMPLETE)
_SECOND, _UNFINISHED = "asked a second time", "the server could not finish the search"
_WHOLE = "cannot be cut: the server ignores what it would be cut by"


class Unfinished(WhoWroteError):
    """Some slices of a search were refused, or not finished by the server."""


def _nothing(item: dict[str, Any]) -> list[Cursor]:
    return []


@dataclass(frozen=True, slots=True)
class Search:
    """One kind of search.

    `splits`: ways to cut a slice in two without gap or overlap, the best first (see slices.py). `read` makes a hit of a result
    (None: it is none); `related` names what else is to be asked because of it. `forks`: it has a qualifier for them.
    """

    channel: str
    path: str
    resource: str
    splits: tuple[Split, ...]
    read: Callable[[dict[str, Any]], DiscoveryHit | None]
    sort: tuple[tuple[str, str], ...] = ()
    related: Callable[[dict[str, Any]], list[Cursor]] = _nothing
    forks: bool = False


@dataclass(slots=True)
class _Reading:
    """One query while it is read. `ignored`: numbers of the splits that the server does not look at."""

    context: ChannelContext
    search: Search
    query: str
    ignored: set[int] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)
    peeked: dict[str, SearchPage] = field(default_factory=dict)  # first pages of slices that were asked only for their total
    pages: int = 0  # read so far

    def all_slices(self) -> None:
        log = self.context.discovery_log
        while not self.context.enough():
            cursor = log.next_open(self.search.channel, self.query)
            if cursor is None:
                return
            if self.pages >= MOST_PAGES:
                self.problems.append(f"not read to the end after {MOST_PAGES} requests: {cursor.slice}")
                return
            self.context.progress(f"{self.search.channel}: {cursor.slice}", cursor.found, min(cursor.total or 0, CAP))
            try:
                self._step(cursor)
            except Refused as error:
                if error.status != 422:
                    raise
                log.put([replace(cursor, state=CursorState.REFUSED, detail=str(error))])
                self.problems.append(f"refused: {cursor.slice}: {error}")

    def second_time(self) -> None:
        """What the server did not finish is asked once more, and what it gives then is kept."""
        log = self.context.discovery_log
        waiting = [c for c in log.cursors(self.search.channel, self.query) if c.state == CursorState.INCOMPLETE]
        log.put(replace(c, state=CursorState.PART if c.position else CursorState.PENDING, detail=_SECOND) for c in waiting)
        self.all_slices()
        for cursor in log.cursors(self.search.channel, self.query):
            if cursor.state == CursorState.INCOMPLETE:
                self.problems.append(f"not finished by the server, twice: {cursor.slice} ({cursor.found} results kept)")
            elif cursor.state == CursorState.CAPPED:
                lost = f"{cursor.total} results, of which {CAP} can be read, and no smaller slice"
                self.context.tell(f"{self.search.channel}: {cursor.slice}: {lost}")

    def _step(self, cursor: Cursor) -> None:
        """Reads one page, or splits the slice."""
        number = int(cursor.position or 1)
        page = self.peeked.pop(cursor.slice, None) if number == 1 else None
        items, total, complete, more = page or self._page(cursor.slice, number)
        total = max(total, cursor.total or 0)
        log = self.context.discovery_log
        if not complete and cursor.detail not in (_SECOND, _UNFINISHED):
            log.put([replace(cursor, state=CursorState.INCOMPLETE, detail="not finished yet")])
            return
        # The number of results of an unfinished search is no measure for its parts.
        if number == 1 and total > CAP and self._cut(replace(cursor, total=total if complete else None), cursor, items):
            return
        hits = _merged(hit for item in items if isinstance(item, dict) and (hit := self.search.read(item)) is not None)
        related = [c for item in items if isinstance(item, dict) for c in self.search.related(item)]
        last = not items or not more or number * PER_PAGE >= CAP
        detail = _UNFINISHED if not complete else None if last and cursor.detail == _SECOND else cursor.detail
        state = CursorState.PART
        if last:
            state = CursorState.CAPPED if total > CAP else CursorState.DONE
            state = CursorState.INCOMPLETE if detail == _UNFINISHED else state
        after = replace(cursor, state=state, position=str(number + 1), total=total, found=cursor.found + len(items), detail=detail)
        self.context.new += log.record(cursor, after, hits, related)

    # --- smaller slices -----------------------------------------------------------------------------------------------

    def _cut(self, cursor: Cursor, before: Cursor, items: list[Any]) -> bool:
        """Whether the slice was put aside for smaller ones."""
        if cursor.detail == _WHOLE:
            return False
        if self._parent_ignored(cursor, items):
            return True
        parts = self._parts(cursor.slice, items)
        if parts:
            children = [Cursor(cursor.channel, cursor.query, part, parent=cursor.slice) for part in parts]
            self.context.discovery_log.record(before, replace(cursor, state=CursorState.SPLIT), (), children)
        return bool(parts)

    def _parts(self, slice: str, items: list[Any]) -> list[str]:
        return next((parts for _, parts in self._ways(slice, items)), [])

    def _ways(self, slice: str, items: list[Any]) -> Iterator[tuple[int, list[str]]]:
        """Numbers of the splits that can cut a slice, with its parts."""
        found = [item for item in items if isinstance(item, dict)]
        for number, split in enumerate(self.search.splits):
            if number not in self.ignored and (parts := split(slice, found)):
                yield number, parts

    def _parent_ignored(self, cursor: Cursor, items: list[Any]) -> bool:
        """Whether all parts of the slice that this one was cut from have as many results as the whole: then it is cut otherwise."""
        log = self.context.discovery_log
        parent = log.cursor(cursor.channel, cursor.query, cursor.parent) if cursor.parent is not None else None
        if parent is None or parent.total is None or (cursor.total or 0) < parent.total:
            return False
        family = [c for c in log.cursors(cursor.channel, cursor.query) if c.parent == parent.slice]
        others = [c for c in family if c.slice != cursor.slice]
        if not others or any(self._total_of(c) < parent.total for c in others):
            return False
        self.ignored |= {number for number, parts in self._ways(parent.slice, items) if kind(parts[0]) == kind(cursor.slice)}
        why = f"each part of {parent.slice} has all its {parent.total} results"
        self.context.tell(f"{cursor.channel}: {why}: it is cut otherwise")
        parts = self._parts(parent.slice, items)
        put = [replace(c, state=CursorState.IGNORED, detail=f"as many results as {parent.slice}") for c in family]
        log.put([*put, *(Cursor(cursor.channel, cursor.query, part, parent=parent.slice) for part in parts)])
        if not parts:
            log.put([replace(parent, state=CursorState.PENDING, position=None, detail=_WHOLE)])
        return True

    def _total_of(self, cursor: Cursor) -> int:
        if cursor.total is None:
            page = self.peeked[cursor.slice] = self._page(cursor.slice, 1)
            return page.total
        return cursor.total

    def _page(self, slice: str, number: int) -> SearchPage:
        self.pages += 1
        return _page(self.context, self.search, slice, number)


def _reopened(cursor: Cursor) -> Cursor:
    """From the page that was not read; from the beginning what was kept although the server did not finish it."""
    if cursor.detail == _UNFINISHED:
        return replace(cursor, state=CursorState.PENDING, position=None, total=None, found=0, detail=None)
    return replace(cursor, state=CursorState.PART if cursor.position else CursorState.PENDING, detail=None)


def run_search(context: ChannelContext, search: Search, query: str, roots: Sequence[str]) -> list[str]:
    """Reads all slices of a query; `roots` are the slices to begin with. Returns what was refused or not finished."""
    cursors = context.discovery_log.cursors(search.channel, query)
    known = {c.slice for c in cursors}
    again = [_reopened(c) for c in cursors if c.state in _AGAIN]
    context.discovery_log.put([*again, *(Cursor(search.channel, query, root) for root in roots if root not in known)])
    reading = _Reading(context, search, query)
    reading.all_slices()
    reading.second_time()
    return reading.problems


class SearchPage(NamedTuple):
    """One page of a slice."""

    items: list[Any]
    total: int  # results as promised
    complete: bool  # whether the server finished the search
    more: bool  # whether there is a next page


def _page(context: ChannelContext, search: Search, slice: str, number: int) -> SearchPage:
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
    return SearchPage(items, identifier(total) or len(items), complete, page.next is not None)


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
    waiting = [c for c in known.values() if c.state in (*OPEN, *_AGAIN)] + [
        Cursor(search.channel, query, root) for root in roots if root not in known
    ]
    requests = sum(_left(c) for c in waiting)
    new = any(c.total is None for c in waiting)
    note = "plus 10 per 1,000 results" if new else ""
    finished = sum(c.state in _FINISHED for c in known.values())
    return DryRunStep(f"{search.channel}: {query}", requests, search.resource, requests * 400_000, note, finished)


class SearchSteps(NamedTuple):
    """What a channel needs."""

    run: Callable[[ChannelContext], None]
    plan: Callable[[ChannelContext], list[DryRunStep]]


def search_steps(search: Search, queries: Sequence[str], roots: Callable[[ChannelContext, str], list[str]]) -> SearchSteps:
    """Asks `queries`, each of them per owner when owners are wished for; `roots` are the slices to begin with."""

    def questions(context: ChannelContext) -> list[str]:
        found = [f"{query} user:{owner}" for query in queries for owner in context.request.owners] or list(queries)
        return [f"{query} fork:true" for query in found] if search.forks and context.request.forks else found

    def run(context: ChannelContext) -> None:
        problems = [
            problem for query in questions(context) for problem in run_search(context, search, query, roots(context, query))
        ]
        if problems:
            more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
            raise Unfinished(f"{problems[0]}{more}", "The next run asks again; see the table cursors")

    def plan(context: ChannelContext) -> list[DryRunStep]:
        return [plan_search(context, search, query, roots(context, query)) for query in questions(context)]

    return SearchSteps(run, plan)


def _left(cursor: Cursor) -> int:
    if cursor.total is None:
        return 1
    pages = -(-min(cursor.total, CAP) // PER_PAGE)
    return max(1, pages - int(cursor.position or 1) + 1)
