"""A commit: its lines by author, the files, the sessions and prompts behind it, and the numbers its producer claims."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from attribution.queries.open_repo import OpenRepo
from attribution.queries.verdicts import CommitRef, Span, commit_ref, commit_spans
from collector.errors import UnknownBranch
from collector.storage.store import Store
from collector.vocabulary.lines import line_class


@dataclass(frozen=True, slots=True)
class CommitFileRow:
    path: str
    old_path: str
    status: str
    kind: str
    added: int
    deleted: int
    spans: list[Span]


@dataclass(frozen=True, slots=True)
class LinkedSession:
    key: str
    label: str
    agent: str
    model: str
    transcript: str
    method: str
    confidence: float
    agent_lines: int
    produced: int
    survived: int
    prompts: list[str]  # of the turns that wrote lines of the commit


@dataclass(frozen=True, slots=True)
class VendorClaim:
    """The producer's number beside ours."""

    session: str
    checkpoint: str
    theirs: float | None
    ours: float | None
    reason: str


@dataclass(slots=True)
class CommitStory:
    repo: str
    commit: CommitRef
    lines: dict[str, int]  # non-blank lines by class
    checkpoints: list[tuple[str, bool]]  # id, is it in this clone
    files: list[CommitFileRow]
    sessions: list[LinkedSession]
    claims: list[VendorClaim]

    def data(self) -> dict[str, Any]:
        return asdict(self)

    def span_rows(self) -> Iterator[dict[str, Any]]:
        for f in self.files:
            for start, end, said in f.spans:
                yield {"commit": self.commit.sha, "path": f.path, "start_line": start, "end_line": end, **said.row()}


def commit_story(store: Store, given: str, where: OpenRepo | None = None) -> CommitStory:
    """A commit by its (abbreviated) id, or by any name when the clone is at hand. Raises UnknownBranch."""
    row = _commit_row(store, given, where)
    ref = commit_ref(row)
    files = _files(store, ref)
    return CommitStory(
        row["repo"], ref, _class_lines(store, ref), _checkpoints(store, ref), files, _linked(store, ref), _claims(store, ref)
    )


def _commit_row(store: Store, given: str, where: OpenRepo | None) -> dict[str, Any]:
    sha = where.repo.resolve(given)[1] if where is not None else given.lower()
    if len(sha) < 4 or not set(sha) <= set("0123456789abcdef"):
        raise UnknownBranch(
            f"{given!r} is not the id of a commit", "With the path of the clone, names work too: attribute show HEAD PATH"
        )
    repo = where.repo_id if where is not None else None
    rows = store.rows(
        "SELECT c.*, r.name AS repo FROM commits c JOIN repos r ON r.id = c.repo_id WHERE c.commit_sha >= ? AND c.commit_sha <= ? "
        "AND (? IS NULL OR c.repo_id = ?) LIMIT 2",
        (sha, sha + "g", repo, repo),
    )
    if not rows:
        raise UnknownBranch(
            f"commit {given} is not in {store.path}", "It may be on another branch or before --since; see: attribute repo --help"
        )
    if len(rows) > 1:
        raise UnknownBranch(f"{given} is the beginning of several commits", "Give more digits, or the path of the clone")
    return rows[0]


def _files(store: Store, commit: CommitRef) -> list[CommitFileRow]:
    rows = store.rows("SELECT * FROM commit_files WHERE commit_id = ? ORDER BY path", (commit.id,))
    spans = commit_spans(store, commit)
    return [
        CommitFileRow(
            r["path"], r["old_path"] or "", r["status"], r["kind"], r["lines_added"], r["lines_deleted"], spans[r["path"]]
        )
        for r in rows
    ]


def _class_lines(store: Store, commit: CommitRef) -> dict[str, int]:
    found: dict[str, int] = defaultdict(int)
    for r in store.rows(
        "SELECT author, evidence, reason, SUM(nonblank) AS n FROM line_spans WHERE commit_id = ? GROUP BY 1, 2, 3", (commit.id,)
    ):
        found[line_class(r["author"], r["evidence"], r["reason"])] += r["n"]
    return dict(found)


