"""CycloneDX 1.6: a component per file, with the shares of its lines as properties."""

from attribution.exchange.exports import ExportRequest, ExportResult
from attribution.exchange.exports.statement import render_json, write_statement
from collector.json_values import Row

NAME = "cyclonedx"
LABEL = "CycloneDX 1.6"
GIVES = "JSON with lines as occurrences"
COMMIT = "/metadata/component/properties/whowrote:commit/value"


def write(request: ExportRequest) -> ExportResult:
    return write_statement(request, render)


def render(statement: Row) -> str:
    return render_json("cyclonedx.json", statement)
