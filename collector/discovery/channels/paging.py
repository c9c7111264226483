"""Searches of GitHub's API read to the end: slices of at most 1,000 results, pages, and a cursor
after each page.

Nothing is left out in silence: a slice that is refused, that the server cannot finish or that
cannot be cut any further has a state of its own, is told, and the first two are asked again by the
next run.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from collector.discovery.channels.channel import ChannelContext, Cursor, DiscoveryHit
from collector.discovery.github.client import Refused
from collector.discovery.words import CursorState
from collector.errors import WhoWroteError
from collector.json_values import JsonObject, get, get_str, identifier, objects

Item = JsonObject
Split = Callable[[str, Sequence[Item]], list[str]]

# A slice is cut without gap or overlap: a range of sizes is halved; by a word or an owner one part
# has it and the other has not. GitHub's documentation of search allows 256 characters of words
# beside the qualifiers, and five operators AND, OR and NOT; an excluded qualifier (`-user:`) is no
# operator.
MOST_OPERATORS = 5
# characters of a slice: servers refuse addresses of about 8,000, and quoting makes them longer
LONGEST = 4000
OWNERS = 50  # that one cut takes away
_SIZE = re.compile(r" size:(\d+)\.\.(\d+)")
_NAMED = re.compile(r" user:(\S+)")
_EXCLUDED = re.compile(r" -user:(\S+)")
_OWNER = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,38}")


def halve_sizes(largest: int) -> Split:
    """Halves of a slice's sizes in bytes, small ones first finer; none when it is one size."""

    def split(slice: str, items: Sequence[Item] = ()) -> list[str]:
        match = _SIZE.search(slice)
        low, high = (int(match[1]), int(match[2])) if match else (0, largest)
        if low >= high:
            return []
        # Settings have some hundred bytes: the middle of a wide range is taken on a scale of
        # powers.
        middle = (low + high) // 2 if high < 4 * max(low, 64) else max(low, 16) * 4
        middle = min(max(middle, low), high - 1)
        base = _SIZE.sub("", slice)
        return [f"{base} size:{low}..{middle}", f"{base} size:{middle + 1}..{high}"]

    return split


def split_words(words: Sequence[str]) -> Split:
    """The results with the next of `words`, and those without it."""

    def split(slice: str, items: Sequence[Item] = ()) -> list[str]:
        word = next((word for word in words if word not in slice.split()), None)
        if word is None or slice.count(" NOT ") >= MOST_OPERATORS:
            return []
        return [f"{slice} {word}", f"{slice} NOT {word}"]

    return split


def split_owners(slice: str, items: Sequence[Item]) -> list[str]:
    """Repositories of the owners on the first page, and of all others; of several owners that
    are named, halves.
    """
    named = _NAMED.findall(slice)
    excluded = {name.lower() for name in _EXCLUDED.findall(slice)}
    if named:
        middle = len(named) // 2
        base = _NAMED.sub("", slice)
        if middle:
            return [base + _qualify(" user:", part) for part in (named[:middle], named[middle:])]
        return []
    counts = Counter(
        owner for item in items if (owner := _owner(item)) and owner.lower() not in excluded
    )
    owners = [owner for owner, _ in counts.most_common(OWNERS)]
    others = slice + _qualify(" -user:", owners)
    if owners and len(others) <= LONGEST:
        return [_EXCLUDED.sub("", slice) + _qualify(" user:", owners), others]
    return []


def split_merges(slice: str, items: Sequence[Item]) -> list[str]:
    """Merge commits, and the others."""
    if " merge:" in slice:
        return []
    return [f"{slice} merge:true", f"{slice} merge:false"]


def _qualify(qualifier: str, values: Sequence[str]) -> str:
    return "".join(qualifier + value for value in values)


def _owner(item: Item) -> str:
    """Of the repository of a file or a commit; "" for what is no name."""
    owner = get_str(item, "repository", "full_name").partition("/")[0]
    if _OWNER.fullmatch(owner):
        return owner
    return ""


