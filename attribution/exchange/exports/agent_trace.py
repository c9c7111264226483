"""Agent Trace 0.1.0: JSON lines, one record per commit and session; people's lines of a commit
are a record of their own.
"""

import json
import re
import uuid
from collections import Counter
from itertools import groupby

from attribution.exchange.exports import ExportRequest, ExportResult, Share, commit_shares, left_out
from attribution.exchange.producers.agent_trace import OWN
from collector.json_values import JsonObject, Numbers
from collector.vocabulary.lines import Author, How

NAME = "agent-trace"
LABEL = "Agent Trace 0.1.0"
GIVES = (
    "a JSON Lines file; line numbers are those of the commit in `revision`; evidence in `metadata`"
)

VERSION = "0.1.0"
_SPACE = uuid.uuid5(uuid.NAMESPACE_DNS, OWN)
# Starts of models' names -> provider, as models.dev names it.
_PROVIDERS = {
    "claude|opus|sonnet|haiku": "anthropic",
    r"gpt|o\d|codex|chatgpt": "openai",
    "gemini": "google",
    "grok": "xai",
    "deepseek": "deepseek",
    "kimi": "moonshotai",
    "glm": "zai",
    "qwen": "alibaba",
    "mistral|devstral|codestral": "mistral",
    "composer": "cursor",
}


def write(request: ExportRequest) -> ExportResult:
    result = ExportResult(
        [request.out], {"records": 0, "lines": 0}, left_out(request.store, request.repos)
    )
    with request.out.open("w", encoding="utf-8") as file:
        for repo in request.repos:
            for share in commit_shares(request.store, repo):
                file.write(json.dumps(record(share), ensure_ascii=False) + "\n")
                result.rows["records"] += 1
                result.rows["lines"] += sum(span["lines"] for span in share)
    return result


def record(share: Share) -> JsonObject:
    """The record of one share; its id is the same at every export."""
    first = share[0]
    trace = {
        "version": VERSION,
        "id": str(
            uuid.uuid5(_SPACE, "\0".join((first["repo"], first["commit"], first["session"])))
        ),
        "timestamp": first["author_at"],
        "vcs": {"type": "git", "revision": first["commit"]},
    }
    if first["agent"]:
        trace["tool"] = {"name": first["agent"], "version": first["agent_version"] or "unknown"}
    files = groupby(sorted(share, key=lambda span: span["path"]), lambda span: span["path"])
    trace["files"] = [
        {"path": path, "conversations": _conversations(list(spans))} for path, spans in files
    ]
    evidence = Counter[str]()
    for span in share:
        evidence[" ".join((span["evidence"], span["how"]))] += span["lines"]
    session = {"session_id": first["session"]} if first["session"] else {}
    trace["metadata"] = session | {
        OWN: {"repository": first["repo"], "evidence_lines": dict(sorted(evidence.items()))}
    }
    return trace


def _conversations(spans: Share) -> list[JsonObject]:
    """One per contributor."""
    contributors: dict[tuple[str, str], list[Numbers]] = {}
    for span in spans:
        kind = (
            "human"
            if span["author"] == Author.HUMAN
            else "mixed"
            if span["how"] == How.EDITED
            else "ai"
        )
        model = "" if kind == "human" else model_id(span["model"])
        contributors.setdefault((kind, model), []).append(
            {"start_line": span["start_line"], "end_line": span["end_line"]}
        )
    return [
        {"contributor": {"type": kind} | ({"model_id": model} if model else {}), "ranges": ranges}
        for (kind, model), ranges in contributors.items()
    ]


def model_id(model: str) -> str:
    """provider/model, as the format wants it; "" when we cannot tell the provider."""
    if not model or "<" in model:
        return ""
    if "/" in model:
        return model[:250]
    provider = next(
        (name for starts, name in _PROVIDERS.items() if re.match(starts, model, re.I)), ""
    )
    return f"{provider}/{model.replace(' ', '-').lower()}"[:250] if provider else ""
