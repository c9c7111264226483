"""From a repair back to its prompt: which lines a fix repaired, who wrote them, what was asked.

Traced once for a repository.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from attribution.browse.pages import PageRequest, Shown
    from collector.storage.store import Store
    from collector.storage.views import Table


def chapters() -> dict[str, Callable[[Store], list[Table]]]:
    from attribution.culprit.queries.ownership import ownership_tables
    from attribution.culprit.queries.repairs import repair_tables

    return {"repairs": repair_tables, "ownership": ownership_tables}


def pages() -> dict[str, tuple[str, Callable[[PageRequest], Shown]]]:
    from attribution.culprit.browse.pages import repairs_page

    return {"repairs": ("repairs", repairs_page)}


def browse_tables() -> dict[str, dict[str, Any]]:
    return {
        "fixes": {
            "label_column": "commit_sha",
            "facets": ["tier", "outcome", "basis"],
            "sort_desc": "fixed_at",
        },
        "fixed_lines": {"hidden": True},
        "commit_reviews": {"facets": ["reviewer"]},
    }
