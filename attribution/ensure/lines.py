"""Who wrote each line of a clone, up to date."""

from __future__ import annotations

import gc
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from attribution.authorship.options import AttributeOptions
from attribution.ensure.writing import claim_repository
from attribution.queries.repo_report import (
    Advice,
    CloneState,
    RepoReport,
    advice,
    repo_report,
    unnamed_checkpoints,
)
from attribution.queries.repositories import uses_entire
from collector.checkpoints.pull_requests import other_branches
from collector.errors import DatabaseUnusable, NotARepository, UnknownBranch, WhoWroteError
from collector.git.repository import GitRepo, empty_repository
from collector.local import find_sessions
from collector.local.model import LocalChoice
from collector.repository_rows import NameTaken, find_repo, repo_name
from collector.runtime import runner
from collector.runtime.bounds import apply_limits
from collector.runtime.progress import Progress, no_progress
from collector.runtime.runner import RunOptions
from collector.runtime.stages import note_failure
from collector.runtime.workers import Task, TaskLimits, TaskResult, tell_parent
from collector.storage.places import is_own_mirror
from collector.storage.store import Store
from collector.text import command_line, error_text, printable

if TYPE_CHECKING:
    from attribution.stages.lines import Attributed

NO_LIMITS = TaskLimits()
_MAX_BRANCHES = 3  # branches to name


@dataclass(frozen=True, slots=True)
class AttributeRequest:
    """A clone to attribute into a database."""

    path: str  # of the clone, or of a directory with transcripts
    db: Path
    options: AttributeOptions = field(default_factory=AttributeOptions)
    limits: TaskLimits = NO_LIMITS
    # how much text the database keeps from now on; None: as much as before
    content: str | None = None
    redact: str | None = None
    sessions_alone: bool = False  # `path` has transcripts and is no clone
    mirror: str = ""  # a mirror to read in the place of the clone


def attribute_one(
    store: Store,
    clone: GitRepo,
    options: AttributeOptions,
    progress: Progress = no_progress,
    limits: TaskLimits = NO_LIMITS,
) -> Attributed:
    """Attributes one clone into an open database.

    A failure leaves a row in `problems` until a run succeeds.

    Raises what `attribute_repo` raises, OverLimit, NameTaken.
    """
    # read-only commands start faster without it
    from attribution.stages.lines import attribute_repo

    # of the objects hardly any are in a circle; to look for those takes a tenth of the time
    gc.set_threshold(5_000_000, 20, 100)
    try:
        with (
            apply_limits(limits, progress) as heard,
            claim_repository(store, clone, options.name, heard),
        ):
            done = attribute_repo(store, clone, options, heard)
    except (DatabaseUnusable, NameTaken):
        raise
    except Exception as error:
        _note_failed(store, clone, str(clone.path), error_text(error))
        raise
    _note_failed(store, clone, str(clone.path), "")
    return done


def attribute_clone(request: AttributeRequest, progress: Progress = tell_parent) -> RepoReport:
    """Opens the clone and the database of a request, attributes, and reports.

    The task of a process of its own.

    Raises what `attribute_one` raises; NotARepository, before a database is made.
    """
    with _clone(request) as (clone, options), Store(request.db) as store:
        store.keep_content(request.content, request.redact)
        clone, options = _mirror_of(store, clone, request.mirror, options)
        done = attribute_one(store, clone, options, progress, request.limits)
        report = repo_report(store, done.repo_id, clone.file_at)
        report.censored, report.unchanged, report.seconds = (
            done.censored,
            done.unchanged,
            round(done.seconds, 3),
        )
        report.advice = _advice(store, done.repo_id, clone, request.path, report.head)
        if done.elsewhere:
            again = command_line("whowrote", "repo", request.path, "--was-at", "DIR")
            report.advice.append(Advice(0, done.elsewhere, again))
        if done.lost:
            look = command_line("whowrote", "doctor", request.path)
            report.advice.append(Advice(0, done.lost, look))
        if done.kept_in:
            report.censored.append(
                f"sessions are kept in {done.kept_in}, also when their agents delete them; to keep"
                " none: whowrote data archive --limit 0"
            )
        report.censored += [done.weaker] if done.weaker else []
        return report


