"""Weaknesses in introduced code: the versions of files are scanned, and each finding gets a
commit, an author and a fate.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar

from attribution.browse.requests import Pages, PluginWithPages
from attribution.hooks import (
    Chapters,
    OfComment,
    OfCommit,
    OfFile,
    OfRepository,
    OfSearch,
    Section,
    Subject,
)
from collector.hooks import TableSettings

if TYPE_CHECKING:
    from collector.storage.store import Store


class Weaknesses(PluginWithPages):
    tables: ClassVar[TableSettings] = {
        "findings": {
            "label_column": "label",
            "facets": ["cwe", "class", "status"],
            "sort_desc": "id",
        },
        "rule_sets": {"hidden": True},
        "scan_files": {"hidden": True},
    }

    def sections(self, store: Store, subject: Subject) -> Iterable[Section]:
        if not isinstance(subject, OfRepository | OfCommit | OfSearch | OfFile | OfComment):
            return ()
        from attribution.weaknesses.browse.sections import section

        return section(store, subject)

    def pages(self) -> Pages:
        from attribution.weaknesses.browse.pages import findings_page

        return {"findings": ("weaknesses", findings_page)}

    def chapters(self) -> Chapters:
        from attribution.weaknesses.queries.findings import introduced_findings

        return {"findings": introduced_findings}

    def events(self) -> tuple[str, ...]:
        from attribution.weaknesses.queries.report import EVENTS

        return EVENTS


PLUGIN = Weaknesses()
