"""OpenTraces 0.9.0: JSON lines of trace records, one per commit and session, with the attribution block and no transcript."""

from __future__ import annotations

from typing import Any

from attribution.exports import ExportRequest, ExportResult
from attribution.exports.lines import model_id, record_id, write_records
from attribution.queries.commit_shares import CommitShare, WrittenSpan
from collector.claims.opentraces import OWN

NAME = "opentraces"
LABEL = "OpenTraces 0.9.0"
GIVES = "a JSON Lines file with `attribution` and `git_links`, without transcripts"
OPTIONS: frozenset[str] = frozenset()

VERSION = "0.9.0"
_CONFIDENCE = {"observed": "high", "replayed": "high", "matched": "medium"}
_WEAK = ("edited", "shell", "moved")


def write(request: ExportRequest) -> ExportResult:
    return write_records(request, record, people=False)


def record(share: CommitShare) -> dict[str, Any]:
    trace = record_id(share)
    model = next((named for s in share.spans if (named := model_id(s.model))), None)
    exact = all(s.how == "exact" for s in share.spans)
    return {
        "schema_version": VERSION,
        "trace_id": trace,
        "session_id": share.session,
        "timestamp_start": share.started_at or None,
        "timestamp_end": share.ended_at or None,
        "execution_context": "devtime",
        "task": {"repository": share.repo} | ({"repository_url": share.url} if share.url else {}),
        "agent": {"name": share.agent or "unknown", "version": share.agent_version or None, "model": model},
        "environment": {"vcs": {"type": "git"}},
        "steps": [],
        "outcome": {"committed": True, "commit_sha": share.commit},
        "attribution": {
            "experimental": True,
            "revision": {"vcs_type": "git", "revision": share.commit},
            "files": [{"path": path, "conversations": _conversations(trace, spans)} for path, spans in share.files.items()],
        },
        "lifecycle": "final",
        "git_links": [
            {
                "vcs_type": "git",
                "revision": share.commit,
                "repo_url": share.url or None,
                "tier": "tool_emitted" if exact else "tool_emitted_with_divergence",
                "commit_reachable": True,
            }
        ],
        "metadata": {"generator": OWN},
    }


def _conversations(trace: str, spans: list[WrittenSpan]) -> list[dict[str, Any]]:
    """One per turn and model; the step is the turn."""
    steps: dict[tuple[int, str], list[WrittenSpan]] = {}
    for span in spans:
        steps.setdefault((span.turn or 0, model_id(span.model)), []).append(span)
    return [
        {
            "contributor": {"type": "ai"} | ({"model_id": model} if model else {}),
            "url": f"opentraces://{trace}/step_{turn}",
            "ids": {"call": list(dict.fromkeys(s.call for s in group if s.call))},
            "ranges": [_range(s) for s in group],
        }
        for (turn, model), group in steps.items()
    ]


def _range(s: WrittenSpan) -> dict[str, Any]:
    confidence = _CONFIDENCE.get(s.evidence, "low")
    return {
        "start_line": s.start,
        "end_line": s.end,
        "confidence": "medium" if confidence == "high" and s.how in _WEAK else confidence,
        "change_type": "modification" if s.how == "edited" else "addition",
    }
