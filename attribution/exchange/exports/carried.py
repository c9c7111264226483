"""Labels, reviews, ratings and discoveries as JSON lines, for a database that is built again; of
a database of any schema.
"""

from attribution.exchange.exports import ExportRequest, ExportResult
from collector.storage.carry import export_carried

NAME = "carried"
LABEL = "Carried rows"
GIVES = "labels, reviews and discoveries, for `whowrote data import`"
ANY_SCHEMA = True


def write(request: ExportRequest) -> ExportResult:
    with request.out.open("w", encoding="utf-8") as file:
        counts = export_carried(request.store, file)
    return ExportResult([request.out], dict(counts))
