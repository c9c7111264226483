"""The adapter for pyarrow (extra `parquet`): tables as files, Parquet, or CSV which needs no
library.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from collector.errors import WhoWroteError
from collector.json_values import Row
from collector.text import spreadsheet_safe

if TYPE_CHECKING:
    import pyarrow

_BATCH = 50_000  # rows


class Column(NamedTuple):
    """A column of a table file."""

    name: str
    kind: str  # int | float | str | bool | time (ISO 8601 text, written as a timestamp in UTC)


Columns = Sequence[Column]


def require_parquet() -> None:
    """Raises WhoWroteError when pyarrow is not installed."""
    if find_spec("pyarrow") is None:
        raise WhoWroteError(
            "pyarrow is not installed", "Parquet and Arrow need the extra: whowrote[parquet]"
        )


def has_parquet() -> bool:
    return find_spec("pyarrow") is not None


def arrow_table(rows: Iterable[Row]) -> pyarrow.Table:
    """Rows as a table of pyarrow; columns as in the first row.

    Raises WhoWroteError without pyarrow.
    """
    require_parquet()
    import pyarrow

    return pyarrow.Table.from_pylist([dict(row) for row in rows])


def write_parquet(path: Path, columns: Columns, rows: Iterable[Sequence[Any]]) -> int:
    """Returns the number of rows. Values that do not fit their column become null."""
    import pyarrow
    import pyarrow.parquet

    types = {
        "int": pyarrow.int64(),
        "float": pyarrow.float64(),
        "str": pyarrow.string(),
        "bool": pyarrow.bool_(),
        "time": pyarrow.timestamp("us", tz="UTC"),
    }
    schema = pyarrow.schema([(name, types[kind]) for name, kind in columns])
    count = 0
    with pyarrow.parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        remaining = iter(rows)
        while batch := list(islice(remaining, _BATCH)):
            arrays = [
                pyarrow.array([_value(row[i], kind) for row in batch], types[kind])
                for i, (_, kind) in enumerate(columns)
            ]
            writer.write_table(pyarrow.Table.from_arrays(arrays, schema=schema))
            count += len(batch)
    return count


def read_parquet(path: Path, columns: Sequence[str]) -> Iterator[Row]:
    """Rows with these columns, some at a time in memory.

    Raises WhoWroteError when the file is none, or without pyarrow.
    """
    require_parquet()
    import pyarrow
    import pyarrow.parquet

    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(columns=list(columns)):
                yield from batch.to_pylist()
    except (OSError, pyarrow.ArrowException) as error:
        raise WhoWroteError(
            f"{path} cannot be read as Parquet: {error}",
            f"It needs the columns {', '.join(columns)}",
        ) from error


def write_csv(path: Path, columns: Columns, rows: Iterable[Sequence[Any]]) -> int:
    """Returns the number of rows.

    A cell that a spreadsheet would run as a formula gets an apostrophe in front.
    """
    count = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([name for name, _ in columns])
        for row in rows:
            writer.writerow([spreadsheet_safe(v) if isinstance(v, str) else v for v in row])
            count += 1
    return count


def _value(value: Any, kind: str) -> Any:
    if value is None:
        return None
    try:
        return _AS[kind](value)
    except (ValueError, TypeError, OverflowError):
        return None


def _time(value: Any) -> Any:
    from datetime import datetime

    return datetime.fromisoformat(str(value))


_AS: dict[str, Callable[[Any], Any]] = {
    "int": int,
    "float": float,
    "str": str,
    "bool": bool,
    "time": _time,
}
