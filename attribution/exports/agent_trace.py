"""Agent Trace 0.1.0: JSON lines, one record per commit and session; people's lines of a commit are a record of their own."""

from __future__ import annotations

from collections import Counter
from typing import Any

from attribution.exports import ExportRequest, ExportResult
from attribution.exports.lines import DOMAIN, CommitShare, ExportedSpan, model_id, write_records

NAME = "agent-trace"
LABEL = "Agent Trace 0.1.0"
GIVES = "JSON lines; `revision` is the commit whose lines are numbered; evidence in `metadata`"

VERSION = "0.1.0"


def write(wanted: ExportRequest) -> ExportResult:
    return write_records(wanted, record, people=True)


def record(piece: CommitShare) -> dict[str, Any]:
    found: dict[str, Any] = {
        "version": VERSION,
        "id": piece.uuid(),
        "timestamp": piece.at,
        "vcs": {"type": "git", "revision": piece.commit},
    }
    if piece.agent:
        found["tool"] = {"name": piece.agent, "version": piece.agent_version or "unknown"}
    found["files"] = [{"path": path, "conversations": _conversations(stretches)} for path, stretches in piece.files.items()]
    evidence: Counter[str] = Counter()
    for stretch in piece.stretches:
        evidence[f"{stretch.evidence} {stretch.how}"] += stretch.lines
    about: dict[str, Any] = {"repository": piece.repo, "evidence_lines": dict(sorted(evidence.items()))}
    if piece.session:
        found["metadata"] = {"session_id": piece.session, DOMAIN: about}
    else:
        found["metadata"] = {DOMAIN: about}
    return found


def _conversations(stretches: list[ExportedSpan]) -> list[dict[str, Any]]:
    """One per contributor."""
    found: dict[tuple[str, str], list[dict[str, int]]] = {}
    for one in stretches:
        kind = "human" if one.author == "human" else "mixed" if one.how == "edited" else "ai"
        model = "" if kind == "human" else model_id(one.model)
        found.setdefault((kind, model), []).append({"start_line": one.start, "end_line": one.end})
    return [
        {"contributor": {"type": kind} | ({"model_id": model} if model else {}), "ranges": ranges}
        for (kind, model), ranges in found.items()
    ]
