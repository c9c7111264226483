"""What pages show of findings."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from attribution.browse.addresses import Addresses
from attribution.browse.comment import cell
from attribution.browse.pages import PageRequest, Shown
from attribution.browse.tables import author_cell, dim, link, text
from attribution.queries.search import all_terms, like
from attribution.queries.tip_file import LineNote
from attribution.weaknesses.queries.findings import (
    COLUMNS,
    HEADLINE,
    FindingFilter,
    code_of,
    findings,
    reviews_of,
)
from attribution.weaknesses.words import Severity
from collector.console.tables import Cell, html
from collector.errors import WhoWroteError
from collector.storage.store import Store
from collector.storage.views import read_view

_MOST = 100  # findings on the page
_AROUND = 3  # lines before and after each
_CHOICES = ("severity", "agent", "model", "status", "place")
# by which the page is sorted
_LEVELS = {each.meaning: f"{number}{each.meaning}" for number, each in enumerate(Severity)}

Row = dict[str, Any]


def pages() -> dict[str, tuple[str, Callable[[PageRequest], Shown]]]:
    return {"findings": ("weaknesses", findings_page)}


def findings_page(request: PageRequest) -> Shown:
    """Findings of a repository by severity, each with its code; chosen by who wrote them, by
    their status and by what is known.
    """
    only = {name: value for name in COLUMNS if (value := request.text(name))}
    confidence, alive = request.text("confidence").upper(), request.text("alive") == "1"
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
    repo, to, shown = request.place.repo, request.to, rows[:_MOST]
    for row, lines in zip(shown, code_of(shown, _AROUND), strict=True):
        first, reviews = (
            max(1, row["start_line"] - _AROUND),
            reviews_of(request.store, row["fingerprint"]),
        )
        row |= {
            "level": _LEVELS.get(row["severity"], "9not stated"),
            "lines": lines,
            "first_line": first,
            "reviews": reviews,
        }
    cells = {
        "path": partial(_path_cell, repo, to),
        "author": lambda row: author_cell(repo, to, row).replace("<br>", ", "),
        "commit": lambda row: _commit_link(to, repo, row["commit_sha"], row["author_at"][:10]),
        "now": partial(_now_cell, repo, to),
    }
    values = {
        "wanted": selection,
        "choices": choices,
        "rows": shown,
        "count": len(rows),
        "cells": cells,
    }
    return Shown("whowrote_findings.html", values)


def _finding_cell(row: Row) -> str:
    status = f" ({row['status']})" if row["status"] != "introduced" else ""
    return (
        f"<b>{text(row['cwe'] or '')}</b>"
        f" {text(row['rule_id'] + status, 80)}<br>{dim(row['message'] or '', 160)}"
    )


def _path_cell(repo: str, to: Addresses, row: Row) -> str:
    line, named = row["start_line"], f"{row['path']}:{row['start_line']}"
    return (
        link(f"{to.file(repo, row['path'], row['commit_sha'], line=line)}#L{line}", named, 60)
        if to
        else text(named, 60)
    )


def _now_cell(repo: str, to: Addresses, row: Row) -> str:
    if row["alive_at_head"]:
        return text(f"still present at {row['head_path']}:{row['head_line']}", 80)
    return _commit_link(to, repo, row["fixed_sha"], "removed") if row["fixed_sha"] else "gone"


def _commit_link(to: Addresses, repo: str, sha: str, label: str) -> str:
    return link(to.commit(repo, sha), label) if to else text(label)


# --- parts of other pages -------------------------------------------------------------------------


def repository_sections(store: Store, repo_id: int, to: Addresses) -> Iterator[tuple[str, str]]:
    """Heading and markup of the weaknesses of a repository, by CWE and author."""
    table = read_view(
        store, "introduced_findings", {"repo_id": repo_id}, "introduced DESC, cwe, class", 12
    )
    names: dict[str, Cell] = {"class": lambda row: text(row["class"].replace("_", " "))}
    if table.rows:
        yield (
            "Weaknesses in introduced code",
            html(
                table, ("cwe=CWE", "class=author", "introduced", "high=of high confidence"), names
            ),
        )


def commit_sections(store: Store, commit_id: int, to: Addresses) -> Iterator[tuple[str, str]]:
    """Heading and markup of the weaknesses that a commit introduced."""
    table = read_view(store, "finding_list", {"commit_id": commit_id}, "path, start_line")
    if table.rows:
        repo = table.rows[0]["repo"]
        makers: dict[str, Cell] = {
            "cwe": _finding_cell,
            "path": partial(_path_cell, repo, to),
            "class": partial(author_cell, repo, to),
            "confidence": lambda row: (
                (row["confidence"] or "").lower()
                + (f"<br>{dim(row['verdicts'])}" if row["verdicts"] else "")
            ),
            "author_at": lambda row: _commit_link(
                to, repo, row["commit_sha"], row["author_at"][:10]
            ),
            "now": partial(_now_cell, repo, to),
        }
        columns = (
            "cwe=finding",
            "path=place",
            "class=author",
            "confidence",
            "author_at=introduced",
            "now",
        )
        yield "Weaknesses it introduced", html(table, columns, makers)


def search_sections(
    store: Store, terms: Sequence[str], repo: str, to: Addresses
) -> Iterator[tuple[str, str]]:
    """Heading and markup of the findings that have all terms; `repo`: only of the repository of
    that name.
    """
    rows = store.rows(
        "SELECT n.repo, n.label, n.commit_sha, n.path, n.start_line, n.class FROM finding_list n "
        f"WHERE {all_terms(_TEXT, terms)} AND (?1 = '' OR n.repo = ?1) ORDER BY n.id DESC LIMIT 25",
        (repo, *map(like, terms)),
    )
    results = []
    for row in rows:
        line = row["start_line"]
        address = f"{to.file(row['repo'], row['path'], row['commit_sha'], line=line)}#L{line}"
        about = f"{row['repo']}, {row['class'].replace('_', ' ')}"
        results.append(f"<li>{link(address, row['label'], 140)} {dim(about)}</li>")
    if results:
        yield "Findings", f'<ul class="results">{"".join(results)}</ul>'


_TEXT = "n.label || ' ' || n.rule_id || ' ' || COALESCE(n.cwe, '') || ' ' || n.path"


def line_notes(store: Store, repo_id: int, path: str) -> dict[int, list[LineNote]]:
    """Line -> weaknesses that are in it at HEAD."""
    notes: dict[int, list[LineNote]] = defaultdict(list)
    table = read_view(
        store,
        "finding_list",
        {"repo_id": repo_id, "head_path": path, "alive_at_head": 1},
        "head_line",
    )
    for row in table:
        source = f"{row['rule_id']}, confidence {(row['confidence'] or '?').lower()}"
        notes[row["head_line"]].append(
            LineNote(row["cwe"] or row["rule_id"], row["message"] or row["rule_id"], source)
        )
    return dict(notes)


def markdown_sections(store: Store, shas: set[str]) -> list[str]:
    """Markdown about weaknesses of high and medium confidence that came with commits; no line
    where nothing was scanned.
    """
    if not store.value("SELECT EXISTS (SELECT 1 FROM rule_sets)"):
        return []
    rows = [
        row
        for row in findings(store, None, FindingFilter(confidence=HEADLINE))
        if row["commit_sha"] in shas
    ]
    if not rows:
        return ["**New weaknesses** of high or medium confidence: none."]
    lines = []
    for row in rows[:20]:
        place, weakness = (
            cell(f"{row['path']}:{row['start_line']}"),
            cell(row["cwe"] or row["rule_id"]),
        )
        author = row["class"].replace("_", " ")
        lines.append(f"| {place} | {weakness} | {(row['confidence'] or '').lower()} | {author} |")
    title = (
        f"**New weaknesses** of high or medium confidence: {len(rows)}. A finding is a hint, not a"
        " verdict."
    )
    table = ["| where | weakness | confidence | written by |", "|---|---|---|---|", *lines]
    return [title, "\n".join(["<details><summary>Where</summary>", "", *table, "", "</details>"])]
