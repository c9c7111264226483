"""Commit search: repositories with a commit on the default branch that names a checkpoint, or an
agent in a trailer of its own.

The search is by words, so the trailer is looked for again in the message. A slice is a range of
committer times, halved down to a minute while it has more than 1,000 results, then cut by merges
and owners; the next run asks only for what came since.
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from collector.checkpoints.statements import DECLARING, checkpoint_ids, statements_in
from collector.discovery.channels.channel import (
    FIRST_DAY,
    Channel,
    ChannelContext,
    Cursor,
    DiscoveryHit,
)
from collector.discovery.channels.paging import (
    Item,
    Search,
    hit_of,
    run_searches,
    split_merges,
    split_owners,
)
from collector.discovery.records import commit_query, records
from collector.json_values import JsonObject, get_str

NAME = "commit_search"
ORDER = 20
AGAIN_AFTER = timedelta(hours=1)  # later commits are a slice of their own only after this time
SHORTEST = timedelta(minutes=1)
_RANGE = re.compile(r" committer-date:(\S+)\.\.(\S+)")
_FORMAT = "%Y-%m-%dT%H:%M:%SZ"


def halve_times(slice: str, items: Sequence[Item] = ()) -> list[str]:
    """The two halves of a slice's range of times; empty when it is not longer than a minute."""
    times = _times(slice)
    if times is None or times[1] - times[0] < SHORTEST:
        return []
    low, high = times
    middle = (low + (high - low) / 2).replace(microsecond=0)
    base = _RANGE.sub("", slice)
    return [_add_range(base, low, middle), _add_range(base, middle + timedelta(seconds=1), high)]


def _add_range(query: str, low: datetime, high: datetime) -> str:
    return f"{query} committer-date:{low:{_FORMAT}}..{high:{_FORMAT}}"


def _times(slice: str) -> tuple[datetime, datetime] | None:
    """The first and the last moment of a slice."""
    match = _RANGE.search(slice)
    if not match:
        return None
    return (_moment(match[1]), _moment(match[2]))


def _moment(text: str) -> datetime:
    return datetime.strptime(text, _FORMAT).replace(tzinfo=UTC)


def ranges(
    cursors: list[Cursor], query: str, since: datetime | None, until: datetime | None, now: datetime
) -> list[str]:
    """The slices to begin with: all times that no slice of `cursors` covers."""
    low = since or FIRST_DAY
    high = (until or now).replace(microsecond=0)
    covered = sorted(times for cursor in cursors if (times := _times(cursor.slice)))
    uncovered = []
    for start, end in covered:
        if low < start:
            uncovered.append((low, min(start - timedelta(seconds=1), high)))
        low = max(low, end + timedelta(seconds=1))
    if high - low >= (AGAIN_AFTER if covered and until is None else timedelta(0)):
        uncovered.append((low, high))
    return [_add_range(query, start, end) for start, end in uncovered if start <= end]


def read(item: JsonObject) -> DiscoveryHit | None:
    message = get_str(item, "commit", "message")
    named = next(
        (statement.agent for statement in statements_in(message) if statement.sort in DECLARING), ""
    )
    named = next(iter(checkpoint_ids(message)), named)
    if named:
        return hit_of(item, f"commit {item.get('sha')} names {named}")
    return None


SORT = (("sort", "committer-date"), ("order", "asc"))
SEARCH = Search(
    NAME, "/search/commits", "search", (halve_times, split_merges, split_owners), read, SORT
)


def roots(context: ChannelContext, query: str) -> list[str]:
    cursors = context.log.cursors(NAME, query)
    return ranges(cursors, query, context.request.since, context.request.until, context.now())


def run(context: ChannelContext) -> None:
    queries = [
        commit_query(words) for name in context.request.records for words in records()[name].commits
    ]
    run_searches(context, SEARCH, queries, roots)


CHANNEL = Channel(NAME, "commits whose message names a checkpoint, or an agent", False, run)
