"""What other tools claim: every producer's record, checked against a commit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from attribution.exchange.claims.verify import CommittedFiles, worst
from attribution.exchange.claims.verify import check as checked
from attribution.exchange.producers import producers
from attribution.exchange.producers.model import ClaimSource
from collector.git.ranges import count, text, unite
from collector.git.repository import GitRepo
from support.builder import import_stream
from support.builder.model import ADA
from support.builder.objects import Blob, History
from support.fuzz import Target, scratch
from support.fuzz.choices import Choices
from support.fuzz.damage import Sample, check, flipped

_SHA = "a" * 40
_AT = "2026-01-01T00:00:00Z"
_SPAN = {
    "start_line": 1,
    "end_line": 2,
    "content_hash": "murmur3:1",
    "contributor": {"type": "ai", "model_id": "x/y"},
}
# One of each producer's records, in its own shape: what stands before the JSON, and the JSON.
_RECORDS: tuple[tuple[bytes, Any], ...] = (
    (
        b'a.py\n  s_1::t_1 1-2,4\n  h_9 3\n"b c.py"\n  0123456789abcdef 9-10\n---\n',
        {
            "schema_version": "authorship/3.0.0",
            "git_ai_version": "1.6.0",
            "base_commit_sha": _SHA,
            "humans": {"h_9": {"author": "B"}},
            "prompts": {
                "0123456789abcdef": {
                    "agent_id": {"tool": "cursor", "id": "p", "model": "m"},
                    "messages": [],
                }
            },
            "sessions": {
                "s_1": {
                    "agent_id": {"tool": "claude", "id": "t", "model": "o"},
                    "human_author": "A <a@example.org>",
                }
            },
        },
    ),
    (
        b"",
        {
            "version": "0.1.0",
            "id": "00000000-0000-4000-8000-000000000000",
            "timestamp": _AT,
            "vcs": {"type": "git", "revision": _SHA},
            "tool": {"name": "cursor", "version": "3"},
            "files": [
                {
                    "path": "file:///home/x/a.py",
                    "conversations": [
                        {
                            "contributor": {"type": "ai", "model_id": "x/y"},
                            "url": "u",
                            "ranges": [_SPAN],
                            "related": [{"type": "session"}],
                        }
                    ],
                }
            ],
        },
    ),
    (
        b"",
        {
            "schema": "agent-trace/v0.1.0",
            "session_id": "s",
            "file_path": "/home/me/p/a.py",
            "start_line": 3,
            "end_line": 4,
            "tool": "Edit",
            "tool_use_id": "u",
            "timestamp": _AT,
            "model": "m",
        },
    ),
)
_SOURCES = (
    ClaimSource("note", "refs/notes/ai", _SHA, "b" * 40, _SHA),
    ClaimSource("file", "", ".agent-trace/traces.jsonl", "b" * 40),
)


@contextmanager
def target() -> Iterator[Target]:
    samples = [(head, Sample([value])) for head, value in _RECORDS]
    readers = [producer for producer in producers() if hasattr(producer, "sniff")]
    with scratch.directory() as place:
        history = History()
        lines = b"".join(b"line %d\n" % n for n in range(1, 11))
        history.refs["refs/heads/main"] = history.commit(
            {"a.py": Blob(lines)}, [], ADA, 1_772_000_000, "Add a"
        )
        repo = GitRepo(import_stream(history.stream(), place / "r"))
        commit = repo.commit(repo.default_branch().sha)
        assert commit is not None
        seen = CommittedFiles(repo, commit)

        def run(data: bytes) -> None:
            choices = Choices(data)
            source = choices.one_of(_SOURCES)
            if choices.yes(16):
                written = choices.rest()
            else:
                head, sample = choices.one_of(samples)
                written = flipped(head, choices) + sample.damaged(choices)
            producer = next((one for one in readers if one.sniff(source, written)), readers[0])
            for record in producer.read(source, written):
                check(record, "record")
                for view in (seen, None):
                    worst(checked(record.claims, view))
                for claim in record.claims:
                    text(claim.ranges), count(unite(claim.ranges))

        yield run
