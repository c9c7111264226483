"""SPDX 2.3: a package for the commit with its files, whose lines are snippets. Nothing is said of
licences.
"""

from attribution.exchange.exports import ExportRequest, ExportResult
from attribution.exchange.exports.statement import render_json, write_statement
from collector.json_values import Row

NAME = "spdx"
LABEL = "SPDX 2.3"
GIVES = "JSON with lines as snippets"
COMMIT = "/comment"


def write(request: ExportRequest) -> ExportResult:
    return write_statement(request, render)


def render(statement: Row) -> str:
    return render_json("spdx.json", statement)
