"""Who wrote each line of a clone, up to date."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from attribution.authorship.options import AttributeOptions
from attribution.ensure.writing import claimed
from attribution.queries.advice import Advice, CloneState, advice, unnamed_checkpoints
from attribution.queries.repo_report import RepoReport, repo_report
from collector.checkpoints.other_branches import other_branches
from collector.errors import DatabaseUnusable, NoCheckpoints, NotARepository
from collector.git.repository import GitRepo, without_files
from collector.local import find_sessions
from collector.local.model import LocalChoice
from collector.repository_rows import NameTaken, find_repo, repo_name
from collector.runtime.bounds import bounded
from collector.runtime.progress import Progress, no_progress
from collector.runtime.stages import note_failure
from collector.runtime.workers import TaskLimits
from collector.storage.store import Store
from collector.text import printable

NO_LIMITS = TaskLimits()
_MAX_BRANCHES = 3  # branches to name


def attribute_one(
    path: str, db: Path, options: AttributeOptions, progress: Progress = no_progress, limits: TaskLimits = NO_LIMITS
) -> RepoReport:
    """Attributes one clone and reports on it. Raises what `attribute_repo` raises, OverLimit, NameTaken."""
    GitRepo(path)  # no database is made for a path that is no clone
    with Store(db) as store:
        try:
            with bounded(limits, progress) as heard:
                report = attribute_into(store, path, options, heard)
        except (NoCheckpoints, DatabaseUnusable, NameTaken):
            raise
        except Exception as error:
            note_failed(store, path, f"{type(error).__name__}: {error}")
            raise
        note_failed(store, path, "")
        return report


def note_failed(store: Store, path: str, error: str) -> None:
    """Stores that the attribution of a path failed, or ("") that it no longer does."""
    try:
        repo = GitRepo(path)
        find_repo(store, repo)
        name = repo_name(repo)
    except (NotARepository, NameTaken):  # the row of that name is another repository's
        name = path
    known = "SELECT 1 FROM problems WHERE stage = 'repository' AND subject IN (?, ?)"
    if error or store.value(known, (printable(name), printable(path))):
        with store.transaction():
            note_failure(store, path, "")  # when there was no repository it had no other name
            note_failure(store, name, error)


def attribute_sessions(directory: Path, db: Path, options: AttributeOptions, progress: Progress = no_progress) -> RepoReport:
    """The sessions in a directory alone, without a clone: what they were like, and where they rewrote their own code.

    Raises NoCheckpoints when there are none.
    """
    with tempfile.TemporaryDirectory(prefix="whowrote-") as place, Store(db) as store:
        repo = without_files(Path(place) / (directory.absolute().name or "transcripts"))
        local = replace(options.local, choice=LocalChoice.ALWAYS, directories=(directory,), anywhere=True)
        if not find_sessions(repo, local).sessions:
            raise NoCheckpoints(f"no sessions in {directory}", "What was looked for: whowrote doctor --transcripts DIR")
        return attribute_into(store, str(repo.path), replace(options, local=local), progress)


def attribute_into(store: Store, path: str, options: AttributeOptions, progress: Progress) -> RepoReport:
    """As `attribute_one`, into an open database."""
    from attribution.stages.lines import attribute_repo  # what only reads starts faster without it

    repo = GitRepo(path)
    with claimed(store, repo, options.name, progress):
        done = attribute_repo(store, repo, options, progress)
    report = repo_report(store, done.repo_id)
    report.censored, report.unchanged, report.seconds = done.censored, done.unchanged, round(done.seconds, 3)
    report.advice = _advice(store, done.repo_id, path, report.head)
    return report


def _advice(store: Store, repo_id: int, path: str, head: str) -> list[Advice]:
    """What would name the author of more lines, for this clone."""
    repo = GitRepo(path)
    censored, unnamed = repo.censored(), unnamed_checkpoints(store, repo_id)
    branches = other_branches(repo, head, unnamed.ids) if unnamed.ids else []
    sessions = [(one.name, len(set().union(*(unnamed.sessions[key] for key in one.checkpoints)))) for one in branches]
    sessions.sort(key=lambda one: (-one[1], one[0]))
    clone = CloneState(path, bool(censored.shallow), censored.partial, bool(repo.remote_url()))
    return advice(store, repo_id, clone, sessions[:_MAX_BRANCHES])