def _checkpoints(store: Store, commit: CommitRef) -> list[tuple[str, bool]]:
    rows = store.rows("SELECT checkpoint_key, checkpoint FROM commit_checkpoint_links WHERE commit_id = ? ORDER BY 1", (commit.id,))
    return [(r["checkpoint_key"], r["checkpoint"] is not None) for r in rows]


def _linked(store: Store, commit: CommitRef) -> list[LinkedSession]:
    rows = store.rows(
        "SELECT cs.*, s.key, s.label, s.agent, s.agent_label, s.model, s.transcript FROM commit_sessions cs "
        "JOIN sessions s ON s.id = cs.session_id WHERE cs.commit_id = ? ORDER BY cs.agent_lines DESC, s.started_at",
        (commit.id,),
    )
    prompts: dict[int, list[str]] = defaultdict(list)
    for r in store.rows(
        "SELECT DISTINCT t.session_id, t.turn_index, t.prompt FROM line_spans l JOIN turns t ON t.session_id = l.session_id "
        "AND t.turn_index = l.turn_index WHERE l.commit_id = ? ORDER BY 1, 2",
        (commit.id,),
    ):
        prompts[r["session_id"]].append(r["prompt"] or "")
    return [
        LinkedSession(
            r["key"], r["label"], r["agent"] or r["agent_label"] or "", r["model"] or "", r["transcript"], r["method"],
            r["confidence"], r["agent_lines"], r["produced"] or 0, r["survived"] or 0, prompts[r["session_id"]],
        )
        for r in rows
    ]  # fmt: skip


def _claims(store: Store, commit: CommitRef) -> list[VendorClaim]:
    rows = store.rows(
        "SELECT s.label, k.checkpoint_id, r.vendor_percentage AS theirs, v.our_percentage AS ours, v.disagreement_reason AS reason "
        "FROM commit_checkpoint_links l JOIN checkpoints k ON k.id = l.checkpoint "
        "JOIN checkpoint_sessions r ON r.checkpoint_id = k.id JOIN sessions s ON s.id = r.session_id "
        "LEFT JOIN vendor_checks v ON v.checkpoint_session_id = r.id AND v.commit_id = l.commit_id "
        "WHERE l.commit_id = ? AND r.vendor_percentage IS NOT NULL ORDER BY k.checkpoint_id, r.position",
        (commit.id,),
    )
    return [VendorClaim(r["label"], r["checkpoint_id"], r["theirs"], r["ours"], r["reason"] or "not_comparable") for r in rows]


@dataclass(slots=True)
class CommitPage:
    """A commit as a page: the story, and the numbers that links need."""

    id: int
    repo_id: int
    story: CommitStory
    sessions: dict[str, int]  # key -> number
    row: dict[str, Any]
    tip_files: dict[str, int]  # path -> number, where the path is still in the tip
    findings: list[dict[str, Any]]  # weaknesses it brought in


def commit_page(store: Store, number: int) -> CommitPage | None:
    """By the number of the row; None when there is none."""
    rows = store.rows("SELECT c.*, r.name AS repo FROM commits c JOIN repos r ON r.id = c.repo_id WHERE c.id = ?", (number,))
    if not rows:
        return None
    row, ref = rows[0], commit_ref(rows[0])
    story = CommitStory(
        row["repo"], ref, _class_lines(store, ref), _checkpoints(store, ref), _files(store, ref), _linked(store, ref),
        _claims(store, ref),
    )  # fmt: skip
    keys = store.rows(
        "SELECT s.id, s.key FROM commit_sessions cs JOIN sessions s ON s.id = cs.session_id WHERE commit_id = ?", (number,)
    )
    tips = store.rows(
        "SELECT t.id, t.path FROM tip_files t JOIN commit_files f ON f.path = t.path WHERE t.repo_id = ? AND f.commit_id = ?",
        (row["repo_id"], number),
    )
    findings = store.rows(
        "SELECT label, path, start_line, author_class, status, confidence, alive_at_head, fixed_by FROM findings "
        "WHERE commit_id = ? ORDER BY path, start_line",
        (number,),
    )
    files = {r["path"]: r["id"] for r in tips}
    return CommitPage(number, row["repo_id"], story, {r["key"]: r["id"] for r in keys}, row, files, findings)
