"""Checkpoints on disk: one checkpoint in the files of each layout, from the oldest to the
newest.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from collector.json_values import JsonObject, Texts
from collector.text import encode
from support import claude_writer as claude
from support.builder.model import LEGACY, V1, V1_REMOTE, V2_FULL, V2_MAIN, Stored
from support.builder.session import Session
from support.claude_writer import iso

if TYPE_CHECKING:
    from support.builder.world import World

_POINTERS = {
    "metadata": "metadata.json",
    "transcript": "full.jsonl",
    "content_hash": "content_hash.txt",
    "prompt": "prompt.txt",
}


@dataclass(frozen=True, slots=True)
class Writer:
    """One checkpoint in the files of each layout."""

    world: World
    id: str
    sessions: Sequence[Session]
    copies: Sequence[str | None]
    touched: Sequence[Sequence[str]]
    stored: Stored

    def trees(self) -> Iterator[tuple[str, dict[str, bytes], bool]]:
        """(ref, files, whether they join what the ref already holds)."""
        layout = self.world.layout
        folder = f"{self.id[:2]}/{self.id[2:]}/"
        if layout in ("v1", "v1-remote", "both"):
            yield V1_REMOTE if layout == "v1-remote" else V1, self._v1(folder), True
        if layout in ("v2", "both"):
            yield V2_MAIN, self._v2_main(folder), True
            yield V2_FULL, self._v2_full(folder), True
        if layout == "refs":
            yield f"refs/entire/checkpoints/{self.id[-2:]}/{self.id}", self._v1(""), False
        if layout == "legacy":
            yield LEGACY, self._legacy(folder), True

    def _numbers(self) -> Sequence[int]:
        return self.stored.numbers or range(len(self.sessions))

    def _v1(self, folder: str) -> dict[str, bytes]:
        files: dict[str, bytes] = {}
        for i, number in enumerate(self._numbers()):
            files |= {
                f"{folder}{number}/{name}": data for name, data in self._session_files(i).items()
            }
        present = {} if self.stored.dangling else files
        pointers = [
            {key: self._pointer(present, folder, number, name) for key, name in _POINTERS.items()}
            for number in self._numbers()
        ]
        files[f"{folder}metadata.json"] = _json(self._summary(pointers))
        return files

    def _pointer(self, files: Mapping[str, bytes], folder: str, number: int, name: str) -> str:
        if self.stored.dangling:
            return f"/{folder}{number + 7}/{name}"
        path = f"{folder}{number}/{name}"
        return f"/{path}" if path in files else ""

    def _session_files(self, i: int) -> dict[str, bytes]:
        files = {"metadata.json": _json(self._session_metadata(i))}
        text = self.copies[i]
        if text is not None:
            files |= {
                f"full.jsonl{suffix}": encode(part)
                for suffix, part in _chunks(text, self.stored.parts)
            }
            if self.stored.hashed:
                files["content_hash.txt"] = _hash(text)
            if self.stored.prompt:
                files["prompt.txt"] = encode("\n\n---\n\n".join(self.sessions[i].log.prompts))
        return files

    def _legacy(self, folder: str) -> dict[str, bytes]:
        """The latest session at the root of the checkpoint, older ones in `1/`, `2/`, …"""
        files: dict[str, bytes] = {}
        for back, i in enumerate(reversed(range(len(self.sessions)))):
            inside = f"{folder}{back}/" if back else folder
            files |= {inside + name: data for name, data in self._session_files(i).items()}
        return files

    def _v2_main(self, folder: str) -> dict[str, bytes]:
        files: dict[str, bytes] = {}
        for i, number in enumerate(self._numbers()):
            files[f"{folder}{number}/metadata.json"] = _json(self._session_metadata(i))
            # else the truth would not count on what the compact form tells
            if self.copies[i] is not None:
                compact = claude.to_compact(self.sessions[i].log.records, self.world.cli_version)
                files[f"{folder}{number}/transcript.jsonl"] = encode(compact)
                files[f"{folder}{number}/transcript_hash.txt"] = _hash(compact)
            files[f"{folder}{number}/prompt.txt"] = encode(
                "\n\n---\n\n".join(self.sessions[i].log.prompts)
            )
        pointers = [
            {
                "metadata": f"/{folder}{number}/metadata.json",
                "transcript": f"/{folder}{number}/transcript.jsonl",
                "content_hash": f"/{folder}{number}/transcript_hash.txt",
                "prompt": f"/{folder}{number}/prompt.txt",
            }
            for number in self._numbers()
        ]
        files[f"{folder}metadata.json"] = _json(self._summary(pointers))
        return files

    def _v2_full(self, folder: str) -> dict[str, bytes]:
        files = {}
        for text, number in zip(self.copies, self._numbers(), strict=True):
            if text is not None:
                files[f"{folder}{number}/raw_transcript"] = encode(text)
                files[f"{folder}{number}/raw_transcript_hash.txt"] = _hash(text)
        return files

    def _summary(self, pointers: list[Texts]) -> JsonObject:
        return {
            "cli_version": self.world.cli_version,
            "checkpoint_id": self.id,
            "strategy": "manual-commit",
            "branch": self.world.branch,
            "checkpoints_count": len(self.sessions),
            "files_touched": sorted({path for paths in self.touched for path in paths}) or None,
            "sessions": pointers,
            "token_usage": {"input_tokens": 40, "output_tokens": 900, "api_call_count": 10},
        }

    def _session_metadata(self, i: int) -> JsonObject:
        session = self.sessions[i]
        world = self.world
        prefix = (
            iso(session.log.records[0].at)[:11].replace("T", "-") if self.stored.date_prefix else ""
        )
        data: JsonObject = {
            "cli_version": world.cli_version,
            "checkpoint_id": self.id,
            "session_id": prefix + session.id,
            "strategy": "manual-commit",
            "created_at": iso(world.clock, 6),
            "branch": world.branch,
            "checkpoints_count": len(session.log.prompts),
            "files_touched": list(self.touched[i]),
            "agent": self.stored.label,
            "model": session.log.model,
            "token_usage": {"input_tokens": 40, "output_tokens": 900, "api_call_count": 10},
        }
        return {key: value for key, value in data.items() if value is not None}


def _json(value: JsonObject) -> bytes:
    return encode(json.dumps(value, indent=2, ensure_ascii=False))


def _hash(text: str) -> bytes:
    return b"sha256:" + hashlib.sha256(encode(text)).hexdigest().encode()


def _chunks(text: str, parts: int) -> Iterator[tuple[str, str]]:
    """Parts that give the text again when joined with a newline."""
    lines = text.split("\n")
    size = -(-len(lines) // parts)
    for i in range(parts):
        yield (f".{i:03d}" if i else ""), "\n".join(lines[i * size : (i + 1) * size])
