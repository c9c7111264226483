"""What pages show of findings."""

from functools import partial

from attribution.addresses import Addresses
from attribution.browse.requests import PageRequest, Shown
from attribution.browse.tables import author_cell, link, text
from attribution.weaknesses.queries.findings import (
    COLUMNS,
    FindingFilter,
    code_of,
    findings,
    reviews_of,
)
from attribution.weaknesses.words import Severity
from collector.errors import WhoWroteError
from collector.json_values import Row

_MOST = 100  # findings on the page
_AROUND = 3  # lines before and after each
_CHOICES = ("severity", "agent", "model", "status", "place")
# by which the page is sorted
_LEVELS = {each.meaning: f"{number}{each.meaning}" for number, each in enumerate(Severity)}


def findings_page(request: PageRequest) -> Shown:
    """Findings of a repository by severity, each with its code; chosen by who wrote them, by
    their status and by what is known.
    """
    only = {name: value for name in COLUMNS if (value := request.text(name))}
    confidence = request.text("confidence").upper()
    alive = request.text("alive") == "1"
    selection = FindingFilter(
        request.text("cwe"), request.text("author"), alive, tuple(filter(None, [confidence])), only
    )
    try:
        every = findings(
            request.store, request.repository.id, FindingFilter(only={"status": "all"})
        ).rows
        rows = findings(request.store, request.repository.id, selection).rows
    except WhoWroteError as error:
        return Shown("whowrote_findings.html", {"error": error})
    choices = {
        name: sorted({row[COLUMNS[name]] for row in every if row[COLUMNS[name]]})
        for name in _CHOICES
    }
    choices["status"].append("all")
    repo = request.place.repo
    to = request.to
    shown = rows[:_MOST]
    for row, lines in zip(shown, code_of(shown, _AROUND), strict=True):
        first = max(1, row["start_line"] - _AROUND)
        reviews = reviews_of(request.store, row["fingerprint"])
        row |= {
            "level": _LEVELS.get(row["severity"], "9not stated"),
            "lines": lines,
            "first_line": first,
            "reviews": reviews,
        }
    cells = {
        "path": partial(path_cell, repo, to),
        "author": lambda row: author_cell(repo, to, row).replace("<br>", ", "),
        "commit": lambda row: commit_link(to, repo, row["commit_sha"], row["author_at"][:10]),
        "now": partial(now_cell, repo, to),
    }
    values = {
        "wanted": selection,
        "choices": choices,
        "rows": shown,
        "count": len(rows),
        "cells": cells,
    }
    return Shown("whowrote_findings.html", values)


def path_cell(repo: str, to: Addresses, row: Row) -> str:
    line = row["start_line"]
    named = f"{row['path']}:{row['start_line']}"
    return (
        link(f"{to.file(repo, row['path'], row['commit_sha'], line=line)}#L{line}", named, 60)
        if to
        else text(named, 60)
    )


def now_cell(repo: str, to: Addresses, row: Row) -> str:
    if row["alive_at_head"]:
        return text(f"still present at {row['head_path']}:{row['head_line']}", 80)
    return commit_link(to, repo, row["fixed_sha"], "removed") if row["fixed_sha"] else "gone"


def commit_link(to: Addresses, repo: str, sha: str, label: str) -> str:
    return link(to.commit(repo, sha), label) if to else text(label)
