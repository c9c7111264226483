"""Where records of other tools lie in a clone: in notes, in files with a name of their own.

Which producer wrote them is told by their shape. Everything is a claim: it is checked against its commit before it counts
(`attribution/exchange/claims`), and never changes our own lines (docs/decisions/0009).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from attribution.exchange.producers import kept_below, producers
from attribution.exchange.producers.model import STAGE, ClaimRecord, ClaimSource, Producer, unread
from attribution.exchange.words import RecordState
from collector.git.repository import GitRepo
from collector.limits import CLAIM_BYTES, CLAIM_FILES
from collector.model import Problem

NOTES = "refs/notes/"
_TRIES = 40  # notes of a ref that nobody may know before the ref is left alone
_ID = re.compile(r"^(?:[0-9a-f]{40}|[0-9a-f]{64})$")
_ENDINGS = (".jsonl", ".json", ".ndjson")


def sources(repo: GitRepo, refs: Mapping[str, str], head: str, problems: list[Problem]) -> list[ClaimSource]:
    """Everything that may hold claims, a note that several refs share once. Notes that no producer reads are a problem row."""
    unique: dict[tuple[str, str], ClaimSource] = {}
    for ref, target in sorted(refs.items()):
        for source in notes(repo, ref, target, problems) if ref.startswith(NOTES) else ():
            unique.setdefault((source.commit, source.blob), source)
    return [*unique.values(), *_files(repo, head, problems)]


def notes(repo: GitRepo, ref: str, target: str, problems: list[Problem]) -> list[ClaimSource]:
    """The notes of one ref; none when no producer knows the first ones."""
    paths = sorted(repo.paths(target).items())
    listed = [ClaimSource("note", ref, path, blob, sha) for path, blob in paths if _ID.match(sha := path.replace("/", ""))]
    if odd := len(paths) - len(listed):
        problems.append(Problem(STAGE, ref, "no_notes", f"{odd} files whose names are not commit ids"))
    if listed and not any(_is_known(repo, source) for source in listed[:_TRIES]):
        problems.append(Problem(STAGE, ref, "unknown_notes", f"{len(listed)} notes in unknown formats, ignored"))
        return []
    return listed


def _is_known(repo: GitRepo, source: ClaimSource) -> bool:
    data = content(repo, source)
    return data is not None and _producer_of(source, data) is not None


def content(repo: GitRepo, source: ClaimSource) -> bytes | None:
    """The bytes of a note or file; None when they are absent or too many."""
    size = repo.blob_size(source.blob)
    return repo.blob(source.blob) if size is not None and size <= CLAIM_BYTES else None


def _producer_of(source: ClaimSource, data: bytes) -> Producer | None:
    return next((p for p in producers() if hasattr(p, "sniff") and p.sniff(source, data)), None)


def _files(repo: GitRepo, head: str, problems: list[Problem]) -> Iterator[ClaimSource]:
    top = repo.entries(head)
    for folder in kept_below("FOLDERS"):
        oid, is_tree = top.get(folder, ("", False))
        if not is_tree:
            continue
        inside = sorted((path, blob) for path, blob in repo.paths(oid).items() if path.endswith(_ENDINGS))
        if len(inside) > CLAIM_FILES:
            problems.append(Problem(STAGE, folder, "too_many_files", f"{len(inside)} files, the first {CLAIM_FILES} are read"))
        for path, blob in inside[:CLAIM_FILES]:
            yield ClaimSource("file", "", f"{folder}/{path}", blob)


def read(repo: GitRepo, source: ClaimSource) -> Iterable[ClaimRecord]:
    """The records of one note or file; why there are none is a problem of a record without claims."""
    size = repo.blob_size(source.blob)
    if size is None:
        return [unread("", source, RecordState.MISSING_BLOB, "absent from this clone")]
    if size > CLAIM_BYTES:
        return [unread("", source, RecordState.TOO_LARGE, f"{size} bytes")]
    data = repo.blob(source.blob) or b""
    producer = _producer_of(source, data)
    if producer is None:
        return [unread("", source, RecordState.UNKNOWN_FORMAT, f"{size} bytes")] if source.kind != "file" else []
    return producer.read(source, data)


def root_of(recorded: Iterable[str], paths: Iterable[str]) -> str:
    """The worktree that most of the absolute paths of somebody's machine lie in, "" when no path ends in a file of the repository.

    Each file that a path ends in is a vote for a directory.
    """
    names = set(paths)
    votes: Counter[str] = Counter()
    for path in set(recorded):
        parts = path.strip("/").split("/")
        for cut in range(1, len(parts)):
            tail = "/".join(parts[cut:])
            if tail in names:
                # The deepest file says most: nearly every project has a README.md.
                votes["/" + "/".join(parts[:cut])] += len(parts) - cut
    return max(votes, key=lambda root: (votes[root], -len(root))) if votes else ""


def relative(path: str, root: str) -> str:
    """The path below the worktree; unchanged when it lies elsewhere."""
    return path[len(root) + 1 :] if root and path.startswith(root + "/") else path