CAP = 1000  # results GitHub gives of one query
PER_PAGE = 100
# Pages of one query that one run reads: a server that promises results without an end is left after
# some hours at GitHub's rate, told as unfinished, and the next run goes on.
MOST_PAGES = 5_000
TRIES = 3  # of a page that the server did not finish
_AGAIN = (CursorState.REFUSED, CursorState.INCOMPLETE)
_UNFINISHED = "the server could not finish the search"


class Unfinished(WhoWroteError):
    """Some slices of a search were refused, or not finished by the server."""


@dataclass(frozen=True)
class Search:
    """One kind of search.

    `splits`: ways to cut a slice, the best first; each takes it and the results on its first page,
    and gives no part when it cannot. `read` makes a hit of a result (None: it is none). `forks`: it
    has a qualifier for them.
    """

    channel: str
    path: str
    resource: str
    splits: tuple[Split, ...]
    read: Callable[[JsonObject], DiscoveryHit | None]
    sort: tuple[tuple[str, str], ...] = ()
    forks: bool = False


class SearchPage(NamedTuple):
    items: list[JsonObject]
    total: int  # results as promised
    is_complete: bool  # whether the server finished the search
    has_next: bool


@dataclass
class _Reading:
    """One query while it is read."""

    context: ChannelContext
    search: Search
    query: str
    problems: list[str] = field(default_factory=list)
    pages: int = 0  # read so far

    def read_slices(self) -> None:
        log = self.context.log
        while cursor := log.next_open(self.search.channel, self.query):
            if self.pages >= MOST_PAGES:
                self.problems.append(
                    f"not read to the end after {MOST_PAGES} requests: {cursor.slice}"
                )
                return
            self.context.progress(
                f"{self.search.channel}: {cursor.slice}", cursor.found, min(cursor.total or 0, CAP)
            )
            try:
                self._step(cursor)
            except Refused as error:
                if error.status != 422:
                    raise
                log.put([replace(cursor, state=CursorState.REFUSED, detail=str(error))])
                self.problems.append(f"refused: {cursor.slice}: {error}")

    def _step(self, cursor: Cursor) -> None:
        """Reads one page, or splits the slice."""
        number = int(cursor.position or 1)
        page = self._page(cursor.slice, number)
        total = max(page.total, cursor.total or 0)
        if number == 1 and total > CAP and self._cut(cursor, page):
            return
        detail = cursor.detail if page.is_complete else _UNFINISHED
        state = CursorState.PART
        if not page.items or not page.has_next or number * PER_PAGE >= CAP:
            state = (
                CursorState.INCOMPLETE
                if detail
                else CursorState.CAPPED
                if total > CAP
                else CursorState.DONE
            )
        count = cursor.found + len(page.items)
        after = replace(
            cursor, state=state, position=str(number + 1), total=total, found=count, detail=detail
        )
        hits = _merge_hits(hit for item in page.items if (hit := self.search.read(item)))
        self.context.new += self.context.log.record(cursor, after, hits)
        if state == CursorState.INCOMPLETE:
            self.problems.append(
                f"not finished by the server: {cursor.slice} (results kept: {count})"
            )
        elif state == CursorState.CAPPED:
            self._tell(cursor, f"{total} results, of which {CAP} can be read, and no smaller slice")

    def _cut(self, cursor: Cursor, page: SearchPage) -> bool:
        """Whether the slice was put aside, for smaller ones or for its sibling."""
        if self._is_ignored(cursor, page.total):
            self._tell(
                cursor,
                f"has all results of {cursor.parent}, as its sibling has: the server ignores what"
                " it was cut by",
            )
            self.context.log.put([replace(cursor, state=CursorState.IGNORED, total=page.total)])
            return True
        parts = next(
            (parts for split in self.search.splits if (parts := split(cursor.slice, page.items))),
            [],
        )
        if parts:
            # The number of results of an unfinished search is no measure for its parts.
            after = replace(
                cursor, state=CursorState.SPLIT, total=page.total if page.is_complete else None
            )
            children = [
                Cursor(cursor.channel, cursor.query, part, parent=cursor.slice) for part in parts
            ]
            self.context.log.record(cursor, after, (), children)
        return bool(parts)

    def _is_ignored(self, cursor: Cursor, total: int) -> bool:
        """Whether this slice and its siblings each have all results of the slice that they were
        cut from.
        """
        if cursor.parent is None:
            return False
        cursors = {
            other.slice: other for other in self.context.log.cursors(cursor.channel, cursor.query)
        }
        whole = cursors[cursor.parent].total
        siblings = [
            other
            for other in cursors.values()
            if other.parent == cursor.parent and other.slice != cursor.slice
        ]
        return (
            whole is not None
            and total >= whole
            and all((other.total or 0) >= whole for other in siblings)
        )

    def _page(self, slice: str, number: int) -> SearchPage:
        params: dict[str, str | int] = {
            "q": slice,
            "per_page": PER_PAGE,
            "page": number,
            **dict(self.search.sort),
        }
        github = self.context.github
        for attempt in range(1, TRIES + 1):
            self.pages += 1
            page = github.get(self.search.path, params, self.search.resource)
            value = page.value if isinstance(page.value, dict) else {}
            is_complete = not value.get("incomplete_results")
            if is_complete or attempt == TRIES:
                break
            github.clock.sleep(2.0 ** (attempt - 1))
        items = objects(get(value, "items"))
        return SearchPage(
            items, identifier(value.get("total_count")) or len(items), is_complete, page.has_next
        )

    def _tell(self, cursor: Cursor, text: str) -> None:
        self.context.tell(f"{self.search.channel}: {cursor.slice}: {text}")


