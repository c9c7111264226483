"""What a run has made of a repository so far, kept in the user's cache beside its sessions.

A run that is stopped goes on from there, and another database of the clone has it at once. It is
used only where everything that it was made from is the same.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from attribution.authorship.commits import CommitHistory
from attribution.authorship.run_data import RunInputs
from attribution.stages.earlier import sessions_unread
from collector.local.model import LocalSessions
from collector.runtime.stages import RunContext, digest
from collector.storage.session_cache import SessionCache, seal, sessions_of

VERSION = "1"  # of the shapes of what is kept
_WORTH = 0.2  # seconds of the processor: what took less is done again


@dataclass(slots=True)
class KeptWork:
    """A part of a run. Nothing is kept without a cache."""

    cache: SessionCache
    key: str  # of all inputs
    name: str = ""
    since: float = field(default_factory=time.process_time)  # when it began

    def begin_part(self, name: str) -> "KeptWork":
        """A part of this one, which begins now."""
        return KeptWork(self.cache, self.key, f"{self.name}/{digest(name)}")

    def load_value(self) -> Any:
        """What an earlier run has kept; None for nothing."""
        return self.cache.get(self.name, self.key)

    def save_value(self, value: object) -> None:
        """Keeps a value that can be pickled, if it was work."""
        if time.process_time() > self.since + _WORTH and self.cache.key:
            with suppress(MemoryError, RecursionError):  # it is done without
                self.cache.put(self.name, self.key, {"": seal(value, self.cache.key)})
            self.cache.write()


NOTHING_KEPT = KeptWork(SessionCache(None, "", None), "")


def _missing(history: CommitHistory) -> Iterator[str]:
    """What the clone lacks: it may be there the next time."""
    for sha, diff in history.diffs.items():
        files = (
            f"{sha} {file.change.path}" for file in diff.files or () if file.content == "missing"
        )
        yield from files if diff.files is not None else (sha,)


@contextmanager
def work_of(context: RunContext, evidence: RunInputs, local: LocalSessions) -> Iterator[KeptWork]:
    """What is kept of a run on this; nothing of a question."""
    if not context.key:
        yield NOTHING_KEPT
        return
    sessions = evidence.sessions
    read = (
        f"{session} {number} {sessions.reach.get(session)}"
        for session, number in sorted(sessions.ids.items())
    )
    edits = (each.key for each in sessions.edits)
    missing = _missing(evidence.history)
    unread = repr(sessions_unread(context, local))
    key = digest(VERSION, context.key, *local.worktrees, *read, "", *edits, unread, *missing)
    with sessions_of(context.store, context.repo_id) as cache:
        yield KeptWork(cache, key, "run")
