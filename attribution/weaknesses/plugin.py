"""Weaknesses in introduced code: the versions of files are scanned, and each finding gets a
commit, an author and a fate.
"""

from typing import Any

_PAGES = "attribution.weaknesses.browse.pages"
HOOKS = {
    "event_counts": "attribution.weaknesses.queries.report:finding_counts",
    "finding_rows": "attribution.weaknesses.queries.findings:introduced_findings",
    "pages": f"{_PAGES}:pages",
    "repository_sections": f"{_PAGES}:repository_sections",
    "commit_sections": f"{_PAGES}:commit_sections",
    "search_sections": f"{_PAGES}:search_sections",
    "line_notes": f"{_PAGES}:line_notes",
    "markdown_sections": f"{_PAGES}:markdown_sections",
}


def browse_tables() -> dict[str, dict[str, Any]]:
    return {
        "findings": {
            "label_column": "label",
            "facets": ["cwe", "class", "status"],
            "sort_desc": "id",
        },
        "rule_sets": {"hidden": True},
        "scan_files": {"hidden": True},
    }
