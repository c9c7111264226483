"""The invariants of a database: queries that must find nothing. `whowrote data check` runs them.

A file holds those of one subject, each as `-- name: what it says` and one SELECT.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from attribution.features import features
from attribution.features.nulls import unexplained_sql
from attribution.queries.features import features_ready
from collector.plugins import plugin_directories

if TYPE_CHECKING:
    from collector.storage.store import Store

MIXED = "mixed"  # what only a mixture of runs breaks; each row names its repository: `--repair` reads them again
SUBJECTS = ("lines", "history", "facts", MIXED)


@dataclass(frozen=True, slots=True)
class Invariant:
    """A query that must find nothing."""

    name: str
    promise: str  # what its emptiness means
    sql: str


@dataclass(frozen=True, slots=True)
class Check:
    """One invariant and the rows that break it."""

    name: str
    promise: str
    broken: int
    rows: list[dict[str, Any]]  # the first ones


@cache
def invariants() -> tuple[Invariant, ...]:
    """All but those about features: of the core, and of the plug-ins that have a file `checks.sql`."""
    return (*(one for name in SUBJECTS for one in _of_subject(name)), *_of_plugins("checks.sql"))


def _of_plugins(name: str) -> Iterator[Invariant]:
    """Those in the files of this name of the plug-ins."""
    paths = (directory / name for directory in plugin_directories().values())
    return (one for path in paths if path.is_file() for one in _parsed(path.read_text("utf-8")))


def mixed_repositories(store: Store) -> list[int]:
    """Numbers of the repositories in which rows of several runs stand side by side, or rows of one were lost."""
    found = (store.rows(f"SELECT DISTINCT repo_id FROM ({one.sql})") for one in _of_subject(MIXED))
    return sorted({row["repo_id"] for rows in found for row in rows})


def _of_subject(name: str) -> Iterator[Invariant]:
    return _parsed(resources.files("attribution.queries.checks").joinpath(f"{name}.sql").read_text("utf-8"))


def _parsed(text: str) -> Iterator[Invariant]:
    for block in text.strip().split("\n\n"):
        lines = block.splitlines()
        comment = " ".join(line.removeprefix("-- ") for line in lines if line.startswith("-- "))
        name, _, promise = comment.partition(": ")
        yield Invariant(name, promise, "\n".join(line for line in lines if not line.startswith("-- ")).rstrip(";"))


def checks(store: Store, most: int = 5) -> list[Check]:
    """Every invariant of the database."""
    return [check(store, one, most) for one in (*invariants(), *(_about_features() if features_ready(store) else ()))]


def _about_features() -> Iterator[Invariant]:
    yield Invariant("feature_nulls", "No feature is without a value for no reason.", unexplained_sql(features()))
    yield from _of_subject("features")
    yield from _of_plugins("feature_checks.sql")


def check(store: Store, one: Invariant, most: int = 5) -> Check:
    """One invariant; `most` of the rows that break it are kept."""
    rows = store.rows(f"SELECT * FROM ({one.sql}) LIMIT {most}")
    broken = store.value(f"SELECT COUNT(*) FROM ({one.sql})") if rows else 0
    return Check(one.name, one.promise, broken, rows)
