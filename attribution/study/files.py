"""The tables of a study as files."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from attribution.stats.estimates import data_frame
from attribution.study.model import StudyTable
from collector.console.terminal import csv_cell


def save(tables: Sequence[StudyTable], directory: Path, parquet: bool) -> list[Path]:
    """One file per table, `NAME.csv` or `NAME.parquet`. Raises StatsMissing when pandas or pyarrow is missing for Parquet."""
    directory.mkdir(parents=True, exist_ok=True)
    made = []
    for table in tables:
        path = directory / f"{table.name}.{'parquet' if parquet else 'csv'}"
        if parquet:
            data_frame(table.rows).to_parquet(path)
        else:
            with path.open("w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow(table.columns())
                writer.writerows([csv_cell(row.get(name)) for name in table.columns()] for row in table.rows)
        made.append(path)
    return made
