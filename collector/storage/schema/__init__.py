"""The tables and views of the database as SQL text, a file for each subject, in the order in which they are best read.

One comment per table, view and column: docs/schema.md and the descriptions in Datasette are generated from them. Columns of
views are described in lines `--   column: text` before the view; `--   *: table` stands for all columns of that table.
Times are UTC, ISO 8601. NULL means "not known", never zero. Line numbers start at 1.
"""

from __future__ import annotations

from functools import cache
from importlib import resources

# In reading order; a part refers only to tables of earlier ones.
PARTS = (
    "repositories", "sessions", "lines", "outcomes", "bookkeeping", "history", "survival", "weaknesses", "maintainability",
    "reviews", "claims", "judge", "embeddings", "failure_modes", "attempts", "discovery", "mirrors", "settings", "forgotten",
    "cache/jobs", "cache/http_cache", "cache/text_vectors", "cache/scans",
)  # fmt: skip


@cache
def part_sql(name: str) -> str:
    """The text of one part."""
    from collector.vocabulary.schema import expanded  # with every vocabulary: 10 ms that only a new database needs

    return expanded(resources.files("collector.storage.schema").joinpath(f"{name}.sql").read_text("utf-8"))


def schema_sql() -> str:
    """The whole schema."""
    return "\n".join(map(part_sql, PARTS))
