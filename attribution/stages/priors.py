"""Earlier sessions whose committed lines a session's commits end: a feature that waits for the history of lines.

Called within the transaction that fills `line_fates`.
"""

from __future__ import annotations

from attribution.features.nulls import TABLE
from attribution.queries.features import features_ready
from collector.storage.store import Store


def fill_priors(store: Store, repo_id: int) -> None:
    """Fills `prior_sessions_committed` of a repository's sessions."""
    if not features_ready(store):
        return  # a database of an older version: its features come with the next attribution
    store.connection.execute(
        f"UPDATE {TABLE} SET prior_sessions_committed = (SELECT COUNT(*) FROM prior_sessions p "
        f"WHERE p.session_id = {TABLE}.session_id AND p.via = 'history') "
        "WHERE session_id IN (SELECT id FROM sessions WHERE repo_id = ?)",
        (repo_id,),
    )
