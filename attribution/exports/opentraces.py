"""OpenTraces 0.9.0: JSON lines of trace records, one per commit and session, with the attribution block and no transcript."""

from __future__ import annotations

from typing import Any

from attribution.exports import ExportRequest, ExportResult
from attribution.exports.lines import CommitShare, ExportedSpan, model_id, write_records
from collector.claims.opentraces import OWN

NAME = "opentraces"
LABEL = "OpenTraces 0.9.0"
GIVES = "JSON lines with `attribution` and `git_links`; the transcripts are not in it"

VERSION = "0.9.0"
_CONFIDENCE = {"observed": "high", "replayed": "high", "matched": "medium"}
_WEAK = ("edited", "shell", "moved")


def write(wanted: ExportRequest) -> ExportResult:
    return write_records(wanted, record, people=False)


def record(piece: CommitShare) -> dict[str, Any]:
    trace = piece.uuid()
    model = next((found for s in piece.stretches if (found := model_id(s.model))), None)
    exact = all(s.how == "exact" for s in piece.stretches)
    return {
        "schema_version": VERSION,
        "trace_id": trace,
        "session_id": piece.session,
        "timestamp_start": piece.started_at or None,
        "timestamp_end": piece.ended_at or None,
        "execution_context": "devtime",
        "task": {"repository": piece.repo} | ({"repository_url": piece.url} if piece.url else {}),
        "agent": {"name": piece.agent or "unknown", "version": piece.agent_version or None, "model": model},
        "environment": {"vcs": {"type": "git"}},
        "steps": [],
        "outcome": {"committed": True, "commit_sha": piece.commit},
        "attribution": {
            "experimental": True,
            "revision": {"vcs_type": "git", "revision": piece.commit},
            "files": [{"path": path, "conversations": _conversations(trace, stretches)} for path, stretches in piece.files.items()],
        },
        "lifecycle": "final",
        "git_links": [
            {
                "vcs_type": "git",
                "revision": piece.commit,
                "repo_url": piece.url or None,
                "tier": "tool_emitted" if exact else "tool_emitted_with_divergence",
                "commit_reachable": True,
            }
        ],
        "metadata": {"generator": OWN},
    }


def _conversations(trace: str, stretches: list[ExportedSpan]) -> list[dict[str, Any]]:
    """One per turn and model; the step is the turn."""
    found: dict[tuple[int, str], list[ExportedSpan]] = {}
    for one in stretches:
        found.setdefault((one.turn or 0, model_id(one.model)), []).append(one)
    return [
        {
            "contributor": {"type": "ai"} | ({"model_id": model} if model else {}),
            "url": f"opentraces://{trace}/step_{turn}",
            "ids": {"call": list(dict.fromkeys(s.call for s in group if s.call))},
            "ranges": [_range(s) for s in group],
        }
        for (turn, model), group in found.items()
    ]


def _range(s: ExportedSpan) -> dict[str, Any]:
    confidence = _CONFIDENCE.get(s.evidence, "low")
    return {
        "start_line": s.start,
        "end_line": s.end,
        "confidence": "medium" if confidence == "high" and s.how in _WEAK else confidence,
        "change_type": "modification" if s.how == "edited" else "addition",
    }
