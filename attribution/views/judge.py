"""A judge's work for people and programs: what it would be asked and cost, its run, its labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from attribution.features.tables import Prices
from attribution.judge.prompts import Request
from attribution.judge.stage import Asked, Done, all_requests, run
from attribution.judge.validation import Judge
from attribution.scores import modes
from attribution.views.embeddings import clones
from attribution.views.sessions import session_id
from collector.errors import WhoWroteError
from collector.store import Store

Progress = Callable[[str, int, int], None]


def asked(
    store: Store, repo: int | None, questions: Sequence[str], session: str, limit: int | None, progress: Progress
) -> tuple[list[Request], list[str]]:
    """The questions about the sessions of one repository or of all, and notes. Raises WhoWroteError when there is none."""
    wanted = session_id(store, session, repo) if session else None
    known, notes = clones(store, repo)
    found = all_requests(store, [(number, clone) for number, _, clone in known], questions, wanted, progress)
    if limit is not None:
        kept = list(dict.fromkeys(r.session_id for r in found))[:limit]
        found = [r for r in found if r.session_id in kept]
    if not found:
        raise WhoWroteError("there is no session with a conversation to judge", "See what was read with: attribute sessions")
    return found, notes


def judge(
    store: Store,
    repo: int | None,
    model: Asked,
    requests: Sequence[Request],
    prices: Prices,
    progress: Progress,
    jobs: int,
    most: float | None,
) -> Done:
    """Runs the judge, then decides the failure modes anew."""
    try:
        return run(store, model, requests, prices, progress, jobs, most)
    finally:
        for row in store.rows("SELECT id FROM repos WHERE ? IS NULL OR id = ?", (repo, repo)):
            modes.refresh(store, row["id"])


def prompt_rows(requests: Sequence[Request]) -> list[dict[str, Any]]:
    """What would be sent, word by word."""
    return [
        {
            "session_id": r.session_id, "question": r.question.name, "version": r.question.version, "turns": len(r.turns),
            "characters": len(r.system) + len(r.prompt), "input_tokens": r.input_tokens, "output_tokens": r.output_tokens,
            "input_hash": r.input_hash, "system": r.system, "prompt": r.prompt,
        }
        for r in requests
    ]  # fmt: skip


def label_rows(store: Store, judge: Judge, repo: int | None, session: str = "") -> list[dict[str, Any]]:
    """Every label of a judge, with sensitivity and specificity where they are known."""
    wanted = session_id(store, session, repo) if session else None
    return store.rows(
        "SELECT r.name AS repo, s.key AS session, l.turn_index AS turn, l.label, l.value, l.number, l.model, l.prompt_version, "
        "l.sensitivity, l.specificity, l.validated_on, substr(t.prompt, 1, 200) AS prompt FROM judged l "
        "JOIN sessions s ON s.id = l.session_id JOIN repos r ON r.id = s.repo_id "
        "LEFT JOIN turns t ON t.session_id = s.id AND t.turn_index = l.turn_index "
        "WHERE l.model = ? AND l.prompt_version = ? AND (? IS NULL OR s.repo_id = ?) AND (? IS NULL OR s.id = ?) "
        "ORDER BY r.name, s.started_at DESC, s.id, l.turn_index, l.label",
        (judge.model, judge.prompt_version, repo, repo, wanted, wanted),
    )
