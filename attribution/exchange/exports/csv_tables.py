"""CSV: one file per table and view."""

from __future__ import annotations

from attribution.exchange.exports import ExportRequest, ExportResult
from attribution.exchange.exports.tables import write_all
from collector.storage.tablefiles import write_csv

NAME = "csv"
LABEL = "CSV"
GIVES = "a directory with one file per table and view of the database"
OPTIONS: frozenset[str] = frozenset({"table"})


def write(request: ExportRequest) -> ExportResult:
    return write_all(request, ".csv", write_csv)
