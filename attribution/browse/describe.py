"""What Datasette is told of our tables: descriptions from the schema and the feature registry, labels, facets, order. Pure."""

from __future__ import annotations

import re
from collections.abc import Set
from functools import cache
from typing import Any

from attribution.browse.queries import QUERIES, Query
from attribution.features import groups
from attribution.features.nulls import VIEW, VIEW_COLUMNS, VIEW_TEXT
from collector.plugins import hooks
from collector.storage.catalog import tables
from collector.storage.schema import homes

# Short names that Datasette shows instead of numbers, and what it counts and sorts by. Nothing is facetted that a large
# database would count for seconds.
LABELS = {
    "repos": "name", "sessions": "label", "commits": "label", "checkpoints": "checkpoint_id", "regions": "path",
    "commit_files": "path", "tip_files": "path", "history_commits": "commit_sha", "findings": "label",
}  # fmt: skip
FACETS = {
    "sessions": ["agent", "model", "transcript"],
    "commits": ["declared_agent", "automation"],
    "regions": ["convergence"],
    "scores": ["tier", "task_type"],
    "tip_files": ["language", "directory"],
    "problems": ["stage", "code"],
    "session_stats": ["coding_mode"],
    "vendor_checks": ["disagreement_reason"],
    "findings": ["cwe", "author_class", "status"],
}
ORDER = {
    "sessions": "started_at", "commits": "author_at", "tip_files": "agent", "scores": "q", "regions": "rounds",
    "session_stats": "produced", "findings": "id",
}  # fmt: skip


# What explains nothing by itself: bookkeeping, and numbers that join other tables. Hidden, but there for who asks.
INTERNAL = frozenset(
    {
        "stage_runs", "settings", "forgotten",
        "line_lifetimes", "line_moves", "line_fates", "tip_states", "tip_spans", "origins", "spans",
        "commit_checkpoint_links", "region_edits", "region_priors", "region_symbols", "history_commits", "cursors", "rule_sets",
        "scan_files", "claim_authors", "claim_records", "claim_record_checks", "session_embeddings", "judgements", "mirrors",
    }
)  # fmt: skip
_OTHERS = re.compile(r"check_\w+|sqlite_\w+|\w+_fts\w*")  # made by checks, SQLite and full-text search


def metadata(hidden: Set[str] = frozenset()) -> dict[str, Any]:
    """The part of Datasette's metadata for one of our databases; internal tables are hidden, and those that are named."""
    # Datasette asks hundreds of times for a page, and adds to what it is given.
    tables = {name: about | {"columns": dict(about["columns"])} for name, about in _tables()}
    for name in hidden:
        tables.setdefault(name, {"description": "", "columns": {}})["hidden"] = True
    return {
        "title": "whowrote",
        "description": "Who wrote each line, human or coding agent, how we know, and what became of it.",
        "tables": tables,
    }


def whole(present: Set[str], empty: Set[str]) -> dict[str, Any]:
    """All that a Datasette without our plugin can be told of a database with these tables and views, as a file of metadata."""
    about = metadata(empty)
    about["tables"] = {name: told for name, told in about["tables"].items() if name in present}
    about["queries"] = queries(present)
    return about


def is_internal(name: str) -> bool:
    """Whether a table is hidden whatever it holds."""
    return name in INTERNAL or _OTHERS.fullmatch(name) is not None


@cache
def _tables() -> list[tuple[str, dict[str, Any]]]:
    found = []
    for table in tables():
        about: dict[str, Any] = {"description": table.comment, "columns": {c.name: c.comment for c in table.columns}}
        about |= {"label_column": LABELS[table.name]} if table.name in LABELS else {}
        about |= {"facets": FACETS[table.name]} if table.name in FACETS else {}
        about |= {"sort_desc": ORDER[table.name]} if table.name in ORDER else {}
        about |= {"hidden": True} if is_internal(table.name) else {}
        found.append((table.name, about))
    features = {f.name: f"{f.description} ({f.unit}, {f.kind})" for g in groups() for f in g.FEATURES}
    found.append(("session_features", {"description": "What each session was like, a row per session.", "columns": features}))
    found.append((VIEW, {"description": VIEW_TEXT, "columns": VIEW_COLUMNS}))
    return found


def _every_query() -> dict[str, Query]:
    """Those of the core and of the plug-ins."""
    return QUERIES | {name: query for of_plugin in hooks("browse_queries") for name, query in of_plugin().items()}


def queries(present: Set[str]) -> dict[str, dict[str, Any]]:
    """The questions that a database with these tables and views can answer, as Datasette's canned queries."""
    return {
        name: {"sql": q.sql, "title": q.title, "description": q.description, "hide_sql": True}
        for name, q in _every_query().items()
        if (homes().keys() & set(re.findall(r"\w+", q.sql))) <= present
    }
