"""What `whowrote data check` says of a database, for tests of any stage."""

from __future__ import annotations

from attribution.queries.checks import checks
from collector.json_values import JsonObject
from collector.storage.store import Store


def broken_checks(store: Store) -> dict[str, list[JsonObject]]:
    """Invariant -> some of the rows that break it; empty for a sound database."""
    return {check.name: check.rows for check in checks(store) if check.broken}
