"""Lists of typed rows that turn into plain values and data frames."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

from collector.json_values import Row, plain

if TYPE_CHECKING:
    import pandas
    import pyarrow

Item = TypeVar("Item")


class Rows(list[Item]):
    """A list of rows of one type; of a long one only the beginning is shown."""

    def __repr__(self) -> str:
        if len(self) < 10:
            return super().__repr__()
        return f"[{', '.join(map(repr, self[:3]))}, … {len(self):,} in all]"

    def to_dicts(self) -> list[Row]:
        """Names and plain values of each row, as `--json` prints them."""
        return [plain(row) for row in self]

    def to_pandas(self) -> pandas.DataFrame:
        """A column per name. Raises WhoWroteError when pandas is not installed."""
        from attribution.stats.comparison import data_frame

        return data_frame(self.to_dicts())

    def to_arrow(self) -> pyarrow.Table:
        """A column per name, which polars and DuckDB read too.

        Raises WhoWroteError when pyarrow is not installed.
        """
        from collector.storage.tablefiles import arrow_table

        return arrow_table(self.to_dicts())


class Report(Rows[Row]):
    """Rows with what must be said beside them."""

    def __init__(self, rows: Iterable[Row], warnings: Sequence[str], notes: Sequence[str]) -> None:
        super().__init__(rows)
        self.warnings = list(warnings)  # what must not be concluded
        self.notes = list(notes)
