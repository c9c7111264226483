"""Time and memory of one repository: what exceeds them is stopped, what was stored stays, and
the next run goes on.
"""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from support.commands import analyse, clone, run

from attribution.stages import judging
from collector import load
from collector.errors import EXIT_PARTIAL
from collector.runtime.bounds import (
    OverLimit,
    PartTooLong,
    apply_limits,
    memory_share,
    part_of_the_time,
)
from collector.runtime.progress import no_progress
from collector.runtime.workers import TaskLimits
from collector.storage.store import Store

posix = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows has neither timers nor limits of this kind"
)


@posix
def test_work_is_stopped_wherever_it_is_and_the_timer_with_it() -> None:
    began = time.monotonic()
    with pytest.raises(OverLimit, match=r"took longer than 1 s, while thinking") as stopped:  # noqa: SIM117
        with apply_limits(TaskLimits(seconds=1), no_progress) as progress:
            progress("thinking", 0, 0)
            while True:
                pass
    assert time.monotonic() - began < 10 and stopped.value.exit_code == EXIT_PARTIAL
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


@posix
def test_a_part_has_a_quarter_of_the_time_and_the_whole_goes_on() -> None:
    with apply_limits(TaskLimits(seconds=4), no_progress):
        for _ in range(2):
            with pytest.raises(PartTooLong), part_of_the_time():
                time.sleep(60)
        with part_of_the_time():
            pass
        assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] < 2.5
    with part_of_the_time():  # without limits there is none
        assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


@posix
def test_an_alarm_that_comes_too_early_ends_nothing() -> None:
    """The time that is left for the whole is computed after each part, and comes out a little
    too short.
    """
    with pytest.raises(OverLimit), apply_limits(TaskLimits(seconds=1), no_progress):
        signal.raise_signal(signal.SIGALRM)
        with part_of_the_time():
            signal.raise_signal(signal.SIGALRM)
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 0
        time.sleep(60)


@posix
def test_an_alarm_at_the_very_end_of_a_part_leaves_the_whole_its_timer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    set_timer = signal.setitimer
    rung = list[bool]()

    def ringing(which: int, seconds: float) -> tuple[float, float]:
        if len(rung) == 1:  # the first call sets the timer of the part
            rung.append(True)
            raise PartTooLong
        rung.append(True)
        return set_timer(which, seconds)

    with pytest.raises(OverLimit), apply_limits(TaskLimits(seconds=1), no_progress):
        monkeypatch.setattr(signal, "setitimer", ringing)
        with pytest.raises(PartTooLong), part_of_the_time():
            pass
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 0
        time.sleep(60)


def test_memory_that_is_refused_is_over_the_limit() -> None:
    over = pytest.raises(OverLimit, match=r"more than 900 MiB of memory")
    with over, apply_limits(TaskLimits(memory=900 << 20), no_progress):
        raise MemoryError
    assert 0 < memory_share(4) < memory_share(1)


@posix
def test_a_repository_that_takes_too_long_is_stopped_and_says_what_that_means(
    tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = clone("example", tmp_path)
    replay = judging.replay
    monkeypatch.setattr(judging, "replay", lambda *given: time.sleep(60))
    monkeypatch.setattr("attribution.commands.repo.RUN_SECONDS", 3.0)
    stopped = run("repo", one, code=EXIT_PARTIAL, db=db)
    assert "took longer than 3 s" in stopped.stderr and "No line was judged again" in stopped.stderr
    with Store(db) as store:
        assert store.value("SELECT COUNT(*) FROM turns") and not store.value(
            "SELECT COUNT(*) FROM spans"
        )
        (problem,) = store.rows("SELECT code, detail FROM problems WHERE stage = 'repository'")
        assert problem["code"] == "failed" and "OverLimit: stopped" in problem["detail"]
    monkeypatch.setattr(judging, "replay", replay)
    monkeypatch.setattr("attribution.commands.repo.RUN_SECONDS", 7200.0)
    analyse(one, db)
    with Store(db) as store:
        assert store.value("SELECT COUNT(*) FROM spans") and not store.rows(
            "SELECT * FROM problems WHERE stage = 'repository'"
        )


@posix
@pytest.mark.parametrize("failure", ["time", "memory"])
def test_a_session_that_takes_too_much_costs_itself_and_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: str
) -> None:
    one = clone("example", tmp_path)
    db = tmp_path / "x.db"
    read = load._read_all
    seen = list[str]()

    def heavy(repo: Any, files: Any, readers: Any) -> Any:
        seen.append(files.key)
        if len(seen) == 1 and failure == "time":
            time.sleep(60)
        if len(seen) == 1:
            raise MemoryError
        return read(repo, files, readers)

    monkeypatch.setattr(load, "_read_all", heavy)
    monkeypatch.setattr("attribution.commands.repo.RUN_SECONDS", 20.0)
    analyse(one, db)
    with Store(db) as store:
        (problem,) = store.rows(
            "SELECT subject, detail FROM problems WHERE code = 'reading_stopped'"
        )
        assert problem["subject"] == seen[0]
        unknown = store.value(
            "SELECT SUM(end_line - start_line + 1) FROM line_spans WHERE author = 'unknown'"
        )
    analyse(one, db)
    sound = tmp_path / "sound.db"
    analyse(one, sound)
    with Store(db) as store:
        assert not store.rows("SELECT * FROM problems WHERE code = 'reading_stopped'")
        assert (unknown or 0) > (
            store.value(
                "SELECT SUM(end_line - start_line + 1) FROM line_spans WHERE author = 'unknown'"
            )
            or 0
        )
    run("data", "compare", db, sound)
