"""What the steps of attribution hand to each other: read, replayed, judged. Pure."""

from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from attribution.authorship.commits import CommitHistory
from attribution.authorship.conclude import MissingTranscript
from attribution.authorship.links import CommitLinks
from attribution.authorship.replay import StepOutcome
from attribution.authorship.seen_lines import SeenFiles
from attribution.authorship.session_edits import SessionEdits
from attribution.authorship.texts import DiffTexts
from attribution.authorship.timeline import EditFate, Timeline
from attribution.authorship.verdicts import CommitVerdict
from attribution.authorship.worktrees import ProbeResult, WorktreeRun
from collector.model import Checkpoint, Commit, SessionRecord
from collector.vocabulary.lines import Reason
from collector.vocabulary.sessions import CheckpointStore, StoredTranscript, TranscriptState

_CUT = 60.0  # seconds before its commit at which a transcript may end without lacking anything


@dataclass(frozen=True, slots=True)
class TranscriptReach:
    """How much of a session could be read."""

    state: str = "none"  # present | partial | missing_blob | none | unreadable | unknown_format
    ended: float = 0.0  # the last event that was read
    compact: bool = False  # compact copies were read
    # (checkpoint, index) of missing copies of which another one shows everything; in order, since
    # the key of what a run keeps has this text: that of a set differs from process to process
    held: Mapping[tuple[str, int], None] = field(default_factory=dict)

    @property
    def readable(self) -> bool:
        return self.state in ("present", "partial")


_NOT_READ = TranscriptReach()
_UNREAD: Mapping[str, Reason] = {
    TranscriptState.MISSING_BLOB: Reason.TRANSCRIPT_MISSING,
    TranscriptState.NONE: Reason.TRANSCRIPT_NOT_STORED,
}


@dataclass(frozen=True, slots=True)
class SessionsRead:
    ids: Mapping[str, int]  # key -> its number in the database
    reach: Mapping[str, TranscriptReach]  # by key
    edits: Sequence[SessionEdits]  # of those that could be read, in order of time


@dataclass(frozen=True, slots=True)
class RunInputs:
    """Everything that is read of a clone before anything is concluded."""

    checkpoints: Sequence[Checkpoint]
    sessions: SessionsRead
    history: CommitHistory
    links: Mapping[str, CommitLinks]  # by commit

    def missing_transcripts(self, link: CommitLinks) -> list[MissingTranscript]:
        """Sessions named by the commit whose transcript does not reach up to it."""
        missing = []
        for record in link.records:
            reason = self._gap(record, link.commit.author_time)
            if reason is not None:
                # A record without a transcript is often an idle session that did nothing; its file
                # list then tells.
                files = record.files_touched if record.transcript_state == "none" else ()
                missing.append(MissingTranscript(frozenset(files), reason))
        return missing

    def claimed_paths(
        self, link: CommitLinks, edited: Mapping[str, Container[str]]
    ) -> dict[str, Reason]:
        """Paths that a record names though no call of its session (`edited`: its paths) changed
        them, and why none is known.

        A checkpoint stored again at the end of the turn names the files of later edits too; those
        its transcript does show. Of a whole transcript the list says little: recorders fill it with
        all files of the commit where they know no better.
        """
        claimed: dict[str, Reason] = {}
        for record in link.records:
            reason = self._gap(record, link.commit.author_time) or Reason.UNEXPLAINED
            for path in record.files_touched:
                if path not in edited.get(record.session_id, ()) and claimed.get(path) in (
                    None,
                    Reason.UNEXPLAINED,
                ):
                    claimed[path] = reason
        return claimed

    def _gap(self, record: SessionRecord, commit: float) -> Reason | None:
        """Why what the session did before the commit is not known; None when it is."""
        reach = self.sessions.reach.get(record.session_id, _NOT_READ)
        if not reach.readable:
            return _UNREAD.get(reach.state, Reason.TRANSCRIPT_UNREADABLE)
        absent = (
            record.transcript_state == StoredTranscript.MISSING_BLOB
            and (record.checkpoint_id, record.index) not in reach.held
        )
        return Reason.TRANSCRIPT_MISSING if absent and reach.ended < commit - _CUT else None

    def sessions_of_this_clone(self) -> set[str]:
        """Keys of the sessions that surely worked in worktrees of the clone: found by them, or
        linked to commits.
        """
        local = {
            record.session_id
            for c in self.checkpoints
            if c.store is CheckpointStore.LOCAL
            for record in c.sessions
        }
        return local.union(*(link.sessions for link in self.links.values()))

    def unlinked_sessions(self) -> set[int]:
        """Numbers of the sessions with a checkpoint that no commit names."""
        named = {key for link in self.links.values() for key in link.named}
        unnamed = (
            c for c in self.checkpoints if c.store is CheckpointStore.LOCAL or c.id not in named
        )
        records = (record for c in unnamed for record in c.sessions)
        return {self.sessions.ids[record.session_id] for record in records}


@dataclass(frozen=True, slots=True)
class Replayed:
    """Every worktree from its first edit to its last."""

    timelines: Mapping[str, Timeline]  # by root
    edits: Sequence[EditFate]  # of all sessions; the place in this list is the edit's id
    runs: Sequence[WorktreeRun]

    def outcomes(self) -> dict[int, StepOutcome]:
        """Edit id -> what became of it in the replay."""
        return {edit_id: outcome for run in self.runs for edit_id, outcome in run.outcomes.items()}

    def undone(self) -> Iterator[tuple[str, float, str]]:
        """(path, when, text) of agents' lines that git took away before they were committed."""
        for run in self.runs:
            for path, lines in run.undone.items():
                yield from ((path, moment, text) for moment, _, text in lines)

    def probes(self) -> dict[str, list[ProbeResult]]:
        """Commit -> what the worktrees told about it."""
        result: dict[str, list[ProbeResult]] = defaultdict(list)
        for run in self.runs:
            for probe in run.seen:
                result[probe.look.sha].append(probe)
        return result


@dataclass(frozen=True)  # without slots: what was seen of files is kept
class Judged:
    """The verdicts on commits, and what they rest on. Passes change the verdicts."""

    evidence: RunInputs
    replayed: Replayed
    texts: DiffTexts
    verdicts: Mapping[str, CommitVerdict]  # by commit

    @property
    def commits(self) -> list[tuple[Commit, CommitVerdict]]:
        """Those with a verdict, parents first."""
        return [
            (commit, self.verdicts[commit.sha])
            for commit in self.evidence.history.commits
            if commit.sha in self.verdicts
        ]

    def parent_time(self, commit: Commit) -> float:
        """Author time of its latest parent; 0 without one."""
        return max((self._times.get(parent, 0.0) for parent in commit.parents), default=0.0)

    @cached_property
    def _times(self) -> dict[str, float]:
        return {commit.sha: commit.author_time for commit in self.evidence.history.commits}

    @cached_property
    def seen_files(self) -> SeenFiles:
        return SeenFiles(self.replayed.timelines, self.texts, self.evidence.history.last_version)
