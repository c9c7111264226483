"""The yardstick of the benchmark reads what has to be read, each thing once."""

from __future__ import annotations

from pathlib import Path

from bench_attribute import before_head, documents, floor, needed
from support.commands import clone

from collector.checkpoints import read_all
from collector.git.repository import GitRepo, blob_id
from collector.load import SessionFiles, session_files
from collector.model import SessionRecord
from collector.vocabulary.sessions import StoredTranscript


class Copies(GitRepo):
    """Blobs without a repository."""

    def __init__(self, *contents: bytes) -> None:
        self.contents = {blob_id(content): content for content in contents}

    def blob(self, oid: str) -> bytes | None:
        return self.contents.get(oid)

    def blob_size(self, oid: str) -> int | None:
        return len(self.contents[oid]) if oid in self.contents else None

    def has(self, oid: str) -> bool:
        return oid in self.contents


def test_a_copy_that_is_the_beginning_of_the_longest_one_is_not_needed() -> None:
    whole, beginning, other = b'{"a":1}\n{"b":2}\n', b'{"a":1}\n', b'{"c":3}\n'
    copies = [(blob_id(content),) for content in (beginning, whole, other)]
    records = [
        SessionRecord("c", n, "s", "s", transcript=copy, transcript_state=StoredTranscript.PRESENT)
        for n, copy in enumerate(copies)
    ]
    files = SessionFiles("s", records)
    assert needed(Copies(whole, beginning, other), files) == {
        blob_id(whole),
        blob_id(other),
    }


def test_a_transcript_is_its_lines_or_one_document() -> None:
    assert list(documents(b'{"a":1}\n\n{"b":2}\n')) == [b'{"a":1}', b'{"b":2}']
    assert list(documents(b'{\n "a": 1\n}\n')) == [b'{\n "a": 1\n}\n']


def test_the_floor_of_a_clone_has_all_three_parts(tmp_path: Path) -> None:
    path = clone("example", tmp_path)
    repo = GitRepo(path)
    blobs = set().union(*(needed(repo, files) for files in session_files(read_all(repo))))
    found = floor(path)
    assert found.size == sum(repo.blob_size(oid) or 0 for oid in blobs) > 0
    assert found.log > 0 and found.seconds >= found.log


def test_the_commit_before_head_ends_at_the_first_one(tmp_path: Path) -> None:
    path = clone("example", tmp_path)
    repo = GitRepo(path)
    head = repo.default_branch().sha
    line = [commit.sha for commit in repo.history(head)]
    assert before_head(path, 0) == head
    assert before_head(path, 10_000) == line[0]
