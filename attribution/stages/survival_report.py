"""The numbers of `whowrote survival`, kept until a stage runs again on one of their repositories.

Adding up all lines of a large database takes half a minute, and nothing of it changes between two runs. What is kept is in the
cache beside the database, and is what was computed, digit by digit.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from attribution.queries.survival import (
    SurvivalOptions,
    SurvivalReport,
    followed_histories,
    lifetimes_of,
    notes_on,
    report_of,
)
from collector.errors import DatabaseUnusable
from collector.plain_values import jsonable
from collector.runtime.stages import digest
from collector.runtime.version import version
from collector.storage.store import Store

MANY = 2_000  # records; fewer are added up in a tenth of a second
VERSION = "4"  # of the numbers: what another one kept, or another release, is computed again


def kept_report(store: Store, repo_ids: Sequence[int], options: SurvivalOptions) -> SurvivalReport:
    """The stored report, or else a new one. Raises what `survival_report` raises."""
    request = digest(VERSION, version(), *map(str, (*repo_ids, *options.groupings, options.curves, options.every_kind)))
    key = _inputs(store, repo_ids)
    with store.cache(create=False) as cache:
        stored = cache.value("SELECT numbers FROM survival_reports WHERE request = ? AND input_key = ?", (request, key))
    if stored is not None:
        report = SurvivalReport(**json.loads(stored))
        followed = followed_histories(store, repo_ids)
        return replace(report, repositories=followed, notes=notes_on(followed, report.notes))
    lines = lifetimes_of(store, repo_ids, options.every_kind)
    report = report_of(lines, store.path, options)
    if not store.is_read_only and len(lines.records) >= MANY:
        numbers = json.dumps(jsonable(replace(report, repositories=[], notes=lines.notes)))
        with suppress(DatabaseUnusable), store.cache() as cache, cache.transaction() as connection:  # else they are added up again
            connection.execute("INSERT OR REPLACE INTO survival_reports VALUES (?, ?, ?)", (request, key, numbers))
    return report


def _inputs(store: Store, repo_ids: Sequence[int]) -> str:
    """Key that changes with every run of a stage on one of the repositories: stages write everything the numbers rest on."""
    sql = "SELECT stage, subject, input_key, version, finished_at FROM stage_runs WHERE repo_id = ? ORDER BY stage, subject"
    words = []
    for repo_id in repo_ids:
        words += [word for run in store.rows(sql, (repo_id,)) for word in (str(repo_id), *run.values())]
    return digest(*words)
