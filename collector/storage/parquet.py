"""Parquet files. The adapter for pyarrow, the optional extra `parquet`, imported when a function here is called."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from collector.errors import WhoWroteError


def records(path: Path, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Rows with these columns. Raises WhoWroteError when the file is none, or without the extra."""
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
            for batch in file.iter_batches(columns=list(columns)):
                yield from batch.to_pylist()
    except (OSError, pyarrow.ArrowException) as error:
        raise WhoWroteError(f"{path} cannot be read as Parquet: {error}", f"It needs the columns {', '.join(columns)}") from error
