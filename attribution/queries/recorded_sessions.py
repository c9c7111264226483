"""Sessions of an attributed clone, read once more: what the agent said is not in the database."""

from collections import defaultdict
from collections.abc import Container
from dataclasses import dataclass, replace

from collector.agents import readers
from collector.checkpoints import read_all
from collector.git.repository import GitRepo
from collector.load import SessionFiles, read_session, session_files
from collector.local import find_sessions, local_checkpoints
from collector.local.model import LocalChoice, LocalOptions, LocalSessions
from collector.model import Checkpoint, Session
from collector.storage.store import Store
from collector.text import printable as shown

_TURNS = (
    "SELECT t.session_id, t.turn_index FROM turns t JOIN sessions s ON s.id = t.session_id WHERE"
    " s.repo_id = ?"
)


@dataclass(frozen=True, slots=True)
class RecordedSession:
    """A session that can be read when it is wanted."""

    session_id: int
    key: str
    input_key: str  # changes when any stored copy does
    _repo: GitRepo
    _files: SessionFiles
    _turns: Container[int]  # its own: those that a fork repeats are another session's

    def read(self) -> Session | None:
        """None when no copy can be read."""
        session = read_session(self._repo, self._files, readers()).session
        return session and replace(
            session, turns=tuple(turn for turn in session.turns if turn.index in self._turns)
        )


def recorded_sessions(store: Store, repo: GitRepo, repo_id: int) -> list[RecordedSession]:
    """The sessions of a repository that the database knows, in order of time."""
    ids = store.pairs("SELECT key, id FROM sessions WHERE repo_id = ?", (repo_id,))
    files = session_files(*stored_now(store, repo, repo_id))
    keyed = [(shown(session.key), session) for session in files]
    turns = defaultdict[int, set[int]](set)
    for row in store.rows(_TURNS, (repo_id,)):
        turns[row["session_id"]].add(row["turn_index"])
    return [
        RecordedSession(ids[key], key, session.input_key(), repo, session, turns[ids[key]])
        for key, session in keyed
        if key in ids
    ]


def stored_now(
    store: Store, repo: GitRepo, repo_id: int, tip: str = ""
) -> tuple[list[Checkpoint], LocalSessions]:
    """The checkpoints that a clone has now, and what this machine keeps of it where that was
    read before or a run would read it. `tip`: the commit in whose history transcripts lie.
    """
    checkpoints = read_all(repo, tip=tip)
    was_read = store.value(
        "SELECT 1 FROM checkpoints WHERE repo_id = ? AND store = 'local' LIMIT 1", (repo_id,)
    )
    choice = LocalChoice.ALWAYS if was_read else LocalChoice.AUTO
    local = find_sessions(repo, LocalOptions(choice))
    return [*checkpoints, *local_checkpoints(local, checkpoints)], local
