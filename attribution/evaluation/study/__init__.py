"""The study in a box: the tables of SWE-chat (arXiv 2604.20779) from any database, and ours beside.

One file per group of tables, found by its NAME: `tables(store, sessions)` gives them.
"""

from __future__ import annotations

from attribution.evaluation.study.sessions import study_sessions
from collector.plugins import modules_of
from collector.storage.store import Store
from collector.storage.views import Table


def study(store: Store) -> list[Table]:
    """Every table, in order. A table without data has no rows, and says why."""
    sessions = study_sessions(store)
    return [table for module in modules_of(__name__) for table in module.tables(store, sessions)]
