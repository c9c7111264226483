"""Weaknesses in introduced code: the versions of files are scanned, and each finding gets a commit, an author and a fate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from attribution.browse.addresses import Addresses
    from attribution.browse.pages import PageRequest, Shown
    from attribution.queries.breakdown_facts import BreakdownOptions, Place
    from attribution.queries.tip_file import LineNote
    from attribution.stats.rates import RateCell
    from collector.storage.store import Store


def event_counts(store: Store, options: BreakdownOptions) -> list[tuple[Place, RateCell]]:
    """Findings in scanned lines of agents."""
    from attribution.weaknesses.queries.report import finding_counts

    return finding_counts(store, options)


def finding_rows(store: Store, repo: int | None, confidence: Sequence[str]) -> list[dict[str, Any]]:
    """Introduced findings, those of some confidence (high, medium, low) or all."""
    from attribution.weaknesses.queries.findings import FindingFilter, findings

    return findings(store, repo, FindingFilter(confidence=tuple(level.upper() for level in confidence))).rows


def pages() -> dict[str, tuple[str, Callable[[PageRequest], Shown]]]:
    from attribution.weaknesses.browse.pages import findings_page

    return {"findings": ("weaknesses", findings_page)}


def repository_sections(store: Store, repo_id: int, to: Addresses) -> Iterable[tuple[str, str]]:
    from attribution.weaknesses.browse import pages

    return pages.repository_sections(store, repo_id, to)


def commit_sections(store: Store, commit_id: int, to: Addresses) -> Iterable[tuple[str, str]]:
    from attribution.weaknesses.browse import pages

    return pages.commit_sections(store, commit_id, to)


def search_sections(store: Store, terms: Sequence[str], repo: str, to: Addresses) -> Iterable[tuple[str, str]]:
    from attribution.weaknesses.browse import pages

    return pages.search_sections(store, terms, repo, to)


def line_notes(store: Store, repo_id: int, path: str) -> dict[int, list[LineNote]]:
    from attribution.weaknesses.browse import pages

    return pages.line_notes(store, repo_id, path)


def markdown_sections(store: Store, shas: set[str]) -> list[str]:
    from attribution.weaknesses.browse import pages

    return pages.markdown_sections(store, shas)


def browse_tables() -> dict[str, dict[str, Any]]:
    return {
        "findings": {"label_column": "label", "facets": ["cwe", "author_class", "status"], "sort_desc": "id"},
        "rule_sets": {"hidden": True},
        "scan_files": {"hidden": True},
    }
