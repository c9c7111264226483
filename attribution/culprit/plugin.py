"""From a repair back to its prompt: which lines a fix repaired, who wrote them, what was asked. Traced once for a repository."""

from __future__ import annotations

from typing import Any


def browse_tables() -> dict[str, dict[str, Any]]:
    return {
        "fixes": {"label_column": "commit_sha", "facets": ["tier", "outcome", "basis"], "sort_desc": "fixed_at"},
        "fixed_lines": {"hidden": True},
    }
