"""What every stage has in common: it runs when its inputs changed, and what it writes is complete
or not there at all.

run = STAGE.start(store, repo_id, digest(VERSION, head))
if run.is_current:
    return
rows, problems = ...          # the work, without a transaction
with run.writing():           # all or nothing
    store.insert(...)
    run.report(problems)
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from collector.git.repository import GitRepo
from collector.runtime.progress import Progress, no_progress
from collector.storage.store import Connection, Store, iso, utc_now
from collector.text import printable

if TYPE_CHECKING:
    from collector.model import Problem


class StageName(StrEnum):
    """Every stage, as `stage_runs` names it."""

    LOAD = "load"  # all facts of a repository
    SESSION = "session"  # the facts of one session
    LINES = "lines"  # who wrote each line
    FEATURES = "features"  # what one session was like
    COSTS = "costs"  # what the sessions cost, at the prices of a table
    RELEASES = "releases"  # with which release each commit came out
    HISTORY = "history"
    SURVIVAL = "survival"
    CLAIMS = "claims"
    WEAKNESSES = "weaknesses"
    COMMIT_QUALITY = "commit_quality"
    EMBED = "embed"
    CULPRITS = "culprits"  # what fixes repaired


def digest(*parts: str) -> str:
    """Key of inputs: 32 hexadecimal digits."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:32]


class Clock:
    """Seconds since it was made."""

    def __init__(self) -> None:
        self._started = time.monotonic()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._started


class RunContext(NamedTuple):
    """What the stages of one run share: the clone, where it stands in the database, and who
    hears how far the work is.
    """

    store: Store
    repo: GitRepo
    repo_id: int
    progress: Progress = no_progress
    key: str = ""  # of what a run is made from; "": of a question


class FinishedRun(NamedTuple):
    """The last run of a stage that finished."""

    key: str
    version: str
    finished_at: str


def last_run(store: Store, repo_id: int, name: StageName, subject: str = "") -> FinishedRun | None:
    """None when the stage never finished."""
    sql = (
        "SELECT input_key AS key, version, finished_at FROM stage_runs WHERE repo_id = ? AND stage"
        " = ? AND subject = ?"
    )
    return store.select_one(FinishedRun, sql, (repo_id, name, subject))


class Stage(NamedTuple):
    """A step whose result is stored, for a whole repository or for a subject in it (a session)."""

    name: StageName
    version: str  # of the code: after a change of it, whatever is stored is computed again
    # `problems.stage` of what a run reports; each run replaces what the one before reported
    problems: tuple[str, ...] = ()

    def is_done(self, store: Store, repo_id: int, key: str, subject: str = "") -> bool:
        """Whether this version finished with these inputs."""
        last = last_run(store, repo_id, self.name, subject)
        return last is not None and (last.key, last.version) == (key, self.version)

    def start(
        self, store: Store, repo_id: int, key: str, subject: str = "", clock: Clock | None = None
    ) -> StageRun:
        """A run with these inputs.

        `clock`: one that has been running since the work began, if that was earlier.
        """
        return StageRun(self, store, repo_id, key, subject, clock or Clock())


@dataclass
class StageRun:
    """One run of a stage; it leaves nothing behind unless its transaction ends well."""

    stage: Stage
    store: Store
    repo_id: int
    key: str
    subject: str = ""
    clock: Clock = field(default_factory=Clock)
    reported: int = 0  # problems

    @property
    def is_current(self) -> bool:
        """Whether there is nothing to do."""
        return self.stage.is_done(self.store, self.repo_id, self.key, self.subject)

    @property
    def seconds(self) -> float:
        return self.clock.seconds

    def report(self, problems: Sequence[Problem]) -> None:
        """Stores problems; call within a transaction.

        A stage that writes in portions also reports before `writing`.
        """
        self.store.add_problems(self.repo_id, problems)
        self.reported += len(problems)

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """The transaction of the results.

        It begins by clearing the problems of the run before and ends by noting this run.
        """
        with self.store.transaction() as connection:
            clear_problems(self.store, self.repo_id, self.stage.problems, self.subject or None)
            yield connection
            self._note(self.stage, self.key, self.reported)

    def finish(self) -> None:
        """As `writing`, of a stage that has written everything before."""
        with self.writing():
            pass

    def covers(self, stage: Stage, key: str) -> None:
        """Notes that this run also did all that `stage` would have done; call within `writing`."""
        self._note(stage, key, 0)

    def _note(self, stage: Stage, key: str, problems: int) -> None:
        now = utc_now() if self.subject else _after_all_runs(self.store, self.repo_id)
        self.store.connection.execute(
            "INSERT OR REPLACE INTO stage_runs (repo_id, stage, subject, input_key, version,"
            " finished_at, seconds, problems) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                self.repo_id,
                stage.name,
                self.subject,
                key,
                stage.version,
                now,
                round(self.seconds, 3),
                problems,
            ),
        )


def _after_all_runs(store: Store, repo_id: int) -> str | None:
    """Now, but later than every run on a repository, also when the clock was set back: of two
    databases the later one is merged.
    """
    now = datetime.now(UTC)
    last = store.value("SELECT MAX(finished_at) FROM stage_runs WHERE repo_id = ?", (repo_id,))
    # the first run, or a time that another program wrote
    with suppress(TypeError, ValueError, OverflowError):
        # `iso` cuts what is below one
        now = max(now, datetime.fromisoformat(last) + timedelta(milliseconds=1.5))
    return iso(now.timestamp())


def forget_runs(store: Store, names: Sequence[StageName], repo_id: int | None = None) -> None:
    """These stages run again whatever their inputs, in one repository or in all.

    Call within a transaction.
    """
    _delete(store, "stage_runs", stage=names, repo_id=None if repo_id is None else [repo_id])


def forget_subjects(store: Store, repo_id: int, subjects: Iterable[str]) -> None:
    """Removes the runs of every stage on subjects that are gone. Call within a transaction."""
    for subject in subjects:
        _delete(store, "stage_runs", repo_id=[repo_id], subject=[subject])


def clear_problems(
    store: Store,
    repo_id: int | None,
    stages: Sequence[str],
    subject: str | None = None,
    codes: Sequence[str] | None = None,
) -> None:
    """Removes problems by `problems.stage`, of a repository (None: of all); if given, only those of
    a subject or with these codes.

    Call within a transaction.
    """
    repos, subjects = ([value] if value is not None else None for value in (repo_id, subject))
    _delete(store, "problems", stage=stages, repo_id=repos, subject=subjects, code=codes)


def note_failure(store: Store, name: str, error: str) -> None:
    """A repository that failed has a row in `problems` until it succeeds (`error` is "").

    Call within a transaction.
    """
    store.connection.execute(
        "DELETE FROM problems WHERE stage = 'repository' AND subject = ?", (printable(name),)
    )
    if error:
        from collector.model import Problem

        repo_id = store.value("SELECT id FROM repos WHERE name = ? COLLATE NOCASE", (name,))
        store.add_problems(repo_id, [Problem("repository", name, "failed", error)])


def _delete(store: Store, table: str, **values_by_column: Sequence[object] | None) -> None:
    """Removes the rows that have one of the wanted values in each column; None: any value."""
    conditions = {
        column: values for column, values in values_by_column.items() if values is not None
    }
    condition = " AND ".join(
        f"{column} IN ({', '.join('?' * len(values))})" for column, values in conditions.items()
    )
    store.connection.execute(
        f"DELETE FROM {table} WHERE {condition}",
        [value for values in conditions.values() for value in values],
    )
