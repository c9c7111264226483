"""What a repository says of its own files: the `.gitattributes` of a commit, and the commits that
blame is to look through.
"""

import re

from collector.files.kinds import Attributes, attributes_of
from collector.git.repository import GitRepo
from collector.limits import ATTRIBUTE_PATTERNS, ATTRIBUTES_BYTES
from collector.text import decode, file_name


def attributes_at(repo: GitRepo, commit: str) -> list[Attributes]:
    """Attributes from each `.gitattributes` of a commit, the root's first; deeper files override
    it. [] for an unknown commit.
    """
    attributes = []
    record = repo.commit(commit)
    files = [
        path
        for path in repo.paths(record.tree if record else "")
        if file_name(path) == ".gitattributes"
    ]
    for path in sorted(files, key=lambda p: (p.count("/"), p)):
        attributes += attributes_of(text_of_file(repo, commit, path), path.rpartition("/")[0])
    return attributes[:ATTRIBUTE_PATTERNS]


def text_of_file(repo: GitRepo, commit: str, path: str) -> str:
    """A small text file of a commit; "" when there is none or it is too large."""
    oid = repo.file_at(commit, path)
    data = repo.blob(oid) if oid else None
    if data is not None and len(data) < ATTRIBUTES_BYTES:
        return decode(data)
    return ""


_IGNORED = ".git-blame-ignore-revs"  # servers read it without being told
_REVISION = re.compile(r"^\s*([0-9a-f]{40}(?:[0-9a-f]{24})?)\s*(?:#.*)?$", re.M)


def ignored_revisions(repo: GitRepo, commit: str) -> frozenset[str]:
    """Commits that a repository wants blame to look through: named in a file of this commit, and
    in the one that the clone's settings name, if that lies in its worktree.
    """
    texts = [text_of_file(repo, commit, _IGNORED)]
    worktree = repo.worktree()
    named = repo.setting("blame.ignorerevsfile")
    if worktree is not None and named:
        file = (worktree / named).resolve()
        inside = file.is_relative_to(worktree.resolve()) and file.is_file()
        if inside and file.stat().st_size < ATTRIBUTES_BYTES:
            texts.append(decode(file.read_bytes()))
    named_there = {sha for text in texts for sha in _REVISION.findall(text)}
    return frozenset(sha for sha in named_there if repo.commit(sha) is not None)
