"""The attributed lines of commits, as the formats that speak of lines need them: by commit and session."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from attribution.exports import ExportRequest, ExportResult
from collector.storage.store import Store

DOMAIN = "dev.whowrote"
_SPACE = uuid.uuid5(uuid.NAMESPACE_DNS, DOMAIN)

# Start of a model's name -> provider, as models.dev names it.
_PROVIDERS = (
    (re.compile(r"^(?:claude|opus|sonnet|haiku)", re.I), "anthropic"),
    (re.compile(r"^(?:gpt|o\d|codex|chatgpt)", re.I), "openai"),
    (re.compile(r"^gemini", re.I), "google"),
    (re.compile(r"^grok", re.I), "xai"),
    (re.compile(r"^deepseek", re.I), "deepseek"),
    (re.compile(r"^kimi", re.I), "moonshotai"),
    (re.compile(r"^glm", re.I), "zai"),
    (re.compile(r"^qwen", re.I), "alibaba"),
    (re.compile(r"^(?:mistral|devstral|codestral)", re.I), "mistral"),
    (re.compile(r"^composer", re.I), "cursor"),
)


@dataclass(frozen=True, slots=True)
class ExportedSpan:
    """Consecutive lines of one file with one origin."""

    path: str
    start: int
    end: int
    author: str  # agent | human
    how: str
    evidence: str
    turn: int | None
    call: str
    model: str

    @property
    def lines(self) -> int:
        return self.end - self.start + 1


@dataclass(slots=True)
class CommitShare:
    """What one session wrote into one commit; without a session: what people did."""

    repo: str
    url: str
    commit: str
    at: str  # author time of the commit
    committer: str  # Name <email> of its author
    session: str  # the agent's id, "" for people
    agent: str
    agent_version: str
    started_at: str
    ended_at: str
    stretches: list[ExportedSpan] = field(default_factory=list)

    @property
    def files(self) -> dict[str, list[ExportedSpan]]:
        found: dict[str, list[ExportedSpan]] = {}
        for stretch in self.stretches:
            found.setdefault(stretch.path, []).append(stretch)
        return dict(sorted(found.items()))

    @property
    def lines(self) -> int:
        return sum(s.lines for s in self.stretches)

    def uuid(self) -> str:
        """The same for the same piece at every export."""
        return str(uuid.uuid5(_SPACE, f"{self.repo}\0{self.commit}\0{self.session}"))


_QUERY = """
SELECT r.name, r.url, c.commit_sha, c.author_at, c.author_name, c.author_email, f.path, s.start_line, s.end_line, o.author, o.how,
  o.evidence, o.turn_index, o.call_id,
  COALESCE(o.model, CASE WHEN o.author = 'agent' THEN n.model END) AS model, n.key, n.agent, n.agent_label,
  n.agent_version, n.started_at, n.ended_at
FROM commits c JOIN repos r ON r.id = c.repo_id JOIN commit_files f ON f.commit_id = c.id JOIN spans s ON s.file_id = f.id
JOIN origins o ON o.id = s.origin_id LEFT JOIN sessions n ON n.id = o.session_id
WHERE c.repo_id = ? AND f.kind = 'text' AND o.evidence <> 'declared' AND o.author IN ('agent', 'human')
ORDER BY c.position, n.key, f.path, s.start_line
"""


def commit_shares(store: Store, repo_id: int, people: bool = True) -> Iterator[CommitShare]:
    """Commit by commit, session by session. Lines that only a trailer gives to an agent, and unknown ones, are left out."""
    current: CommitShare | None = None
    for row in store.rows(_QUERY, (repo_id,)):
        if row["author"] == "human" and not people:
            continue
        session = row["key"] or ""
        if current is None or (current.commit, current.session) != (row["commit_sha"], session):
            if current is not None:
                yield current
            current = CommitShare(
                row["name"], row["url"] or "", row["commit_sha"], row["author_at"],
                f"{row['author_name'] or ''} <{row['author_email'] or ''}>".strip(), session,
                row["agent"] or row["agent_label"] or "", row["agent_version"] or "", row["started_at"] or "",
                row["ended_at"] or "",
            )  # fmt: skip
        current.stretches.append(
            ExportedSpan(
                row["path"], row["start_line"], row["end_line"], row["author"], row["how"], row["evidence"], row["turn_index"],
                row["call_id"] or "", row["model"] or "",
            )
        )  # fmt: skip
    if current is not None:
        yield current


def model_id(model: str) -> str:
    """provider/model, as the formats want it; "" when we cannot tell the provider."""
    if not model or "<" in model:
        return ""
    if "/" in model:
        return model[:250]
    provider = next((name for pattern, name in _PROVIDERS if pattern.match(model)), "")
    return f"{provider}/{model.replace(' ', '-').lower()}"[:250] if provider else ""


def write_records(wanted: ExportRequest, record: Callable[[CommitShare], dict[str, Any]], people: bool) -> ExportResult:
    """JSON lines, a record per piece, into the file that is wanted."""
    done = ExportResult([wanted.out], {"records": 0, "lines": 0})
    with wanted.out.open("w", encoding="utf-8") as file:
        for repo in wanted.repos:
            for piece in commit_shares(wanted.store, repo, people):
                file.write(json.dumps(record(piece), ensure_ascii=False) + "\n")
                done.rows["records"] += 1
                done.rows["lines"] += piece.lines
    done.notes = [note] if (note := left_out(wanted.store, wanted.repos)) else []
    return done


def left_out(store: Store, repos: list[int]) -> str:
    """What the formats cannot hold, in words; "" when there is nothing."""
    marks = ", ".join(map(str, repos)) or "NULL"
    rows = store.rows(
        "SELECT SUM(CASE WHEN o.evidence = 'declared' THEN s.end_line - s.start_line + 1 ELSE 0 END) AS declared, "
        "SUM(CASE WHEN o.author = 'unknown' THEN s.end_line - s.start_line + 1 ELSE 0 END) AS unknown FROM commits c "
        "JOIN commit_files f ON f.commit_id = c.id JOIN spans s ON s.file_id = f.id JOIN origins o ON o.id = s.origin_id "
        f"WHERE c.repo_id IN ({marks})"
    )
    parts = [f"{rows[0][name]:,} {name}" for name in ("declared", "unknown") if rows and rows[0][name]]
    return f"left out: {' and '.join(parts)} lines" if parts else ""
