"""Code search: repositories whose default branch has the settings or another file of the producer.
GitHub gives 1,000 results per query, so a query is cut by the size of the file, in halves, and one single size by words that
the file has or has not, which is also what is left when the server does not look at sizes. The index leaves out most forks, files
over 384 kB and repositories without activity for a year.
"""

from __future__ import annotations

import re
from typing import Any

from collector.checkpoints.entire import FOLDER
from collector.discover.channel import Channel, Coverage, Scope
from collector.discover.discovery_log import DiscoveryHit
from collector.discover.paging import Search, repository_of, search_steps

NAME = "code_search"
ORDER = 10
QUERIES = (
    f"filename:settings.json path:{FOLDER}",
    f"filename:settings.local.json path:{FOLDER}",
    f"filename:.gitignore path:{FOLDER}",
    f"filename:metadata.json path:{FOLDER}/metadata",
)
LARGEST = 393_216  # bytes of a file that is indexed
# Words some settings have and others not: `word` and `NOT word` are two halves without overlap.
WORDS = ("enabled", "strategy", "telemetry", "git-refs", "push_sessions")
_SIZE = re.compile(r" size:(\d+)\.\.(\d+)")


def by_size(slice: str) -> list[str]:
    """Halves of a slice's sizes, small ones first finer; empty when it is one size."""
    match = _SIZE.search(slice)
    low, high = (int(match[1]), int(match[2])) if match else (0, LARGEST)
    if low >= high:
        return []
    # Settings have some hundred bytes: the middle of a wide range is taken on a scale of powers.
    middle = (low + high) // 2 if high < 4 * max(low, 64) else max(low, 16) * 4
    middle = min(max(middle, low), high - 1)
    base = slice if match is None else slice.replace(match[0], "")
    return [f"{base} size:{low}..{middle}", f"{base} size:{middle + 1}..{high}"]


def by_word(slice: str) -> list[str]:
    """The results with the next word and those without it; empty when no word is left."""
    word = next((w for w in WORDS if w not in slice.split()), None)
    return [f"{slice} {word}", f"{slice} NOT {word}"] if word else []


def read(item: dict[str, Any]) -> DiscoveryHit | None:
    repository = repository_of(item)
    return DiscoveryHit(repository.name, f"{item.get('path')} {item.get('sha')}", repository.number) if repository else None


SEARCH = Search(NAME, "/search/code", "code_search", (by_size, by_word), read, forks=True)
STEPS = search_steps(SEARCH, QUERIES, lambda context, query: [query])
CHANNEL = Channel(
    NAME,
    "repositories with files that Entire writes; needs a token",
    True,
    Scope.DEFAULT_BRANCH,
    Coverage(
        None,
        0.61,
        "17 of 28 known repositories have the settings on the default branch; the index leaves out most forks, files over 384 kB "
        "and repositories without activity for a year",
    ),
    STEPS.run,
    STEPS.plan,
)
