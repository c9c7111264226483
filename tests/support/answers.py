"""What a database answers, in tests: an open one, or a file."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from attribution.authorship.options import AttributeOptions
from attribution.stages.lines import attribute_repo
from collector.git.repository import GitRepo
from collector.json_values import RowValues
from collector.storage.store import Store


@contextmanager
def analysed_store(repository: Path | GitRepo, database: Path) -> Iterator[Store]:
    """A database into which the lines of a repository were put."""
    with Store(database) as store:
        attribute_repo(store, repository, AttributeOptions())
        yield store


def select(database: Store | Path, sql: str, *parameters: object) -> list[RowValues]:
    """The rows of a query, each as its values in their order."""
    if isinstance(database, Path):
        with Store(database, create=False) as store:
            return select(store, sql, *parameters)
    return [tuple(row.values()) for row in database.rows(sql, parameters)]


def column(database: Store | Path, sql: str, *parameters: object) -> list[Any]:
    """The first column of a query."""
    return [values[0] for values in select(database, sql, *parameters)]


def value(database: Store | Path, sql: str, *parameters: object) -> Any:
    """The first column of the first row; None where there is no row."""
    return next(iter(column(database, sql, *parameters)), None)


def pick(row: Mapping[str, Any], *names: str) -> RowValues:
    """Some values of a row."""
    return tuple(row[name] for name in names)