def attribute_each(
    requests: Sequence[AttributeRequest], jobs: int, progress: Progress
) -> list[TaskResult]:
    """Attributes clones into one database, each in a process of its own, `jobs` at a time; results
    in order of the requests.

    Each failure among several clones leaves a row in `problems`, and so does a single clone whose
    process was killed.
    """
    if len(requests) > 1:
        Store(requests[0].db).close()  # made once, before the processes meet
    tasks = (Task(str(number), (request,)) for number, request in enumerate(requests))
    options = RunOptions(jobs, limits=replace(requests[0].limits.with_grace(), attempts=1))
    results: dict[int, TaskResult] = {}
    for result in runner.run(
        attribute_clone, tasks, options, progress if len(requests) == 1 else no_progress
    ):
        request = requests[int(result.key)]
        results[int(result.key)] = result
        if len(requests) > 1:
            progress("attributing", len(results), len(requests))
        if result.error and (len(requests) > 1 or not result.expected):
            with Store(request.db) as store:
                _note_failed(store, _open(request.path), request.path, result.error)
    return [results[number] for number in range(len(requests))]


@contextmanager
def _clone(request: AttributeRequest) -> Iterator[tuple[GitRepo, AttributeOptions]]:
    """The clone with its options.

    Sessions without a repository get an empty clone. Raises NotARepository, WhoWroteError.
    """
    if not request.sessions_alone:
        yield GitRepo(request.path), request.options
        return
    directory = Path(request.path)
    local = replace(
        request.options.local, choice=LocalChoice.ALWAYS, directories=(directory,), anywhere=True
    )
    with tempfile.TemporaryDirectory(prefix="whowrote-") as scratch:
        clone = empty_repository(Path(scratch) / (directory.absolute().name or "transcripts"))
        if not find_sessions(clone, local).sessions:
            raise WhoWroteError(
                f"no sessions in {directory}",
                "What was looked for: whowrote doctor --transcripts DIR",
            )
        yield clone, replace(request.options, local=local)


def _mirror_of(
    store: Store, clone: GitRepo, mirror: str, options: AttributeOptions
) -> tuple[GitRepo, AttributeOptions]:
    """The mirror to read in the place of the clone, and the name of the commit there: also one that
    an earlier run read, as long as it has the commit.
    """
    if number := find_repo(store, clone, options.name):
        known = store.value("SELECT path FROM repos WHERE id = ?", (number,))
        mirror = mirror or (known if is_own_mirror(known) else "")
    other = _open(mirror) if mirror else None
    name = name_in_mirror(other, clone, options.branch) if other is not None else ""
    if other is None or not name:
        return clone, options
    return other, replace(options, branch=name)


def name_in_mirror(mirror: GitRepo, clone: GitRepo, branch: str) -> str:
    """What a mirror calls the commit that a branch of a clone is at ("": HEAD), or its id; "" where
    the mirror does not have it.

    Raises UnknownBranch.
    """
    at = clone.resolve(branch) if branch else clone.default_branch()
    if mirror.commit(at.sha) is None:
        return ""
    with suppress(UnknownBranch):
        if mirror.resolve(at.name).sha == at.sha:
            return at.name
    return at.sha


def _open(path: str) -> GitRepo | None:
    try:
        return GitRepo(path)
    except NotARepository:
        return None


def _note_failed(store: Store, clone: GitRepo | None, path: str, error: str) -> None:
    """Stores that the attribution of a clone failed, or ("") that it no longer does.

    `clone`: None when it cannot be opened.
    """
    name = path
    if clone is not None:
        try:
            find_repo(store, clone)
            name = repo_name(clone)
        except NameTaken:  # the row of that name is another repository's
            pass
    noted = "SELECT 1 FROM problems WHERE stage = 'repository' AND subject IN (?, ?)"
    if error or store.value(noted, (printable(name), printable(path))):
        with store.transaction():
            note_failure(store, path, "")  # when there was no repository it had no other name
            note_failure(store, name, error)


def _advice(store: Store, repo_id: int, clone: GitRepo, path: str, head: str) -> list[Advice]:
    """Advice on what would reveal the author of more lines of this clone."""
    censored, unnamed = clone.censored(), unnamed_checkpoints(store, repo_id)
    branches = other_branches(clone, head, frozenset(unnamed)) if unnamed else {}
    sessions = [
        (name, len(set().union(*(unnamed[key] for key in checkpoints))))
        for name, checkpoints in branches.items()
    ]
    sessions.sort(key=lambda branch: (-branch[1], branch[0]))
    state = CloneState(
        path,
        bool(censored.shallow),
        has_remote=bool(clone.remote_url()),
        uses_entire=uses_entire(store, repo_id, clone, head),
    )
    return advice(store, repo_id, state, sessions[:_MAX_BRANCHES])
