"""For notebooks: a database as data frames.

    from attribution.api import Database

    with Database("whowrote.db") as db:
        db.tables()                      # names of tables, views and study tables
        db.frame("line_spans")           # a table or view as a pandas.DataFrame
        db.query("SELECT ...")           # any question
        db.study()["coding_efficiency"]  # a table of the study

Nothing is written. pandas comes with whowrote[stats].
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attribution.queries.tables import table_names
from attribution.stats.estimates import data_frame
from attribution.study import study
from collector.errors import WhoWroteError
from collector.storage.store import Store

if TYPE_CHECKING:
    import pandas


class Database:
    """A database that exists; use it in a `with` statement, or close it."""

    def __init__(self, path: str | Path) -> None:
        """Raises DatabaseUnusable, DatabaseTooNew."""
        self._store = Store(path, create=False)

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        self._store.close()

    def tables(self) -> list[str]:
        """Tables and views, in order of their names."""
        return sorted(table.name for table in table_names(self._store))

    def frame(self, table: str) -> pandas.DataFrame:
        """A table or view. Raises WhoWroteError when there is none of that name, StatsMissing without pandas."""
        if table not in self.tables():
            raise WhoWroteError(f"no such table: {table}", "Database.tables() lists them")
        return self.query('SELECT * FROM "' + table.replace('"', '""') + '"')

    def query(self, sql: str, parameters: Sequence[Any] = ()) -> pandas.DataFrame:
        """The rows of a SELECT. Raises DatabaseUnusable, StatsMissing."""
        return data_frame(self._store.rows(sql, parameters))

    def study(self) -> dict[str, pandas.DataFrame]:
        """Every table of `attribute study` by name. Raises StatsMissing."""
        return {table.name: data_frame(table.rows) for table in study(self._store)}
