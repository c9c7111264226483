"""Copies of a session that cannot be read, and whether another one holds all that they would show.

Pure.

A copy is stored with a commit and holds the session so far. It is no gap when a copy that can be
read holds as much: one with the same hash, one of the same or a later moment, or a compact one.
Records may be stored long after their commits, in any order, so the moment of a copy is that of the
commit which names it. That the recorder's turn is the same says nothing: some agents keep one for
the whole session.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from attribution.authorship.links import CommitLinks
from attribution.authorship.run_data import SessionsRead
from attribution.authorship.session_edits import add_missing_end, add_missing_parents
from collector.model import Checkpoint, Commit, SessionRecord
from collector.vocabulary.sessions import StoredTranscript, TranscriptState

_LATE = 60.0  # seconds by which a checkpoint may be stored after its commit


class CopyTimes:
    """Up to which moment the copies in checkpoints reach."""

    def __init__(self, links: Mapping[str, CommitLinks]) -> None:
        self._commits: dict[str, list[Commit]] = defaultdict(list)  # by checkpoint
        for link in links.values():
            for checkpoint in {record.checkpoint_id for record in link.records}:
                self._commits[checkpoint].append(link.commit)

    def latest(self, record: SessionRecord) -> float:
        """The last commit that was made with the record, or when it was stored; 0: not known."""
        stored = record.created_at or 0.0
        # An amended commit keeps its author time; a rebase after the checkpoint was stored says
        # nothing.
        commits = ((c.author_time, c.commit_time) for c in self._commits[record.checkpoint_id])
        return min(
            stored,
            max(
                (max(at, made if made <= stored + _LATE else at) for at, made in commits),
                default=stored,
            ),
        )

    def earliest(self, record: SessionRecord) -> float:
        """The first commit that was made with the record: what was done before is in the copy;
        0: not known.
        """
        stored = record.created_at or 0.0
        return min(
            (
                at
                for commit in self._commits[record.checkpoint_id]
                if (at := commit.author_time) <= stored
            ),
            default=0.0,
        )


def absent(
    records: Sequence[SessionRecord], compact: bool, times: CopyTimes
) -> list[SessionRecord]:
    """Of a session's records those whose copy is missing and may hold what no other shows.

    `compact`: compact ones were read.
    """
    readable = [record for record in records if record.transcript_state is StoredTranscript.PRESENT]
    hashes = {record.content_hash for record in readable} - {""}
    # Before recorders noted their version, a copy held only what was new since the one before.
    whole = max((times.earliest(record) for record in readable if record.cli_version), default=0.0)
    return [
        record
        for record in records
        if record.transcript_state is StoredTranscript.MISSING_BLOB
        and not (compact and record.compact)
        and record.content_hash not in hashes
        and times.latest(record) > whole
    ]


def add_missing_ends(
    sessions: SessionsRead, checkpoints: Iterable[Checkpoint], links: Mapping[str, CommitLinks]
) -> SessionsRead:
    """The sessions, each with what is not known of its end, and of the session that started it."""
    times = CopyTimes(links)
    records = defaultdict[str, list[SessionRecord]](list)
    for record in (record for checkpoint in checkpoints for record in checkpoint.sessions):
        records[record.session_id].append(record)
    reach = dict(sessions.reach)
    stored = {
        key
        for key, of in records.items()
        if any(record.transcript_state != StoredTranscript.NONE for record in of)
    }
    add_missing_parents(sessions.edits, stored)
    for session in sessions.edits:
        if (of := reach[session.key]).state != TranscriptState.PARTIAL:
            continue
        missing = absent(records[session.key], of.compact, times)
        add_missing_end(session, max(map(times.latest, missing), default=0.0))
        held = {(record.checkpoint_id, record.index) for record in records[session.key]}
        held -= {(record.checkpoint_id, record.index) for record in missing}
        reach[session.key] = replace(of, held=dict.fromkeys(sorted(held)))
    return replace(sessions, reach=reach)
