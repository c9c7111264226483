"""Brings what a command needs up to date: the one place above the stages, which write, and the queries, which only read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path

from attribution.embedding import Embedder
from attribution.features.tables import Prices
from attribution.judge.prompts import Request
from attribution.queries.embeddings import clones
from attribution.queries.judge import Progress
from attribution.queries.open_repo import OpenRepo, _repo_row
from attribution.queries.repo_report import RepoReport, repo_report
from attribution.queries.sessions import session_id
from attribution.stages import failure_modes as modes
from attribution.stages import history as stage
from attribution.stages import survival
from attribution.stages.claims import ClaimsUpdate, check_claims
from attribution.stages.embedding import Embedded, embed_repo
from attribution.stages.judge import JudgeModel, JudgeRun, all_requests, run
from attribution.stages.lines import AttributeOptions, attribute_repo, no_progress, refuse_namesake, repo_name
from collector.errors import NoCheckpoints, UnknownBranch, WhoWroteError
from collector.git.repository import GitRepo
from collector.load import describe_repo, repo_row
from collector.storage.store import Store


def attribute_one(
    path: str, db: Path, options: AttributeOptions, progress: Callable[[str, int, int], None] = no_progress
) -> RepoReport:
    """Attributes one clone and reports on it. Raises what `attribute_repo` raises, and WhoWroteError for a name in use."""
    GitRepo(path)  # no database is made for a path that is no clone
    with Store(db) as store:
        return attribute_into(store, path, options, progress)


def attribute_into(store: Store, path: str, options: AttributeOptions, progress: Callable[[str, int, int], None]) -> RepoReport:
    """As `attribute_one`, into an open database."""
    refuse_namesake(store, GitRepo(path))
    done = attribute_repo(store, path, options, progress)
    found = repo_report(store, done.repo_id)
    found.censored, found.unchanged, found.seconds = done.censored, done.unchanged, round(done.seconds, 3)
    return found


def claims_checked(
    store: Store, path: str, branch: str = "", progress: Callable[[str, int, int], None] = no_progress
) -> tuple[int, ClaimsUpdate]:
    """Reads and checks the claims of the clone at `path`; attributed it need not be. Raises what opening it raises."""
    repo = GitRepo(path)
    refuse_namesake(store, repo)
    name = repo_name(repo)
    known = store.rows("SELECT branch FROM repos WHERE name = ? AND branch IS NOT NULL", (name,))
    wanted = branch or (known[0]["branch"] if known else "")
    short, head = repo.resolve(wanted) if wanted else repo.default_branch()
    repo_id = repo_row(store, name)
    if not store.value("SELECT 1 FROM stage_runs WHERE repo_id = ? AND stage = 'lines'", (repo_id,)):
        with store.transaction():
            describe_repo(store, repo_id, repo, short, head)
    return repo_id, check_claims(store, repo, repo_id, head, progress)


def embed_all(store: Store, repo: int | None, with_: Embedder, progress: Callable[[str, int, int], None]) -> Embedded:
    """Embeds the sessions of one repository, or of all. Raises WhoWroteError."""
    known, notes = clones(store, repo)
    total = Embedded(notes=notes)
    for number, _, clone in known:
        one = embed_repo(store, clone, number, with_, progress)
        for field in fields(one):
            if field.name != "notes":
                setattr(total, field.name, getattr(total, field.name) + getattr(one, field.name))
    return total


def judge_requests(
    store: Store, repo: int | None, questions: Sequence[str], session: str, limit: int | None, progress: Progress
) -> tuple[list[Request], list[str]]:
    """The questions about the sessions of one repository or of all, and notes. Raises WhoWroteError when there is none."""
    wanted = session_id(store, session, repo) if session else None
    known, notes = clones(store, repo)
    found = all_requests(store, [(number, clone) for number, _, clone in known], questions, wanted, progress)
    if limit is not None:
        kept = list(dict.fromkeys(r.session_id for r in found))[:limit]
        found = [r for r in found if r.session_id in kept]
    if not found:
        raise WhoWroteError("there is no session with a conversation to judge", "See what was read with: attribute sessions")
    return found, notes


def run_judge(
    store: Store,
    repo: int | None,
    model: JudgeModel,
    requests: Sequence[Request],
    prices: Prices,
    progress: Progress,
    jobs: int,
    most: float | None,
) -> JudgeRun:
    """Runs the judge, then decides the failure modes anew."""
    try:
        return run(store, model, requests, prices, progress, jobs, most)
    finally:
        for row in store.rows("SELECT id FROM repos WHERE ? IS NULL OR id = ?", (repo, repo)):
            modes.fill_failure_modes(store, row["id"])


def lines_followed(where: OpenRepo, wanted: stage.HistoryRequest, progress: Callable[[str, int, int], None]) -> list[str]:
    """Brings the history of a clone up to date, and what is concluded from it. Notes for people."""
    done = stage.follow_history(where.store, where.repo, where.repo_id, where.head, wanted, progress)
    progress("joining lines and authors", 0, 0)
    survival.fill_survival(where.store, where.repo_id)
    return done.notes


def survival_current(store: Store, repo_ids: Sequence[int]) -> None:
    """Joins lines and authors again where the verdicts changed since. Raises DatabaseUnusable."""
    for repo_id in repo_ids:
        survival.fill_survival(store, repo_id)


def attributed_clone(
    store: Store, path: str, tell: Callable[[str], None], progress: Callable[[str, int, int], None] = no_progress
) -> OpenRepo:
    """The clone at `path`; attributed first when the database does not know it. Raises what `attribute_repo` raises."""
    repo = GitRepo(path)
    name = repo_name(repo)
    row = _repo_row(store, name)
    if row is None:
        tell(f"{name} is not in {store.path} yet: attributing it first")
        try:
            attribute_repo(store, path, AttributeOptions(), progress)
        except NoCheckpoints as error:
            raise NoCheckpoints(str(error), f"{error.hint}\nThat is: attribute repo {path} --anyway --db {store.path}") from error
        row = _repo_row(store, name)
    if row is None or not repo.has(row["head_sha"]):
        raise WhoWroteError(f"{store.path} holds another repository named {name}", "Use another database: --db FILE")
    found = OpenRepo(store, row["id"], name, row["head_sha"], row["branch"], repo=repo)
    try:
        moved = repo.resolve(found.branch)[1] != found.head
    except UnknownBranch:
        moved = False
    if moved:
        found.notes.append(f"{found.branch} has moved on since; bring the database up to date with: attribute repo {path}")
    return found
