"""Code search: repositories whose default branch has files of a record, or the hooks that Entire
installs into agents' settings.

GitHub gives 1,000 results per query, so a query is cut by the size of the file, in halves, one
single size by words that the file has or has not, and then by owners, which is also what remains
when the server ignores sizes. The index leaves out most forks, files over 384 kB and repositories
without activity for a year.
"""

from collector.discovery.channels.channel import Channel, ChannelContext, DiscoveryHit
from collector.discovery.channels.paging import (
    Search,
    halve_sizes,
    hit_of,
    run_searches,
    split_owners,
    split_words,
)
from collector.discovery.records import records
from collector.json_values import JsonObject

NAME = "code_search"
ORDER = 10
LARGEST = 393_216  # bytes of a file that is indexed
# Words some settings have and others not: `word` and `NOT word` are two halves without overlap.
WORDS = ("enabled", "strategy", "telemetry", "git-refs", "push_sessions")
SPLITS = (halve_sizes(LARGEST), split_words(WORDS), split_owners)


def read(item: JsonObject) -> DiscoveryHit | None:
    return hit_of(item, f"{item.get('path')} {item.get('sha')}")


SEARCH = Search(NAME, "/search/code", "code_search", SPLITS, read, forks=True)


def run(context: ChannelContext) -> None:
    queries = [query for name in context.request.records for query in records()[name].files]
    run_searches(context, SEARCH, queries, lambda context, query: [query])


ABOUT = "repositories with files of a record, or Entire's hooks in agents' settings; needs a token"
CHANNEL = Channel(NAME, ABOUT, True, run)
