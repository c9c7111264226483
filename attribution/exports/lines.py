"""What the formats that speak of lines share: the names of models, the writing of records, what is left out."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable, Sequence
from typing import Any

from attribution.exports import ExportRequest, ExportResult
from attribution.queries.commit_shares import CommitShare, commit_shares, unshared_lines
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


def model_id(model: str) -> str:
    """provider/model, as the formats want it; "" when we cannot tell the provider."""
    if not model or "<" in model:
        return ""
    if "/" in model:
        return model[:250]
    provider = next((name for pattern, name in _PROVIDERS if pattern.match(model)), "")
    return f"{provider}/{model.replace(' ', '-').lower()}"[:250] if provider else ""


def record_id(share: CommitShare) -> str:
    """The same for the same share at every export."""
    return str(uuid.uuid5(_SPACE, f"{share.repo}\0{share.commit}\0{share.session}"))


def write_records(request: ExportRequest, record: Callable[[CommitShare], dict[str, Any]], people: bool) -> ExportResult:
    """JSON lines, a record per commit and session, into the file of the request."""
    result = ExportResult([request.out], {"records": 0, "lines": 0})
    with request.out.open("w", encoding="utf-8") as file:
        for repo in request.repos:
            for share in commit_shares(request.store, repo, people):
                file.write(json.dumps(record(share), ensure_ascii=False) + "\n")
                result.rows["records"] += 1
                result.rows["lines"] += share.lines
    result.notes = [note] if (note := left_out(request.store, request.repos)) else []
    return result


def left_out(store: Store, repos: Sequence[int]) -> str:
    """What the formats cannot hold, in words; "" when there is nothing."""
    lines = unshared_lines(store, repos)
    parts = [f"{count:,} {name.replace('_', ' ')}" for name, count in lines._asdict().items() if count]
    return f"left out: {', '.join(parts)} lines" if parts else ""
