"""in-toto: a Statement v1 with a subject per file, and a predicate of our own that
`docs/statements.schema.json` describes.
"""

from attribution.exchange.exports import ExportRequest, ExportResult
from attribution.exchange.exports.statement import render_json, write_statement
from collector.json_values import Row

NAME = "in-toto"
LABEL = "in-toto Statement v1"
GIVES = "JSON to be signed"
COMMIT = "/predicate/commit/gitCommit"


def write(request: ExportRequest) -> ExportResult:
    return write_statement(request, render)


def render(statement: Row) -> str:
    return render_json("in_toto.json", statement)
