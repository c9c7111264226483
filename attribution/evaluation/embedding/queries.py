"""Embeddings of sessions as rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from collector.storage.views import Table, read_view

if TYPE_CHECKING:
    from collector.storage.store import Store


def drift_table(store: Store, repo: int | None, model: str) -> Table:
    """The view `session_drift`, of one model: a row per session."""
    only = {"model": model, "repo_id": repo}
    return read_view(store, "session_drift", only, "repo, started_at DESC, session_id")
