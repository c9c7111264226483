"""Agent Trace 0.1.0: JSON lines, one record per commit and session; people's lines of a commit are a record of their own."""

from __future__ import annotations

from collections import Counter
from typing import Any

from attribution.exports import ExportRequest, ExportResult
from attribution.exports.lines import DOMAIN, model_id, record_id, write_records
from attribution.queries.commit_shares import CommitShare, WrittenSpan

NAME = "agent-trace"
LABEL = "Agent Trace 0.1.0"
GIVES = "a JSON Lines file; `revision` is the commit that the line numbers refer to; evidence in `metadata`"
OPTIONS: frozenset[str] = frozenset()

VERSION = "0.1.0"


def write(request: ExportRequest) -> ExportResult:
    return write_records(request, record, people=True)


def record(share: CommitShare) -> dict[str, Any]:
    trace: dict[str, Any] = {
        "version": VERSION,
        "id": record_id(share),
        "timestamp": share.at,
        "vcs": {"type": "git", "revision": share.commit},
    }
    if share.agent:
        trace["tool"] = {"name": share.agent, "version": share.agent_version or "unknown"}
    trace["files"] = [{"path": path, "conversations": _conversations(spans)} for path, spans in share.files.items()]
    evidence: Counter[str] = Counter()
    for span in share.spans:
        evidence[f"{span.evidence} {span.how}"] += span.lines
    about: dict[str, Any] = {"repository": share.repo, "evidence_lines": dict(sorted(evidence.items()))}
    if share.session:
        trace["metadata"] = {"session_id": share.session, DOMAIN: about}
    else:
        trace["metadata"] = {DOMAIN: about}
    return trace


def _conversations(spans: list[WrittenSpan]) -> list[dict[str, Any]]:
    """One per contributor."""
    contributors: dict[tuple[str, str], list[dict[str, int]]] = {}
    for span in spans:
        kind = "human" if span.author == "human" else "mixed" if span.how == "edited" else "ai"
        model = "" if kind == "human" else model_id(span.model)
        contributors.setdefault((kind, model), []).append({"start_line": span.start, "end_line": span.end})
    return [
        {"contributor": {"type": kind} | ({"model_id": model} if model else {}), "ranges": ranges}
        for (kind, model), ranges in contributors.items()
    ]
