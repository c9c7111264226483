"""From a repair back to its prompt: which lines a fix repaired, who wrote them, what was asked.

Traced once for a repository.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from attribution.browse.requests import Pages, PluginWithPages
from attribution.hooks import Chapters
from collector.hooks import TableSettings

if TYPE_CHECKING:
    pass


class Culprit(PluginWithPages):
    tables: ClassVar[TableSettings] = {
        "fixes": {
            "label_column": "commit_sha",
            "facets": ["tier", "outcome", "basis"],
            "sort_desc": "fixed_at",
        },
        "fixed_lines": {"hidden": True},
        "commit_reviews": {"facets": ["reviewer"]},
    }

    def chapters(self) -> Chapters:
        from attribution.culprit.queries.ownership import ownership_tables
        from attribution.culprit.queries.repairs import repair_tables

        return {"repairs": repair_tables, "ownership": ownership_tables}

    def pages(self) -> Pages:
        from attribution.culprit.browse.pages import repairs_page

        return {"repairs": ("repairs", repairs_page)}


PLUGIN = Culprit()
