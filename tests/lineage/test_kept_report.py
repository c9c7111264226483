"""The numbers of `whowrote survival` are added up once, and again when anything they rest on was
computed again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from support.commands import analyse, clone

from attribution.ensure.history import survival_reported
from attribution.queries.survival import Lifetimes, SurvivalOptions, lifetimes_of, survival_report
from attribution.stages import survival as survival_stage
from collector.json_values import jsonable
from collector.runtime.stages import StageName, forget_runs
from collector.storage.connection import cache_path
from collector.storage.store import Store

EVERYTHING = SurvivalOptions(
    ("class", "model", "session", "directory"), curves=True, every_kind=True
)


@pytest.fixture
def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(survival_stage, "MANY", 1)
    path = tmp_path / "a.db"
    analyse(clone("example", tmp_path), path, "--history")
    return path


@pytest.fixture
def added_up(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Repositories whose lines were added up."""
    found: list[int] = []

    def counted(store: Store, repo_ids: Sequence[int], every_kind: bool) -> Lifetimes:
        found.extend(repo_ids)
        return lifetimes_of(store, repo_ids, every_kind)

    monkeypatch.setattr(survival_stage, "lifetimes_of", counted)
    return found


def _reported(path: Path, options: SurvivalOptions = EVERYTHING) -> str:
    with Store(path) as store:
        return json.dumps(jsonable(survival_reported(store, [1], options)))


def _computed(path: Path) -> str:
    with Store(path) as store:
        return json.dumps(jsonable(survival_report(store, [1], EVERYTHING)))


def test_the_second_report_is_the_first(db: Path, added_up: list[int]) -> None:
    first = _reported(db)
    assert added_up == [1]
    assert _reported(db) == first and added_up == [1]
    assert first == _computed(db) and '"curves": {"' in first


def test_other_options_are_another_report(db: Path, added_up: list[int]) -> None:
    _reported(db)
    assert _reported(db, SurvivalOptions()) != _reported(db)
    assert added_up == [1, 1]


def test_other_verdicts_are_another_report(db: Path, added_up: list[int]) -> None:
    before = _reported(db)
    with Store(db) as store, store.transaction():
        store.connection.execute(
            "UPDATE origins SET author = 'human', evidence = 'observed', session_id = NULL"
        )
        forget_runs(store, [StageName.SURVIVAL])
    after = _reported(db)
    assert added_up == [1, 1]
    assert after != before and after == _computed(db)


def test_the_cache_may_go_at_any_time(db: Path) -> None:
    first = _reported(db)
    cache_path(db).unlink()
    assert _reported(db) == first
    cache_path(db).write_bytes(b"damaged")
    assert _reported(db) == first


def test_a_small_report_is_not_kept(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(survival_stage, "MANY", 1_000)
    first = _reported(db)
    assert not cache_path(db).exists() and _reported(db) == first
