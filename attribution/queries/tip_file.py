"""A file of the tip: its lines with who wrote them, from the database; their text, where the clone is still at hand."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from attribution.lineage.git_blame import Introduction
from attribution.queries.blame import BlameLine
from attribution.queries.explain import LineExplanation, story_of
from attribution.queries.open_repo import KnownRepo
from attribution.queries.verdicts import CommitRef, LineAttribution, commit_ref
from collector.errors import WhoWroteError
from collector.git.repository import GitRepo
from collector.storage.store import Store
from collector.text import decode, is_binary, split_lines

PAGE = 2000  # lines on one page


@dataclass(frozen=True, slots=True)
class TipSpan:
    start: int
    end: int
    said: LineAttribution
    commit: CommitRef | None
    birth_path: str
    birth_line: int | None
    turn_prompt: str


@dataclass(slots=True)
class TipFile:
    id: int
    repo: dict[str, Any]
    path: str
    row: dict[str, Any]  # of tip_files
    spans: list[TipSpan]
    texts: list[str] | None  # of all lines; None when the clone is not at hand
    findings: dict[int, list[dict[str, Any]]]  # line -> weaknesses that are there
    notes: list[str] = field(default_factory=list)

    def stripes(self) -> list[tuple[int, int, str]]:
        """(first line, last line, class) from top to bottom."""
        found: list[tuple[int, int, str]] = []
        for s in self.spans:
            if found and found[-1][2] == s.said.kind:
                found[-1] = (found[-1][0], s.end, s.said.kind)
            else:
                found.append((s.start, s.end, s.said.kind))
        return found

    def span_at(self, line: int) -> TipSpan | None:
        return next((s for s in self.spans if s.start <= line <= s.end), None)


_SPANS = """
SELECT t.start_line, t.end_line, COALESCE(t.birth_path, f.path) AS birth_path, t.birth_line, o.*, s.key,
  s.label AS session_label, s.agent, s.model AS session_model, c.id AS c_id, c.commit_sha, c.subject, c.author_name, c.author_at,
  c.declared_agent, c.automation, u.prompt
FROM tip_spans t JOIN tip_files f ON f.id = t.file_id
LEFT JOIN origins o ON o.id = t.origin_id LEFT JOIN sessions s ON s.id = o.session_id
LEFT JOIN history_commits b ON b.id = t.birth LEFT JOIN commits c ON c.repo_id = b.repo_id AND c.commit_sha = b.commit_sha
LEFT JOIN turns u ON u.session_id = o.session_id AND u.turn_index = o.turn_index
WHERE t.file_id = ? ORDER BY t.start_line
"""


def tip_file(store: Store, file_id: int) -> TipFile | None:
    """None when the database has no such file."""
    rows = store.rows("SELECT * FROM tip_files WHERE id = ?", (file_id,))
    if not rows:
        return None
    row = rows[0]
    repo = store.rows(
        "SELECT r.*, t.tip_sha FROM repos r LEFT JOIN tip_states t ON t.repo_id = r.id WHERE r.id = ?", (row["repo_id"],)
    )[0]
    spans = [_span(r) for r in store.rows(_SPANS, (file_id,))]
    found = TipFile(file_id, repo, row["path"], row, spans, None, _findings(store, row))
    found.texts, note = _texts(repo, row)
    found.notes += [note] if note else []
    return found


def _findings(store: Store, row: dict[str, Any]) -> dict[int, list[dict[str, Any]]]:
    found: dict[int, list[dict[str, Any]]] = {}
    for r in store.rows(
        "SELECT f.id, f.head_line, f.rule_id, f.cwe, f.severity, f.confidence, f.author_class, f.commit_id, r.message "
        "FROM findings f LEFT JOIN scan_rules r ON r.rule_set_id = f.rule_set_id AND r.rule_id = f.rule_id "
        "WHERE f.repo_id = ? AND f.head_path = ? AND f.alive_at_head = 1 ORDER BY f.head_line",
        (row["repo_id"], row["path"]),
    ):
        found.setdefault(r["head_line"], []).append(r)
    return found


def _span(r: dict[str, Any]) -> TipSpan:
    commit = commit_ref(r | {"id": r["c_id"]}) if r["c_id"] is not None else None
    said = LineAttribution()
    if r["author"] is not None:
        declared = (r["declared_agent"] or "") if r["evidence"] == "declared" else ""
        said = LineAttribution(
            r["author"], r["how"], r["evidence"], r["reason"], r["session_id"], r["key"] or "", r["session_label"] or "",
            r["agent"] or declared, r["model"] or r["session_model"] or "", r["turn_index"], r["call_id"] or "",
            r["edited_by"] or "", r["similarity"],
        )  # fmt: skip
    return TipSpan(r["start_line"], r["end_line"], said, commit, r["birth_path"], r["birth_line"], r["prompt"] or "")


def _texts(repo: dict[str, Any], row: dict[str, Any]) -> tuple[list[str] | None, str]:
    """The lines of the file in the clone; None, and why, when they cannot be read."""
    path, sha = repo["path"], repo["tip_sha"]
    missing = f"the text is not in the database, and the clone is not at {path} any more: lines are shown without their text"
    if not path or not sha:
        return None, missing
    try:
        clone = GitRepo(path)
    except WhoWroteError:
        return None, missing
    oid = clone.file_at(sha, row["path"]) if clone.has(sha) else None
    data = clone.blob(oid) if oid else None
    if data is None:
        return None, "the clone does not have this file of that commit: lines are shown without their text"
    if is_binary(data):
        return None, "a binary file: its lines are lines only to git"
    texts = [decode(line) for line in split_lines(data)]
    return (texts, "") if len(texts) == row["lines"] else (None, "the file in the clone is another one than was read")


def explained(store: Store, file: TipFile, number: int) -> LineExplanation | None:
    """Everything about one line of the file; None when it has no birth in the attributed history."""
    span = file.span_at(number)
    if span is None or span.commit is None or span.birth_line is None:
        return None
    where = KnownRepo(store, file.repo["id"], file.repo["name"], file.repo["tip_sha"] or "", file.repo["branch"] or "")
    birth = Introduction(span.commit.sha, span.birth_path, span.birth_line + number - span.start)
    texts = file.texts or []
    line = BlameLine(number, texts[number - 1] if texts else "", birth, span.commit, span.said)
    return story_of(where, line, texts, file.path, where.head)
