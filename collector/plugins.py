"""Plug-ins, and modules that are found in a package by their `NAME`.

A plug-in is a directory with everything about one subject that the core does not need: its tables,
commands, pages and docs. The core never imports it. `plugin.py` in the directory may define these
hooks. All are optional functions that import what they need, or stand in another module, which
`HOOKS` names (hook -> "module:function"):

    after_lines(context)            fills tables of the plug-in once the lines of a repository are
                                    settled, in the same transaction
    line_section(store, repo, sha, path, line)  a `LineSection` of one line explained
    (`attribution/queries/explain.py`)
    lines_aside(store, repo_id)     lines counted beside the classes, an `Aside`
                                    (`attribution/queries/repo_report.py`)
    undeclared_note(store, repos)   a sentence on whose the undeclared lines of repositories are; ""
                                    for none
    browse_tables()                 table -> what Datasette is told of it: label_column, facets,
                                    sort_desc, hidden
    known_formats()                 rows of `collect formats`
    note_names()                    names below refs/notes/ that are worth fetching
    judge_labels(store)             (session, turn, label) -> what a model said
    after_features(store, repo_id)  fills tables made of features, turns and fates, whenever these
    changed, in the same transaction
    features_version()              changes when `after_features` would fill in other values
    session_sections(store, session_id, to)     (heading, HTML) of what is shown on the page of a
                                                session; `to` makes addresses
    repository_sections(store, repo_id, to)     the same for the page of a repository; in `report`,
                                                `to` is without a base
    chapters()                      name -> function of a store that gives tables, for
                                    `Database.chapter`
    mirror(address, progress)       fetches the repository at an address; the directory of its
                                    mirror
    mirrors(store, names)           `ShardItem`s of a database whose clones the plug-in keeps, all
                                    of them without names
    event_counts(store, options)    (place, events over lines) of groups of lines, for a column of
                                    `report --by`
    session_works(store, repo_id)   session -> kind of work
    pushback_by_vectors(store, repo)    session -> for each typed message, whether it pushes back
    finding_rows(store, repo, confidence)   what `Database.findings` gives: a dictionary for each
                                            finding
    markdown_sections(store, shas)  lines of Markdown about some commits, for a comment on a pull
    request
    pages()                         kind of a page of a repository -> the name of its tab, and the
                                    function that makes it
    commit_sections(store, commit_id, to), search_sections(store, terms, repo, to)      the same for
        other pages
    line_notes(store, repo_id, path)    line -> notes that stand beside it on the page of a file

Beside `plugin.py`, these are found by their names:

    schema/*.sql, schema/cache/*.sql    tables and views (`collector/storage/schema`)
                                        `-- carried: TABLE...` tables that cannot be computed again
                                        (`storage/carry.py`)
                                        `-- text kept with CONTENT: TABLE.COLUMN...`
                                        (`storage/retention.py`)
    checks.sql, feature_checks.sql      invariants of the tables, the second about features
                                        (`attribution/queries/checks`)
    templates/*.html                    templates of pages that stand alone
                                        (`attribution/browse/standalone.py`)
    questions.sql                       queries that Datasette lists
                                        (`attribution/browse/describe.py`)
    words.py                            closed sets of words that the schema mentions
                                        (`collector/vocabulary/schema.py`)
    commands/*.py                       commands (`collector/console/commands.py`)
"""

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

PLUGINS = (
    "attribution.culprit",
    "attribution.evaluation",
    "attribution.exchange",
    "attribution.weaknesses",
    "collector.discovery",
    "whowrote.servers",
)
_TOP = Path(__file__).parent.parent


def plugin_directories() -> dict[str, Path]:
    """Package of each plug-in that is installed -> its directory. Nothing is imported."""
    directories = {package: _TOP.joinpath(*package.split(".")) for package in PLUGINS}
    return {
        package: directory
        for package, directory in directories.items()
        if (directory / "plugin.py").is_file()
    }


@cache
def _plugins() -> tuple[ModuleType, ...]:
    return tuple(importlib.import_module(f"{package}.plugin") for package in plugin_directories())


def hooks(name: str) -> Iterator[Callable[..., Any]]:
    """The hook called `name` of every plug-in that has it."""
    for plugin in _plugins():
        if place := getattr(plugin, "HOOKS", {}).get(name):
            yield pkgutil.resolve_name(place)
        elif hasattr(plugin, name):
            yield getattr(plugin, name)


def modules_of(package: str) -> list[ModuleType]:
    """Modules of `package` that define NAME, in order of ORDER (default 50), then name."""
    path = importlib.import_module(package).__path__
    modules = (
        importlib.import_module(f"{package}.{info.name}") for info in pkgutil.iter_modules(path)
    )
    named = [module for module in modules if hasattr(module, "NAME")]
    return sorted(named, key=lambda module: (getattr(module, "ORDER", 50), module.NAME))
