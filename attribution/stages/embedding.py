"""Embeds the sessions of a repository: one transaction per session, so that a run that was stopped goes on where it was."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from attribution.embedding import Embedder
from attribution.embedding.drift import FEATURES, compute, texts, version
from attribution.outcomes.conversation import conversation_of
from attribution.queries.recorded_sessions import RecordedSession, recorded_sessions
from attribution.stages import failure_modes as modes
from collector.runtime.stages import Clock, RunContext, Stage, StageName, StageRun
from collector.storage.store import Store

_COLUMNS = ("session_id", "backend", "model", "version", "texts", *(f.name for f in FEATURES))
_BATCH = 16  # texts between two words of progress


@dataclass(slots=True)
class Embedded:
    """What a run did."""

    sessions: int = 0  # embedded now
    unchanged: int = 0
    unreadable: int = 0
    turns: int = 0  # of the sessions embedded now
    computed: int = 0  # texts
    cached: int = 0
    seconds: float = 0.0
    notes: list[str] = field(default_factory=list)


def embed_repo(context: RunContext, with_: Embedder) -> Embedded:
    """Fills `session_embeddings` for one repository. Raises DatabaseUnusable."""
    clock, done = Clock(), Embedded()
    stage = Stage(StageName.EMBED, version(with_.scale))
    sessions = recorded_sessions(context.store, context.repo, context.repo_id)
    for number, one in enumerate(sessions):
        context.progress("embedding sessions", number, len(sessions))
        run = stage.start(context.store, context.repo_id, one.input_key, f"{one.key} {with_.model}")
        if run.unchanged:
            done.unchanged += 1
        else:
            _session(run, one, with_, done)
    modes.fill_failure_modes(context.store, context.repo_id)
    done.seconds = clock.seconds
    return done


def _session(run: StageRun, recorded: RecordedSession, with_: Embedder, done: Embedded) -> None:
    session = recorded.read()
    rows: list[tuple[Any, ...]] = []
    if session is None:
        done.unreadable += 1
    else:
        conversation = conversation_of(session)
        wanted = texts(conversation)
        vectors = _vectors(run.store, with_, wanted, done)
        values = compute(conversation, dict(zip(wanted, vectors, strict=True)), with_.scale)
        stored = (_stored(values[f.name]) for f in FEATURES)
        rows.append((recorded.session_id, with_.backend, with_.model, run.stage.version, len(wanted), *stored))
        done.sessions += 1
        done.turns += len(conversation.exchanges)
    with run.writing() as connection:
        connection.execute("DELETE FROM session_embeddings WHERE session_id = ? AND model = ?", (recorded.session_id, with_.model))
        run.store.insert("session_embeddings", _COLUMNS, rows)


def _stored(value: object) -> object:
    return json.dumps(value) if isinstance(value, list) else value


# --- vectors ----------------------------------------------------------------------------------------------------------


def _vectors(store: Store, with_: Embedder, wanted: Sequence[str], done: Embedded) -> list[list[float]]:
    """Vectors of texts, from the cache where they are; new ones go there, a batch at a time."""
    hashes = [hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32] for text in wanted]
    known = _known(store, with_.model, hashes)
    missing = [(key, text) for key, text in zip(hashes, wanted, strict=True) if key not in known]
    done.cached += len(wanted) - len(missing)
    for at in range(0, len(missing), _BATCH):
        batch = missing[at : at + _BATCH]
        packed = [(key, _pack(row)) for (key, _), row in zip(batch, with_.embed([text for _, text in batch]), strict=True)]
        with store.transaction():
            store.insert("text_vectors", ("model", "text_hash", "vector"), ((with_.model, *one) for one in packed))
        known.update(packed)
        done.computed += len(batch)
    return [_unpack(known[key]) for key in hashes]


def _known(store: Store, model: str, hashes: Sequence[str]) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for at in range(0, len(hashes), 500):
        part = hashes[at : at + 500]
        marks = ", ".join("?" * len(part))
        sql = f"SELECT text_hash, vector FROM text_vectors WHERE model = ? AND text_hash IN ({marks})"
        found.update((row["text_hash"], row["vector"]) for row in store.rows(sql, (model, *part)))
    return found


def _pack(row: Sequence[float]) -> bytes:
    return struct.pack(f"<{len(row)}e", *row)


def _unpack(data: bytes) -> list[float]:
    return list(struct.unpack(f"<{len(data) // 2}e", data))
