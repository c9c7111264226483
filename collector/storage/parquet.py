"""Reads Parquet and ORC files. The adapter for pyarrow, the optional extra `parquet`, imported when a function here is called."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from collector.errors import WhoWroteError

if TYPE_CHECKING:
    import pyarrow.orc
    import pyarrow.parquet

SUFFIXES = (".parquet", ".orc")


@dataclass(frozen=True, slots=True)
class Where:
    """Which rows are wanted: those whose text in `column` begins with one of `prefixes`, or is one of `values`."""

    column: str
    prefixes: Sequence[str] = ()
    values: Collection[str] = ()


def records(path: Path, columns: Sequence[str], condition: Where | None = None) -> Iterator[dict[str, Any]]:
    """Rows with these columns. Raises WhoWroteError when the file is none, or without the extra."""
    with _open(path, f"It needs the columns {', '.join(columns)}") as file:
        for batch in _batches(file, list(columns)):
            yield from (batch if condition is None else _matching(batch, condition)).to_pylist()


def column_names(path: Path) -> list[str]:
    """Names of the columns. Raises WhoWroteError as `records`."""
    with _open(path, "Check the file") as file:
        return list(file.schema.names if path.suffix == ".orc" else file.schema_arrow.names)


def _batches(file: Any, columns: list[str]) -> Iterator[Any]:
    """Some rows at a time."""
    if hasattr(file, "iter_batches"):
        yield from file.iter_batches(columns=columns)
    else:
        yield from (file.read_stripe(number, columns) for number in range(file.nstripes))


def _matching(batch: Any, condition: Where) -> Any:
    import pyarrow
    import pyarrow.compute as compute

    column = batch.column(condition.column)
    if condition.values:
        text = column.cast(pyarrow.string()) if pyarrow.types.is_binary(column.type) else column
        return batch.filter(compute.is_in(text, value_set=pyarrow.array(list(condition.values), pyarrow.string())))
    masks = [compute.starts_with(column, pattern=prefix) for prefix in condition.prefixes]
    mask = masks[0]
    for other in masks[1:]:
        mask = compute.or_(mask, other)
    return batch.filter(mask)


@contextmanager
def _open(path: Path, hint: str) -> Iterator[pyarrow.parquet.ParquetFile | pyarrow.orc.ORCFile]:
    try:
        import pyarrow
        import pyarrow.orc
        import pyarrow.parquet
    except ImportError as error:
        raise WhoWroteError(
            f"{path} needs whowrote[parquet], which is not installed",
            "Install it with: pip install 'whowrote[parquet]'; or provide the data as JSON Lines",
        ) from error
    kind = "ORC" if path.suffix == ".orc" else "Parquet"
    try:
        if path.suffix == ".orc":
            yield pyarrow.orc.ORCFile(path)
        else:
            with pyarrow.parquet.ParquetFile(path) as file:
                yield file
    except (OSError, pyarrow.ArrowException) as error:
        raise WhoWroteError(f"{path} cannot be read as {kind}: {error}", hint) from error
