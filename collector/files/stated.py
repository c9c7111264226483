"""What a repository says of its own files: the `.gitattributes` of a commit."""

from __future__ import annotations

from collector.files.kinds import Attributes, attributes_of
from collector.git.repository import GitRepo
from collector.text import decode

_MAX_BYTES = 1_000_000


def attributes_at(repo: GitRepo, commit: str) -> list[Attributes]:
    """Attributes from each `.gitattributes` of a commit, the root's first; deeper files override it. [] for an unknown commit."""
    attributes: list[Attributes] = []
    record = repo.commit(commit)
    files = [path for path in repo.paths(record.tree if record else "") if path.rpartition("/")[2] == ".gitattributes"]
    for path in sorted(files, key=lambda p: (p.count("/"), p)):
        attributes += attributes_of(text_of_file(repo, commit, path), path.rpartition("/")[0])
    return attributes


def text_of_file(repo: GitRepo, commit: str, path: str) -> str:
    """A small text file of a commit; "" when there is none or it is too large."""
    oid = repo.file_at(commit, path)
    data = repo.blob(oid) if oid else None
    return decode(data) if data is not None and len(data) < _MAX_BYTES else ""
