"""What Datasette is told of our tables: descriptions from the schema and the feature registry,
labels, facets, order; and queries.

Queries are in `questions.sql`, here and in the plug-ins.
"""

import re
from collections.abc import Iterator, Set
from functools import cache
from pathlib import Path

from attribution.features import groups
from attribution.features.nulls import VIEW, VIEW_COLUMNS, VIEW_TEXT
from collector.hooks import plugins
from collector.json_values import Row
from collector.plugins import plugin_directories
from collector.storage.views import tables
from collector.text import split_names

# The short name that Datasette shows instead of a number, and what it counts and sorts by. Nothing
# is facetted that a large database would count for seconds. Hidden is what explains nothing by
# itself: bookkeeping, and numbers that join other tables.
_TABLES: dict[str, Row] = {
    "repos": {"label_column": "name"},
    "sessions": {
        "label_column": "label",
        "facets": ["agent", "model", "transcript"],
        "sort_desc": "started_at",
    },
    "commits": {
        "label_column": "label",
        "facets": ["declared_agent", "automation"],
        "sort_desc": "author_at",
    },
    "checkpoints": {"label_column": "checkpoint_id"},
    "regions": {"label_column": "path", "facets": ["convergence"], "sort_desc": "rounds"},
    "commit_files": {"label_column": "path"},
    "tip_files": {
        "label_column": "path",
        "facets": ["language", "directory"],
        "sort_desc": "agent",
    },
    "history_commits": {"label_column": "commit_sha"},
    "problems": {"facets": ["stage", "code"]},
    "session_stats": {"facets": ["coding_mode"], "sort_desc": "produced"},
    "vendor_checks": {"facets": ["disagreement_reason"]},
}
_INTERNAL = split_names(
    "stage_runs, settings, forgotten, line_lifetimes, line_moves, line_fates, "
    "tip_states, tip_spans, origins, spans, commit_checkpoint_links, region_edits, "
    "region_priors, region_symbols, history_commits"
)
# made by checks, SQLite and full-text search
_OTHERS = re.compile(r"check_\w+|sqlite_\w+|\w+_fts\w*")
_COMMENTS = re.compile(r"((?:-- [^\n]*\n)+)(.*)", re.DOTALL)


def metadata(hidden: Set[str] = frozenset()) -> Row:
    """The part of Datasette's metadata for one of our databases; internal tables are hidden, and
    those that are named.
    """
    # Datasette asks hundreds of times for a page, and adds to what it is given.
    tables = {name: about | {"columns": dict(about["columns"])} for name, about in _tables()}
    for name in hidden:
        tables.setdefault(name, {"description": "", "columns": {}})["hidden"] = True
    return {
        "title": "whowrote",
        "description": (
            "Who wrote each line, human or coding agent, how we know, and what became of it."
        ),
        "tables": tables,
    }


def is_internal(name: str) -> bool:
    """Whether a table is hidden whatever it holds."""
    return (
        name in _INTERNAL
        or "hidden" in settings_of_tables().get(name, {})
        or _OTHERS.fullmatch(name) is not None
    )


@cache
def settings_of_tables() -> dict[str, Row]:
    """Table -> what Datasette is told of it beside descriptions; those of the plug-ins, too."""
    return _TABLES | {
        table: settings for plugin in plugins() for table, settings in plugin.tables.items()
    }


@cache
def _tables() -> list[tuple[str, Row]]:
    described = []
    for table in tables():
        columns = {column.name: column.comment for column in table.columns}
        hidden = {"hidden": True} if is_internal(table.name) else {}
        settings = settings_of_tables().get(table.name, {})
        described.append(
            (table.name, {"description": table.comment, "columns": columns, **settings, **hidden})
        )
    features = {
        f.name: f"{f.description} ({f.unit}, {f.kind})" for g in groups() for f in g.FEATURES
    }
    described.append(
        (
            "session_features",
            {"description": "What each session was like, a row per session.", "columns": features},
        )
    )
    described.append((VIEW, {"description": VIEW_TEXT, "columns": VIEW_COLUMNS}))
    return described


def files(name: str) -> list[Path]:
    """Where our file or directory of this name is, and those of plug-ins."""
    return [
        directory / name for directory in (Path(__file__).parent, *plugin_directories().values())
    ]


@cache
def every_query() -> dict[str, Row]:
    """Name -> query as Datasette takes it, of the core and of the plug-ins."""
    return {
        name: query
        for file in files("questions.sql")
        if file.is_file()
        for name, query in _queries_in(file.read_text("utf-8"))
    }


def _queries_in(text: str) -> Iterator[tuple[str, Row]]:
    """Blocks between blank lines: `-- NAME: TITLE`, a description in comments, the SQL."""
    for block in text.strip().split("\n\n"):
        comments, sql = _COMMENTS.fullmatch(block).groups()  # type: ignore[union-attr]  # a test reads every file
        head, *description = comments.replace("-- ", "").splitlines()
        name, _, title = head.partition(": ")
        yield (
            name,
            {
                "sql": sql.rstrip(";"),
                "title": title,
                "description": " ".join(description),
                "hide_sql": True,
            },
        )


def queries(hidden: Set[str]) -> dict[str, Row]:
    """The questions that a database can answer, by their names.

    `hidden`: tables that are internal or empty.
    """
    empty = {name for name in hidden if not is_internal(name)}
    return {
        name: dict(query)
        for name, query in every_query().items()
        if empty.isdisjoint(re.findall(r"\w+", query["sql"]))
    }
