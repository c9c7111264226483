"""Reads the tree of one Entire checkpoint: root metadata, numbered session directories,
transcripts.

Directories are enumerated, pointers in the metadata are not followed (109 of entireio/cli's
dangle). Everything here may be absent or of another shape: that is a problem row, not an exception.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from collector.checkpoints import problem
from collector.checkpoints.entire import ID
from collector.git.base import TreeEntry
from collector.git.repository import GitRepo
from collector.json_values import JsonObject, get_list, get_str, load_json, parse_json
from collector.limits import METADATA_BYTES, SUBAGENT_BYTES, SUBAGENTS
from collector.model import Checkpoint, Problem, SessionRecord, SubagentRecord
from collector.text import decode, timestamp
from collector.vocabulary.sessions import CheckpointStore, StoredTranscript

IS_ID = re.compile(rf"^{ID}$")
# What recorders write where they have no session id: conversations that share it are not one
# session.
_PLACEHOLDERS = ("unknown", "none", "null", "undefined", "nil", "n/a", "default", "session")
_DATE_PREFIX = re.compile(r"^\d{4}-\d\d-\d\d-")
_COMMIT = re.compile(r"^(?:[0-9a-f]{40}|[0-9a-f]{64})$")
_CHUNK = re.compile(r"\.\d+$")
_TRANSCRIPTS = ("full.jsonl", "raw_transcript", "full.log")
# Text of prompts, bulky records that the transcript holds better, and what is stored by itself; the
# rest is kept as it is.
_DROPPED = ("summary", "prompt_attributions", "skill_events", "review_prompt")


def read_tree(
    repo: GitRepo, tree: str, checkpoint_id: str, store: CheckpointStore, ref: str
) -> Checkpoint:
    """The checkpoint in `tree`; sessions may be none."""
    entries = repo.entries(tree)
    problems: list[Problem] = []
    root = load_object(
        repo,
        entries,
        checkpoint_id,
        problems,
        required=store is not CheckpointStore.V2_FULL,
    )
    tasks = task_blobs(repo, entries)
    subagents = subagent_records(repo, entries, checkpoint_id, problems)
    sessions = []
    # legacy: the root is the latest session itself
    if "session_id" in root and "sessions" not in root:
        sessions.append(_session(repo, entries, root, checkpoint_id, -1, problems))
    for number in sorted(
        int(n)
        for n, (_, is_tree) in entries.items()
        if is_tree and n.isascii() and n.isdigit() and len(n) < 6
    ):
        inner = repo.entries(entries[str(number)][0]) if str(number) in entries else {}
        subject = f"{checkpoint_id}/{number}"
        meta = load_object(
            repo,
            inner,
            subject,
            problems,
            required=store is not CheckpointStore.V2_FULL,
        )
        sessions.append(_session(repo, inner, meta, checkpoint_id, number, problems))
    for number, entry in enumerate(sessions):  # of whichever session: the records say
        if entry.index >= 0 and (tasks or subagents):
            sessions[number] = replace(
                entry, tasks=entry.tasks + tasks, subagents=entry.subagents + subagents
            )
    if not sessions:
        problems.append(problem(checkpoint_id, "no_sessions"))
    created = [s.created_at for s in sessions if s.created_at is not None]
    return Checkpoint(
        id=checkpoint_id,
        store=store,
        ref=ref,
        strategy=text(root, "strategy"),
        branch=text(root, "branch"),
        cli_version=text(root, "cli_version"),
        created_at=timestamp(root.get("created_at")) or (max(created) if created else None),
        files_touched=texts(root.get("files_touched")),
        sessions=tuple(sessions),
        vendor=compact_json(root.get("combined_attribution")),
        problems=tuple(problems),
    )


def _session(
    repo: GitRepo,
    entries: Mapping[str, TreeEntry],
    meta: Mapping[str, Any],
    checkpoint_id: str,
    index: int,
    problems: list[Problem],
) -> SessionRecord:
    raw_id = text(meta, "session_id")
    chunks = transcript_chunks(entries)
    state = transcript_state(repo, chunks)
    subject = f"{checkpoint_id}/{index}"
    if state is StoredTranscript.MISSING_BLOB:
        problems.append(
            problem(
                subject, "transcript_missing_blob", "listed in the tree, absent from this clone"
            )
        )
    elif state is StoredTranscript.NONE:
        problems.append(problem(subject, "no_transcript"))
    sha = text(meta, "commit_sha").lower()
    return SessionRecord(
        checkpoint_id=checkpoint_id,
        index=index,
        # A record without an id, or with a placeholder, is a session of its own: it must not be
        # mixed with another.
        session_id=session_key(raw_id) or f"{checkpoint_id}/{index}",
        session_id_raw=raw_id,
        agent_label=text(meta, "agent"),
        model=text(meta, "model").removesuffix("[1m]"),
        branch=text(meta, "branch"),
        strategy=text(meta, "strategy"),
        created_at=timestamp(meta.get("created_at")),
        transcript=tuple(chunks),
        transcript_state=state,
        compact=blob_of(entries, "transcript.jsonl"),
        content_hash=blob_of(entries, "content_hash.txt")
        or blob_of(entries, "raw_transcript_hash.txt"),
        start=_start(meta),
        files_touched=texts(meta.get("files_touched")),
        tasks=task_blobs(repo, entries),
        subagents=subagent_records(repo, entries, subject, problems),
        turn_id=text(meta, "turn_id"),
        kind=text(meta, "kind"),
        cli_version=text(meta, "cli_version"),
        vendor=compact_json(meta.get("initial_attribution")),
        vendor_prompts=compact_json(meta.get("prompt_attributions")),
        commit_sha=sha if _COMMIT.match(sha) else "",
        metadata=compact_json({k: v for k, v in meta.items() if k not in _DROPPED}) if meta else "",
    )


def session_key(raw: str) -> str:
    """The agent's own session id; old versions put the date before it.

    "" when it is none but a placeholder.
    """
    key = _DATE_PREFIX.sub("", raw)
    if key.strip().lower() in _PLACEHOLDERS or not key.strip("0-"):
        return ""
    return key


def transcript_chunks(entries: Mapping[str, TreeEntry]) -> list[str]:
    """Blob ids of the transcript in order: `full.jsonl`, then `full.jsonl.001`, …; leftovers
    with other suffixes are skipped.
    """
    for base in _TRANSCRIPTS:
        first = blob_of(entries, base)
        if first:
            numbered = [
                (int(name[len(base) + 1 :]), oid)
                for name, (oid, is_tree) in entries.items()
                if not is_tree
                and name.startswith(base)
                and _CHUNK.fullmatch(name[len(base) :])
                and len(name) < len(base) + 8
            ]
            return [first, *(oid for _, oid in sorted(numbered))]
    return []


def transcript_state(repo: GitRepo, chunks: Sequence[str]) -> StoredTranscript:
    """Whether all chunks of a transcript are in this clone."""
    if not chunks:
        return StoredTranscript.NONE
    if all(map(repo.has, chunks)):
        return StoredTranscript.PRESENT
    return StoredTranscript.MISSING_BLOB


def task_blobs(repo: GitRepo, entries: Mapping[str, TreeEntry]) -> tuple[str, ...]:
    """Blob ids of `tasks/<call>/agent-<id>.jsonl`: what a subagent did, by its own records."""
    value = entries.get("tasks")
    if value is None or not value[1]:
        return ()
    folders = [oid for oid, is_tree in repo.entries(value[0]).values() if is_tree][:SUBAGENTS]
    files = (
        (name, oid)
        for folder in folders
        for name, (oid, is_tree) in repo.entries(folder).items()
        if not is_tree
    )
    return tuple(
        oid
        for name, oid in files
        if name.startswith("agent-") and name.endswith(".jsonl") and repo.has(oid)
    )


def blob_of(entries: Mapping[str, TreeEntry], name: str) -> str:
    value = entries.get(name)
    if value and not value[1]:
        return value[0]
    return ""


def load_object(
    repo: GitRepo,
    entries: Mapping[str, TreeEntry],
    subject: str,
    problems: list[Problem],
    required: bool = True,
) -> JsonObject:
    """The object in the metadata of a tree; {} with a problem when it is absent, too large or no
    object.
    """
    name = "metadata.json"
    oid = blob_of(entries, name)
    if not oid:
        if required:
            problems.append(problem(subject, "metadata_absent", name))
        return {}
    size = repo.blob_size(oid)
    if size is None or size > METADATA_BYTES:
        problems.append(
            problem(
                subject, "metadata_missing_blob" if size is None else "metadata_too_large", name
            )
        )
        return {}
    try:
        value = load_json(repo.content(oid))
    except (ValueError, RecursionError) as error:
        problems.append(problem(subject, "metadata_unreadable", f"{name}: {error}"[:300]))
        return {}
    if not isinstance(value, dict):
        problems.append(problem(subject, "metadata_unreadable", f"{name}: no object"))
        return {}
    return value


def text(meta: Mapping[str, Any], key: str) -> str:
    value = meta.get(key)
    if isinstance(value, str):
        return decode(value.encode("utf-8", "replace"))
    return ""


def texts(value: object) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple(v for v in value if isinstance(v, str))
    return ()


def compact_json(value: object) -> str:
    """JSON text of a producer's record; nothing of one that is absurdly large, since half of it
    would be no JSON.
    """
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=True) if value else ""
    if len(text) <= 200_000:
        return text
    return ""


def _start(meta: Mapping[str, Any]) -> int:
    for key in ("checkpoint_transcript_start", "transcript_lines_at_start"):
        value = meta.get(key)
        if isinstance(value, int | float) and 0 < value < 2**53:
            return int(value)
    return 0


def sharded(repo: GitRepo, tree: str) -> Iterator[tuple[str, str]]:
    """(checkpoint id, object id of its tree) below a root of `<id[:2]>/<id[2:]>/`; anything else
    is not Entire's.
    """
    for shard, (oid, is_tree) in repo.entries(tree).items():
        if is_tree and len(shard) == 2:
            for remainder, (inner, inner_is_tree) in repo.entries(oid).items():
                if inner_is_tree and IS_ID.match(shard + remainder):
                    yield shard + remainder, inner


def subagent_records(
    repo: GitRepo,
    entries: Mapping[str, TreeEntry],
    checkpoint_id: str,
    problems: list[Problem],
) -> tuple[SubagentRecord, ...]:
    """The records of subagents beside `entries`: `tasks/<call>/task.json`, written since August
    2026.

    `files` are the paths that the subagent can have left changed. For one that its session waited
    for, the recorder took all files that differed from HEAD when it was done, and new files that
    were not there when it began: at least those that it changed, if it committed none itself. For
    one in the background it took only what edit calls of its transcript name. A record without a
    transcript is a problem, which names the recorder's reason. Source: Entire CLI,
    `captureTaskFiles` and `materializeTaskRecords` as of September 2026.
    """
    tasks = entries.get("tasks")
    results = []
    folders = list(repo.entries(tasks[0]).items())[:SUBAGENTS] if tasks and tasks[1] else []
    for name, (folder, is_tree) in folders:
        oid, is_folder = (
            repo.entries(folder).get("task.json", ("", True)) if is_tree else ("", True)
        )
        size = repo.blob_size(oid) if oid and not is_folder else None
        text = (
            repo.content(oid).decode("utf-8", "replace")
            if size is not None and size <= SUBAGENT_BYTES
            else None
        )
        record = parse_json(text)
        if not isinstance(record, dict):
            continue
        files = tuple(path for path in get_list(record, "files") if isinstance(path, str))
        call = get_str(record, "tool_use_id") or name
        agent = get_str(record, "agent_id")
        results.append(SubagentRecord(call, agent, files, bool(get_str(record, "completed_at"))))
        if reason := get_str(record, "transcript_unavailable_reason"):
            problems.append(
                problem(f"{checkpoint_id}/tasks/{call}", "no_subagent_transcript", reason)
            )
    return tuple(results)
