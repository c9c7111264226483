"""Whether the lines of a repository have to be attributed again: the key of all inputs, and what
has arrived without a new one.
"""

from dataclasses import dataclass
from pathlib import Path

from attribution.authorship.options import AttributeOptions
from attribution.features import version as features_version
from attribution.queries.features import features_ready
from collector.agents import readers
from collector.checkpoints import is_checkpoint_ref
from collector.checkpoints.pull_requests import is_source
from collector.git.repository import GitRepo
from collector.load import FACTS
from collector.local import find_sessions
from collector.local.model import LocalSessions
from collector.repository_rows import find_repo
from collector.runtime.stages import Stage, StageName, digest
from collector.storage.store import Store

VERSION = "41"
"""Of what is concluded: to be raised with the rules."""
STAGE = Stage(StageName.LINES, VERSION, problems=("commits", "lines", "features"))


@dataclass(frozen=True, slots=True)
class Target:
    """What is to be attributed, and from which inputs."""

    repo: GitRepo
    branch: str
    head: str
    key: str
    known: int | None  # its number in the database


def target_of(
    store: Store, repo: GitRepo, options: AttributeOptions, local: LocalSessions
) -> Target:
    branch, head = repo.resolve(options.branch) if options.branch else repo.default_branch()
    existing = find_repo(store, repo, options.name)
    return Target(repo, branch, head, _input_key(store, repo, head, options, local), existing)


def is_current(store: Store, path: str | Path, options: AttributeOptions) -> bool:
    """Whether a run on this clone would do nothing. Raises NotARepository, UnknownBranch."""
    repo = GitRepo(path)
    return features_ready(store) and is_done(
        store, target_of(store, repo, options, find_sessions(repo, options.local))
    )


def is_done(store: Store, target: Target) -> bool:
    existing = target.known
    return (
        existing is not None
        and STAGE.is_done(store, existing, target.key)
        and not _has_arrived(store, target.repo, existing)
    )


def _input_key(
    store: Store, repo: GitRepo, head: str, options: AttributeOptions, local: LocalSessions
) -> str:
    instructions = (is_checkpoint_ref, is_source, lambda name: name.startswith("refs/notes/"))
    refs = [
        f"{name}={target}"
        for name, target in sorted(repo.refs().items())
        if any(tells(name) for tells in instructions)
    ]
    censored = repo.censored()
    # A partial clone fetches what is looked at, in packs of their own: the files that were missing
    # may be there now.
    packs = repo.packs() if censored.partial else []
    return digest(
        VERSION,
        FACTS + store.policy.key(),
        features_version(),
        head,
        str(options.since),
        *censored.shallow,
        *packs,
        *refs,
        *(r.NAME for r in readers()),
        *(
            f"{key} {item.stamp} {item.unseen_until}"
            for key, item in sorted(local.sessions.items())
        ),
        *map(repr, local.traces),
        *sorted(local.emails if local.sessions else ()),
    )


def _has_arrived(store: Store, repo: GitRepo, repo_id: int) -> bool:
    """Whether a transcript or a file that was missing is there now: a fetch can bring it without
    moving a ref.
    """
    missing = store.column(
        "SELECT DISTINCT cs.transcript_blob FROM checkpoint_sessions cs JOIN checkpoints c"
        " ON c.id = cs.checkpoint_id WHERE c.repo_id = ? AND cs.transcript = 'missing_blob'",
        (repo_id,),
    )
    files = store.rows(
        "SELECT c.commit_sha, f.path FROM commit_files f JOIN commits c ON c.id = f.commit_id "
        "WHERE c.repo_id = ? AND f.content = 'missing' LIMIT 200",
        (repo_id,),
    )
    named = [repo.file_at(row["commit_sha"], row["path"]) for row in files]
    return any(blob and repo.has(blob) for blob in (*missing, *named))


def censored_parts(repo: GitRepo) -> list[str]:
    result = repo.censored()
    notes = []
    if result.shallow:
        notes.append(
            "shallow or grafted clone: history before these boundary commits is missing:"
            f" {len(result.shallow)}"
        )
    if result.partial:
        notes.append(
            "partial clone: files and transcripts that were not fetched are counted as missing"
        )
    return notes
