"""Sessions of this machine in the form of checkpoints: a record each, which no commit names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from collector.agents.machine.model import LocalSession
from collector.local.model import LocalSessions
from collector.model import Checkpoint, SessionRecord
from collector.vocabulary.sessions import CheckpointStore, StoredTranscript


def local_checkpoints(local: LocalSessions, stored: Iterable[Checkpoint]) -> Iterator[Checkpoint]:
    """One for each session that is in no checkpoint of the clone; its id is none that a commit could name."""
    existing = {record.session_id for checkpoint in stored for record in checkpoint.sessions}
    for key in sorted(local.sessions.keys() - existing):
        yield _checkpoint(local.sessions[key], min(local.emails, default=""))


def _checkpoint(session: LocalSession, email: str) -> Checkpoint:
    number = f"local/{session.agent}/{session.id}"
    record = SessionRecord(
        checkpoint_id=number,
        index=0,
        session_id=session.id,
        session_id_raw=session.id,
        agent_label=session.agent,
        created_at=session.at or None,
        transcript_state=StoredTranscript.LOCAL,
    )
    return Checkpoint(
        id=number,
        store=CheckpointStore.LOCAL,
        ref=str(session.files[0]),
        created_at=session.at or None,
        sessions=(record,),
        author_email=email,
    )
