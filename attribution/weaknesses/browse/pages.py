"""What pages show of findings."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from html import escape
from typing import Any

from attribution.browse import words
from attribution.browse.addresses import Addresses
from attribution.browse.charts import NAMES
from attribution.browse.comment import cell
from attribution.browse.pages import PageRequest, Shown
from attribution.browse.tables import dim, link, text
from attribution.queries.search import all_terms, like
from attribution.queries.tip_file import LineNote
from attribution.weaknesses.queries.findings import COLUMNS, HEADLINE, FindingFilter, code_of, findings, reviews_of
from attribution.weaknesses.words import Confidence, Severity
from collector.console.formats import MEANING
from collector.console.tables import Cell, html
from collector.errors import WhoWroteError
from collector.storage.store import Store
from collector.storage.views import read_view
from collector.text import count_of
from collector.vocabulary.agents import label_of

_MOST = 100  # findings on the page
_WIDEST = 300  # characters of a line
_AROUND = 3  # lines before and after each
_CHOICES = ("severity", "agent", "model", "status", "place")
_HINT = "A finding is what a rule matched: many of low confidence are wrong."

Row = dict[str, Any]


def pages() -> dict[str, tuple[str, Callable[[PageRequest], Shown]]]:
    return {"findings": ("weaknesses", findings_page)}


def findings_page(request: PageRequest) -> Shown:
    """Findings of a repository by severity, each with its code; chosen by who wrote them, by their status and by what is known."""
    only = {name: value for name in COLUMNS if (value := request.text(name))}
    confidence, alive = request.text("confidence").upper(), request.text("alive") == "1"
    selection = FindingFilter(request.text("cwe"), request.text("author"), alive, tuple(filter(None, [confidence])), only)
    heading = "Weaknesses in introduced code"
    try:
        every = findings(request.store, request.repository.id, FindingFilter(only={"status": "all"})).rows
        rows = findings(request.store, request.repository.id, selection).rows
    except WhoWroteError as error:
        note = f'<p class="note">{words.safe(f"{error}. {error.hint}")}</p>'
        return Shown("whowrote_plain.html", {"heading": heading, "kind": "findings", "body": note})
    cut = f", the first {_MOST} are shown" if len(rows) > _MOST else ""
    about = f'<p class="dim">{count_of(len(rows), "finding")}{cut}. {_HINT}</p>'
    body = f"{_form(selection, every)}{about}{''.join(_by_severity(request, rows[:_MOST]))}"
    return Shown("whowrote_plain.html", {"heading": heading, "kind": "findings", "body": body})


def _by_severity(request: PageRequest, rows: Sequence[Row]) -> Iterator[str]:
    codes = {row["id"]: lines for row, lines in zip(rows, code_of(rows, _AROUND), strict=True)}
    levels = [each.meaning for each in Severity]
    for level in (*levels, "not stated"):
        of_severity = [row for row in rows if (row["severity"] if row["severity"] in levels else "not stated") == level]
        if of_severity:
            still = sum(row["alive_at_head"] for row in of_severity)
            about = f"{count_of(len(of_severity), 'finding')}, {still:,} still present"
            yield f'<h2>Severity {level}</h2><p class="dim">{about}</p>'
        for row in of_severity:
            yield _with_code(request, row, codes[row["id"]])


def _with_code(request: PageRequest, row: Row, lines: Sequence[str]) -> str:
    """A finding with its lines, the place and the author of them, and what reviewers say of it."""
    repo, to = request.place.repo, request.to
    introduced = _commit_link(to, repo, row["commit_sha"], row["author_at"][:10])
    author = _author_cell(repo, to, row).replace("<br>", ", ")
    facts = [_path_cell(repo, to, row), author, f"introduced {introduced}", _now_cell(repo, to, row)]
    facts.append(f"confidence {text((row['confidence'] or '').lower())}")
    said = [
        f"{review['verdict']} ({review['reviewer']}): {review['note']}" for review in reviews_of(request.store, row["fingerprint"])
    ]
    how = f"whowrote findings review {row['fingerprint'][:10]} --reviewer NAME --verdict false --why TEXT"
    reviews = "<br>".join(dim(each, 200) for each in said or [f"not reviewed; {how}"])
    name, _, message = _finding_cell(row).partition("<br>")
    head = f'<section class="weakness"><h3>{name}</h3><p>{message}</p><p>{" · ".join(facts)}</p>'
    return f"{head}{_code(row, lines)}<p>{reviews}</p></section>"


def _code(row: Row, lines: Sequence[str]) -> str:
    if not lines:
        return dim("the clone is no longer there")
    marked = []
    for number, line in enumerate(lines, max(1, row["start_line"] - _AROUND)):
        style = "hit" if row["start_line"] <= number <= row["end_line"] else "dim"
        marked.append(f'<span class="{style}">{number:>5} {escape(words.safe(line.rstrip())[:_WIDEST])}</span>')
    return f'<pre class="message">{chr(10).join(marked)}</pre>'


def _form(selection: FindingFilter, every: Sequence[Row]) -> str:
    """The choices are those that the repository has."""
    fields = [f"<label>{name} {_choice(name, selection.only.get(name, ''), every)}</label>" for name in _CHOICES]
    levels = [(level.lower(), level.lower(), level in selection.confidence) for level in Confidence]
    classes = [(name, NAMES[name], name == selection.author) for name in MEANING]
    checked = " checked" if selection.alive else ""
    return (
        f'<form class="filters">{"".join(fields)}<label>confidence {_select("confidence", levels)}</label>'
        f"<label>author {_select('author', classes)}</label>"
        f'<label><input type="checkbox" name="alive" value="1"{checked}> still present</label><button>Show</button></form>'
    )


def _choice(name: str, chosen: str, every: Sequence[Row]) -> str:
    values = sorted({row[COLUMNS[name]] for row in every if row[COLUMNS[name]]})
    further = [("all", "all", chosen == "all")] if name == "status" else []
    labels = {value: label_of(value) or value for value in values if name == "agent"}
    return _select(name, [*((value, labels.get(value, value), value == chosen) for value in values), *further])


def _select(name: str, options: Sequence[tuple[str, str, bool]]) -> str:
    """`options`: value, text, whether it is chosen."""
    parts = [
        f'<option value="{escape(value)}"{" selected" if chosen else ""}>{escape(text)}</option>' for value, text, chosen in options
    ]
    return f'<select name="{name}"><option value="">any</option>{"".join(parts)}</select>'


def _finding_cell(row: Row) -> str:
    status = f" ({row['status']})" if row["status"] != "introduced" else ""
    return f"<b>{text(row['cwe'] or '')}</b> {text(row['rule_id'] + status, 80)}<br>{dim(row['message'] or '', 160)}"


def _path_cell(repo: str, to: Addresses, row: Row) -> str:
    line, named = row["start_line"], f"{row['path']}:{row['start_line']}"
    return link(f"{to.file(repo, row['path'], row['commit_sha'], line=line)}#L{line}", named, 60) if to else text(named, 60)


def _author_cell(repo: str, to: Addresses, row: Row) -> str:
    parts = [text(row["class"].replace("_", " "))]
    if row["agent"]:
        parts.append(dim(label_of(row["agent"]) or row["agent"], 30))
    if row["session"] and to:
        parts.append(link(to.session(repo, row["session"], row["turn_index"]), "session"))
    return "<br>".join(parts)


def _now_cell(repo: str, to: Addresses, row: Row) -> str:
    if row["alive_at_head"]:
        return text(f"still present at {row['head_path']}:{row['head_line']}", 80)
    return _commit_link(to, repo, row["fixed_sha"], "removed") if row["fixed_sha"] else "gone"


def _commit_link(to: Addresses, repo: str, sha: str, label: str) -> str:
    return link(to.commit(repo, sha), label) if to else text(label)


# --- parts of other pages ---------------------------------------------------------------------------------------------


def repository_sections(store: Store, repo_id: int, to: Addresses) -> Iterator[tuple[str, str]]:
    """Heading and markup of the weaknesses of a repository, by CWE and author."""
    table = read_view(store, "introduced_findings", {"repo_id": repo_id}, "introduced DESC, cwe, class", 12)
    names: dict[str, Cell] = {"class": lambda row: text(row["class"].replace("_", " "))}
    if table.rows:
        yield (
            "Weaknesses in introduced code",
            html(table, ("cwe=CWE", "class=author", "introduced", "high=of high confidence"), names),
        )


def commit_sections(store: Store, commit_id: int, to: Addresses) -> Iterator[tuple[str, str]]:
    """Heading and markup of the weaknesses that a commit introduced."""
    table = read_view(store, "finding_list", {"commit_id": commit_id}, "path, start_line")
    if table.rows:
        repo = table.rows[0]["repo"]
        makers: dict[str, Cell] = {
            "cwe": _finding_cell,
            "path": partial(_path_cell, repo, to),
            "class": partial(_author_cell, repo, to),
            "confidence": lambda row: (
                (row["confidence"] or "").lower() + (f"<br>{dim(row['verdicts'])}" if row["verdicts"] else "")
            ),
            "author_at": lambda row: _commit_link(to, repo, row["commit_sha"], row["author_at"][:10]),
            "now": partial(_now_cell, repo, to),
        }
        columns = ("cwe=finding", "path=place", "class=author", "confidence", "author_at=introduced", "now")
        yield "Weaknesses it introduced", html(table, columns, makers)


def search_sections(store: Store, terms: Sequence[str], repo: str, to: Addresses) -> Iterator[tuple[str, str]]:
    """Heading and markup of the findings that have all terms; `repo`: only of the repository of that name."""
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
    table = read_view(store, "finding_list", {"repo_id": repo_id, "head_path": path, "alive_at_head": 1}, "head_line")
    for row in table:
        source = f"{row['rule_id']}, confidence {(row['confidence'] or '?').lower()}"
        notes[row["head_line"]].append(LineNote(row["cwe"] or row["rule_id"], row["message"] or row["rule_id"], source))
    return dict(notes)


def markdown_sections(store: Store, shas: set[str]) -> list[str]:
    """Markdown about weaknesses of high and medium confidence that came with commits; no line where nothing was scanned."""
    if not store.value("SELECT EXISTS (SELECT 1 FROM rule_sets)"):
        return []
    rows = [row for row in findings(store, None, FindingFilter(confidence=HEADLINE)) if row["commit_sha"] in shas]
    if not rows:
        return ["**New weaknesses** of high or medium confidence: none."]
    lines = []
    for row in rows[:20]:
        place, weakness = cell(f"{row['path']}:{row['start_line']}"), cell(row["cwe"] or row["rule_id"])
        author = row["class"].replace("_", " ")
        lines.append(f"| {place} | {weakness} | {(row['confidence'] or '').lower()} | {author} |")
    title = f"**New weaknesses** of high or medium confidence: {len(rows)}. A finding is a hint, not a verdict."
    table = ["| where | weakness | confidence | written by |", "|---|---|---|---|", *lines]
    return [title, "\n".join(["<details><summary>Where</summary>", "", *table, "", "</details>"])]
