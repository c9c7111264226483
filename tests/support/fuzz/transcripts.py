"""Transcripts: every reader, from bytes to rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from attribution.features import of_session
from collector.agents import readers
from collector.load import LoadedSession, SessionFiles, prepare_session, write_session
from collector.model import Session
from collector.storage.store import Store
from support import ROOT
from support.fuzz import Target, scratch
from support.fuzz.choices import Choices
from support.fuzz.damage import Sample, check

SAMPLES = ROOT / "tests" / "data" / "transcripts"


def check_session(session: Session) -> None:
    """What a session must be before anything looks at it, and its features."""
    check(session, "session")
    assert all(turn.index >= 0 for turn in session.turns)
    of_session(session)


def store_session(store: Store, session: Session) -> None:
    with scratch.undone(store):
        write_session(
            store,
            1,
            prepare_session(store.policy, 1, LoadedSession(SessionFiles("s"), session, "present"))[
                1
            ],
        )


@contextmanager
def target() -> Iterator[Target]:
    known = {reader.NAME: reader for reader in readers()}
    # A further form of a reader's transcripts has a sample `NAME.FORM`.
    every = [
        (known[path.parent.name.partition(".")[0]], Sample.of_file(path))
        for path in sorted(SAMPLES.glob("*/sample.json*"))
    ]
    with scratch.database() as store:

        def run(data: bytes) -> None:
            choices = Choices(data)
            reader, sample = choices.one_of(every)
            parts = 0 if choices.yes(16) else 1 + choices.yes(8)
            blobs = [sample.damaged(choices) for _ in range(parts)] or [choices.rest()]
            session = reader.read("session-of-the-sample", blobs)
            check_session(session)
            store_session(store, session)

        yield run
