"""Shadow branches `entire/<commit>-<worktree>`: the whole worktree and the transcript so far at the
end of every turn.

They are meant to stay on the developer's machine until a commit takes them over; a clone of one's
own has them, and some were pushed. They hold sessions that no commit has taken over, and what a
worktree really held at the end of a turn.
"""

import re
from collections.abc import Iterator, Mapping

from collector.checkpoints import problem
from collector.checkpoints.entire import FOLDER, METADATA_TRAILER, SESSION_TRAILER
from collector.checkpoints.tree import session_key, transcript_chunks, transcript_state
from collector.git.repository import GitRepo
from collector.limits import SHADOW_TURNS
from collector.model import Checkpoint, Commit, SessionRecord
from collector.vocabulary.sessions import CheckpointStore, StoredTranscript

NAME = "shadow"
_REF = re.compile(r"^refs/(?:heads|remotes/[^/]+)/entire/[0-9a-f]{7,40}(?:-[0-9a-f]{6})?$")
_SESSION = re.compile(rf"^{SESSION_TRAILER}: *([\w.:-]{{1,100}}) *$", re.M)
_METADATA = re.compile(rf"^{METADATA_TRAILER}(?:-Task)?: ", re.M)


def store_of(ref: str) -> CheckpointStore | None:
    if _REF.match(ref):
        return CheckpointStore.SHADOW
    return None


def find(repo: GitRepo, refs: Mapping[str, str]) -> Iterator[Checkpoint]:
    """One checkpoint per snapshot; its id is the id of the commit, which no message can name as
    a checkpoint's.
    """
    done = set()
    for name, target in sorted(refs.items()):
        sha = repo.peel_commit(target) if _REF.match(name) else None
        for _ in range(SHADOW_TURNS):
            commit = repo.commit(sha) if sha and sha not in done else None
            session = _session(commit) if commit is not None else ""
            if commit is None or not session:
                break
            done.add(commit.sha)
            yield _checkpoint(repo, commit, session, name)
            sha = commit.parents[0] if commit.parents else None


def _session(commit: Commit) -> str:
    """The session whose turn a snapshot ends; "" for a commit that is none."""
    matches = _SESSION.findall(commit.message)
    return matches[-1] if matches and _METADATA.search(commit.message) else ""


def _checkpoint(repo: GitRepo, commit: Commit, session: str, ref: str) -> Checkpoint:
    entries = repo.entries(commit.tree)
    for name in (FOLDER, "metadata", session):
        oid, is_tree = entries.get(name, ("", False))
        entries = repo.entries(oid) if is_tree else {}
    chunks = tuple(transcript_chunks(entries))
    state = transcript_state(repo, chunks)
    record = SessionRecord(
        checkpoint_id=commit.sha,
        index=0,
        session_id=session_key(session),
        session_id_raw=session,
        created_at=commit.author_time,
        transcript=chunks,
        transcript_state=state,
    )
    missing = (
        problem(
            f"{commit.sha}/0",
            "transcript_missing_blob",
            "listed in the tree, absent from this clone",
        ),
    )
    return Checkpoint(
        id=commit.sha,
        store=CheckpointStore.SHADOW,
        ref=ref,
        created_at=commit.author_time,
        sessions=(record,),
        author_email=commit.author_email,
        signature=repo.signature(commit.sha),
        problems=missing if state is StoredTranscript.MISSING_BLOB else (),
    )
