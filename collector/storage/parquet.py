"""Parquet files. The adapter for pyarrow, the optional extra `parquet`, imported when a function here is called."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from collector.errors import WhoWroteError

if TYPE_CHECKING:
    import pyarrow.parquet


def records(path: Path, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Rows with these columns. Raises WhoWroteError when the file is none, or without the extra."""
    with _opened(path, f"It needs the columns {', '.join(columns)}") as file:
        for batch in file.iter_batches(columns=list(columns)):
            yield from batch.to_pylist()


def column_names(path: Path) -> list[str]:
    """Names of the columns. Raises WhoWroteError as `records`."""
    with _opened(path, "Check the file") as file:
        return list(file.schema_arrow.names)


@contextmanager
def _opened(path: Path, hint: str) -> Iterator[pyarrow.parquet.ParquetFile]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise WhoWroteError(
            f"{path} needs whowrote[parquet], which is not installed",
            "Install it with: pip install 'whowrote[parquet]'; or provide the data as JSON Lines",
        ) from error
    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            yield file
    except (OSError, pyarrow.ArrowException) as error:
        raise WhoWroteError(f"{path} cannot be read as Parquet: {error}", hint) from error
