"""Notes of git-ai that name lines a person typed, as far as a run needs them."""

from __future__ import annotations

from collections.abc import Container, Iterator

from collector import claims
from collector.claims import git_ai
from collector.claims.model import MAX_SIZE, ClaimRecord
from collector.git.repository import GitRepo


def records_of_typing(repo: GitRepo, wanted: Container[str]) -> Iterator[ClaimRecord]:
    """Notes of git-ai about these commits that name a person."""
    refs = {name: target for name, target in repo.refs().items() if claims.is_note(name)}
    notes = claims.notes(repo, refs) if refs else ()
    for source in notes:
        size = repo.blob_size(source.blob) if source.commit in wanted else None
        data = repo.blob(source.blob) if size is not None and size <= MAX_SIZE else None
        if data is not None and b"\n  h_" in data and git_ai.sniff(source, data):
            yield from git_ai.read(source, data)
