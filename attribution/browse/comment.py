"""Summaries as Markdown, for a comment on a pull request or a README. Texts of repositories stay text in it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from attribution.browse import words
from attribution.browse.standalone import every_overview
from attribution.queries.commit import CommitSummary
from attribution.queries.overview import CLASSES, Overview
from attribution.queries.pull_request import FileLines, PullRequest
from collector.storage.store import Store

_FILES = 40  # rows of a table in a comment
_MARKDOWN = """\
Non-blank lines added by commits. *agent*: a recorded edit or command of an agent wrote the line; *declared*: the commit names an
agent, but no recorded session shows its work; *human*: a person wrote it, with a witness; *likely_human*: a person as far as known;
*tool*: a program wrote it; *unknown*: evidence is missing; *undeclared*: nothing links the commit to an agent."""


def markdown(store: Store) -> str:
    """The same in short, for a comment on a pull request or a README."""
    repos, overviews = every_overview(store)
    parts = [f"| repository | commits | linked | {' | '.join(CLASSES)} |", "|---" + "|--:" * (2 + len(CLASSES)) + "|"]
    for repo, details in zip(repos, overviews, strict=True):
        cells = [f"{repo[kind]:,} ({words.percent(repo[kind], repo['lines'])})" for kind in CLASSES]
        parts.append(f"| {cell(repo['repo'])} | {details.commits:,} | {details.linked:,} | {' | '.join(cells)} |")
    parts += ["", "Source and test files only.", "", *_coverage(overviews), _MARKDOWN, *_accuracy_note()]
    return "\n".join(parts) + "\n"


def markdown_of(request: PullRequest, prompts: bool = False) -> str:
    """The lines of some commits by class, commit by commit and file by file, their sessions, what plug-ins add: for a pull request.

    `prompts`: with the beginning of each session's first prompt.
    """
    totals, every = request.lines, sum(request.lines.values())
    head = ", ".join(f"**{words.percent(lines, every)}** {kind}" for kind, lines in totals.items() if lines)
    note = [f"{request.missing} commits are not in the database.", ""] if request.missing else []
    counted = f"Lines added in source and test files: {every:,}, {head or 'no non-blank lines'}."
    commits = _class_table("commit", "sessions", [_commit_row(commit, prompts) for commit in request.commits])
    parts = [counted, "", *note, *commits, "", *_file_table(request.files), *request.sections, _MARKDOWN, *_accuracy_note()]
    return "\n".join(parts) + "\n"


def badge(percent: float | None) -> str:
    """The share of agents for an endpoint badge of shields.io, as JSON; no number where no session is on record."""
    message = "no records" if percent is None else f"{percent:.0f} %"
    colour = "lightgrey" if percent is None else "blue"
    return json.dumps({"schemaVersion": 1, "label": "lines by agents", "message": message, "color": colour}) + "\n"


def _class_table(first: str, last: str, rows: Sequence[str]) -> list[str]:
    head = f"| {first} | {' | '.join(CLASSES)} |{f' {last} |' if last else ''}"
    return [head, "|---" + "|--:" * len(CLASSES) + f"|{'---|' if last else ''}", *rows]


def _file_table(files: Sequence[FileLines]) -> list[str]:
    rows = [f"| {cell(file.path)} | {_cells(file.lines)} |" for file in files[:_FILES]]
    more = [f"{len(files) - _FILES:,} more files.", ""] if len(files) > _FILES else []
    return [*_class_table("file", "", rows), "", *more] if rows else []


def _accuracy_note() -> list[str]:
    """How often the classes are right, as a paragraph of its own."""
    note = words.accuracy_sentence()
    return ["", note] if note else []


def _coverage(overviews: Sequence[Overview]) -> list[str]:
    """The share of lines with a named author, where commits have any sign of an agent."""
    coverages = [(o.repo.name, o.headline.coverage[0]) for o in overviews if o.headline.coverage[0].lines]
    cells = [f"{cell(name)} {words.percent(item.attributed, item.lines)} of {item.lines:,}" for name, item in coverages]
    return [f"Coverage, lines with a named author in commits with any sign of an agent: {', '.join(cells)}.", ""] if cells else []


def _commit_row(summary: CommitSummary, prompts: bool) -> str:
    row = summary.row
    names = [
        cell(s["agent"] or "agent") + (f": {cell(words.line(s['label'], 60))}" if prompts else "") for s in summary.sessions[:3]
    ]
    sessions = "; ".join(dict.fromkeys(names))
    return f"| `{row['commit_sha'][:9]}` {cell(words.line(row['subject'], 70))} | {_cells(row)} | {sessions} |"


def _cells(lines: Mapping[str, int]) -> str:
    return " | ".join(f"{lines[kind]:,}" if lines.get(kind) else "" for kind in CLASSES)


# What GitHub makes links of, also where Markdown's own signs are escaped: names, numbers, commits, addresses.
_REFERENCES = re.compile(r"@(?=\w)|#(?=\d)|\bGH-(?=\d)|://|\bwww(?=\.)|\b[0-9a-f]{6}(?=[0-9a-f])", re.IGNORECASE)
_NOTHING = "<!-- -->"  # not shown, and no word goes on over it


def cell(text: str) -> str:
    """Text in a table that is text: nothing in it is a link, mentions somebody or refers to an issue or commit."""
    marked = _REFERENCES.sub(lambda match: match[0] + "\0", words.line(text, 200))
    safe = re.sub(r"([\\`*_\[\]!@#~|])", r"\\\1", marked.replace("&", "&amp;").replace("<", "&lt;"))
    return safe.replace("\0", _NOTHING)
