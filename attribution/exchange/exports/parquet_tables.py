"""Parquet: one file per table and view, with types."""

from attribution.exchange.exports import ExportRequest, ExportResult
from attribution.exchange.exports.tables import write_all
from collector.storage.tablefiles import require_parquet, write_parquet

NAME = "parquet"
LABEL = "Parquet"
GIVES = "a directory with one file per table and view; needs `whowrote[parquet]`"
OPTIONS = ("table",)


def write(request: ExportRequest) -> ExportResult:
    require_parquet()
    return write_all(request, ".parquet", write_parquet)
