"""`whowrote repo`: from one clone to a filled database, where something is new since the last run.

Until that is known, nothing is loaded of what a run needs.
"""

from dataclasses import dataclass, field, replace
from pathlib import Path

from attribution.authorship.options import AttributeOptions
from attribution.stages import feature_rows
from attribution.stages.lines_due import censored_parts, is_done, target_of
from collector.git.repository import GitRepo
from collector.local import find_sessions, keep_private, load
from collector.local.archived import keep
from collector.local.model import elsewhere_note, traces_note
from collector.repository_rows import claim_repo, name_branch, name_releases
from collector.runtime.progress import Progress, no_progress
from collector.runtime.stages import Clock, RunContext
from collector.storage.retention import FULL
from collector.storage.store import Store


@dataclass(slots=True)
class Attributed:
    """What a run did; the numbers themselves are in the database."""

    repo_id: int
    unchanged: bool
    seconds: float
    censored: list[str] = field(default_factory=list)
    elsewhere: str = ""  # sessions that were not started in the clone's worktrees
    lost: str = ""  # sessions of which only traces are left
    kept_in: str = ""  # the archive, where this run has put the first sessions into it
    weaker: str = ""  # lines that lost their author


def attribute_repo(
    store: Store,
    path: str | Path | GitRepo,
    options: AttributeOptions,
    progress: Progress = no_progress,
) -> Attributed:
    """Attributes one clone, opened or not.

    Raises NotARepository, UnknownBranch, DatabaseUnusable.
    """
    clock = Clock()
    feature_rows.prepare(store)
    repo = path if isinstance(path, GitRepo) else GitRepo(path)
    local = find_sessions(repo, options.local)
    problems = list(local.problems)
    kept_in = ""
    if local.sessions:
        keep_private(store)
        kept_in = keep(local, load, problems) if store.policy.keeps(FULL) else ""
    target = target_of(store, repo, options, local)
    notes = censored_parts(repo), elsewhere_note(local), traces_note(local), kept_in
    if target.known is not None and is_done(store, target):
        name_branch(store, target.known, target.branch)
        name_releases(store, target.known, repo, target.head)
        repriced = feature_rows.price_repo(store, target.known)
        return Attributed(target.known, not repriced, clock.seconds, *notes)
    from attribution.stages.line_run import attribute_again

    repo_id = claim_repo(store, repo, options.name)
    context = RunContext(store, repo, repo_id, progress, target.key)
    local = replace(local, problems=tuple(problems))
    weaker = attribute_again(context, target, local, options, clock=clock)
    return Attributed(repo_id, False, clock.seconds, *notes, weaker)
