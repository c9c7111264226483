"""The invariants of a database: queries that must find nothing. `whowrote data check` runs them.

A file holds those of one subject, each as `-- name: what it says` and one SELECT.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources

from attribution.features import features
from attribution.features.nulls import unexplained_sql
from attribution.queries.features import features_ready
from collector.json_values import Row
from collector.plugins import plugin_directories
from collector.storage.store import Store

# what only a mixture of runs breaks; each row names its repository: `--repair` reads them again
MIXED = "mixed"
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
    rows: list[Row]  # the first ones


@cache
def invariants() -> tuple[Invariant, ...]:
    """All but those about features: of the core, and of the plug-ins that have a file
    `checks.sql`.
    """
    return (
        *(invariant for name in SUBJECTS for invariant in _subject_invariants(name)),
        *_plugin_invariants("checks.sql"),
    )


def _plugin_invariants(name: str) -> Iterator[Invariant]:
    """Those in the files of this name of the plug-ins."""
    paths = (directory / name for directory in plugin_directories().values())
    return (item for path in paths if path.is_file() for item in _parse(path.read_text("utf-8")))


def mixed_repositories(store: Store) -> list[int]:
    """Numbers of the repositories in which rows of several runs stand side by side, or rows of
    one were lost.
    """
    result = (
        store.rows(f"SELECT DISTINCT repo_id FROM ({invariant.sql})")
        for invariant in _subject_invariants(MIXED)
    )
    return sorted({row["repo_id"] for rows in result for row in rows})


def _subject_invariants(name: str) -> Iterator[Invariant]:
    return _parse(
        resources.files("attribution.queries.checks").joinpath(f"{name}.sql").read_text("utf-8")
    )


def _parse(text: str) -> Iterator[Invariant]:
    for block in text.strip().split("\n\n"):
        lines = block.splitlines()
        comment = " ".join(line.removeprefix("-- ") for line in lines if line.startswith("-- "))
        name, _, promise = comment.partition(": ")
        yield Invariant(
            name,
            promise,
            "\n".join(line for line in lines if not line.startswith("-- ")).rstrip(";"),
        )


def checks(store: Store, most: int = 5) -> list[Check]:
    """Every invariant of the database."""
    every = list(invariants())
    if features_ready(store):
        every.append(
            Invariant(
                "feature_nulls",
                "No feature is without a value for no reason.",
                unexplained_sql(features()),
            )
        )
        every += [*_subject_invariants("features"), *_plugin_invariants("feature_checks.sql")]
    return [check(store, item, most) for item in every]


def check(store: Store, invariant: Invariant, most: int = 5) -> Check:
    """One invariant; `most` of the rows that break it are kept."""
    rows = store.rows(f"SELECT * FROM ({invariant.sql}) LIMIT {most}")
    broken = store.value(f"SELECT COUNT(*) FROM ({invariant.sql})") if rows else 0
    return Check(invariant.name, invariant.promise, broken, rows)
