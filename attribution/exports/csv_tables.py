"""CSV: one file per table and view."""

from __future__ import annotations

from attribution.exports import ExportRequest, ExportResult
from attribution.exports.tablefiles import write_csv
from attribution.exports.tables import write_all

NAME = "csv"
LABEL = "CSV"
GIVES = "a directory with one file per table and view of the database"
OPTIONS: frozenset[str] = frozenset({"table"})


def write(request: ExportRequest) -> ExportResult:
    return write_all(request, ".csv", write_csv)
