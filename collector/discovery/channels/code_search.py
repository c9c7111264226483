"""Code search: repositories whose default branch has files of the producer, or the hooks that it installs into agents' settings.

GitHub gives 1,000 results per query, so a query is cut by the size of the file, in halves, one single size by words that the file
has or has not, and then by owners, which is also what remains when the server ignores sizes. The index leaves out most forks, files
over 384 kB and repositories without activity for a year.
"""

from __future__ import annotations

from typing import Any

from collector.checkpoints.entire import FOLDER
from collector.discovery.channels.channel import Channel, ChannelContext, Scope
from collector.discovery.channels.log import DiscoveryHit
from collector.discovery.channels.paging import Search, halve_sizes, hit_of, run_searches, split_owners, split_words

NAME = "code_search"
ORDER = 10
HOOK = "entire hooks"  # what each hook calls
QUERIES = (
    f"filename:settings.json path:{FOLDER}",
    f"filename:settings.local.json path:{FOLDER}",
    f"filename:.gitignore path:{FOLDER}",
    f"filename:metadata.json path:{FOLDER}/metadata",
    # The settings of an agent belong to the user, and are often committed where those of the producer are not.
    f'"{HOOK} claude-code" filename:settings.json path:.claude',
    f'"{HOOK} codex" filename:hooks.json path:.codex',
    f'"{HOOK} cursor" filename:hooks.json path:.cursor',
    f'"{HOOK} gemini" filename:settings.json path:.gemini',
    f'"{HOOK} copilot-cli" filename:entire.json path:.github/hooks',
    "filename:entire.ts path:.opencode/plugins",
)
LARGEST = 393_216  # bytes of a file that is indexed
# Words some settings have and others not: `word` and `NOT word` are two halves without overlap.
WORDS = ("enabled", "strategy", "telemetry", "git-refs", "push_sessions")
SPLITS = (halve_sizes(LARGEST), split_words(WORDS), split_owners)


def read(item: dict[str, Any]) -> DiscoveryHit | None:
    return hit_of(item, f"{item.get('path')} {item.get('sha')}")


SEARCH = Search(NAME, "/search/code", "code_search", SPLITS, read, forks=True)


def run(context: ChannelContext) -> None:
    run_searches(context, SEARCH, QUERIES, lambda context, query: [query])


ABOUT = "repositories with files that Entire writes, or its hooks in agents' settings; needs a token"
CHANNEL = Channel(NAME, ABOUT, True, Scope.DEFAULT_BRANCH, run)
