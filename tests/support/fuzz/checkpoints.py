"""Checkpoints in every layout: names, trees and metadata, from a repository to rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from collector.checkpoints import read_all
from collector.json_values import JsonObject
from collector.load import (
    prepare_session,
    read_session,
    session_files,
    store_checkpoints,
    write_session,
)
from collector.runtime.stages import RunContext
from support.fuzz import Target, scratch
from support.fuzz.choices import Choices
from support.fuzz.damage import ODD, Sample, check, flipped
from support.fuzz.memory_repo import MemoryRepo

_ID = "a1b2c3d4e5f6"
_SHARD = f"{_ID[:2]}/{_ID[2:]}"
_REFS = (
    "refs/heads/entire/checkpoints/v1",
    "refs/remotes/origin/entire/checkpoints/v1",
    f"refs/entire/checkpoints/f6/{_ID}",
    "refs/heads/entire/sessions",
    "refs/heads/entire/sessions-legacy",
    "refs/entire/checkpoints/v2/main",
    "refs/entire/checkpoints/v2/full/current",
    f"refs/heads/entire/{_ID[:7]}-{_ID[:6]}",
    "refs/heads/entire/abc1234",
)
_ROOT: JsonObject = {
    "cli_version": "0.5.1",
    "checkpoint_id": _ID,
    "strategy": "manual-commit",
    "branch": "main",
    "checkpoints_count": 2,
    "files_touched": ["a.py"],
    "sessions": [{"metadata": "/0/metadata.json", "transcript": "/0/full.jsonl"}],
    "token_usage": {"input_tokens": 1, "output_tokens": 2, "api_call_count": 1},
    "created_at": "2026-03-02T10:00:00Z",
    "combined_attribution": {
        "agent_lines": 3,
        "human_added": 1,
        "total_committed": 4,
        "agent_percentage": 75.0,
    },
}
_SESSION: JsonObject = {
    "cli_version": "0.5.1",
    "checkpoint_id": _ID,
    "session_id": "2026-03-02-0197f3a1",
    "strategy": "manual-commit",
    "created_at": "2026-03-02T10:00:00.5Z",
    "branch": "main",
    "files_touched": ["a.py", "b.py"],
    "agent": "Claude Code",
    "model": "opus[1m]",
    "turn_id": "t",
    "kind": "agent_review",
    "checkpoint_transcript_start": 3,
    "transcript_lines_at_start": 0,
    "transcript_path": "x",
    "token_usage": {"input_tokens": 5},
    "summary": {"intent": "x"},
    "initial_attribution": {
        "agent_lines": 3,
        "human_added": 1,
        "human_modified": 0,
        "human_removed": 0,
        "total_committed": 4,
        "agent_percentage": 75.0,
        "metric_version": 2,
    },
}
_OTHERS = ("prompt.txt", "transcript.jsonl", "content_hash.txt")
_NAMES = ("0", "1", "00", "99999", "999999", "²", "-1", "tasks", "x")
_TRANSCRIPT = (
    b'{"type":"user","message":{"content":"hi"},"uuid":"u","sessionId":"s",'
    b'"timestamp":"2026-03-02T10:00:00Z"}\n'
)


def _files(choices: Choices, root: Sample, session: Sample) -> dict[str, bytes | None]:
    files: dict[str, bytes | None] = {"metadata.json": _metadata(root, choices)}
    for _ in range(choices.number(1, 3)):
        name = choices.one_of(_NAMES)
        files |= {
            f"{name}/metadata.json": _metadata(session, choices),
            f"{name}/full.jsonl": _TRANSCRIPT,
        }
        for more in (".001", ".2", ".9999999", ".x"):
            if choices.yes(8):
                files[f"{name}/full.jsonl{more}"] = None if choices.yes() else _TRANSCRIPT
        if choices.yes(8):
            files[f"{name}/{choices.one_of(_OTHERS)}"] = flipped(_TRANSCRIPT, choices)
        if choices.yes(8):
            files[f"{name}/tasks/toolu_1/agent-x.jsonl"] = _TRANSCRIPT
    return files


def _metadata(sample: Sample, choices: Choices) -> bytes | None:
    if choices.yes(16):
        return None
    return choices.rest() if choices.yes(16) else sample.damaged(choices)


def _text(choices: Choices, usual: str) -> str:
    odd = choices.one_of([one for one in ODD if isinstance(one, str)])
    return usual if choices.yes() else usual + odd


@contextmanager
def target() -> Iterator[Target]:
    root = Sample([_ROOT])
    session = Sample([_SESSION])
    with scratch.database() as store:

        def run(data: bytes) -> None:
            choices = Choices(data)
            refs: dict[str, dict[str, bytes | None]] = {}
            for _ in range(choices.number(1, 3)):
                ref = choices.one_of(_REFS)
                prefix = "" if _ID in ref else _SHARD + "/"
                refs[ref] = {
                    prefix + path: content
                    for path, content in _files(choices, root, session).items()
                }
            message = _text(
                choices,
                f"Checkpoint: {_ID}\n\nEntire-Session: s-1\nEntire-Metadata:"
                " .entire/metadata/s-1\n",
            )
            repo = MemoryRepo(refs, message, _text(choices, "ada@example.com")).as_git()
            found = read_all(repo)
            check(found, "checkpoints")
            # what was there before goes
            numbers = store_checkpoints(RunContext(store, repo, 1), found)
            with store.transaction():
                for files in session_files(found):
                    write_session(
                        store,
                        numbers[files.key],
                        prepare_session(
                            store.policy, numbers[files.key], read_session(repo, files)
                        )[1],
                    )

        yield run
