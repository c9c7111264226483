"""Where producers keep checkpoints in git: one module per layout, found by its `NAME`.

A module offers `NAME`, `store_of(ref)` and `find(repo, refs)`; it dispatches on the shape of what
it reads, never on dates or versions, and reports what it cannot use as problems of the checkpoint.
`entire.py` has the names that Entire uses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Protocol, cast

from collector.checkpoints import entire
from collector.groups import positions
from collector.plugins import modules_of
from collector.text import count_of
from collector.vocabulary.sessions import CheckpointStore, StoredTranscript

if TYPE_CHECKING:
    from collector.git.repository import GitRepo
    from collector.model import Checkpoint, Problem, SessionRecord


class Layout(Protocol):
    NAME: str

    def store_of(self, ref: str) -> CheckpointStore | None:
        """What is stored under a ref of this name; None when the layout does not use it."""
        ...

    def find(self, repo: GitRepo, refs: Mapping[str, str]) -> Iterator[Checkpoint]: ...


@cache
def layouts() -> tuple[Layout, ...]:
    return tuple(cast(Layout, module) for module in modules_of(__name__))


def store_of(ref: str) -> CheckpointStore | None:
    """What is stored under a ref, by its name alone; None when it holds no checkpoints."""
    for layout in layouts():
        if (store := layout.store_of(ref)) is not None:
            return store
    return None


def is_checkpoint_ref(ref: str) -> bool:
    """Whether a ref of a server, a mirror or a clone belongs to a producer of checkpoints."""
    return entire.is_checkpoint_ref(ref) or store_of(ref) is not None


LEFT_OUT = "left out"
"""Id of what stands for records that no checkpoint has, since a limit was reached: it has
problems alone.
"""


def read_all(
    repo: GitRepo, problems: list[Problem] | None = None, tip: str = ""
) -> list[Checkpoint]:
    """Every checkpoint once, in order of id.

    Stored in several layouts, it keeps the best transcript of each session.

    A session that a checkpoint holds is not read from the files of the history too. `problems` gets
    those of no checkpoint. `tip`: the commit whose history counts, where it is not the default
    branch's; a layout gets it as HEAD.
    """
    refs = {**repo.refs(), "HEAD": tip}
    merged: dict[str, Checkpoint] = {}
    for layout in layouts():
        for item in layout.find(repo, refs):
            existing = merged.get(item.id)
            merged[item.id] = merge(existing, item) if existing else item
    if (left_out := merged.pop(LEFT_OUT, None)) and problems is not None:
        problems += left_out.problems
    if repo.refs_left_out and problems is not None:
        detail = f"{count_of(repo.refs_left_out, 'ref')} not read: branches, tags, pull requests"
        problems.append(problem("refs", "too_many_refs", detail))
    every = [merged[key] for key in sorted(merged)]
    stored = {
        record.session_id
        for item in every
        if item.store is not CheckpointStore.TREE
        for record in item.sessions
    }
    return [
        item
        for item in every
        if item.store is not CheckpointStore.TREE or item.sessions[0].session_id not in stored
    ]


_STORE_RANK = positions(CheckpointStore)


def merge(a: Checkpoint, b: Checkpoint) -> Checkpoint:
    """Two copies of one checkpoint: the better store leads, sessions are united by number."""
    first, second = sorted((a, b), key=lambda c: _STORE_RANK[c.store])
    sessions = {record.index: record for record in second.sessions}
    for record in first.sessions:
        other = sessions.get(record.index)
        sessions[record.index] = _merge_records(record, other) if other else record
    either = {name: getattr(first, name) or getattr(second, name) for name in _FROM_EITHER}
    problems = tuple(
        p for p in dict.fromkeys(first.problems + second.problems) if _still(p, sessions.values())
    )
    return replace(
        first, **either, sessions=tuple(sessions[i] for i in sorted(sessions)), problems=problems
    )


def _still(problem: Problem, sessions: Iterable[SessionRecord]) -> bool:
    """A transcript that one copy lacks is no problem when the other has it."""
    results = {
        f"{s.checkpoint_id}/{s.index}"
        for s in sessions
        if s.transcript_state is StoredTranscript.PRESENT
    }
    return (
        problem.code not in ("no_transcript", "transcript_missing_blob")
        or problem.subject not in results
    )


_FROM_EITHER = (
    "strategy",
    "branch",
    "cli_version",
    "created_at",
    "files_touched",
    "vendor",
    "author_email",
)
_FROM_OTHER = (
    "session_id",
    "session_id_raw",
    "agent_label",
    "model",
    "branch",
    "created_at",
    "compact",
    "content_hash",
    "tasks",
    "subagents",
    "vendor",
)


def _merge_records(first: SessionRecord, second: SessionRecord) -> SessionRecord:
    better = {
        name: getattr(second, name)
        for name in _FROM_OTHER
        if not getattr(first, name) and getattr(second, name)
    }
    if first.transcript_state is not StoredTranscript.PRESENT and second.transcript:
        better |= {"transcript": second.transcript, "transcript_state": second.transcript_state}
    if not first.metadata and second.metadata:
        better |= {
            name: getattr(second, name)
            for name in ("metadata", "start", "files_touched", "turn_id", "kind", "cli_version")
        }
    if better:
        return replace(first, **better)
    return first


def problem(subject: str, code: str, detail: str = "") -> Problem:
    from collector.model import Problem

    return Problem("checkpoints", subject, code, detail)