def _reopen(cursor: Cursor) -> Cursor:
    """From the page that was refused; from the beginning what the server did not finish."""
    if cursor.state == CursorState.INCOMPLETE:
        return replace(
            cursor, state=CursorState.PENDING, position=None, total=None, found=0, detail=None
        )
    return replace(
        cursor, state=CursorState.PART if cursor.position else CursorState.PENDING, detail=None
    )


def run_search(
    context: ChannelContext, search: Search, query: str, roots: Sequence[str]
) -> list[str]:
    """Reads all slices of a query; `roots` are the slices to begin with.

    Returns what was refused or not finished.
    """
    cursors = context.log.cursors(search.channel, query)
    slices = {cursor.slice for cursor in cursors}
    again = [_reopen(cursor) for cursor in cursors if cursor.state in _AGAIN]
    context.log.put(
        [*again, *(Cursor(search.channel, query, root) for root in roots if root not in slices)]
    )
    reading = _Reading(context, search, query)
    reading.read_slices()
    return reading.problems


def _merge_hits(hits: Iterable[DiscoveryHit]) -> list[DiscoveryHit]:
    """One hit per repository of a page."""
    by_name: dict[str, DiscoveryHit] = {}
    for hit in hits:
        first = by_name.get(hit.full_name)
        by_name[hit.full_name] = hit if not first else replace(first, hits=first.hits + hit.hits)
    return list(by_name.values())


def hit_of(item: JsonObject, evidence: str) -> DiscoveryHit | None:
    """The public repository of a result; None when it has none."""
    repository = item.get("repository", item)
    if not isinstance(repository, dict) or repository.get("private"):
        return None
    name = repository.get("full_name")
    number = repository.get("id")
    if isinstance(name, str):
        return DiscoveryHit(name, evidence, identifier(number))
    return None


Roots = Callable[[ChannelContext, str], list[str]]  # of a query: the slices to begin with


def run_searches(
    context: ChannelContext, search: Search, queries: Sequence[str], roots: Roots
) -> None:
    """Asks `queries`, each of them per owner when owners are wished for.

    Raises Unfinished at the end.
    """
    texts = [
        f"{query} user:{owner}" for query in queries for owner in context.request.owners
    ] or list(queries)
    if search.forks and context.request.forks:
        texts = [f"{query} fork:true" for query in texts]
    problems = [
        problem
        for query in texts
        for problem in run_search(context, search, query, roots(context, query))
    ]
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise Unfinished(f"{problems[0]}{more}", "The next run asks again; see the table cursors")
