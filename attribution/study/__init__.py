"""The study in a box: the tables of SWE-chat (arXiv 2604.20779) that need no judge, from any database, and ours beside.

One file per group of tables, found by its NAME: `tables(store)` gives them.
"""

from __future__ import annotations

from attribution.study.model import StudyTable
from collector.plugins import modules_of
from collector.storage.store import Store


def study(store: Store) -> list[StudyTable]:
    """Every table, in order. A table without data has no rows, and says why."""
    return [table for module in modules_of(__name__) for table in module.tables(store)]
