"""What pages and comments about something else show of findings."""

from collections.abc import Iterator
from functools import partial

from attribution.browse.comment import cell
from attribution.browse.tables import author_cell, dim, link, text
from attribution.hooks import OfComment, OfCommit, OfFile, OfRepository, OfSearch, Section
from attribution.queries.search import all_terms, like
from attribution.weaknesses.browse.pages import commit_link, now_cell, path_cell
from attribution.weaknesses.queries.findings import HEADLINE, FindingFilter, findings
from collector.console.tables import Cell, html
from collector.json_values import Row
from collector.storage.store import Store
from collector.storage.views import read_view


def _finding_cell(row: Row) -> str:
    status = f" ({row['status']})" if row["status"] != "introduced" else ""
    return (
        f"<b>{text(row['cwe'] or '')}</b>"
        f" {text(row['rule_id'] + status, 80)}<br>{dim(row['message'] or '', 160)}"
    )


def section(
    store: Store, subject: OfRepository | OfCommit | OfSearch | OfFile | OfComment
) -> Iterator[Section]:
    match subject:
        case OfRepository():
            return _repository_section(store, subject)
        case OfCommit():
            return _commit_section(store, subject)
        case OfSearch():
            return _search_section(store, subject)
        case OfFile():
            return _file_section(store, subject)
        case OfComment():
            return _comment_section(store, subject)


def _repository_section(store: Store, subject: OfRepository) -> Iterator[Section]:
    """The weaknesses of a repository, by CWE and author."""
    order = "introduced DESC, cwe, class"
    table = read_view(store, "introduced_findings", {"repo_id": subject.repo_id}, order, 12)
    names = {"class": lambda row: text(row["class"].replace("_", " "))}
    columns = "cwe=CWE, class=author, introduced, high=of high confidence"
    if table.rows:
        yield Section("Weaknesses in introduced code", html(table, columns, names))


def _commit_section(store: Store, subject: OfCommit) -> Iterator[Section]:
    """The weaknesses that a commit introduced."""
    only = {"commit_id": subject.commit_id}
    table = read_view(store, "finding_list", only, "path, start_line")
    if table.rows:
        repo = table.rows[0]["repo"]
        to = subject.to
        makers: dict[str, Cell] = {
            "cwe": _finding_cell,
            "path": partial(path_cell, repo, to),
            "class": partial(author_cell, repo, to),
            "confidence": lambda row: (
                (row["confidence"] or "").lower()
                + (f"<br>{dim(row['verdicts'])}" if row["verdicts"] else "")
            ),
            "author_at": lambda row: commit_link(
                to, repo, row["commit_sha"], row["author_at"][:10]
            ),
            "now": partial(now_cell, repo, to),
        }
        columns = "cwe=finding, path=place, class=author, confidence, author_at=introduced, now"
        yield Section("Weaknesses it introduced", html(table, columns, makers))


def _search_section(store: Store, subject: OfSearch) -> Iterator[Section]:
    """The findings that have all terms."""
    to = subject.to
    rows = store.rows(
        "SELECT n.repo, n.label, n.commit_sha, n.path, n.start_line, n.class FROM finding_list n"
        f" WHERE {all_terms(_TEXT, subject.terms)} AND (?1 = '' OR n.repo = ?1)"
        " ORDER BY n.id DESC LIMIT 25",
        (subject.repo, *map(like, subject.terms)),
    )
    results = []
    for row in rows:
        line = row["start_line"]
        address = f"{to.file(row['repo'], row['path'], row['commit_sha'], line=line)}#L{line}"
        about = f"{row['repo']}, {row['class'].replace('_', ' ')}"
        results.append(f"<li>{link(address, row['label'], 140)} {dim(about)}</li>")
    if results:
        yield Section("Findings", f'<ul class="results">{"".join(results)}</ul>')


_TEXT = "n.label || ' ' || n.rule_id || ' ' || COALESCE(n.cwe, '') || ' ' || n.path"


def _file_section(store: Store, subject: OfFile) -> Iterator[Section]:
    """Weaknesses that are in the lines of a file at HEAD."""
    only = {"repo_id": subject.repo_id, "head_path": subject.path, "alive_at_head": 1}
    yield Section(
        rows=[
            {
                "line": row["head_line"],
                "head": row["cwe"] or row["rule_id"],
                "text": row["message"] or row["rule_id"],
                "source": f"{row['rule_id']}, confidence {(row['confidence'] or '?').lower()}",
            }
            for row in read_view(store, "finding_list", only, "head_line")
        ]
    )


def _comment_section(store: Store, subject: OfComment) -> Iterator[Section]:
    """Markdown about weaknesses of high and medium confidence that came with commits; nothing
    where nothing was scanned.
    """
    if not store.value("SELECT EXISTS (SELECT 1 FROM rule_sets)"):
        return
    rows = [
        row
        for row in findings(store, None, FindingFilter(confidence=HEADLINE))
        if row["commit_sha"] in subject.shas
    ]
    if not rows:
        yield Section(words=["**New weaknesses** of high or medium confidence: none."])
        return
    lines = []
    for row in rows[:20]:
        place = cell(f"{row['path']}:{row['start_line']}")
        weakness = cell(row["cwe"] or row["rule_id"])
        author = row["class"].replace("_", " ")
        lines.append(f"| {place} | {weakness} | {(row['confidence'] or '').lower()} | {author} |")
    title = (
        f"**New weaknesses** of high or medium confidence: {len(rows)}. A finding is a hint, not a"
        " verdict."
    )
    table = ["| where | weakness | confidence | written by |", "|---|---|---|---|", *lines]
    where = "\n".join(["<details><summary>Where</summary>", "", *table, "", "</details>"])
    yield Section(words=[title, where])
