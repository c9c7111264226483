"""Answers over a directory of databases, one open at a time, without merging them."""

from __future__ import annotations

from pathlib import Path

from attribution.ensure.history import survival_current
from attribution.queries.survival import Lives, SurvivalOptions, SurvivalReport, history_coverage, report_of
from collector.storage.shard_list import NOT_READY, ShardRow, ShardState, in_two, shard_rows
from collector.storage.store import Store


def survival_of_shards(directory: Path, options: SurvivalOptions) -> SurvivalReport:
    """Numbers over all databases in a directory, the same as over one that `collect merge` makes of them.

    Raises WhoWroteError when a repository is in two of them, for only merging tells which is newer, and as `survival_report`.
    """
    lives, notes = Lives(), []
    for number, row in enumerate(shard_rows([directory])):
        if row.elsewhere:
            raise in_two(row.elsewhere[0], row.path, directory)
        if row.state != ShardState.READY:
            notes.append(f"{row.path} is left out: {NOT_READY[row.state]}")
            continue
        notes += _add(lives, row, number, options.every_kind)
    report = report_of(lives, directory, options)
    report.notes += notes
    return report


def _add(lives: Lives, row: ShardRow, number: int, every_kind: bool) -> list[str]:
    """Adds the lines of one database; what to say of its repositories without line history."""
    with Store(row.path, create=False) as store:
        coverage = history_coverage(store)
        survival_current(store, coverage.followed)
        lives.add(store, coverage.followed, every_kind, number)
    return [f"no line history for {name} yet" for name in coverage.not_followed]
