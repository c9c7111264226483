"""Embeds the sessions of a database: one transaction per session, so that a run that was stopped
resumes.
"""

import hashlib
import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

from attribution.evaluation.conversation import conversation_of
from attribution.evaluation.embedding.drift import FEATURES, compute, texts
from attribution.evaluation.failure_modes.stage import fill_failure_modes
from attribution.evaluation.models import Embedder
from attribution.features.registry import version_of
from attribution.features.word_lists import source
from attribution.queries.recorded_sessions import RecordedSession, recorded_sessions
from attribution.queries.repositories import known_clones
from collector.runtime.locks import writing_database, writing_repository
from collector.runtime.progress import Progress
from collector.runtime.stages import Clock, RunContext, Stage, StageName, StageRun
from collector.storage.store import Store

_COLUMNS = ("session_id", "backend", "model", "version", "texts", *(f.name for f in FEATURES))
_BATCH = 16  # texts between two reports of progress


@dataclass(slots=True)
class EmbeddingRun:
    sessions: int = 0  # embedded now
    unchanged: int = 0
    unreadable: int = 0
    turns: int = 0  # in the sessions embedded now
    computed: int = 0  # texts
    cached: int = 0
    seconds: float = 0.0
    notes: list[str] = field(default_factory=list)


def embed_all(
    store: Store, repo: int | None, embedder: Embedder, progress: Progress
) -> EmbeddingRun:
    """Embeds the sessions of one repository, or of all. Raises WhoWroteError."""
    clones, notes = known_clones(store, repo)
    clock = Clock()
    run = EmbeddingRun(notes=notes)
    for repo_id, _, clone in clones:
        with writing_database(store, progress), writing_repository(store, repo_id, progress):
            embed_repo(RunContext(store, clone, repo_id, progress), embedder, run)
    run.seconds = clock.seconds
    return run


def embed_repo(context: RunContext, embedder: Embedder, result: EmbeddingRun) -> None:
    """Fills `session_embeddings` for one repository, and what depends on it.

    Raises DatabaseUnusable.
    """
    stage = Stage(
        StageName.EMBED,
        version_of(
            FEATURES, str(embedder.scale), source("turn_vectors.json"), source("words.toml")
        ),
    )
    sessions = recorded_sessions(context.store, context.repo, context.repo_id)
    for number, session in enumerate(sessions):
        context.progress("embedding sessions", number, len(sessions))
        run = stage.start(
            context.store, context.repo_id, session.input_key, f"{session.key} {embedder.model}"
        )
        if run.is_current:
            result.unchanged += 1
        else:
            _embed_session(run, session, embedder, result)
    with context.store.transaction():
        fill_failure_modes(context.store, context.repo_id)


def _embed_session(
    run: StageRun, recorded: RecordedSession, embedder: Embedder, result: EmbeddingRun
) -> None:
    session = recorded.read()
    rows = []
    if session is None:
        result.unreadable += 1
    else:
        conversation = conversation_of(session)
        parts = texts(conversation, embedder.scale)
        vectors = _vectors(run.store, embedder, parts, result)
        values = compute(conversation, dict(zip(parts, vectors, strict=True)), embedder.scale)
        cells = [
            json.dumps(value) if isinstance(value, list) else value
            for value in (values[f.name] for f in FEATURES)
        ]
        rows.append(
            (
                recorded.session_id,
                embedder.backend,
                embedder.model,
                run.stage.version,
                len(parts),
                *cells,
            )
        )
        result.sessions += 1
        result.turns += len(conversation.exchanges)
    with run.writing() as connection:
        session_and_model = (recorded.session_id, embedder.model)
        connection.execute(
            "DELETE FROM session_embeddings WHERE session_id = ? AND model = ?", session_and_model
        )
        run.store.insert("session_embeddings", _COLUMNS, rows)


def _vectors(
    store: Store, embedder: Embedder, parts: Sequence[str], result: EmbeddingRun
) -> list[list[float]]:
    """Vectors of texts, from the cache where they are; new ones go there, a batch at a time."""
    hashes = [hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32] for text in parts]
    with store.cache() as cache:
        sql = (
            "SELECT text_hash, vector FROM text_vectors WHERE model = ? AND text_hash IN (SELECT"
            " value FROM json_each(?))"
        )
        vectors = cache.pairs(sql, (embedder.model, json.dumps(hashes)))
        missing = [
            (key, text) for key, text in zip(hashes, parts, strict=True) if key not in vectors
        ]
        result.cached += len(parts) - len(missing)
        for start in range(0, len(missing), _BATCH):
            batch = missing[start : start + _BATCH]
            new = embedder.embed([text for _, text in batch])
            rows = [
                (embedder.model, key, struct.pack(f"<{len(row)}e", *row))
                for (key, _), row in zip(batch, new, strict=True)
            ]
            with cache.transaction():
                cache.insert_kept("text_vectors", ("model", "text_hash", "vector"), rows)
            vectors.update((key, packed) for _, key, packed in rows)
            result.computed += len(batch)
    return [list(struct.unpack(f"<{len(vectors[key]) // 2}e", vectors[key])) for key in hashes]
